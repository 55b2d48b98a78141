/** Two shapes of any kinds that are about to touch, at random: the first moves, the second is the world's or moves too. */
import {
  type BodyDescription,
  compile,
  floating,
  type Mechanism,
  maximalState,
  type Shape,
  ShapeDistances,
  Simulation,
  type Vector3,
} from "../../src/index.ts";
import { quaternion, Random, vector } from "../../src/math/index.ts";

const corners: readonly Vector3[] = [
  [-0.1, -0.08, -0.06],
  [0.12, -0.07, -0.05],
  [-0.02, 0.11, -0.07],
  [0.03, 0.02, 0.1],
  [0.1, 0.09, 0.04],
];

/** Sizes of a decimetre, of which no two are equal. */
const forms = {
  sphere: { kind: "sphere", radius: 0.1 },
  capsule: { kind: "capsule", radius: 0.05, length: 0.2 },
  box: { kind: "box", size: [0.2, 0.16, 0.24] },
  hull: { kind: "hull", points: corners },
  cylinder: { kind: "cylinder", radius: 0.08, length: 0.18 },
  ellipsoid: { kind: "ellipsoid", radii: [0.12, 0.09, 0.07] },
} as const;
const grounds = {
  halfSpace: { kind: "halfSpace" },
  heightField: {
    kind: "heightField",
    size: [1.2, 1.2],
    heights: [
      [0, 0.05, -0.06, 0.02, 0],
      [0.03, 0.16, 0.02, -0.05, 0.04],
      [-0.04, 0.05, 0.2, 0.03, 0],
      [0.06, -0.03, 0.04, 0.13, -0.02],
      [0, 0.04, -0.05, 0.06, 0.01],
    ],
  },
} as const;

export type MovingKind = keyof typeof forms;
export type FixedKind = MovingKind | keyof typeof grounds;
export const movingKinds = Object.keys(forms) as MovingKind[];
export const groundKinds = Object.keys(grounds) as (keyof typeof grounds)[];

const contact = { frictionCoefficient: 0.6 };
const inertia = (a: number, b: number, c: number) =>
  [
    [a, 0.0002, 0],
    [0.0002, b, 0.0003],
    [0, 0.0003, c],
  ] as const;

export interface TouchingPair {
  readonly simulation: Simulation;
  readonly mechanism: Mechanism;
  readonly state: Float64Array;
}

/** `where`: whether the second shape is fixed in the world, on a body that moves, or on one that a joint welds to the world. */
export function touchingPair(
  first: MovingKind,
  second: FixedKind,
  where: "world" | "moving",
  seed: number,
  gap = 2e-4,
): TouchingPair {
  const random = new Random(seed);
  const triple = (size: number): Vector3 => [size * random.normal(), size * random.normal(), size * random.normal()];
  const direction = second in grounds ? ([0, 0, 1] as Vector3) : vector.normalize(triple(1));
  const turn = quaternion.fromAxisAngle(vector.normalize(triple(1)), 3 * random.uniform());
  const otherTurn =
    second in grounds
      ? quaternion.identity
      : quaternion.fromAxisAngle(vector.normalize(triple(1)), 3 * random.uniform());
  const aside = triple(second === "heightField" ? 0.15 : 0.05);
  const own: BodyDescription = {
    mass: 1,
    inertia: inertia(0.004, 0.005, 0.006),
    shapes: [{ ...forms[first], contact }],
  };
  const form = {
    ...(second in grounds ? grounds[second as keyof typeof grounds] : forms[second as MovingKind]),
    contact,
  };
  const other: BodyDescription = { mass: 1.7, inertia: inertia(0.008, 0.006, 0.005), shapes: [form as Shape] };
  const bodies: Record<string, BodyDescription> = where === "world" ? { a: own } : { a: own, b: other };
  const joints = {
    a: floating({ parent: "world", child: "a" }),
    ...(where === "moving" && { b: floating({ parent: "world", child: "b" }) }),
  };
  const shapes = where === "world" ? [{ ...form, name: "ground", orientation: otherTurn } as Shape] : [];
  const mechanism = compile({ timestep: 0.01, bodies, joints, shapes });
  const distances = new ShapeDistances(mechanism);
  const velocity = [...vector.sub(triple(0.2), vector.scale(direction, 0.3)), ...triple(2)];
  const otherVelocity = [...triple(0.2), ...triple(1)];
  const stateAt = (far: number): Float64Array => {
    const place = vector.add(
      vector.scale(direction, far),
      vector.sub(aside, vector.scale(direction, vector.dot(aside, direction))),
    );
    const state = maximalState(mechanism, {
      a: { position: [0, 0, 0, 0, 0, 0], velocity },
      ...(where === "moving" && { b: { position: [0, 0, 0, 0, 0, 0], velocity: otherVelocity } }),
    });
    state.set(place, 0);
    state.set(turn, 3);
    if (where === "moving") state.set(otherTurn, 13 + 3);
    return state;
  };
  // so far that they are this far apart
  let [inside, outside] = [0, 1];
  for (let k = 0; k < 60; k++) {
    const middle = (inside + outside) / 2;
    const [nearest] = distances.at(stateAt(middle), 2);
    if (nearest && nearest.distance < gap) inside = middle;
    else outside = middle;
  }
  return { simulation: new Simulation(mechanism), mechanism, state: stateAt(outside) };
}
