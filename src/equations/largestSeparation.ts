/**
 * The direction n of length 1 along which two round sets are farthest apart, as an expression: the maximum of
 *   F(n) = n·d − √(nᵀA n) − √(nᵀO n)
 * over all n, or over those across a line. A direction near it is found by how far the sets reach (reachIteration.ts), and from there
 *   p = d − A n/√(nᵀA n) − O n/√(nᵀO n)           from witness point to witness point
 *   K = C + n·p,   C = ∇²√(nᵀA n) + ∇²√(nᵀO n)    Newton's matrix across n; of deep overlaps no less than C/2
 *   y = K⁻¹ (p − (n·p) n),   n ← (n + y)/|n + y|
 * by a few steps, each cut to 0.3 of itself where F would fall, and left out where it would fall then; gradients stop at them: they
 * count as constants in derivatives. From their end s a last step tells how the maximum moves: n = (s + y)/|s + y| and F(n) have the
 * derivatives of the true n (the first) and of the true maximum (the first and the second), by the implicit function theorem, if s is there.
 * F has a corner at the axis of a disc. Where that is the maximum, a ball over the disc say, n is the axis and turns with the disc.
 * Every n gives a lower bound of the distance, and none is less than that of the normal at the start, which is the distance from a supporting
 * plane: what has not converged keeps bodies apart rather than letting them in.
 *
 * Of discs that touched something at the start of a step and have turned by up to 0.7 rad since (300 poses of each pair), the gap is short by
 * more than 1e-6 of the size for 1 in 200 with another disc, and for none with a ball, a line or an ellipsoid; of ellipsoids it is right to
 * 1e-14. What is left is rims that graze along each other, where the normal jumps, and overlaps.
 */
import {
  add,
  cross,
  div,
  dot,
  ifLess,
  matVec,
  max,
  min,
  mul,
  type Scalar,
  sqrt,
  stopGradient,
  sub,
  vadd,
  vscale,
  vsub,
} from "../symbolic/index.ts";
import { norm, unit } from "./featureGeometry.ts";
import { symmetric } from "./pose.ts";
import { farthestApart } from "./reachIteration.ts";
import { ofDisc, type RoundSet, reachOf, rootOf } from "./roundSet.ts";

/** Steps of the reaches; then of n, one more across a line: features that a step adds from its end may be deep in each other where it begins. */
const reachSteps = 5;
const normalSteps = { ofTwo: 2, across: 3 } as const;
/** Largest turn of the normal in one step, rad. */
const longest = 0.5;
/** What is left of a step along which F would fall. */
const shortened = 0.3;
/** Part of the sets' sizes: keeps K regular where two rims graze, and is more than rounding. */
const softness = 1e-9;

/** What is to be kept apart: n·d less what the sets reach along n. */
export interface Separation {
  readonly between: readonly Scalar[];
  readonly sets: readonly RoundSet[];
  /** Unit direction that n is across. */
  readonly along?: readonly Scalar[];
}

export interface Maximum {
  readonly value: Scalar;
  readonly normal: Scalar[];
}

/** F's maximum over n, from a unit normal near by. */
export function largestSeparation(problem: Separation, start: readonly Scalar[]): Maximum {
  const near = nearMaximum(problem, start);
  let point = pointAt(problem, near);
  if (problem.along) {
    for (const set of problem.sets) point = better(pointAt(problem, allowedNormal(problem, set.axisNear(near))), point);
  }
  const steps = problem.along ? normalSteps.across : normalSteps.ofTwo;
  for (let i = 0; i < steps; i++) point = climbed(problem, point);
  const reached = pointAt(problem, allowedNormal(problem, point.n.map(stopGradient)));
  const y = newtonStep(problem, reached);
  const last = pointAt(problem, unit(vadd(reached.n, vscale(y, stopGradient(partOf(y))))));
  // where F has its maximum they are the same, to rounding, and the last one has the derivatives
  const clearly = sub(reached.value, mul(softness, sizeOf(problem)));
  const found = chosen(last.value, clearly, reached, last);
  return problem.along ? found : withCorners(problem, found);
}

