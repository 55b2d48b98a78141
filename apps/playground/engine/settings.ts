/** The settings of a scene in the memory of its simulation: nothing is compiled again. */
import type { Mechanism, MechanismDescription, Simulation, StepOptions } from "dojo-sim";
import type { Settings } from "../protocol.ts";

/** The engine's own. */
const defaultTolerance = 1e-8;

export function ownSettings({ mechanism }: Simulation): Settings {
  return {
    timestep: mechanism.timestep,
    kappa: null,
    friction: null,
    restitution: null,
    gravity: mechanism.gravity[2],
    tolerance: defaultTolerance,
  };
}

/** What is the engine's own is left to it: a heap's step that has no end at a given tolerance ends a little above it. */
export function stepOptions({ kappa, tolerance }: Settings): StepOptions {
  return { kappa: kappa ?? undefined, tolerance: tolerance === defaultTolerance ? undefined : tolerance };
}

/** Friction, restitution, gravity: what parameters can be set to without the state. Throws, and changes nothing, on what the engine refuses. */
export function applyParameters(simulation: Simulation, { friction, restitution, gravity }: Settings): void {
  const { contacts } = simulation.mechanism;
  const values: Record<string, number> = { "gravity.z": gravity };
  for (const { name, model, frictionCoefficient, restitution: own } of contacts) {
    if (model !== "impact") values[`contacts.${name}.frictionCoefficient`] = friction ?? frictionCoefficient;
    if (own !== null) values[`contacts.${name}.restitution`] = restitution ?? own;
  }
  for (const { path, frictionCoefficient } of roughSurfaces(simulation.mechanism)) {
    values[path] = friction ?? frictionCoefficient;
  }
  simulation.setParameters(values);
}

/** Friction of the model: that of its first contact or surface that has any; null without. */
export function ownFriction(mechanism: Mechanism): number | null {
  const contact = mechanism.contacts.find(({ model }) => model !== "impact");
  return (contact ?? roughSurfaces(mechanism)[0])?.frictionCoefficient ?? null;
}

/** Surfaces of shapes that touch, with the names of their friction: those without any stay so. */
function roughSurfaces({ touch, bodies }: Mechanism): { path: string; frictionCoefficient: number }[] {
  return (touch?.shapes ?? []).flatMap(({ body, name, surface: { frictionCoefficient } }) => {
    const owner = body < 0 ? "world" : bodies[body].name;
    const path = `surfaces.${owner}.${name}.frictionCoefficient`;
    return frictionCoefficient > 0 ? [{ path, frictionCoefficient }] : [];
  });
}

/** The description with contacts that can bounce once they are told to: with a restitution of 0 they have the bits of those without. */
export function elastic(description: MechanismDescription): MechanismDescription {
  const { contacts } = description;
  return contacts
    ? { ...description, contacts: contacts.map((contact) => ({ restitution: 0, ...contact })) }
    : description;
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
  check("restitution", settings.restitution, 0, 1);
  check("gravity", settings.gravity, -100, 100);
  check("tolerance", settings.tolerance, 1e-14, 0.1);
}
