import type { Mechanism } from "../mechanism/index.ts";
import { quantityNames } from "../quantities/index.ts";
import { type Simulation, startOf } from "../simulation/index.ts";
import type { InspectedBody, InspectedJoint, Inspection } from "./inspection.ts";
import { suspicionsOf } from "./suspicions.ts";

/** A contact nearer than this touches, m. */
const touchDistance = 2e-3;

/**
 * Describes a robot: its tree, masses, joints and inputs, its first state, and what looks wrong.
 *   const { suspicions } = inspect(new Simulation(compile(importUrdf(text).description)));
 */
export function inspect(simulation: Simulation): Inspection {
  const mechanism = simulation.currentMechanism;
  const { description, name, bodies, gears, inputNames, contacts, touch } = mechanism;
  const states = Object.keys(description.states ?? {});
  const start = startOf(simulation);
  return {
    name,
    mass: bodies.reduce((sum, { mass }) => sum + mass, 0),
    bodies: treeOf(mechanism),
    joints: jointsOf(mechanism),
    inputs: inputNames,
    contacts: contacts.length,
    shapes: touch?.shapes.length ?? 0,
    gears: gears.length,
    states,
    timestep: simulation.timestep,
    parameters: simulation.parameterNames.length,
    quantities: quantityNames(mechanism).length,
    start: {
      state: states[0] ?? "zero",
      faults: start.faults,
      moved: start.moved,
      touching: touchingAt(simulation, start.state),
    },
    suspicions: suspicionsOf(simulation, start),
  };
}

/** Bodies in the order of their tree, each below the one that it hangs on. */
function treeOf({ bodies, joints, tree, contacts, touch, thrusters }: Mechanism): InspectedBody[] {
  const below = new Map<number, { readonly body: number; readonly joint: string }[]>();
  const placed = new Set<number>();
  for (const { joint, reversed } of tree) {
    const { parent, child, name } = joints[joint];
    const [near, far] = reversed ? [child, parent] : [parent, child];
    below.set(near, [...(below.get(near) ?? []), { body: far, joint: name }]);
    placed.add(far);
  }
  const rows: InspectedBody[] = [];
  const add = (index: number, joint: string | undefined, depth: number): void => {
    const { name, mass } = bodies[index];
    rows.push({
      name,
      mass,
      depth,
      joint,
      contacts: contacts.filter(({ body }) => body === index).length,
      shapes: touch?.shapes.filter(({ body }) => body === index).length ?? 0,
      thrusters: thrusters.filter(({ body }) => body === index).length,
    });
    for (const next of below.get(index) ?? []) add(next.body, next.joint, depth + 1);
  };
  for (const { body, joint } of below.get(-1) ?? []) add(body, joint, 0);
  for (const { index } of bodies) if (!placed.has(index)) add(index, undefined, 0);
  return rows;
}

function jointsOf({ joints, bodies, loopJoints, description }: Mechanism): InspectedJoint[] {
  const nameOf = (body: number): string => bodies[body]?.name ?? "world";
  return joints.map(({ name, index, parent, child, coordinates }) => ({
    name,
    kind: description.joints?.[name]?.kind ?? "fixed",
    parent: nameOf(parent),
    child: nameOf(child),
    closesLoop: loopJoints.includes(index),
    coordinates: coordinates.map((coordinate) => ({
      name: coordinate.name,
      motion: coordinate.motion,
      lower: coordinate.lower,
      upper: coordinate.upper,
      drive: coordinate.input < 0 ? "none" : coordinate.servo ? "servo" : "motor",
      effortLimit: coordinate.effortLimit,
      damping: coordinate.damping,
      stiffness: coordinate.stiffness,
      friction: coordinate.friction,
      armature: coordinate.armature,
    })),
  }));
}

/** Contacts that touch in a state, as a step from there sees them. */
function touchingAt(simulation: Simulation, state: Float64Array): string[] {
  simulation.step(state);
  const explicit = simulation.mechanism.contacts
    .map(({ name }) => name)
    .filter((name) => simulation.contact(name).distance < touchDistance);
  const shapes = simulation
    .touches()
    .filter(({ distance }) => distance < touchDistance)
    .map(({ shape, otherShape }) => `${shape} on ${otherShape}`);
  return [...explicit, ...new Set(shapes)];
}
