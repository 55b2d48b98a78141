/**
 * Masses joined to one body, and inertias that no body can have put right.
 *
 * Published models round their inertias, and some break a ≥ c − b, the triangle inequality of the principal moments
 * a ≤ b ≤ c. The repair turns no axis: a and b grow and c shrinks by one and the same fraction,
 *   s = (c − a − b) / (a + b + c),
 * the smallest largest change that any choice needs. A moment of zero (a rod without thickness) is raised to a
 * millionth of the largest.
 */
import { matrix3, quaternion, vector } from "../math/index.ts";
import type { Matrix3, Vector3 } from "../mechanism/index.ts";
import type { Pose } from "./pose.ts";

/** A share of a body: its centre of mass and principal directions are at `pose`, in the frame of the whole. */
export interface MassPart {
  readonly mass: number;
  /** Inertia about the part's centre of mass, in its own frame. */
  readonly inertia: Matrix3;
  readonly pose: Pose;
}

/** Mass, centre of mass, and inertia about it, of parts that move as one. */
export function combinedMass(parts: readonly MassPart[]): {
  readonly mass: number;
  readonly centerOfMass: Vector3;
  readonly inertia: Matrix3;
} {
  const mass = parts.reduce((sum, part) => sum + part.mass, 0);
  let centerOfMass: Vector3 = vector.zero;
  for (const part of parts) {
    if (mass > 0) centerOfMass = vector.add(centerOfMass, vector.scale(part.pose.position, part.mass / mass));
  }
  let inertia = matrix3.diagonal(0, 0, 0);
  for (const part of parts) {
    const turned = isIdentity(part.pose)
      ? part.inertia
      : matrix3.rotateInertia(part.inertia, quaternion.normalize(part.pose.orientation));
    const distance = vector.sub(part.pose.position, centerOfMass);
    inertia = matrix3.add(inertia, matrix3.parallelAxis(turned, part.mass, distance));
  }
  return { mass, centerOfMass, inertia };
}

function isIdentity({ orientation }: Pose): boolean {
  return Math.abs(orientation[0]) === 1;
}

export type InertiaRepair =
  | { readonly status: "fine"; readonly inertia: Matrix3 }
  /** `message` says what changed and by how much. */
  | { readonly status: "repaired"; readonly inertia: Matrix3; readonly message: string }
  /** `message` says what is wrong; there is no small change that helps. */
  | { readonly status: "hopeless"; readonly message: string };

/** Beyond rounding; validation allows as much. */
const TOLERANCE = 1e-9;
/** Relative to the largest moment. */
const SMALLEST_MOMENT = 1e-6;
/** A moment below minus this fraction of the largest is no slip of rounding. */
const NEGATIVE_MOMENT = 1e-2;
/** Beyond this relative change the figures mean something else than an inertia. */
const LARGEST_CHANGE = 0.5;

/**
 * The possible inertia that is nearest in the sum of squares of all entries, whatever is given; undefined where that is 0. Its axes are those of
 * the given one. Moments are a = q + r, b = p + r, c = p + q with second moments p, q, r ≥ 0, so it is a point of a cone of three
 * sides: the nearest of the projections on the inside, the sides and the edges.
 */
export function nearestInertia(given: Matrix3): Matrix3 | undefined {
  const symmetric = given.map((row, i) => row.map((entry, j) => (entry + given[j][i]) / 2)) as unknown as Matrix3;
  if (!symmetric.every((row) => row.every(Number.isFinite))) return undefined;
  const { values, vectors } = matrix3.symmetricEigen(symmetric);
  const sides: Vector3[] = [
    [-1, 1, 1],
    [1, -1, 1],
    [1, 1, -1],
  ];
  const edges: Vector3[] = [
    [0, 1, 1],
    [1, 0, 1],
    [1, 1, 0],
  ];
  const candidates: Vector3[] = [
    values,
    ...sides.map((side) => vector.sub(values, vector.scale(side, vector.dot(values, side) / 3))),
    ...edges.map((edge) => vector.scale(edge, Math.max(0, vector.dot(values, edge) / 2))),
  ];
  const scale = Math.max(...values.map(Math.abs));
  const possible = candidates.filter((moments) =>
    sides.every((side) => vector.dot(moments, side) >= -TOLERANCE * scale),
  );
  const distance = (moments: Vector3): number => vector.norm(vector.sub(moments, values));
  const nearest = possible.reduce<Vector3 | undefined>(
    (best, one) => (best && distance(best) <= distance(one) ? best : one),
    undefined,
  );
  const largest = nearest ? Math.max(...nearest) : 0;
  if (!nearest || !(largest > 0)) return undefined;
  // a little thickness, which keeps it inside
  const [p, q, r] = sides.map((side) => Math.max(vector.dot(nearest, side) / 2, SMALLEST_MOMENT * largest));
  return matrix3.rotateInertia(matrix3.diagonal(q + r, p + r, p + q), quaternion.fromMatrix(vectors));
}

/** The nearest inertia that a body can have. Entries that are not finite pass through: validation reports them. */
export function repairInertia(inertia: Matrix3): InertiaRepair {
  if (!inertia.every((row) => row.every(Number.isFinite))) return { status: "fine", inertia };
  const { values, vectors } = matrix3.symmetricEigen(inertia);
  const shown = `principal moments ${values.map((value) => Number(value.toPrecision(4))).join(", ")}`;
  const largest = values[2];
  if (!(largest > 0)) return { status: "hopeless", message: `${shown}: none is above 0` };
  if (values[0] < -NEGATIVE_MOMENT * largest) {
    return { status: "hopeless", message: `${shown}: one is negative, so a sign of ixy, ixz or iyz may be wrong` };
  }

  // thickness first, then the triangle
  const changes: string[] = [];
  let [a, b] = values;
  let c = largest;
  const floor = SMALLEST_MOMENT * largest;
  if (!(a > 1e-3 * floor)) {
    changes.push(`moments below ${floor.toPrecision(2)} were raised to it`);
    a = Math.max(a, floor);
    b = Math.max(b, floor);
  }
  const share = (c - a - b) / (a + b + c);
  if (c - a - b > TOLERANCE * c) {
    if (share > LARGEST_CHANGE) {
      return { status: "hopeless", message: `${shown}: the largest is far above the sum of the others` };
    }
    a *= 1 + share;
    b *= 1 + share;
    c = a + b;
    const excess = ((100 * (largest - values[0] - values[1])) / largest).toPrecision(2);
    changes.push(
      `the largest exceeds the sum of the others by ${excess}% of itself; each was changed by ${(100 * share).toPrecision(2)}%, ` +
        "the least that makes it possible",
    );
  }
  if (changes.length === 0) return { status: "fine", inertia };
  return {
    status: "repaired",
    inertia: matrix3.rotateInertia(matrix3.diagonal(a, b, c), quaternion.fromMatrix(vectors)),
    message: `${shown}: ${changes.join("; ")}`,
  };
}
