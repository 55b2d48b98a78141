/** Contacts, actuators, gears and loops of an exported mechanism. */
import { quaternion, vector } from "../../math/index.ts";
import {
  type HalfSpaceContact,
  type Mechanism,
  type MechanismJoint,
  type Quaternion,
  type Vector3,
  worldIndex,
} from "../../mechanism/index.ts";
import { type Markup, markup } from "../markup.ts";
import type { ExportedCoordinate } from "./exportJoints.ts";
import type { ExportWarnings } from "./exportWarnings.ts";
import { turnFromZ } from "./placement.ts";
import { rangeOf } from "./ranges.ts";
import type { InputEntry } from "./stateMap.ts";

export interface Parts {
  readonly mechanism: Mechanism;
  /** Exported coordinates by their number; filled while bodies are written. */
  readonly coordinates: ReadonlyMap<number, ExportedCoordinate>;
  /** Where the exported frame of each body sits in ours. */
  readonly shifts: readonly Vector3[];
  readonly warnings: ExportWarnings;
  readonly pointRadius: number;
}

/** Second point on the axis of a hinge that closes a loop, in metres. */
const HINGE_LENGTH = 0.1;

/** MuJoCo's own torsional and rolling friction, which contacts of dimension 3 do not use. */
const [defaultTorsional, defaultRolling] = [0.005, 0.0001];

/** A dimension of 6 has both kinds of friction against turning: the one that a contact lacks is as small as MuJoCo takes it. */
const smallestFriction = 1e-5;

function dimensionOf({ torsionalFriction, rollingFriction }: HalfSpaceContact): number {
  return rollingFriction !== null ? 6 : torsionalFriction !== null ? 4 : 3;
}

function turningFrictions({ torsionalFriction, rollingFriction }: HalfSpaceContact): number[] {
  const spin = torsionalFriction ?? (rollingFriction === null ? defaultTorsional : smallestFriction);
  const roll = rollingFriction ?? defaultRolling;
  return [spin, roll, roll];
}

export function exportContacts({ mechanism, shifts, warnings, pointRadius }: Parts): {
  readonly of: (body: number) => readonly Markup[];
  readonly pairs: readonly Markup[];
  /** Names of all geoms. */
  readonly names: Set<string>;
} {
  const geoms = new Map<number, Markup[]>();
  const add = (body: number, element: Markup): void => {
    geoms.set(body, [...(geoms.get(body) ?? []), element]);
  };
  const planes = new Map<string, string>();
  const silent = { contype: 0, conaffinity: 0 };
  const planeOf = ({ normal, offset }: HalfSpaceContact): string => {
    const key = [...normal, offset].join(" ");
    let name = planes.get(key);
    if (name === undefined) {
      name = planes.size === 0 ? "floor" : `plane${planes.size}`;
      while (mechanism.contacts.some((contact) => contact.name === name)) name += "_";
      planes.set(key, name);
      const pose = { pos: vector.scale(normal, offset), quat: turnFromZ(normal) };
      add(worldIndex, markup("geom", { name, type: "plane", size: [0, 0, 1], ...pose, ...silent }));
    }
    return name;
  };
  const pairs: Markup[] = [];
  for (const contact of mechanism.contacts) {
    if (contact.feature !== "pointPlane") {
      warnings.add(`contacts.${contact.name}`, "it is not one of a sphere with a half-space; it is left out");
      continue;
    }
    if (contact.other !== worldIndex) {
      warnings.add(`contacts.${contact.name}`, "planes stand still in MuJoCo; a contact with a moving one is left out");
      continue;
    }
    const plane = planeOf(contact);
    add(
      contact.body,
      markup("geom", {
        name: contact.name,
        type: "sphere",
        size: [contact.radius > 0 ? contact.radius : pointRadius],
        pos: vector.sub(contact.point, shifts[contact.body]),
        mass: 0,
        rgba: [0, 0, 0, 0],
        group: 3,
        ...silent,
      }),
    );
    const mu = contact.frictionCoefficient;
    const rough = contact.model !== "impact";
    if (contact.model === "linear") {
      warnings.add(`contacts.${contact.name}`, 'for the four-sided pyramid set cone="pyramidal" in <option>');
    }
    if (contact.restitution !== null) {
      const message =
        "left out; MuJoCo bounces by solref, a spring and damper whose rebound depends on mass and time step";
      warnings.add(`contacts.${contact.name}.restitution`, message);
    }
    pairs.push(
      markup("pair", {
        geom1: plane,
        geom2: contact.name,
        condim: rough ? dimensionOf(contact) : 1,
        ...(rough && { friction: [mu, mu, ...turningFrictions(contact)] }),
      }),
    );
  }
  mechanism.thrusters.forEach(({ name, body, position }) => {
    add(body, markup("site", { name: `thruster.${name}`, pos: vector.sub(position, shifts[body]) }));
  });
  const names = new Set([...mechanism.contacts.map(({ name }) => name), ...planes.values()]);
  return { of: (body) => geoms.get(body) ?? [], pairs, names };
}

