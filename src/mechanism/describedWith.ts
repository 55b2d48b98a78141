/**
 * The description of a mechanism whose numbers have changed since it was compiled. Each changed number goes to the field that says it; numbers
 * without a field stay as they were described.
 */
import { type Quaternion, quaternion, type Vector3, vector } from "../math/index.ts";
import { serialTurn } from "./compile.ts";
import { coordinateNumbers } from "./coordinateParameters.ts";
import type {
  BodyDescription,
  ContactDescription,
  FluidDescription,
  GearDescription,
  JointDescription,
  MechanismDescription,
  Shape,
  ThrusterDescription,
} from "./description.ts";
import { isSerial } from "./freedom.ts";
import type { Mechanism, MechanismBody, MechanismContact, MechanismGear, MechanismJoint } from "./mechanism.ts";
import { namesOf } from "./order.ts";
import { surfaceParameters } from "./touch.ts";

/** Changed parameters by path, with their values of now. */
export type ChangedParameters = ReadonlyMap<string, number>;

/** The changed parameters of one owner, by the rest of their path. */
class Changes {
  private readonly values: ReadonlyMap<string, number>;

  constructor(all: ChangedParameters, owner: string) {
    const own = [...all].filter(([path]) => path.startsWith(owner));
    this.values = new Map(own.map(([path, value]) => [path.slice(owner.length), value]));
  }

  has(...names: readonly string[]): boolean {
    const paths = [...this.values.keys()];
    return names.some((name) => paths.some((path) => path === name || path.startsWith(`${name}.`)));
  }

  /** The fields of these names that have changed. */
  numbers<Name extends string>(...names: readonly Name[]): Partial<Record<Name, number>> {
    const fields = names.flatMap((name) => (this.values.has(name) ? [[name, this.values.get(name)]] : []));
    return Object.fromEntries(fields) as Partial<Record<Name, number>>;
  }

  number(name: string, before: number): number {
    return this.values.get(name) ?? before;
  }

  /** Vectors of these names, with the entries that have changed. */
  vectors<Name extends string>(before: Readonly<Partial<Record<Name, Vector3>>>, ...names: readonly Name[]) {
    const fields = names.flatMap((name) => {
      if (!this.has(name)) return [];
      const [x, y, z] = before[name] ?? vector.zero;
      return [[name, [this.number(`${name}.x`, x), this.number(`${name}.y`, y), this.number(`${name}.z`, z)]]];
    });
    return Object.fromEntries(fields) as Partial<Record<Name, Vector3>>;
  }
}

/** `now`: the mechanism with the numbers that it has now. */
export function describedWith(
  description: MechanismDescription,
  now: Mechanism,
  changed: ChangedParameters,
): MechanismDescription {
  const each = <T, Now extends { readonly name: string }>(
    kind: "bodies" | "joints" | "gears" | "thrusters",
    current: readonly Now[],
    describe: (one: T, changes: Changes, current: Now) => T,
  ): object => {
    const all = description[kind] as Readonly<Record<string, T>> | undefined;
    if (!all) return {};
    // compile has them in the same order
    const described = namesOf(description, kind).map((name, i) => {
      return [name, describe(all[name], new Changes(changed, `${kind}.${name}.`), current[i])];
    });
    return { [kind]: Object.fromEntries(described) };
  };
  const top = new Changes(changed, "");
  const { shapes, contacts, fluid } = description;
  return {
    ...description,
    ...top.numbers("timestep", "springConservation", "damperCentering"),
    ...(top.has("gravity") && { gravity: now.gravity }),
    ...(shapes && { shapes: shapesWith(shapes, "world", changed) }),
    ...each("bodies", now.bodies, (body: BodyDescription, changes, current: MechanismBody) => ({
      ...body,
      ...changes.numbers("mass", "gravityScale"),
      ...(changes.has("inertia") && { inertia: current.inertia }),
      ...(body.shapes && { shapes: shapesWith(body.shapes, current.name, changed) }),
    })),
    ...each("joints", now.joints, jointWith),
    ...(contacts && {
      contacts: contacts.map((contact, i) => {
        const name = contact.name ?? `contact${i}`;
        const current = now.contacts.find((one) => one.name === name);
        return current ? contactWith(contact, new Changes(changed, `contacts.${name}.`), current) : contact;
      }),
    }),
    ...each("gears", now.gears, gearWith),
    ...each("thrusters", now.thrusters, thrusterWith),
    ...(fluid && now.fluid && { fluid: fluidWith(fluid, now, changed) }),
  };
}

/** Shapes with the changed numbers of their surfaces. */
function shapesWith(shapes: readonly Shape[], body: string, changed: ChangedParameters): Shape[] {
  return shapes.map((shape, i) => {
    const changes = new Changes(changed, `surfaces.${body}.${shape.name ?? `shape${i}`}.`);
    const surface = changes.numbers(...surfaceParameters);
    if (Object.keys(surface).length === 0) return shape;
    return { ...shape, contact: { ...(typeof shape.contact === "object" && shape.contact), ...surface } };
  });
}

