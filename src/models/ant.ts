/**
 * Gym's ant: a round torso on four legs of two hinges each. Published URDF: the knee piece and the foot, fixed to each other
 * there, are one link here. Their inertias are kept as printed, with the small moment about z although the capsules lie level.
 * Without motors it sinks until its ankles are at their limits, and stands.
 */
import { vector } from "../math/index.ts";
import { floating, type MechanismDescription, type Vector3 } from "../mechanism/index.ts";
import { assemble, between, type Link, type LinkJoint, merge, type Robot } from "./builder.ts";
import { colors } from "./colors.ts";
import { drive, header, type LimbOptions, limited } from "./options.ts";
import { standingState } from "./placement.ts";
import { type SelfCollisionOptions, withSelfCollisions } from "./selfCollisions.ts";

export interface AntOptions extends LimbOptions, SelfCollisionOptions {
  /** Damping of all hinges. Default 1 N·m·s/rad, as in the file. */
  readonly damping?: number;
  /** Stiffness of springs on all hinges, slack at angle zero. Default 0. */
  readonly stiffness?: number;
}

const radius = 0.08;
const hipMoments: Vector3 = [0.00045856, 0.00045856, 0.000116726];
const hipMass = 0.03647692799740343;
const footMoments: Vector3 = [0.00235904, 0.00235904, 0.000207716];
const footMass = 0.06491137880161697;

/** Name, signs of x and y, the ankle's axis, and the sign of its range of 30° to 70°. */
const legs = [
  ["front_left", 1, 1, [-1, 1, 0], 1],
  ["front_right", -1, 1, [1, 1, 0], -1],
  ["left_back", -1, -1, [-1, 1, 0], -1],
  ["right_back", 1, -1, [1, 1, 0], 1],
] as const;
const degree = Math.PI / 180;

export function ant(options: AntOptions = {}): MechanismDescription {
  const { damping = 1, stiffness = 0, bodyContacts = true, frictionCoefficient = 0.5 } = options;
  const links: Record<string, Link> = { torso: torsoLink(bodyContacts) };
  const joints: Record<string, LinkJoint> = { base: floating({ parent: "world", child: "torso" }) };
  const rest: Record<string, readonly number[]> = {};
  legs.forEach(([name, x, y, axis, sign], i) => {
    const at = (d: number): Vector3 => [d * x, d * y, 0];
    const [leg, foot, hip, ankle] = [`${name}_leg`, `${name}_foot`, `hip_${i + 1}`, `ankle_${i + 1}`];
    links[leg] = piece(at, 0.2, hipMass, hipMoments, colors.sand);
    links[foot] = footLink(at, foot, bodyContacts);
    const range = [sign * 30 * degree, sign * 70 * degree].sort((a, b) => a - b);
    const springs = stiffness === 0 ? {} : { stiffness };
    const hinge = { kind: "revolute", damping, ...springs, ...drive(options) } as const;
    joints[hip] = {
      ...hinge,
      parent: "torso",
      child: leg,
      position: at(0.2),
      axis: vector.unitZ,
      ...limited(options, [-30 * degree, 30 * degree]),
    };
    joints[ankle] = {
      ...hinge,
      parent: leg,
      child: foot,
      position: at(0.2),
      axis: vector.normalize(axis),
      ...limited(options, [range[0], range[1]]),
    };
    rest[ankle] = [sign * 30 * degree];
  });
  const robot: Robot = { links, joints };
  const description = {
    ...header("ant", options),
    ...assemble(robot, { ...options, frictionCoefficient }),
    states: { raised: standingState(robot, "base", rest, 0.5), rest: standingState(robot, "base", rest) },
  };
  return withSelfCollisions(description, options, frictionCoefficient);
}

function torsoLink(bodyContacts: boolean): Link {
  return {
    mass: 0.32724923474893675,
    inertia: [0.00818123, 0.00818123, 0.00818123],
    shapes: [{ kind: "sphere", radius: 0.25, color: colors.sand }],
    spots: bodyContacts ? [{ name: "torso", point: [0, 0, 0], radius: 0.25 }] : [],
  };
}

/** A level capsule from the link's origin outwards; `reach` is its end along x and y. */
function piece(at: (d: number) => Vector3, reach: number, mass: number, inertia: Vector3, color: string): Link {
  const capsule = { kind: "capsule", radius, ...between([0, 0, 0], at(reach)), color } as const;
  return { mass, center: at(reach / 2), inertia, shapes: [capsule] };
}

function footLink(at: (d: number) => Vector3, name: string, bodyContacts: boolean): Link {
  const merged = merge([
    piece(at, 0.2, hipMass, hipMoments, colors.sand),
    piece(at, 0.4, footMass, footMoments, colors.orange),
  ]);
  const knee = { name: `${name}.knee`, point: vector.zero, radius };
  return { ...merged, spots: [{ name, point: at(0.4), radius }, ...(bodyContacts ? [knee] : [])] };
}
