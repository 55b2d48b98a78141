/**
 * What cones stand for, in one table that equations, memory, units, starts and readings of steps go by. A cone pairs an impulse with what
 * it makes zero: a distance, a speed, or another impulse.
 *
 * A role is given to a cone where its equations are written (coneForces.ts, contact.ts, contactFriction.ts); whatever else depends on it is
 * here. The equalities of a node are those of its cones one after another.
 */

/** Units of rows and of what impulses are paired with. Of joints, lengths are angles as well, and speeds are rates. */
export type ConeUnit = "length" | "speed" | "impulse";

/** How a solve finds its start for a cone (simulation/step/coneStarts.ts). */
export type ConeStart = "normal" | "limit" | "box" | "friction" | "linearFriction" | "linearMargin";

export interface ConeRole {
  /** Numbers of b, and of c: R₊ has one, Qⁿ has n. */
  readonly size: number;
  readonly pairedWith: ConeUnit;
  /** Units of its equalities, in order. That of a length says slack = distance. */
  readonly rows: readonly ConeUnit[];
  readonly start: ConeStart;
  /** The row that its start looks at, counted from the first of its own: the second cone of a box has its bound in the row before. */
  readonly startRow: 0 | -1;
  /** Which of the pair is the impulse. */
  readonly impulse: "b" | "c";
  /** Whether predicted starts and Newton's method on the central path know how it answers: it is the only cone of its port, or of two tangents. */
  readonly isPredictable: boolean;
}

function role(
  pairedWith: ConeUnit,
  rows: readonly ConeUnit[],
  start: ConeStart,
  { size = 1, startRow = 0, impulse = "b", isPredictable = false }: Partial<ConeRole> = {},
): ConeRole {
  return { size, pairedWith, rows, start, startRow, impulse, isPredictable };
}

/** Exact friction: ξ₁ = c_f γ, and a slip along two tangents, with one, two or three axes of turning besides. */
const exactFriction = [3, 4, 5, 6].map((size) =>
  role("speed", ["impulse", ...new Array<ConeUnit>(size - 1).fill("speed")], "friction", {
    size,
    isPredictable: size === 3,
  }),
);

export const coneRoles = {
  /** The limit of a coordinate or of a gear. */
  limit: role("length", ["length"], "limit", { isPredictable: true }),
  /** The limit of the angle that two or three rotations have together. */
  tilt: role("length", ["length"], "limit", { isPredictable: true }),
  /** Two cones of a box (coneForces.ts): low + high = 2 F h, and the rate. */
  jointFrictionLow: role("speed", ["impulse"], "box"),
  jointFrictionHigh: role("speed", ["speed"], "box", { startRow: -1 }),
  /** Two cones of a box: low + high = 2 F h, and what is missing of the effort that is wanted. */
  effortLow: role("impulse", ["impulse"], "box"),
  effortHigh: role("impulse", ["impulse"], "box", { startRow: -1 }),
  contactNormal: role("length", ["length"], "normal", { isPredictable: true }),
  /** A side of a friction pyramid, and what is left of its bound, which is an impulse on the other side of its pair. */
  linearFriction: role("speed", ["speed"], "linearFriction"),
  linearMargin: role("speed", ["impulse"], "linearMargin", { impulse: "c" }),
} as const satisfies Readonly<Record<string, ConeRole>>;

/** The role of an exact cone of friction of this size. */
export function exactFrictionRole(size: number): ConeRole {
  return exactFriction[size - 3];
}
