/**
 * Gym's half-cheetah: a torso with a hind and a front leg, in a plane. Masses, frames and damping are those of the published
 * URDF, springs those of Gym's model; on them it stands without a motor.
 */
import { matrix3, quaternion, vector } from "../math/index.ts";
import type { MechanismDescription, Quaternion, Vector3 } from "../mechanism/index.ts";
import { assemble, type Link, type LinkJoint, nearestInertia, type Robot } from "./builder.ts";
import { colors } from "./colors.ts";
import { drive, header, type LimbOptions, limited } from "./options.ts";
import { standingState } from "./placement.ts";

export interface HalfCheetahOptions extends LimbOptions {
  /** Default true. */
  readonly springs?: boolean;
  /** Factor on the damping of all hinges. Default 1. */
  readonly dampingFactor?: number;
}

const radius = 0.046;
/** Numbers of each limb in the order mass, length of the capsule below the hinge, moments across and along it. */
const limbs = {
  bthigh: [1.5352, 0.29, 0.01525, 0.001624],
  bshin: [1.5809, 0.29, 0.0166, 0.00167],
  bfoot: [1.069, 0.188, 0.005444, 0.001131],
  fthigh: [1.42558, 0.266, 0.01231, 0.001508],
  fshin: [1.17885, 0.212, 0.00716, 0.00124],
  ffoot: [0.84986, 0.14, 0.002899, 0.000899],
} as const;
type Limb = keyof typeof limbs;

/** Hinges about y: parent, position in it, pitch at zero, range, stiffness, damping, angle at rest on the springs. */
const hinges: Readonly<Record<Limb, HingeRow>> = {
  bthigh: ["torso", [-0.5, 0, 0], -0.658, [-0.52, 1.05], 240, 6, -0.02934380312],
  bshin: ["bthigh", [0, 0, -0.29], 1.7, [-0.785, 0.785], 180, 4.5, 0.02127209744],
  bfoot: ["bshin", [0, 0, -0.29], -1.5, [-0.4, 0.785], 120, 3, -0.07886982308],
  fthigh: ["torso", [0.5, 0, 0], 0.52, [-1, 0.7], 180, 4.5, 0.005482486892],
  fshin: ["fthigh", [0, 0, -0.266], -1.11159, [-1.2, 0.87], 120, 3, -0.05495581553],
  ffoot: ["fshin", [0, 0, -0.212], -0.1, [-0.5, 0.5], 60, 1.5, -0.05685219408],
};
type HingeRow = readonly [Limb | "torso", Vector3, number, readonly [number, number], number, number, number];

/** Found, like the angles above, by letting it settle for a minute. */
const restPitch = 0.03340870134;

/** Coordinates of the base are z, x and the angle about y. */
export function halfCheetah(options: HalfCheetahOptions = {}): MechanismDescription {
  const { springs = true, dampingFactor = 1, bodyContacts = true, frictionCoefficient = 0.4 } = options;
  const links: Record<string, Link> = { torso: torsoLink(bodyContacts) };
  const joints: Record<string, LinkJoint> = {
    base: { kind: "planarAxis", parent: "world", child: "torso", axis: vector.unitY },
  };
  const rest: Record<string, readonly number[]> = { base: [0, 0, springs ? restPitch : 0] };
  for (const name of Object.keys(limbs) as Limb[]) {
    const [parent, position, zero, range, stiffness, damping, angle] = hinges[name];
    links[name] = limbLink(name, bodyContacts);
    joints[name] = {
      kind: "revolute",
      parent,
      child: name,
      position,
      orientation: pitch(zero),
      axis: vector.unitY,
      stiffness: springs ? stiffness : 0,
      damping: dampingFactor * damping,
      ...limited(options, range),
      ...drive(options),
    };
    rest[name] = [springs ? angle : 0];
  }
  const robot: Robot = { links, joints };
  return {
    ...header("halfCheetah", options),
    ...assemble(robot, { ...options, frictionCoefficient }),
    states: { raised: standingState(robot, "base", rest, 0.3), rest: standingState(robot, "base", rest) },
  };
}

const pitch = (angle: number): Quaternion => quaternion.fromAxisAngle(vector.unitY, angle);

/** The torso's capsule lies along x, the head's leans forward. */
function torsoLink(bodyContacts: boolean): Link {
  const [lying, leaning] = [pitch(1.5708), pitch(0.87)];
  const neck: Vector3 = [0.6, 0, 0.1];
  const nose = vector.add(neck, quaternion.rotate(leaning, [0, 0, 0.15]));
  return {
    mass: 6.36031,
    // as printed, no body can have these; the nearest possible differ by 2%
    inertia: nearestInertia(matrix3.diagonal(0.08944, 0.8835, 1.0176)),
    shapes: [
      { kind: "capsule", radius, length: 1, orientation: lying, color: colors.sand },
      { kind: "capsule", radius, length: 0.3, position: neck, orientation: leaning, color: colors.sand },
    ],
    spots: bodyContacts
      ? [
          { name: "torso.back", point: [-0.5, 0, 0], radius },
          { name: "torso.front", point: [0.5, 0, 0], radius },
          { name: "head", point: nose, radius },
        ]
      : [],
  };
}

function limbLink(name: Limb, bodyContacts: boolean): Link {
  const [mass, length, across, along] = limbs[name];
  const isFoot = name.endsWith("foot");
  const center: Vector3 = [0, 0, -length / 2];
  return {
    mass,
    center,
    inertia: [across, across, along],
    shapes: [{ kind: "capsule", radius, length, position: center, color: isFoot ? colors.dark : colors.orange }],
    spots: isFoot || bodyContacts ? [{ name, point: [0, 0, -length], radius }] : [],
  };
}
