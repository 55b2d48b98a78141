/**
 * Franka Emika's Panda: seven hinges and a gripper of two fingers that move as one. Published model of MuJoCo's collection:
 * masses, inertias, frames, ranges, armature and damping. The base is the world; the hand is fixed to the last link.
 */
import { quaternion, vector } from "../math/index.ts";
import type { Matrix3, MechanismDescription, Quaternion, Servo, Shape, Vector3 } from "../mechanism/index.ts";
import {
  assemble,
  type ContactSpot,
  inertiaOf,
  type Link,
  type LinkJoint,
  type LinkPose,
  merge,
  type Robot,
  tube,
} from "./builder.ts";
import { colors } from "./colors.ts";
import { drive, header, limited, type RobotOptions } from "./options.ts";
import { stateOf } from "./placement.ts";
import { withSelfCollisions } from "./selfCollisions.ts";

export interface PandaOptions extends Omit<RobotOptions, "servo"> {
  /** Position servos in place of the motors, the same for all hinges, or "published": those of the model. */
  readonly servo?: Servo | "published";
  /** Two fingers and their motor. Default true. */
  readonly gripper?: boolean;
  /** Damping of the hinges. Default 1 N·m·s/rad, as published. */
  readonly damping?: number;
  /** Inertia of the hinges' rotors. Default 0.1 kg·m². */
  readonly armature?: number;
}

/** Mass, centre, and inertia in the order xx, yy, zz, xy, xz, yz. */
const masses: readonly (readonly [number, Vector3, readonly [number, number, number, number, number, number]])[] = [
  [4.970684, [0.003875, 0.002081, -0.04762], [0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169]],
  [0.646926, [-0.003141, -0.02872, 0.003495], [0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704]],
  [3.228604, [0.027518, 0.039252, -0.066502], [0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805]],
  [3.587895, [-0.05317, 0.104419, 0.027454], [0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641]],
  [1.225946, [-0.011953, 0.041065, -0.038437], [0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229]],
  [1.666555, [0.060149, -0.014117, -0.010517], [0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341]],
  [0.735522, [0.010517, -0.004252, 0.061597], [0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741]],
];
const [forth, back]: readonly Quaternion[] = [1, -1].map((s) => [Math.SQRT1_2, s * Math.SQRT1_2, 0, 0] as const);
/** Position and turn in the parent, range, effort, stiffness and damping of the published servo, angle at rest. */
const hinges: readonly (readonly [Vector3, Quaternion, readonly [number, number], number, number, number, number])[] = [
  [[0, 0, 0.333], quaternion.identity, [-2.8973, 2.8973], 87, 4500, 450, 0],
  [[0, 0, 0], back, [-1.7628, 1.7628], 87, 4500, 450, 0],
  [[0, -0.316, 0], forth, [-2.8973, 2.8973], 87, 3500, 350, 0],
  [[0.0825, 0, 0], forth, [-3.0718, -0.0698], 87, 3500, 350, -1.57079],
  [[-0.0825, 0.384, 0], back, [-2.8973, 2.8973], 12, 2000, 200, 0],
  [[0, 0, 0], forth, [-0.0175, 3.7525], 12, 2000, 200, 1.57079],
  [[0.088, 0, 0], forth, [-2.8973, 2.8973], 12, 2000, 200, -0.7853],
];
const hand: LinkPose = {
  position: [0, 0, 0.107],
  orientation: quaternion.normalize([0.9238795, 0, 0, -0.3826834]),
};
const open = 0.04;

/** Inputs: seven torques and the force that opens the gripper. Both fingers have it through the gear. */
export function panda(options: PandaOptions = {}): MechanismDescription {
  const { gripper = true, damping = 1, armature = 0.1, frictionCoefficient = 0.8, bodyContacts = true } = options;
  const links: Record<string, Link> = {};
  const joints: Record<string, LinkJoint> = {};
  const rest: Record<string, readonly number[]> = {};
  hinges.forEach(([position, orientation, range, effort, stiffness, servoDamping, angle], i) => {
    const servo = options.servo === "published" ? { stiffness, damping: servoDamping } : options.servo;
    links[`link${i + 1}`] = armLink(i, bodyContacts);
    joints[`joint${i + 1}`] = {
      kind: "revolute",
      parent: i === 0 ? "world" : `link${i}`,
      child: `link${i + 1}`,
      position,
      orientation,
      axis: vector.unitZ,
      damping,
      armature,
      ...limited(options, range),
      ...drive({ ...driveOf(options), ...(servo && { servo }) }, effort),
    };
    rest[`joint${i + 1}`] = [angle];
  });
  links.link7 = merge([links.link7, { ...handLink(bodyContacts), ...hand }]);
  if (gripper) addFingers(links, joints, rest, options);
  const robot: Robot = { links, joints };
  const one = { joint: "finger_joint1", ratio: 1 };
  const description = {
    ...header("panda", options),
    ...assemble(robot, { ...options, frictionCoefficient }),
    ...(gripper && { gears: { fingers: { terms: [one, { joint: "finger_joint2", ratio: -1 }] } } }),
    states: { rest: stateOf(rest) },
  };
  return withSelfCollisions(description, options, frictionCoefficient);
}

