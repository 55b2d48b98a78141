/** One body as the equations of nodes see it: symbols of its state and of its next one, and the same equations at no tilt. */
import {
  cross,
  type Expr,
  type Graph,
  mul,
  quaternionMultiply,
  rotationMatrix,
  type Scalar,
  substitute,
  vadd,
} from "../symbolic/index.ts";
import { type Pose, type Velocity, worldPose, worldVelocity } from "./pose.ts";
import { basisSymbols, type TwistBasis } from "./twist.ts";

/** One body as a node sees it. */
export interface BodySymbols {
  /** Pose, turned by `variation`. */
  readonly pose: Pose;
  /** Pose as symbols, and a small rotation of it by which data blocks are differentiated; none in the equations of a step. */
  readonly poseSymbols: Pose;
  readonly variation: readonly Scalar[];
  readonly velocity: Velocity;
  /** Next pose, turned by `tilt`: what equations are written with. */
  readonly next: Pose;
  /** Next pose as symbols. */
  readonly nextSymbols: Pose;
  readonly tilt: readonly Scalar[];
  readonly nextVelocity: Velocity;
  /** dθ₊/dω₊ over h, 3 × 3, computed once by the body and shared by all its nodes. */
  readonly turn: readonly (readonly Scalar[])[];
  /** The twists by which the body is eliminated. */
  readonly basis: TwistBasis;
  /** False for the world, whose entries are constants. */
  readonly moves: boolean;
}

export const world: BodySymbols = {
  pose: worldPose,
  poseSymbols: worldPose,
  variation: [],
  velocity: worldVelocity,
  next: worldPose,
  nextSymbols: worldPose,
  tilt: [0, 0, 0],
  nextVelocity: worldVelocity,
  turn: [],
  basis: { rotation: [], tilt: [], spin: [] },
  moves: false,
};

/**
 * How nodes see the rotation matrix of a next pose: "shared" as symbols that the body has computed (the step), "own" as
 * expressions of the quaternion (tangents and cotangents, which vary the quaternion). "varied" is "shared", and the pose itself can
 * be turned (data blocks).
 */
export type RotationSource = "shared" | "own" | "varied";

export function bodySymbols(graph: Graph, name: string, source: RotationSource): BodySymbols {
  const position = (prefix: string): Expr[] => graph.symbols(`${name}.${prefix}x`, 3);
  const orientation = (prefix: string): Expr[] => graph.symbols(`${name}.${prefix}q`, 4);
  const velocity = (prefix: string): Velocity => ({
    linear: graph.symbols(`${name}.${prefix}v`, 3),
    angular: graph.symbols(`${name}.${prefix}w`, 3),
  });
  const matrix = (prefix: string): Expr[][] => {
    const entries = graph.symbols(`${name}.${prefix}`, 9);
    return [0, 1, 2].map((row) => entries.slice(3 * row, 3 * row + 3));
  };
  const q = orientation("next.");
  const tilt = graph.symbols(`${name}.tilt`, 3);
  const nextSymbols: Pose = {
    position: position("next."),
    orientation: q,
    rotation: source === "own" ? rotationMatrix(q) : matrix("R"),
  };
  const poseSymbols: Pose = { position: position(""), orientation: orientation("") };
  const variation = source === "varied" ? graph.symbols(`${name}.variation`, 3) : [];
  return {
    pose: source === "varied" ? varied(poseSymbols, variation) : poseSymbols,
    poseSymbols,
    variation,
    velocity: velocity(""),
    next: { ...nextSymbols, tilt },
    nextSymbols,
    tilt,
    nextVelocity: velocity("next."),
    turn: matrix("turn"),
    basis: basisSymbols(graph, name),
    moves: true,
  };
}

/** q (1, t/2) and R (1 + [t]×), to first order in t. */
function varied({ position, orientation }: Pose, t: readonly Scalar[]): Pose {
  const rotation = rotationMatrix(orientation);
  return {
    position,
    orientation: quaternionMultiply(orientation, [1, ...t.map((entry) => mul(0.5, entry))]),
    rotation: rotation.map((row) => vadd(row, cross(row, t))),
  };
}

/** Expressions with all tilts at zero: the equations themselves. */
export function untilted(rows: readonly Scalar[], bodies: readonly BodySymbols[]): Scalar[] {
  return untiltedMatrix([rows], bodies)[0];
}

export function untiltedMatrix(matrix: readonly (readonly Scalar[])[], bodies: readonly BodySymbols[]): Scalar[][] {
  const moving = bodies.filter((body) => body.moves);
  return substituteMatrix(
    matrix,
    new Map(moving.flatMap((body) => body.tilt.map((symbol): [Expr, Scalar] => [symbol as Expr, 0]))),
  );
}

/** The same with all variations at zero too. */
export function unvariedMatrix(matrix: readonly (readonly Scalar[])[], bodies: readonly BodySymbols[]): Scalar[][] {
  const variations = bodies.flatMap(({ variation }) => variation.map((symbol): [Expr, Scalar] => [symbol as Expr, 0]));
  return substituteMatrix(untiltedMatrix(matrix, bodies), new Map(variations));
}

/** Entries of a matrix with symbols replaced by what they stand for here. */
export function substituteMatrix(matrix: readonly (readonly Scalar[])[], map: ReadonlyMap<Expr, Scalar>): Scalar[][] {
  const entries = substitute(matrix.flat(), new Map(map));
  let at = 0;
  return matrix.map((row) => {
    at += row.length;
    return entries.slice(at - row.length, at);
  });
}
