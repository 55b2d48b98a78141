/**
 * The humanoid of MuJoCo's humanoid.xml: 27 degrees of freedom, 21 motors. Capsules of 1000 kg/m³; head and hands are fixed to
 * torso and forearms. Hinges of one body are one serial joint. The file's motors take −1..1 times a gear; inputs here are torques,
 * and `effortLimits` holds them within the gear.
 */
import { vector } from "../math/index.ts";
import {
  floating,
  type GearDescription,
  type MechanismDescription,
  type Part,
  type Vector3,
} from "../mechanism/index.ts";
import {
  assemble,
  between,
  type ContactSpot,
  type Link,
  type LinkJoint,
  linkFromShapes,
  type Robot,
} from "./builder.ts";
import { colors } from "./colors.ts";
import { drive, header, limited, type RobotOptions } from "./options.ts";
import { standingState } from "./placement.ts";
import { withSelfCollisions } from "./selfCollisions.ts";

export interface HumanoidOptions extends RobotOptions {
  /** The file's joint springs. Default true. */
  readonly springs?: boolean;
}

/** Range in degrees, stiffness, damping, and the motor's gear. */
type HingeFigures = readonly [readonly [number, number], number, number, number];
const figures = {
  abdomen_z: [[-45, 45], 20, 5, 40],
  abdomen_y: [[-75, 30], 10, 5, 40],
  abdomen_x: [[-35, 35], 10, 5, 40],
  hip_x: [[-30, 10], 10, 5, 40],
  hip_z: [[-60, 35], 10, 5, 40],
  hip_y: [[-150, 20], 10, 5, 120],
  knee: [[-160, 2], 1, 0.2, 80],
  ankle_y: [[-50, 50], 6, 0.2, 20],
  ankle_x: [[-50, 50], 3, 0.2, 20],
  shoulder1: [[-85, 60], 1, 0.2, 20],
  shoulder2: [[-85, 60], 1, 0.2, 20],
  elbow: [[-100, 50], 0, 0.2, 40],
} as const satisfies Record<string, HingeFigures>;
const armature = 0.01;
const sides = { right: -1, left: 1 } as const;
type Side = keyof typeof sides;

/** Angles at which the centre of mass is above the middle of the feet, and the feet are flat. */
const restPose = { hip_y: -0.1387, knee: -0.3, ankle_y: -0.1613 };

export function humanoid(options: HumanoidOptions = {}): MechanismDescription {
  const { frictionCoefficient = 0.8, bodyContacts = true } = options;
  const links: Record<string, Link> = {
    torso: torsoLink(bodyContacts),
    waist_lower: linkFromShapes([limb([0, -0.06, 0], [0, 0.06, 0], 0.06)]),
    pelvis: linkFromShapes(
      [limb([-0.02, -0.07, 0], [-0.02, 0.07, 0], 0.09)],
      bodyContacts ? ends("butt", [-0.02, -0.07, 0], [-0.02, 0.07, 0], 0.09) : [],
    ),
  };
  const joints: Record<string, LinkJoint> = {
    root: floating({ parent: "world", child: "torso" }),
    abdomen_zy: {
      kind: "serial",
      parent: "torso",
      child: "waist_lower",
      position: [-0.01, 0, -0.26],
      pivot: [0, 0, 0.065],
      axes: [vector.unitZ, vector.unitY],
      ...hinges(options, ["abdomen_z", "abdomen_y"]),
    },
    abdomen_x: {
      kind: "revolute",
      parent: "waist_lower",
      child: "pelvis",
      position: [0, 0, -0.165],
      pivot: [0, 0, 0.1],
      axis: vector.unitX,
      ...hinges(options, ["abdomen_x"]),
    },
  };
  const rest: Record<string, readonly number[]> = {};
  for (const side of ["right", "left"] as const) {
    addLeg(links, joints, side, { ...options, bodyContacts });
    addArm(links, joints, side, { ...options, bodyContacts });
    rest[`hip_${side}`] = [0, 0, restPose.hip_y];
    rest[`knee_${side}`] = [restPose.knee];
    rest[`ankle_${side}`] = [restPose.ankle_y, 0];
  }
  const robot: Robot = { links, joints };
  const description = {
    ...header("humanoid", options),
    ...assemble(robot, { ...options, frictionCoefficient }),
    ...(options.jointLimits !== false && { gears: hamstrings() }),
    states: {
      rest: standingState(robot, "root", rest),
      straight: standingState(robot, "root", {}),
      raised: standingState(robot, "root", rest, 0.4),
    },
  };
  return withSelfCollisions(description, options, frictionCoefficient);
}

/** A tendon over hip and knee: half of (hip_y − knee) stays within the file's range. */
function hamstrings(): Record<string, GearDescription> {
  const gears: Record<string, GearDescription> = {};
  for (const side of ["right", "left"] as const) {
    gears[`hamstring_${side}`] = {
      terms: [
        { joint: `hip_${side}`, axis: 2, ratio: 0.5 },
        { joint: `knee_${side}`, ratio: -0.5 },
      ],
      range: [-0.3, 2],
    };
  }
  return gears;
}