function driveOf({
  actuated = true,
  effortLimits = false,
}: PandaOptions): Pick<RobotOptions, "actuated" | "effortLimits"> {
  return { actuated, effortLimits };
}

function addFingers(
  links: Record<string, Link>,
  joints: Record<string, LinkJoint>,
  rest: Record<string, readonly number[]>,
  options: PandaOptions,
): void {
  const palm = vector.add(hand.position, [0, 0, 0.0584]);
  const half: Quaternion = [0, 0, 0, 1];
  const fingers = [
    ["left_finger", "finger_joint1", quaternion.identity],
    ["right_finger", "finger_joint2", half],
  ] as const;
  // of the published gripper: 100 N/m and 10 N·s/m between the fingers
  const servo = options.servo && { stiffness: 100, damping: 10 };
  fingers.forEach(([name, joint, turn], i) => {
    links[name] = fingerLink(name);
    joints[joint] = {
      kind: "prismatic",
      parent: "link7",
      child: name,
      position: palm,
      orientation: quaternion.normalize(quaternion.multiply(hand.orientation, turn)),
      axis: vector.unitY,
      damping: options.damping ?? 1,
      armature: options.armature ?? 0.1,
      ...limited(options, [0, open]),
      // the gear moves the other finger
      ...(i === 0 && drive({ ...driveOf(options), ...(servo && { servo }) }, 100)),
    };
    rest[joint] = [open / 2];
  });
}

function armLink(i: number, bodyContacts: boolean): Link {
  const [mass, center, [xx, yy, zz, xy, xz, yz]] = masses[i];
  const inertia: Matrix3 = inertiaOf(xx, xy, xz, yy, yz, zz);
  return { mass, center, inertia, shapes: armShapes[i], spots: bodyContacts ? armSpots[i] : [] };
}

/** Shapes by link. The first also shows the base, which is as round. */
const armShapes: readonly (readonly Shape[])[] = [
  [
    tube(0.06, [0, 0, -0.19], [0, 0, 0]),
    { kind: "cylinder", radius: 0.09, length: 0.13, position: [0, 0, -0.268], color: colors.light },
    tube(0.058, [0, -0.06, 0], [0, 0.06, 0], colors.light),
  ],
  [tube(0.06, [0, 0, 0], [0, -0.19, 0])],
  [tube(0.055, [0, 0, -0.12], [0, 0, -0.04]), tube(0.055, [0, 0, -0.04], [0.0825, 0.03, 0])],
  [tube(0.055, [0, 0, -0.03], [0, 0, 0.03], colors.light), tube(0.055, [-0.0825, 0.1, 0], [-0.03, 0.03, 0])],
  [tube(0.055, [0, 0, -0.26], [0, 0.02, -0.18]), tube(0.045, [0, 0.06, -0.16], [0, 0.06, 0])],
  [tube(0.05, [0, 0, -0.02], [0, 0, 0.02], colors.light), tube(0.045, [0.02, 0, 0], [0.088, 0, 0])],
  [tube(0.04, [0, 0, 0.02], [0, 0, 0.08], colors.light)],
];

/** Spheres at the ends of the forearm's and the wrist's tubes; the links before them never come down to the floor. */
const armSpots: readonly (readonly ContactSpot[])[] = [
  [],
  [],
  [],
  [],
  [
    { name: "link5.elbow", point: [0, 0, -0.2], radius: 0.055 },
    { name: "link5.wrist", point: [0, 0.06, 0], radius: 0.045 },
  ],
  [
    { name: "link6.wrist", point: [0, 0, 0], radius: 0.05 },
    { name: "link6.flange", point: [0.088, 0, 0], radius: 0.045 },
  ],
  [],
];
/** The two ends of the hand, which is as wide as they reach. */
const handSpots: readonly ContactSpot[] = [-1, 1].map((side) => {
  return { name: side < 0 ? "hand.right" : "hand.left", point: [0, 0.075 * side, 0.035], radius: 0.025 };
});

function handLink(bodyContacts: boolean): Link {
  return {
    mass: 0.73,
    center: [-0.01, 0, 0.03],
    inertia: [0.001, 0.0025, 0.0017],
    shapes: [{ kind: "box", size: [0.05, 0.2, 0.06], position: [0, 0, 0.03], color: colors.white }],
    spots: bodyContacts ? handSpots : [],
  };
}

function fingerLink(name: string): Link {
  return {
    mass: 0.015,
    inertia: [2.375e-6, 2.375e-6, 7.5e-7],
    shapes: [{ kind: "box", size: [0.02, 0.012, 0.05], position: [0, 0.008, 0.028], color: colors.dark }],
    spots: [{ name, point: [0, 0.006, 0.05], radius: 0.004 }],
  };
}
