/** What decides which equations a joint has, and its parameters in memory order. */
import type { Scalar } from "../symbolic/index.ts";
import { type JointFrames, type JointType, turningCoordinates } from "./jointGeometry.ts";

/** What acts on one free coordinate. */
export interface CoordinateFeatures {
  /** Spring, damper or armature. */
  readonly passive: boolean;
  readonly lower: boolean;
  readonly upper: boolean;
  readonly friction: boolean;
  readonly actuated: boolean;
  /** Position servo: the input is its target. */
  readonly servo: boolean;
  /** Effort limit of actuator or servo. */
  readonly effort: boolean;
}

/** The letter by which species tell each apart in their names, and the parameter that acts where it is there. */
export const coordinateFeatures = {
  passive: { letter: "p", parameter: "stiffness" },
  lower: { letter: "l", parameter: "lower" },
  upper: { letter: "u", parameter: "upper" },
  friction: { letter: "f", parameter: "friction" },
  actuated: { letter: "a", parameter: undefined },
  servo: { letter: "s", parameter: "servoStiffness" },
  effort: { letter: "e", parameter: "effortLimit" },
} as const satisfies Readonly<
  Record<keyof CoordinateFeatures, { readonly letter: string; readonly parameter?: string }>
>;

/** Everything that decides which equations a joint has; joints that agree in it share their kernels. */
export interface JointSpecies {
  readonly type: JointType;
  readonly parentMoves: boolean;
  /** One a free coordinate. */
  readonly features: readonly CoordinateFeatures[];
  /** Largest rotation angle of a joint with two or three free rotations. */
  readonly tilt: boolean;
}

export const frameParameters = [
  ...["x", "y", "z"].map((k) => `parentAnchor.${k}`),
  ...["w", "x", "y", "z"].map((k) => `parentFrame.${k}`),
  ...["x", "y", "z"].map((k) => `childAnchor.${k}`),
  ...["w", "x", "y", "z"].map((k) => `childFrame.${k}`),
  "skew",
  "axisOffset",
] as const;

/** Parameter names of a coordinate, in memory order. */
export const coordinateParameterNames = [
  "stiffness",
  "rest",
  "damping",
  "armature",
  "lower",
  "upper",
  "friction",
  "servoStiffness",
  "servoDamping",
  "effortLimit",
  "effortCenter",
] as const;

/** What has a place among the parameters, though no user sets it: the steps of a run count the turns of its angles. */
export const turnsParameter = "turns";

const namesByFreedom = new Map<number, readonly string[]>();

/** Parameter names of a joint with so many coordinates, in memory order. Turns follow the frame, where gears look for them. */
export function jointParameterNames(freedom: number): readonly string[] {
  const known = namesByFreedom.get(freedom);
  if (known) return known;
  const coordinates = Array.from({ length: freedom }, (_, i) => i);
  const turns = coordinates.map((i) => `${turnsParameter}.${i}`);
  const perCoordinate = coordinates.flatMap((i) => coordinateParameterNames.map((name) => `${name}.${i}`));
  const names = [
    ...frameParameters,
    ...turns,
    ...perCoordinate,
    "tiltCosine",
    "regularization.translation",
    "regularization.rotation",
  ];
  namesByFreedom.set(freedom, names);
  return names;
}

export function carriesForce(features: CoordinateFeatures): boolean {
  return hasPotential(features) || features.friction;
}

/** Whether anything acts by the value of the coordinate, not just by its rate. */
export function hasPotential({ passive, lower, upper, servo }: CoordinateFeatures): boolean {
  return passive || lower || upper || servo;
}

/** The free coordinates whose forces are multipliers, in order. A potential of one entry of a rotation vector turns about all axes. */
export function loadedCoordinates({ type, features }: Pick<JointSpecies, "type" | "features">): number[] {
  const turning = turningCoordinates(type);
  const isTurned = turning.some((i) => hasPotential(features[i]));
  return features.flatMap((feature, i) => (carriesForce(feature) || (isTurned && turning.includes(i)) ? [i] : []));
}

/** The joint's frames from its first parameters. */
export function framesFrom(p: readonly Scalar[]): JointFrames {
  return {
    parentAnchor: p.slice(0, 3),
    parentFrame: p.slice(3, 7),
    childAnchor: p.slice(7, 10),
    childFrame: p.slice(10, 14),
    skew: p[14],
    axisOffset: p[15],
  };
}
