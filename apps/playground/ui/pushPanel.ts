/** Pushes without a mouse: a body, a direction, a strength, a button. */
import { element } from "../../replay/elements.ts";
import type { Push, SceneInfo } from "../protocol.ts";
import { createSlider } from "./slider.ts";

const directions = {
  "forward (+x)": [1, 0, 0],
  "backward (−x)": [-1, 0, 0],
  "left (+y)": [0, 1, 0],
  "right (−y)": [0, -1, 0],
  "up (+z)": [0, 0, 1],
  "down (−z)": [0, 0, -1],
} as const;
/** Simulated seconds. */
const duration = 0.1;

export interface PushPanel {
  readonly root: HTMLElement;
  load(info: SceneInfo): void;
  choose(body: number): void;
  push(): void;
}

export function createPushPanel(actions: { push(push: Push): void; choose(body: number): void }): PushPanel {
  let masses: readonly number[] = [];
  let strength = 1;
  const body = element("select", { name: "pushBody" });
  const direction = element("select", { name: "pushDirection" });
  for (const name of Object.keys(directions)) direction.append(element("option", { value: name }, name));
  const slider = createSlider({
    label: "Strength",
    name: "pushStrength",
    hint: "Force in weights of the robot, or of a loose body, for a tenth of a second",
    min: 0.1,
    max: 10,
    logarithmic: true,
    unit: "× weight",
    onInput: (value) => {
      strength = value ?? 1;
    },
  });
  slider.show(strength);
  const push = (): void => {
    const [x, y, z] = directions[direction.value as keyof typeof directions];
    const size = strength * 9.81 * masses[body.selectedIndex];
    actions.push({ body: body.selectedIndex, force: [size * x, size * y, size * z], duration });
  };
  const button = element(
    "button",
    { type: "button", class: "strong", "data-action": "push", title: "Push (p)" },
    "Push",
  );
  button.addEventListener("click", push);
  body.addEventListener("change", () => actions.choose(body.selectedIndex));
  const row = (label: string, control: HTMLElement): HTMLElement =>
    element("label", { class: "choice" }, element("span", {}, label), control);
  const root = element(
    "div",
    { class: "fields" },
    element("p", { class: "soft" }, "Drag a body in the view to pull it, or push it from here."),
    row("Body", body),
    row("Direction", direction),
    slider.root,
    button,
  );
  return {
    root,
    load: (info) => {
      masses = info.groupMasses;
      body.replaceChildren(...info.bodies.map(({ name }, index) => element("option", { value: index }, name)));
      body.selectedIndex = info.base;
    },
    choose: (index) => {
      body.selectedIndex = index;
    },
    push,
  };
}