/** How far the maximum lies from a unit normal, across it: one step of Newton's method, at most `longest` by smooth passage. */
export function turnOfMaximum(problem: Separation, n: readonly Scalar[]): Scalar[] {
  const y = newtonStep(problem, pointAt(problem, n));
  const ratio = div(dot(y, y), longest * longest);
  return vscale(y, div(1, sqrt(sqrt(add(1, mul(ratio, ratio))))));
}

/** Where a corner of F is its maximum, n is the axis of a disc and turns with it. */
function withCorners(problem: Separation, found: Maximum): Maximum {
  return problem.sets.reduce((best, set) => {
    const { value, n } = pointAt(problem, set.axisNear(best.normal.map(stopGradient)));
    const least = sub(best.value, sizeOf(problem));
    return chosen(best.value, ofDisc(set, value, least), { value, n }, { value: best.value, n: best.normal });
  }, found);
}

/** One of two points: the first if a < b. */
function chosen(a: Scalar, b: Scalar, first: Pick<Point, "value" | "n">, second: Pick<Point, "value" | "n">): Maximum {
  const choose = (one: Scalar, other: Scalar): Scalar => ifLess(a, b, one, other);
  return { value: choose(first.value, second.value), normal: first.n.map((entry, k) => choose(entry, second.n[k])) };
}

/** The maximum from a start across the line, if there is one: in the two dimensions that are left there. */
function nearMaximum({ between, sets, along }: Separation, start: readonly Scalar[]): readonly Scalar[] {
  const reaches = sets.map((set) => (n: readonly Scalar[], image: readonly Scalar[]) => reachOf(set, n, image));
  const size = sizeOf({ sets });
  const least = sets.map((set) => set.least);
  if (!along) {
    const matrices = sets.map(({ matrix }) => matrix);
    return farthestApart({ between, matrices, least, size, reaches }, start, reachSteps);
  }
  const frame = [start, cross(along, start)];
  const matrices = sets.map(({ matrix }) => {
    const images = frame.map((axis) => matVec(matrix, axis));
    const across = dot(frame[0], images[1]);
    return [
      [dot(frame[0], images[0]), across],
      [across, dot(frame[1], images[1])],
    ];
  });
  const flat = sets.map((set) => (n: readonly Scalar[], image: readonly Scalar[]) => rootOf(set, dot(n, image)));
  const d = matVec(frame, between);
  const [x, y] = farthestApart({ between: d, matrices, least, size, reaches: flat }, [1, 0], reachSteps);
  return vadd(vscale(frame[0], x), vscale(frame[1], y));
}

/** The unit normal nearest to n among those that the problem allows. */
export function allowedNormal({ along }: Pick<Separation, "along">, n: readonly Scalar[]): readonly Scalar[] {
  return along ? unit(vsub(n, vscale(along, dot(along, n)))) : n;
}

/** n, M n and √(nᵀM n) of each set, and F. */
interface Point {
  readonly n: readonly Scalar[];
  readonly images: readonly (readonly Scalar[])[];
  readonly roots: readonly Scalar[];
  readonly value: Scalar;
}

function pointAt({ between, sets }: Separation, n: readonly Scalar[]): Point {
  return pointOf(
    { between, sets },
    n,
    sets.map(({ matrix }) => matVec(matrix, n)),
  );
}

function pointOf({ between, sets }: Separation, n: readonly Scalar[], images: readonly (readonly Scalar[])[]): Point {
  const roots = sets.map((set, i) => reachOf(set, n, images[i]));
  return { n, images, roots, value: roots.reduce((value: Scalar, root) => sub(value, root), dot(n, between)) };
}

