/** Every joint kind once, with axes off the coordinate planes, and chains of links joined by them. */
import {
  box,
  compile,
  floating,
  type JointDescription,
  type JointKind,
  type Mechanism,
  type MechanismDescription,
  maximalState,
  Random,
  type Vector3,
} from "../../src/index.ts";
import { quaternion, vector } from "../../src/math/index.ts";

export type JointForm = Pick<JointDescription, "kind" | "axis" | "axes" | "axisOffset">;

export interface JointCase {
  readonly name: string;
  readonly form: JointForm;
}

const axis = vector.normalize([0.36, -0.48, 0.8]);
const [across, third] = vector.perpendicularBasis(axis);
/** 63° from `axis`, so that the two hinges are far from perpendicular. */
const skewed = vector.normalize(vector.add(vector.scale(across, 2), axis));

const withoutAxis: readonly JointKind[] = ["fixed", "fixedOrientation", "spherical", "floating"];
const withAxis: readonly JointKind[] = [
  "prismatic",
  "planar",
  "revolute",
  "cylindrical",
  "planarAxis",
  "freeRevolute",
  "orbital",
  "prismaticOrbital",
  "planarOrbital",
  "freeOrbital",
  "cylindricalFree",
  "planarFree",
];

export const jointCases: readonly JointCase[] = [
  ...withoutAxis.map((kind) => ({ name: kind, form: { kind } })),
  ...withAxis.map((kind) => ({ name: kind, form: { kind, axis } })),
  { name: "universal", form: { kind: "universal", axes: [axis, across] } },
  { name: "universal, skew", form: { kind: "universal", axes: [axis, skewed] } },
  { name: "universal, axes apart", form: { kind: "universal", axes: [axis, skewed], axisOffset: 0.06 } },
  { name: "serial, one axis", form: { kind: "serial", axes: [axis] } },
  { name: "serial, two skew axes", form: { kind: "serial", axes: [skewed, third] } },
  { name: "serial, three axes", form: { kind: "serial", axes: [axis, across, third] } },
  { name: "serial, left-handed", form: { kind: "serial", axes: [across, axis, third] } },
];

/** What acts on a joint's coordinates; turned into per-axis options that the kind admits. */
export type JointForces = Pick<
  JointDescription,
  "stiffness" | "rest" | "damping" | "armature" | "friction" | "limits" | "tiltLimit" | "actuated"
>;

export interface ChainOptions {
  readonly form: JointForm;
  readonly links?: number;
  readonly timestep: number;
  readonly forces?: JointForces;
  readonly gravity?: Vector3;
  readonly springConservation?: number;
  /** Whether the first link floats; otherwise it hangs on the world by the same joint. Default true. */
  readonly floats?: boolean;
  /** Whether the floating base has motors too. */
  readonly baseActuated?: boolean;
  /** Of a link; its joints are on its long axis. Default a slender brick. */
  readonly size?: Vector3;
}

/** Uneven bricks joined end to end, each turned against the one before. */
export function chain(options: ChainOptions): Mechanism {
  const {
    form,
    links = 5,
    timestep,
    forces = {},
    gravity = [0, 0, 0],
    springConservation,
    floats = true,
    baseActuated = false,
    size = [0.1, 0.15, 0.5],
  } = options;
  const names = Array.from({ length: links }, (_, i) => `link${i}`);
  const end: Vector3 = [0.02, -0.01, 0.25];
  const joints: Record<string, JointDescription> = {};
  names.forEach((child, i) => {
    const isFirst = i === 0;
    if (isFirst && floats) joints.joint0 = floating({ parent: "world", child, actuated: baseActuated });
    else {
      joints[`joint${i}`] = {
        ...form,
        ...forces,
        parent: isFirst ? "world" : names[i - 1],
        child,
        parentAnchor: isFirst ? [0, 0, 0] : end,
        childAnchor: vector.scale(end, -1),
        orientation: quaternion.fromAxisAngle(vector.unitX, 0.3 * i),
      };
    }
  });
  const description: MechanismDescription = {
    timestep,
    gravity,
    ...(springConservation !== undefined && { springConservation }),
    bodies: Object.fromEntries(names.map((name, i) => [name, box({ size, mass: 1 + 0.3 * i })])),
    joints,
  };
  return compile(description);
}

/** All joints moving at random: speeds in m/s and rad/s up to `speed`, positions up to `spread`. */
export function randomState(mechanism: Mechanism, seed: number, speed: number, spread = 0): Float64Array {
  const random = new Random(seed);
  const joints = Object.fromEntries(
    mechanism.joints.map(({ name, coordinates }) => [
      name,
      {
        position: coordinates.map(() => random.uniform(-spread, spread)),
        velocity: coordinates.map(() => random.uniform(-speed, speed)),
      },
    ]),
  );
  return maximalState(mechanism, joints);
}