export function exportActuators({ mechanism, coordinates, warnings }: Parts): {
  readonly elements: readonly Markup[];
  readonly inputs: readonly InputEntry[];
} {
  const elements: Markup[] = [];
  const inputs: InputEntry[] = new Array(mechanism.inputSize);
  const put = (input: number, element: Markup | undefined): void => {
    inputs[input] = { ctrl: element ? elements.push(element) - 1 : -1, scale: 1, offset: 0 };
  };
  for (const joint of mechanism.joints) {
    joint.coordinates.forEach((coordinate, i) => {
      if (coordinate.input < 0) return;
      const exported = coordinates.get(joint.coordinateOffset + i);
      if (!exported || (coordinate.servo && !exported.scalar)) {
        const reason = exported ? "servos of free rotations" : "motors of joints that close loops";
        warnings.add(`joints.${joint.name}`, `${reason} are left out`);
        put(coordinate.input, undefined);
        return;
      }
      const { effortLimit: effort, effortCenter: center } = coordinate;
      const common = {
        name: coordinate.name,
        [exported.attribute]: exported.joint,
        forcerange: effort === null ? undefined : [center - effort, center + effort],
      };
      const { servo } = coordinate;
      if (servo) put(coordinate.input, markup("position", { ...common, kp: servo.stiffness, kv: servo.damping }));
      else put(coordinate.input, markup("motor", { ...common, gear: exported.scalar ? undefined : exported.gear }));
    });
  }
  for (const { name, force, torque, lower, upper, input } of mechanism.thrusters) {
    const limited = lower !== null || upper !== null;
    put(
      input,
      markup("motor", {
        name,
        site: `thruster.${name}`,
        gear: [...force, ...torque],
        ctrlrange: limited ? rangeOf(lower, upper) : undefined,
      }),
    );
  }
  return { elements, inputs };
}

export function exportEqualities(parts: Parts): {
  /** Sites that loops close with. */
  readonly sites: (body: number) => readonly Markup[];
  /** To be asked for when all coordinates are known. */
  readonly elements: () => { readonly equality: readonly Markup[]; readonly tendon: readonly Markup[] };
} {
  const { mechanism, shifts, warnings } = parts;
  const sites = new Map<number, Markup[]>();
  const loops: Markup[] = [];
  const site = (body: number, name: string, position: Vector3, orientation: Quaternion): void => {
    const shift = body === worldIndex ? vector.zero : shifts[body];
    const element = markup("site", { name, pos: vector.sub(position, shift), quat: orientation });
    sites.set(body, [...(sites.get(body) ?? []), element]);
  };
  const close = (joint: MechanismJoint, name: string, element: string, at: number): void => {
    const { parentAnchor, parentFrame, childAnchor, childFrame } = joint.frames;
    const along: Vector3 = [0, 0, at];
    const [site1, site2] = [`${name}.parent`, `${name}.child`];
    site(joint.parent, site1, vector.add(parentAnchor, quaternion.rotate(parentFrame, along)), parentFrame);
    site(joint.child, site2, vector.add(childAnchor, quaternion.rotate(childFrame, along)), childFrame);
    loops.push(markup(element, { name, site1, site2 }));
  };
  for (const index of mechanism.loopJoints) {
    const joint = mechanism.joints[index];
    const kind = mechanism.description.joints?.[joint.name].kind;
    const { name } = joint;
    if (kind === "fixed") close(joint, name, "weld", 0);
    else if (kind === "spherical") close(joint, name, "connect", 0);
    else if (kind === "revolute") {
      close(joint, name, "connect", 0);
      close(joint, `${name}.axis`, "connect", HINGE_LENGTH);
    } else warnings.add(`joints.${name}`, `a ${kind} joint that closes a loop is left out`);
    const acts = joint.coordinates.some(
      ({ stiffness, damping, armature, friction, lower, upper }) =>
        stiffness + damping + armature + friction > 0 || lower !== null || upper !== null,
    );
    if (acts) warnings.add(`joints.${name}`, "springs, dampers, limits and friction of a loop's joint are left out");
  }
  return {
    sites: (body) => sites.get(body) ?? [],
    elements: () => {
      const { equality, tendon } = exportGears(parts);
      return { equality: [...loops, ...equality], tendon };
    },
  };
}

/** Equalities of two terms: θ₁ = offset/r₁ − (r₂/r₁) θ₂; of more: a tendon of that length. Ranges and springs: a tendon. */
function exportGears({ mechanism, coordinates, warnings }: Parts): { equality: Markup[]; tendon: Markup[] } {
  const equality: Markup[] = [];
  const tendon: Markup[] = [];
  for (const gear of mechanism.gears) {
    const { name, terms } = gear;
    const places = terms.map(({ joint, coordinate }) =>
      coordinates.get(mechanism.joints[joint].coordinateOffset + coordinate),
    );
    if (!places.every((place) => place?.scalar)) {
      warnings.add(`gears.${name}`, "ties a free rotation or a joint that closes a loop; left out");
      continue;
    }
    const joints = places.map((place) => (place as ExportedCoordinate).joint);
    const children = terms.map(({ ratio }, i) => markup("joint", { joint: joints[i], coef: ratio }));
    if (gear.kind === "range") {
      tendon.push(markup("fixed", { name, limited: true, range: rangeOf(gear.lower, gear.upper) }, children));
      continue;
    }
    if (gear.kind === "spring") {
      const { stiffness, damping, rest } = gear;
      // −1 would stand for the length at the start
      if (rest === -1) warnings.add(`gears.${name}.rest`, "-1 has another meaning in MuJoCo; written as -0.999999999");
      const springlength = rest === -1 ? -0.999999999 : rest;
      tendon.push(markup("fixed", { name, stiffness, damping, springlength }, children));
      continue;
    }
    const { offset } = gear;
    if (terms.length <= 2) {
      const [r1, r2 = 0] = terms.map(({ ratio }) => ratio);
      const polycoef = [offset / r1, -r2 / r1, 0, 0, 0];
      equality.push(markup("joint", { name, joint1: joints[0], joint2: joints[1], polycoef }));
    } else {
      tendon.push(markup("fixed", { name }, children));
      equality.push(markup("tendon", { name, tendon1: name, polycoef: [offset, 0, 0, 0, 0] }));
    }
  }
  return { equality, tendon };
}