/** What acts on the hinges of a joint. */
function hinges(options: HumanoidOptions, names: readonly (keyof typeof figures)[]): Partial<LinkJoint> {
  const { springs = true } = options;
  const rows: readonly HingeFigures[] = names.map((name) => figures[name]);
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  return {
    ...limited(
      options,
      rows.map(([[lower, upper]]) => [radians(lower), radians(upper)] as const),
    ),
    stiffness: rows.map(([, stiffness]) => (springs ? stiffness : 0)),
    damping: rows.map(([, , damping]) => damping),
    armature,
    ...drive(
      options,
      rows.map(([, , , gear]) => gear),
    ),
  };
}

function addLeg(
  links: Record<string, Link>,
  joints: Record<string, LinkJoint>,
  side: Side,
  options: HumanoidOptions,
): void {
  const y = sides[side];
  const [thigh, shin, foot] = ["thigh", "shin", "foot"].map((part) => `${part}_${side}`);
  const knee: Vector3 = [0, 0, 0];
  links[thigh] = linkFromShapes([limb([0, 0, 0], [0, -0.01 * y, -0.34], 0.06)]);
  links[shin] = linkFromShapes(
    [limb([0, 0, 0], [0, 0, -0.3], 0.049)],
    options.bodyContacts ? [{ name: `knee_${side}`, point: knee, radius: 0.049 }] : [],
  );
  const soles = [
    ["foot1", [-0.07, -0.01, 0], [0.14, -0.03, 0]],
    ["foot2", [-0.07, 0.01, 0], [0.14, 0.03, 0]],
  ] as const;
  links[foot] = linkFromShapes(
    soles.map(([, from, to]) => limb(from, to, 0.027, colors.dark)),
    soles.flatMap(([name, from, to]) => ends(`${name}_${side}`, from, to, 0.027)),
  );
  joints[`hip_${side}`] = {
    kind: "serial",
    parent: "pelvis",
    child: thigh,
    position: [0, 0.1 * y, -0.04],
    axes: [[-y, 0, 0], [0, 0, -y], vector.unitY], // biome-ignore format: a list
    ...hinges(options, ["hip_x", "hip_z", "hip_y"]),
  };
  joints[`knee_${side}`] = {
    kind: "revolute",
    parent: thigh,
    child: shin,
    position: [0, -0.01 * y, -0.4],
    pivot: [0, 0, 0.02],
    axis: [0, -1, 0],
    ...hinges(options, ["knee"]),
  };
  joints[`ankle_${side}`] = {
    kind: "serial",
    parent: shin,
    child: foot,
    position: [0, 0, -0.39],
    // the first hinge is at (0, 0, 0.08), the second through (0, 0, 0.04): nearest to each other here, 36 mm apart
    pivot: [0.016, 0, 0.048],
    axisOffset: -y * Math.sqrt(0.016 ** 2 + 0.032 ** 2),
    axes: [vector.unitY, [-y, 0, -0.5 * y]],
    ...hinges(options, ["ankle_y", "ankle_x"]),
  };
}

function addArm(
  links: Record<string, Link>,
  joints: Record<string, LinkJoint>,
  side: Side,
  options: HumanoidOptions,
): void {
  const y = sides[side];
  const contact = (name: string, point: Vector3): ContactSpot[] =>
    options.bodyContacts ? [{ name: `${name}_${side}`, point, radius: 0.04 }] : [];
  const [upper, lower] = [`upper_arm_${side}`, `lower_arm_${side}`];
  links[upper] = linkFromShapes([limb([0, 0, 0], [0.16, 0.16 * y, -0.16], 0.04)], contact("shoulder", [0, 0, 0]));
  links[lower] = linkFromShapes(
    [
      limb([0.01, -0.01 * y, 0.01], [0.17, -0.17 * y, 0.17], 0.031),
      { kind: "sphere", radius: 0.04, position: [0.18, -0.18 * y, 0.18], density, color: colors.sand },
    ],
    [...contact("elbow", [0, 0, 0]), ...contact("hand", [0.18, -0.18 * y, 0.18])],
  );
  const second: Vector3 = [0, -1, -y];
  joints[`shoulder_${side}`] = {
    kind: "serial",
    parent: "torso",
    child: upper,
    position: [0, 0.17 * y, 0.06],
    axes: [[-2 * y, 1, -y], second],
    ...hinges(options, ["shoulder1", "shoulder2"]),
  };
  joints[`elbow_${side}`] = {
    kind: "revolute",
    parent: upper,
    child: lower,
    position: [0.18, 0.18 * y, -0.18],
    axis: second,
    ...hinges(options, ["elbow"]),
  };
}

function torsoLink(bodyContacts: boolean): Link {
  const chest = { from: [0, -0.07, 0], to: [0, 0.07, 0] } as const;
  const head: Vector3 = [0, 0, 0.19];
  return linkFromShapes(
    [
      limb(chest.from, chest.to, 0.07),
      limb([-0.01, -0.06, -0.12], [-0.01, 0.06, -0.12], 0.06),
      { kind: "sphere", radius: 0.09, position: head, density, color: colors.sand },
    ],
    bodyContacts ? [...ends("torso", chest.from, chest.to, 0.07), { name: "head", point: head, radius: 0.09 }] : [],
  );
}

const density = 1000;

function limb(from: Vector3, to: Vector3, radius: number, color: string = colors.sand): Part {
  return { kind: "capsule", radius, ...between(from, to), density, color };
}

/** Contact spheres at the two ends of a capsule. */
function ends(name: string, from: Vector3, to: Vector3, radius: number): ContactSpot[] {
  return [
    { name: `${name}.a`, point: from, radius },
    { name: `${name}.b`, point: to, radius },
  ];
}
