/** What can be chosen: the slope, MuJoCo's settings, our κ, and how the time runs. */
import { element } from "../../replay/elements.ts";
import { createSlider } from "../lens/slider.ts";
import { button } from "../ui/button.ts";
import { type CreepSettings, cones, integrators, kappas, presets, ranges } from "./settings.ts";

export interface RunActions {
  change(part: Partial<CreepSettings>): void;
  restart(): void;
  play(playing: boolean, speed: number): void;
}

export interface Controls {
  readonly root: HTMLElement;
  readonly run: HTMLElement;
  update(settings: CreepSettings): void;
}

const speeds = [0.1, 1, 10] as const;

export function createControls({ change, restart, play }: RunActions): Controls {
  const slider = (name: keyof typeof ranges, label: string, step: number, logarithmic: boolean, digits = 4) =>
    createSlider({
      ...{ name, label, step, logarithmic, digits },
      ...ranges[name],
      change: (value) => change({ [name]: value }),
    });
  const sliders = {
    angle: slider("angle", "Slope, degrees", 0.5, false),
    friction: slider("friction", "Friction coefficient", 0.05, false),
    timestep: slider("timestep", "Time step h, s", 0.001, false),
    impratio: slider("impratio", "impratio", 0.1, true, 2),
    noslip: slider("noslip", "No-slip iterations", 1, false),
  };
  const cone = select("cone", "Friction cone", cones, (i) => change({ cone: cones[i] }));
  const integrator = select("integrator", "Integrator", integrators, (i) => change({ integrator: integrators[i] }));
  const kappaNames = kappas.map((kappa) => (kappa === undefined ? "default" : kappa.toExponential()));
  const kappa = select("kappa", "κ", kappaNames, (i) => change({ kappa: kappas[i] }));
  const preset = (name: keyof typeof presets, words: string): HTMLElement =>
    button(words, `preset-${name}`, () => change(presets[name]));
  const root = element(
    "div",
    { class: "choices" },
    group("The slope", sliders.angle.root, sliders.friction.root, sliders.timestep.root),
    group(
      "MuJoCo",
      element("div", { class: "row" }, preset("default", "Defaults"), preset("careful", "Against creep")),
      element("div", { class: "row" }, cone.root, integrator.root),
      sliders.impratio.root,
      sliders.noslip.root,
    ),
    group("dojo-sim", kappa.root),
  );

  // how the time runs
  let playing = true;
  const speed = select(
    "speed",
    "Speed",
    speeds.map((factor) => `${factor}×`),
    () => tell(),
  );
  speed.set(1);
  const pause = button("Pause", "play", () => {
    playing = !playing;
    pause.textContent = playing ? "Pause" : "Play";
    tell();
  });
  pause.classList.add("primary");
  const tell = (): void => play(playing, speeds[speed.index()]);
  tell();
  const run = element("div", { class: "row" }, pause, button("Restart", "restart", restart), speed.root);
  return {
    root,
    run,
    update(settings) {
      for (const name of Object.keys(sliders) as (keyof typeof sliders)[]) sliders[name].set(settings[name]);
      cone.set(cones.indexOf(settings.cone));
      integrator.set(integrators.indexOf(settings.integrator));
      kappa.set(kappas.indexOf(settings.kappa));
    },
  };
}

interface Select {
  readonly root: HTMLElement;
  index(): number;
  set(index: number): void;
}

function select(name: string, label: string, options: readonly string[], change: (index: number) => void): Select {
  const list = element("select", { "data-setting": name });
  list.append(...options.map((words) => element("option", {}, words)));
  list.addEventListener("change", () => change(list.selectedIndex));
  const root = element("label", { class: "select" }, element("span", {}, label), list);
  return {
    root,
    index: () => list.selectedIndex,
    set(index) {
      list.selectedIndex = index;
    },
  };
}

function group(title: string, ...children: HTMLElement[]): HTMLElement {
  return element("fieldset", { class: "panel" }, element("legend", {}, title), ...children);
}
