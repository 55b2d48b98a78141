/**
 * The mechanism as it is now: what `compile` made, with the numbers that have been set since (those of thrusters and drag
 * apart). Conversions, checks and projections that work on mechanisms then see changed masses, anchors, limits and contact
 * points.
 */
import { featureValueNames } from "../../geometry/index.ts";
import type { System } from "../../kernels/index.ts";
import { cached, type Matrix3, type Quaternion, type Vector3 } from "../../math/index.ts";
import {
  gyrationOf,
  type Mechanism,
  type MechanismBody,
  type MechanismContact,
  type MechanismGear,
  type MechanismJoint,
  withCoordinateValues,
  withFeatureValues,
} from "../../mechanism/index.ts";

/** A mechanism as compiled, or as a simulation has it now. */
export type MechanismSubject = Mechanism | PresentMechanism;

/** A simulation. */
interface PresentMechanism {
  /** @internal */
  readonly system: System;
  readonly currentMechanism?: Mechanism;
}

export function mechanismOf(subject: MechanismSubject): Mechanism {
  return "system" in subject ? (subject.currentMechanism ?? currentMechanism(subject.system)) : subject;
}

type Read = (path: string) => number;

/** A part of the mechanism as it was made last, and the places and values of the numbers that it was made of. */
interface Made {
  readonly part: unknown;
  readonly places: readonly number[];
  readonly values: readonly number[];
}

const madeOf = new WeakMap<System, Map<object, Made>>();

/** Parts whose numbers have not changed since the last call are the same objects again, and so are lists of such parts. */
export function currentMechanism(system: System): Mechanism {
  const { mechanism, f64, parameters } = system;
  const made = cached(madeOf, system, () => new Map<object, Made>());
  const read: Read = (path) => f64[parameters.get(path) as number];

  const partOf = <T extends object>(compiled: T, make: (read: Read, compiled: T) => T): T => {
    const known = made.get(compiled);
    if (known?.places.every((place, i) => Object.is(f64[place], known.values[i]))) return known.part as T;
    const [places, values]: [number[], number[]] = [[], []];
    const noted: Read = (path) => {
      const place = parameters.get(path) as number;
      places.push(place);
      values.push(f64[place]);
      return f64[place];
    };
    const part = make(noted, compiled);
    made.set(compiled, { part, places, values });
    return part;
  };
  const listOf = <T extends object>(compiled: readonly T[], make: (read: Read, compiled: T) => T): readonly T[] => {
    const list = compiled.map((part) => partOf(part, make));
    const before = made.get(compiled)?.part as readonly T[] | undefined;
    if (before?.every((part, i) => part === list[i])) return before;
    made.set(compiled, { part: list, places: [], values: [] });
    return list;
  };

  return {
    ...mechanism,
    timestep: read("timestep"),
    gravity: vector3(read, "gravity"),
    springConservation: read("springConservation"),
    damperCentering: read("damperCentering"),
    bodies: listOf(mechanism.bodies, currentBody),
    joints: listOf(mechanism.joints, currentJoint),
    contacts: listOf(mechanism.contacts, currentContact),
    gears: listOf(mechanism.gears, currentGear),
  };
}

function currentBody(read: Read, body: MechanismBody): MechanismBody {
  const path = `bodies.${body.name}`;
  const [mass, gravityScale] = ["mass", "gravityScale"].map((name) => read(`${path}.${name}`));
  const inertia = inertiaAt(read, `${path}.inertia`);
  return { ...body, mass, gravityScale, inertia, gyration: gyrationOf(mass, inertia) };
}

function currentGear(read: Read, gear: MechanismGear): MechanismGear {
  const path = `gears.${gear.name}`;
  const terms = gear.terms.map((term, i) => ({ ...term, ratio: read(`${path}.ratio.${i}`) }));
  if (gear.kind === "equality") return { ...gear, terms, offset: read(`${path}.offset`) };
  if (gear.kind === "range") {
    const [lower, upper] = (["lower", "upper"] as const).map((side) =>
      gear[side] === null ? null : read(`${path}.${side}`),
    );
    return { ...gear, terms, lower, upper };
  }
  const [stiffness, rest, damping] = ["stiffness", "rest", "damping"].map((name) => read(`${path}.${name}`));
  return { ...gear, terms, stiffness, rest, damping };
}

function currentJoint(read: Read, joint: MechanismJoint): MechanismJoint {
  const path = `joints.${joint.name}`;
  return {
    ...joint,
    frames: {
      parentAnchor: vector3(read, `${path}.parentAnchor`),
      parentFrame: quaternionAt(read, `${path}.parentFrame`),
      childAnchor: vector3(read, `${path}.childAnchor`),
      childFrame: quaternionAt(read, `${path}.childFrame`),
      skew: read(`${path}.skew`),
      axisOffset: read(`${path}.axisOffset`),
    },
    coordinates: joint.coordinates.map((coordinate, i) =>
      withCoordinateValues(coordinate, (name) => read(`${path}.${name}.${i}`)),
    ),
    tiltLimit: joint.tiltLimit === null ? null : 2 * Math.acos(read(`${path}.tiltCosine`)),
  };
}

function currentContact(read: Read, contact: MechanismContact): MechanismContact {
  const path = `contacts.${contact.name}`;
  const values = featureValueNames[contact.feature].map((name) => read(`${path}.${name}`));
  return {
    ...withFeatureValues(contact, values),
    frictionCoefficient: read(`${path}.frictionCoefficient`),
    restitution: contact.restitution === null ? null : read(`${path}.restitution`),
    torsionalFriction: contact.torsionalFriction === null ? null : read(`${path}.torsionalFriction`),
    rollingFriction: contact.rollingFriction === null ? null : read(`${path}.rollingFriction`),
  };
}

function vector3(read: Read, path: string): Vector3 {
  return [read(`${path}.x`), read(`${path}.y`), read(`${path}.z`)];
}

function quaternionAt(read: Read, path: string): Quaternion {
  return [read(`${path}.w`), read(`${path}.x`), read(`${path}.y`), read(`${path}.z`)];
}

/** The inertia from the six numbers of a symmetric matrix. */
export function inertiaAt(read: Read, path: string): Matrix3 {
  const [xx, yy, zz, xy, xz, yz] = ["xx", "yy", "zz", "xy", "xz", "yz"].map((entry) => read(`${path}.${entry}`));
  return [
    [xx, xy, xz],
    [xy, yy, yz],
    [xz, yz, zz],
  ];
}
