/**
 * UFactory's xArm 6 with its gripper, and a box on the floor beside it. Figures of the manufacturer's published description; the
 * base is the world, the gripper is fixed to the last link and closed.
 *
 * The gripper and the box touch the floor, but not each other.
 */
import { vector } from "../math/index.ts";
import {
  box as boxBody,
  boxCorners,
  floating,
  frictionContact,
  type MechanismDescription,
  type Shape,
  type Vector3,
} from "../mechanism/index.ts";
import {
  assemble,
  type ContactSpot,
  inertiaOf,
  type Link,
  type LinkJoint,
  merge,
  nearestInertia,
  type Robot,
  rollPitchYaw,
  tube,
} from "./builder.ts";
import { colors } from "./colors.ts";
import { bouncing, drive, type EffortOptions, header, type LimbOptions, limited } from "./options.ts";

export interface Xarm6WithBoxOptions extends LimbOptions, EffortOptions {
  /** Damping of the hinges. Default 1 N·m·s/rad, as published. */
  readonly damping?: number;
  /** Default true. */
  readonly box?: boolean;
  /** Edges of the box. Default 0.1 m each. */
  readonly boxSize?: Vector3;
  /** Default 0.5 kg. */
  readonly boxMass?: number;
  /** Place of the box on the floor. Default [0.4, 0]. */
  readonly boxPosition?: readonly [number, number];
}

type Six = readonly [number, number, number, number, number, number];
/** Mass, centre, and inertia in the order xx, xy, xz, yy, yz, zz. */
const masses: readonly (readonly [number, Vector3, Six])[] = [
  [2.16, [-0.002, 0.02692, -0.01332], [0.00539427, 1.095e-5, 1.635e-6, 0.0048979, 0.000793, 0.00311573]],
  [1.71, [0.03531, -0.21398, 0.03386], [0.0248674, -0.00430651, -0.00067797, 0.00485548, 0.00457245, 0.02387827]],
  [1.384, [0.06781, 0.10749, 0.01457], [0.0053694, 0.0014185, -0.00092094, 0.0032423, -0.00169178, 0.00501731]],
  [1.115, [-0.00021, 0.02578, -0.02538], [0.00439263, 5.028e-5, 1.374e-5, 0.0040077, 0.00045338, 0.00110321]],
  [1.275, [0.05428, 0.01781, 0.00543], [0.001202758, 0.000492428, -0.00039147, 0.0022876, -0.0001235, 0.0026866]],
  [0.1096, [0, 0.00064, -0.00952], [4.5293e-5, 0, 0, 4.8111e-5, 0, 7.9715e-5]],
];
const gripperMass: (typeof masses)[number] = [
  0.54156,
  [-0.00065489, -0.0018497, 0.048028],
  [0.00047106, 3.9292e-7, 2.6537e-6, 0.00033072, -1.0975e-5, 0.00025642],
];
/** The file prints π/2 with four digits; two turns of a link undo each other. */
const quarter = 1.5708;
const turn = 2 * Math.PI;
/** Position and roll in the parent, range, effort, angle at rest. */
const hinges: readonly (readonly [Vector3, number, readonly [number, number], number, number])[] = [
  [[0, 0, 0.267], 0, [-turn, turn], 50, 0],
  [[0, 0, 0], -quarter, [-2.059, 2.0944], 50, 0],
  [[0.0535, -0.2845, 0], 0, [-3.927, 0.19198], 32, -0.8],
  [[0.0775, 0.3425, 0], -quarter, [-turn, turn], 32, 0],
  [[0, 0, 0], quarter, [-1.69297, Math.PI], 32, 0.8],
  [[0.076, 0.097, 0], -quarter, [-turn, turn], 20, 0],
];

