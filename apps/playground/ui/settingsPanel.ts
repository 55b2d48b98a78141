/** Sliders for what lives in the engine's memory, and the choices for which the model is compiled again. */
import { element } from "../../replay/elements.ts";
import type { Collisions, Drive, SceneInfo, Settings } from "../protocol.ts";
import { createSlider } from "./slider.ts";

export interface SettingsActions {
  change(settings: Partial<Settings>): void;
  drive(drive: Drive): void;
  start(name: string): void;
  collisions(collisions: Collisions): void;
}

export interface SettingsPanel {
  readonly root: HTMLElement;
  load(info: SceneInfo): void;
  show(settings: Settings): void;
}

export function createSettingsPanel(actions: SettingsActions): SettingsPanel {
  let own: SceneInfo | undefined;
  const sliders = {
    timestep: createSlider({
      label: "Time step h",
      name: "timestep",
      hint: "Seconds of one step; the momentum is kept when it changes",
      min: 1e-3,
      max: 0.1,
      logarithmic: true,
      unit: "s",
      onInput: (value) => value !== null && actions.change({ timestep: value }),
    }),
    kappa: createSlider({
      label: "Smoothness κ",
      name: "kappa",
      hint: "Central-path parameter: large values soften contact, small ones are exact",
      min: 1e-8,
      max: 1e-1,
      logarithmic: true,
      ownAtLeft: "exact",
      onInput: (value) => actions.change({ kappa: value }),
    }),
    friction: createSlider({
      label: "Friction μ",
      name: "friction",
      hint: "Coefficient of every contact and every surface that has friction",
      min: 0.01,
      max: 1.5,
      step: 0.01,
      onInput: (value) => actions.change({ friction: value }),
    }),
    restitution: createSlider({
      label: "Bounce e",
      name: "restitution",
      hint: "Coefficient of restitution of every contact: 0 does not bounce, 1 loses nothing",
      min: 0,
      max: 1,
      step: 0.01,
      onInput: (value) => actions.change({ restitution: value }),
    }),
    gravity: createSlider({
      label: "Gravity",
      name: "gravity",
      hint: "Along the vertical; the Earth has −9.81, the Moon −1.62",
      min: -20,
      max: 5,
      step: 0.01,
      unit: "m/s²",
      onInput: (value) => value !== null && actions.change({ gravity: value }),
    }),
    tolerance: createSlider({
      label: "Tolerance",
      name: "tolerance",
      hint: "Relative residual that counts as solved",
      min: 1e-12,
      max: 1e-3,
      logarithmic: true,
      onInput: (value) => value !== null && actions.change({ tolerance: value }),
    }),
  };
  const drive = element("select", { name: "drive", "aria-label": "Joints have" });
  drive.append(
    element("option", { value: "servo" }, "servos (targets)"),
    element("option", { value: "motor" }, "motors (torques)"),
  );
  const start = element("select", { name: "start", "aria-label": "Start" });
  const collisions = element("select", { name: "collisions", "aria-label": "Bodies touch" });
  collisions.append(
    element("option", { value: "floor" }, "the floor"),
    element("option", { value: "shapes" }, "one another too"),
  );
  collisions.addEventListener("change", () => actions.collisions(collisions.value as Collisions));
  drive.addEventListener("change", () => actions.drive(drive.value as Drive));
  start.addEventListener("change", () => actions.start(start.value));
  const restore = element(
    "button",
    { type: "button", class: "quiet", "data-action": "own-settings" },
    "Model's own values",
  );
  restore.addEventListener("click", () => own && actions.change(own.ownSettings));
  const row = (label: string, control: HTMLElement): HTMLElement =>
    element("label", { class: "choice" }, element("span", {}, label), control);
  const driveRow = row("Joints have", drive);
  const startRow = row("Start", start);
  const collisionsRow = row("Bodies touch", collisions);
  const root = element(
    "div",
    { class: "fields" },
    ...Object.values(sliders).map((slider) => slider.root),
    driveRow,
    collisionsRow,
    startRow,
    restore,
  );
  const show = ({ timestep, kappa, friction, restitution, gravity, tolerance }: Settings): void => {
    sliders.timestep.show(timestep);
    sliders.kappa.show(kappa);
    sliders.friction.show(friction ?? own?.friction ?? 0.01);
    sliders.restitution.show(restitution ?? own?.restitution ?? 0);
    sliders.gravity.show(gravity);
    sliders.tolerance.show(tolerance);
  };
  return {
    root,
    load: (info) => {
      own = info;
      show(info.settings);
      sliders.friction.root.hidden = info.friction === null;
      sliders.restitution.root.hidden = info.restitution === null;
      drive.value = info.drive;
      driveRow.hidden = !info.canDrive;
      collisions.value = info.collisions ?? "floor";
      collisionsRow.hidden = info.collisions === null;
      start.replaceChildren(
        ...info.starts.map((name) => element("option", { value: name, selected: name === info.start }, name)),
      );
      startRow.hidden = info.starts.length < 2;
    },
    show,
  };
}