/** One step, or a part of it, or none: whichever is better. */
function climbed(problem: Separation, point: Point): Point {
  const y = newtonStep(problem, point);
  const { n, images } = point;
  const images_y = problem.sets.map(({ matrix }) => matVec(matrix, y));
  const whole = partOf(y);
  const moved = (part: Scalar): Point => {
    const ahead = vadd(n, vscale(y, part));
    const scale = div(1, norm(ahead));
    return pointOf(
      problem,
      vscale(ahead, scale),
      images.map((image, i) => vscale(vadd(image, vscale(images_y[i], part)), scale)),
    );
  };
  const [far, near] = [moved(whole), moved(mul(shortened, whole))];
  return better(far, better(near, point));
}

/** The first of two points, unless F is less there. */
function better(a: Point, b: Point): Point {
  const choose = (one: Scalar, other: Scalar): Scalar => ifLess(a.value, b.value, other, one);
  return {
    n: a.n.map((entry, k) => choose(entry, b.n[k])),
    images: a.images.map((image, i) => image.map((entry, k) => choose(entry, b.images[i][k]))),
    roots: a.roots.map((root, i) => choose(root, b.roots[i])),
    value: choose(a.value, b.value),
  };
}

function sizeOf({ sets }: Pick<Separation, "sets">): Scalar {
  return sets.reduce((total: Scalar, { trace }) => add(total, sqrt(trace)), 0);
}

/** How much of a step is no longer than the longest. */
function partOf(y: readonly Scalar[]): Scalar {
  return min(1, div(longest, norm(y)));
}

/** Newton's step y across n. */
function newtonStep({ between, sets, along }: Separation, { n, images, roots }: Point): Scalar[] {
  const inverses = roots.map((root) => div(1, root));
  const p = images.reduce((p: readonly Scalar[], image, i) => vsub(p, vscale(image, inverses[i])), between);
  const reached = dot(n, p);
  const size = sizeOf({ sets });
  const tiny = mul(softness, size);
  const cubes = inverses.map((inverse) => mul(inverse, mul(inverse, inverse)));
  const curvature = (i: number, j: number): Scalar =>
    sets.reduce<Scalar>(
      (sum, { matrix }, s) =>
        add(sum, sub(mul(matrix[i][j], inverses[s]), mul(cubes[s], mul(images[s][i], images[s][j])))),
      0,
    );
  const slope = vsub(p, vscale(n, reached));
  if (along) {
    // one direction is left
    const t = cross(along, n);
    const image = [0, 1, 2].map((i) =>
      dot(
        t,
        [0, 1, 2].map((j) => curvature(i, j)),
      ),
    );
    const across = dot(t, slope);
    const bend = dot(t, image);
    const stiffness = add(max(add(bend, reached), mul(0.5, bend)), tiny);
    return vscale(t, div(across, stiffness));
  }
  const bend = symmetric([
    curvature(0, 0),
    curvature(1, 1),
    curvature(2, 2),
    curvature(0, 1),
    curvature(0, 2),
    curvature(1, 2),
  ]);
  // its smaller eigenvalue across n is at least the sum of its principal minors over its trace
  const minor = (i: number, j: number): Scalar => sub(mul(bend[i][i], bend[j][j]), mul(bend[i][j], bend[i][j]));
  const trace = add(add(bend[0][0], bend[1][1]), bend[2][2]);
  const least = div(add(add(minor(0, 1), minor(0, 2)), minor(1, 2)), trace);
  const soft = add(max(reached, mul(-0.5, least)), tiny);
  // with size·n nᵀ the matrix is regular, and y stays across n
  const matrix = bend.map((row, i) =>
    row.map((entry, j) => add(entry, add(mul(size, mul(n[i], n[j])), i === j ? soft : 0))),
  );
  return solveSymmetric(matrix, slope);
}

/** m⁻¹ v of a symmetric 3 × 3 matrix, by its adjugate. */
function solveSymmetric(m: readonly (readonly Scalar[])[], v: readonly Scalar[]): Scalar[] {
  const rows = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
  const inverse = div(1, dot(m[0], rows[0]));
  return rows.map((row) => mul(inverse, dot(row, v)));
}
