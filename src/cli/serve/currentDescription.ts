/**
 * The description of a simulation with the parameters that have been set since, for whoever goes on from the description alone. What has
 * been written is compared with what was meant: a parameter that a description has no place for is refused, not left out.
 */
import {
  ArgumentError,
  type BodyDescription,
  type ContactDescription,
  compile,
  type JointDescription,
  type MechanismBody,
  type MechanismContact,
  type MechanismDescription,
  type MechanismJoint,
  type Shape,
  Simulation,
} from "../../index.ts";

/** Whether one of these parameters of a body, joint or contact has changed. */
type Changed = (...names: readonly string[]) => boolean;

/** Relative to the number: rounding on its way through angles. */
const tolerance = 1e-12;

export function currentDescription(simulation: Simulation): MechanismDescription {
  const { parameterNames, initialParameters, currentMechanism: now } = simulation;
  const { description } = simulation.mechanism;
  const values = simulation.save().parameters;
  const names = parameterNames.filter((_, i) => values[i] !== initialParameters[i]);
  if (names.length === 0) return description;
  const changedIn =
    (owner: string): Changed =>
    (...parts) =>
      names.some((name) => parts.some((part) => name === `${owner}${part}` || name.startsWith(`${owner}${part}.`)));
  const top = changedIn("");
  const written: MechanismDescription = {
    ...description,
    timestep: now.timestep,
    ...(top("gravity") && { gravity: now.gravity }),
    ...(top("springConservation") && { springConservation: now.springConservation }),
    ...(top("damperCentering") && { damperCentering: now.damperCentering }),
    ...(description.shapes && { shapes: shapesOf(description.shapes, "world") }),
    bodies: mapped(description.bodies, now.bodies, (body, current) => ({
      ...bodyOf(body, current, changedIn(`bodies.${current.name}.`)),
      ...(body.shapes && { shapes: shapesOf(body.shapes, current.name) }),
    })),
    ...(description.joints && {
      joints: mapped(description.joints, now.joints, (joint, current) =>
        jointOf(joint, current, changedIn(`joints.${current.name}.`)),
      ),
    }),
    ...(description.contacts && {
      contacts: description.contacts.map((contact, i) => {
        const name = contact.name ?? `contact${i}`;
        const current = now.contacts.find((one) => one.name === name);
        return current ? contactOf(contact, current, changedIn(`contacts.${name}.`)) : contact;
      }),
    }),
  };
  requireSame(written, simulation, names);
  return written;

  /** Shapes with the parameters of now, of surfaces of which they have changed. */
  function shapesOf(shapes: readonly Shape[], body: string): Shape[] {
    return shapes.map((shape, i) => {
      const path = `surfaces.${body}.${shape.name ?? `shape${i}`}`;
      const all = ["frictionCoefficient", "restitution", "torsionalFriction", "rollingFriction"];
      const changed = all.filter((name) => names.includes(`${path}.${name}`));
      if (changed.length === 0) return shape;
      const surface = typeof shape.contact === "object" ? shape.contact : {};
      const current = changed.map((name) => [name, simulation.parameter(`${path}.${name}`)]);
      return { ...shape, contact: { ...surface, ...Object.fromEntries(current) } };
    });
  }
}

function bodyOf(body: BodyDescription, now: MechanismBody, changed: Changed): BodyDescription {
  return {
    ...body,
    ...(changed("mass") && { mass: now.mass }),
    ...(changed("inertia") && { inertia: now.inertia }),
    ...(changed("gravityScale") && { gravityScale: now.gravityScale }),
  };
}

function jointOf(joint: JointDescription, now: MechanismJoint, changed: Changed): JointDescription {
  const each = <T>(read: (coordinate: MechanismJoint["coordinates"][number]) => T): T[] => now.coordinates.map(read);
  return {
    ...joint,
    ...(changed("parentAnchor") && { parentAnchor: now.frames.parentAnchor }),
    ...(changed("childAnchor") && { childAnchor: now.frames.childAnchor }),
    ...(changed("axisOffset") && { axisOffset: now.frames.axisOffset }),
    ...(changed("stiffness") && { stiffness: each(({ stiffness }) => stiffness) }),
    ...(changed("rest") && { rest: each(({ rest }) => rest) }),
    ...(changed("damping") && { damping: each(({ damping }) => damping) }),
    ...(changed("armature") && { armature: each(({ armature }) => armature) }),
    ...(changed("friction") && { friction: each(({ friction }) => friction) }),
    ...(changed("lower", "upper") && { limits: each(({ lower, upper }) => [lower, upper] as const) }),
    ...(changed("servoStiffness", "servoDamping") && { servo: each(({ servo }) => servo) }),
    ...(changed("effortLimit") && { effortLimit: each(({ effortLimit }) => effortLimit) }),
    ...(changed("effortCenter") && { effortCenter: each(({ effortCenter }) => effortCenter) }),
    ...(changed("tiltCosine") && now.tiltLimit !== null && { tiltLimit: now.tiltLimit }),
  };
}

function contactOf(contact: ContactDescription, now: MechanismContact, changed: Changed): ContactDescription {
  return {
    ...contact,
    ...(changed("point") && { point: now.point }),
    ...(changed("radius") && { radius: now.radius }),
    ...(changed("frictionCoefficient") && { frictionCoefficient: now.frictionCoefficient }),
    ...(changed("restitution") && now.restitution !== null && { restitution: now.restitution }),
    ...(changed("torsionalFriction") && now.torsionalFriction && { torsionalFriction: now.torsionalFriction }),
    ...(changed("rollingFriction") && now.rollingFriction && { rollingFriction: now.rollingFriction }),
  };
}

function mapped<T, Now extends { readonly name: string }>(
  all: Readonly<Record<string, T>>,
  now: readonly Now[],
  change: (one: T, now: Now) => T,
): Record<string, T> {
  const byName = new Map(now.map((one) => [one.name, one]));
  return Object.fromEntries(
    Object.entries(all).map(([name, one]) => {
      const current = byName.get(name);
      return [name, current ? change(one, current) : one];
    }),
  );
}

function requireSame(description: MechanismDescription, simulation: Simulation, names: readonly string[]): void {
  const again = new Simulation(compile(description));
  for (const name of names) {
    const [wanted, found] = [simulation.parameter(name), again.parameter(name)];
    if (found === wanted || Math.abs(found - wanted) <= tolerance * Math.max(1, Math.abs(wanted))) continue;
    const message = `was set to ${wanted}, and a description has no place for it; change the model itself`;
    throw new ArgumentError("not-described", name, message);
  }
}
