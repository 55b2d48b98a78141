/** The settings of a scene in the memory of its simulation: nothing is compiled again. */
import type { Simulation, StepOptions } from "dojo-sim";
import type { Settings } from "../protocol.ts";

const defaultTolerance = 1e-8;

export function ownSettings({ mechanism }: Simulation): Settings {
  return {
    timestep: mechanism.timestep,
    kappa: null,
    friction: null,
    gravity: mechanism.gravity[2],
    tolerance: defaultTolerance,
  };
}

export function stepOptions({ kappa, tolerance }: Settings): StepOptions {
  return { kappa: kappa ?? undefined, tolerance };
}

/** Friction, gravity: what parameters can be set to without the state. Throws, and changes nothing, on what the engine refuses. */
export function applyParameters(simulation: Simulation, { friction, gravity }: Settings): void {
  const values: Record<string, number> = { "gravity.z": gravity };
  for (const { name, model, frictionCoefficient } of simulation.mechanism.contacts) {
    if (model !== "impact") values[`contacts.${name}.frictionCoefficient`] = friction ?? frictionCoefficient;
  }
  simulation.setParameters(values);
}

/** Every number one that a slider could give; anything else is refused with what is wrong. */
export function requireSettings(settings: Partial<Settings>): void {
  const check = (name: keyof Settings, value: number | null | undefined, low: number, high: number): void => {
    if (value === undefined || value === null) return;
    if (value >= low && value <= high) return;
    throw new RangeError(`${name} = ${value} is not between ${low} and ${high}.`);
  };
  check("timestep", settings.timestep, 1e-4, 0.5);
  check("kappa", settings.kappa, 1e-14, 10);
  check("friction", settings.friction, 1e-3, 10);
  check("gravity", settings.gravity, -100, 100);
  check("tolerance", settings.tolerance, 1e-14, 0.1);
}