function jointWith(joint: JointDescription, changes: Changes, now: MechanismJoint): JointDescription {
  const { frames, coordinates, tiltLimit } = now;
  const numbers = Object.keys(coordinateNumbers) as (keyof typeof coordinateNumbers)[];
  const changedNumbers = numbers
    .filter((name) => changes.has(name))
    .map((name) => [name, coordinates.map((coordinate) => coordinate[name])]);
  return {
    ...joint,
    ...(changes.has("parentAnchor") && { parentAnchor: frames.parentAnchor }),
    ...(changes.has("childAnchor") && { childAnchor: frames.childAnchor }),
    ...(changes.has("parentFrame", "childFrame", "skew") && framesWith(joint, now)),
    ...changes.numbers("axisOffset"),
    ...Object.fromEntries(changedNumbers),
    ...(changes.has("lower", "upper") && { limits: coordinates.map(({ lower, upper }) => [lower, upper] as const) }),
    ...(changes.has("servoStiffness", "servoDamping") && { servo: coordinates.map(({ servo }) => servo) }),
    ...(changes.has("effortLimit") && { effortLimit: coordinates.map(({ effortLimit }) => effortLimit) }),
    ...(changes.has("tiltCosine") && tiltLimit !== null && { tiltLimit }),
  };
}

/** Axes and the orientation at zero coordinates by the joint's frames: what `jointFrames` of compile.ts does, backwards. */
function framesWith(joint: JointDescription, { frames, shape }: MechanismJoint): Partial<JointDescription> {
  const parentFrame = quaternion.normalize(frames.parentFrame);
  const atZero = quaternion.multiply(parentFrame, serialTurn(frames.skew));
  const orientation: Quaternion = quaternion.multiply(
    atZero,
    quaternion.conjugate(quaternion.normalize(frames.childFrame)),
  );
  const axis = (x: number, y: number, z: number): Vector3 => quaternion.rotate(parentFrame, [x, y, z]);
  if (shape.serial) {
    const second = axis(frames.skew, Math.sqrt(1 - frames.skew ** 2), 0);
    return {
      orientation,
      axes: [axis(1, 0, 0), second, axis(0, 0, shape.mirrored ? -1 : 1)].slice(0, joint.axes?.length),
    };
  }
  if (isSerial(joint.kind)) return { orientation, axes: [axis(0, 0, 1)] };
  return { orientation, ...(joint.axis && { axis: axis(0, 0, 1) }) };
}

/** Turning friction of 0 has no field: a contact that is described so has no such friction at all. */
function contactWith(contact: ContactDescription, changes: Changes, now: MechanismContact): ContactDescription {
  const { torsionalFriction, rollingFriction } = now;
  return {
    ...contact,
    ...(changes.has("point") && { point: now.point }),
    ...changes.numbers("radius", "frictionCoefficient", "restitution"),
    ...(torsionalFriction && changes.numbers("torsionalFriction")),
    ...(rollingFriction && changes.numbers("rollingFriction")),
    ...(now.feature === "pointPlane" &&
      changes.has("normal", "offset") && {
        halfSpace: { ...contact.halfSpace, normal: vector.normalize(now.normal), offset: now.offset },
      }),
  };
}

function gearWith(gear: GearDescription, changes: Changes, now: MechanismGear): GearDescription {
  return {
    ...gear,
    ...(changes.has("ratio") && { terms: gear.terms.map((term, i) => ({ ...term, ratio: now.terms[i].ratio })) }),
    ...changes.numbers("offset", "stiffness", "rest", "damping"),
    ...(now.kind === "range" && changes.has("lower", "upper") && { range: [now.lower, now.upper] as const }),
  };
}

function thrusterWith(thruster: ThrusterDescription, changes: Changes): ThrusterDescription {
  const { limits } = thruster;
  const bound = (side: 0 | 1, name: string): number | null => {
    const value = limits?.[side] ?? null;
    return value === null ? null : changes.number(name, value);
  };
  return {
    ...thruster,
    ...changes.vectors(thruster, "position", "force", "torque"),
    ...(limits && { limits: [bound(0, "lower"), bound(1, "upper")] }),
  };
}

/** The medium, as far as all bodies agree on it. */
function fluidWith(fluid: FluidDescription, { bodies }: Mechanism, changed: ChangedParameters): FluidDescription {
  const [first, ...others] = bodies.map(({ name }) => new Changes(changed, `drag.${name}.`));
  const fields = { ...first.numbers("density", "viscosity"), ...first.vectors(fluid, "wind") };
  const agreed = Object.entries(fields).filter(([name, value]) =>
    others.every((changes) => {
      const own = name === "wind" ? changes.vectors(fluid, "wind").wind : changes.number(name, Number.NaN);
      return JSON.stringify(own) === JSON.stringify(value);
    }),
  );
  return { ...fluid, ...Object.fromEntries(agreed) };
}