export function xarm6WithBox(options: Xarm6WithBoxOptions = {}): MechanismDescription {
  const {
    damping = 1,
    box: withBox = true,
    boxSize = [0.1, 0.1, 0.1],
    boxMass = 0.5,
    boxPosition = [0.4, 0],
  } = options;
  const { floor = true, frictionCoefficient = 0.5, bodyContacts = true } = options;
  const links: Record<string, Link> = {};
  const joints: Record<string, LinkJoint> = {};
  hinges.forEach(([position, roll, range, effort], i) => {
    links[`link${i + 1}`] = armLink(i, bodyContacts);
    joints[`joint${i + 1}`] = {
      kind: "revolute",
      parent: i === 0 ? "world" : `link${i}`,
      child: `link${i + 1}`,
      position,
      orientation: rollPitchYaw(roll, 0, 0),
      axis: vector.unitZ,
      damping,
      ...limited(options, range),
      ...drive(options, effort),
    };
  });
  const robot: Robot = { links, joints };
  const arm = assemble(robot, { ...options, frictionCoefficient });
  const body = boxBody({ size: boxSize, mass: boxMass, color: colors.sand });
  const corners = boxCorners(body).map((point, i) =>
    frictionContact({ name: `box${i}`, body: "box", point, frictionCoefficient, ...bouncing(options) }),
  );
  const angles = Object.fromEntries(hinges.map(([, , , , angle], i) => [`joint${i + 1}`, { position: [angle] }]));
  const [x, y] = boxPosition;
  return {
    ...header("xarm6WithBox", options),
    bodies: { ...arm.bodies, ...(withBox && { box: body }) },
    joints: { ...arm.joints, ...(withBox && { boxBase: floating({ parent: "world", child: "box" }) }) },
    contacts: [...(arm.contacts ?? []), ...(withBox && floor ? corners : [])],
    states: { rest: { ...angles, ...(withBox && { boxBase: { position: [x, y, boxSize[2] / 2, 0, 0, 0] } }) } },
  };
}

function armLink(i: number, bodyContacts: boolean): Link {
  const [mass, center, inertia] = masses[i];
  // links 2 and 3 as printed cannot be; the nearest possible differ by 2% and 7%
  const link: Link = {
    mass,
    center,
    inertia: nearestInertia(inertiaOf(...inertia)),
    shapes: armShapes[i],
    spots: bodyContacts ? armSpots[i] : [],
  };
  if (i < 5) return link;
  const [toolMass, toolCenter, toolInertia] = gripperMass;
  const tool: Link = {
    mass: toolMass,
    center: toolCenter,
    inertia: inertiaOf(...toolInertia),
    shapes: [
      { kind: "box", size: [0.06, 0.1, 0.07], position: [0, 0, 0.035], color: colors.dark },
      { kind: "box", size: [0.03, 0.02, 0.1], position: [0, 0, 0.12], color: colors.dark },
    ],
    spots: [{ name: "tool", point: [0, 0, 0.16], radius: 0.015 }],
  };
  return merge([link, tool]);
}

/** Spheres along the tubes of the links that can come down to the floor; the last has the sides of the gripper. */
const armSpots: readonly (readonly ContactSpot[])[] = [
  [],
  [],
  [{ name: "link3", point: [0.0775, 0.05, 0], radius: 0.04 }],
  [
    { name: "link4.upper", point: [0, 0, -0.1], radius: 0.04 },
    { name: "link4.lower", point: [0, 0, 0.03], radius: 0.04 },
  ],
  [{ name: "link5", point: [0.076, 0.03, 0], radius: 0.038 }],
  [
    { name: "gripper.right", point: [0, -0.03, 0.045], radius: 0.03 },
    { name: "gripper.left", point: [0, 0.03, 0.045], radius: 0.03 },
  ],
];

/** Shapes by link. The first also shows the base, which is as round. */
const armShapes: readonly (readonly Shape[])[] = [
  [
    tube(0.05, [0, 0, -0.12], [0, 0, 0]),
    { kind: "cylinder", radius: 0.063, length: 0.15, position: [0, 0, -0.192], color: colors.light },
    tube(0.05, [0, -0.05, 0], [0, 0.06, 0], colors.light),
  ],
  [tube(0.045, [0, 0, 0.03], [0, -0.2845, 0.03]), tube(0.045, [0, -0.2845, 0.03], [0.0535, -0.2845, 0.03])],
  [tube(0.04, [0, 0, 0], [0.0775, 0.05, 0]), tube(0.035, [0.0775, 0.05, 0], [0.0775, 0.2, 0])],
  [tube(0.04, [0, 0, -0.1], [0, 0, 0.03], colors.light)],
  [tube(0.038, [0, 0, 0], [0.076, 0.02, 0]), tube(0.035, [0.076, 0.02, 0], [0.076, 0.06, 0])],
  [{ kind: "cylinder", radius: 0.038, length: 0.04, position: [0, 0, -0.02], color: colors.steel }],
];
