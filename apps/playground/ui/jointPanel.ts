/** A slider for every joint coordinate, to pose the robot, or for every input, to drive it. */
import { element } from "../../replay/elements.ts";
import type { Frame, SceneInfo } from "../protocol.ts";
import { createSlider, type Slider } from "./slider.ts";

export interface JointActions {
  pose(coordinate: number, value: number): void;
  input(index: number, value: number): void;
  /** Inputs that hold the robot as it is. */
  hold(): void;
}

export interface JointPanel {
  readonly root: HTMLElement;
  load(info: SceneInfo): void;
  showInput(input: Float64Array): void;
  show(frame: Frame): void;
}

type Mode = "pose" | "drive";

/** For so long after an input, in milliseconds, sliders stay with their user: frames that were under way then know nothing of it yet. */
const settling = 500;

export function createJointPanel(actions: JointActions): JointPanel {
  let mode: Mode = "drive";
  let poses: Slider[] = [];
  let lastPose = Number.NEGATIVE_INFINITY;
  let drives: Slider[] = [];
  const list = element("div", { class: "fields joints" });
  const hold = element("button", { type: "button", class: "quiet", "data-action": "hold" }, "Hold this pose");
  hold.title = "Inputs that balance gravity where the robot is now";
  hold.addEventListener("click", () => actions.hold());
  const hint = element("p", { class: "soft" });
  const option = (value: Mode, label: string): HTMLElement => {
    const input = element("input", { type: "radio", name: "jointMode", value, checked: value === mode });
    input.addEventListener("change", () => {
      mode = value;
      refresh();
    });
    return element("label", {}, input, element("span", {}, label));
  };
  const refresh = (): void => {
    list.replaceChildren(...(mode === "pose" ? poses : drives).map(({ root }) => root));
    hold.hidden = mode === "pose" || drives.length === 0;
    if (mode === "pose") hint.textContent = "Moving a slider pauses, and puts the joint there at rest.";
    else hint.textContent = drives.length > 0 ? "Targets of servos, torques of motors." : "This model has no motors.";
  };
  const choice = element(
    "div",
    { class: "segments", role: "radiogroup", "aria-label": "Sliders" },
    option("drive", "Drive"),
    option("pose", "Pose"),
  );
  const root = element("div", {}, choice, hint, list, hold);
  const showInput = (input: Float64Array): void =>
    drives.forEach((slider, index) => {
      slider.show(input[index]);
    });
  return {
    root,
    load: (info) => {
      poses = info.coordinates.map(({ name, motion, lower, upper }, coordinate) =>
        createSlider({
          label: name,
          name: `pose.${name}`,
          min: lower,
          max: upper,
          unit: motion === "rotation" ? "rad" : "m",
          onInput: (value) => {
            lastPose = performance.now();
            actions.pose(coordinate, value ?? 0);
          },
        }),
      );
      drives = info.inputs.map(({ name, lower, upper, unit }, index) =>
        createSlider({
          label: name,
          name: `input.${name}`,
          min: lower,
          max: upper,
          unit,
          onInput: (value) => actions.input(index, value ?? 0),
        }),
      );
      showInput(info.input);
      refresh();
    },
    showInput,
    show: ({ coordinates }) => {
      if (mode !== "pose" || performance.now() - lastPose < settling) return;
      poses.forEach((slider, index) => {
        slider.show(coordinates[index]);
      });
    },
  };
}
