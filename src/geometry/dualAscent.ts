/**
 * Newton's method for the largest f(n) = n·w(n) over unit vectors n, where w(n) is the point of b − a that is least along n: the
 * distance of two bodies to rounding, from a direction that is nearly right. On the sphere, with K the sum of the curvatures of both
 * support functions, the step δ ⟂ n obeys
 *   (K + f) δ = w − (n·w) n
 * K + f is positive definite where the bodies are apart, and at the direction of least overlap. A body whose nearest part is a
 * straight line along c asks for n ⟂ c, along which f has a corner: then δ is a number along n × c.
 */
import type { Minkowski } from "./minkowski.ts";
import { pairSize } from "./simplex.ts";
import { anySquare, crossInto, dot, squareTo } from "./vectors.ts";

const largestStep = 0.7;
const manyIterations = 40;

export class DualAscent {
  /** The direction, given and returned. */
  readonly n = new Float64Array(3);
  /** Support pair at n. */
  readonly pair = new Float64Array(pairSize);
  /** f(n). */
  height = 0;
  /** Length of w across n, along the directions that are free. */
  miss = 0;

  private readonly u = new Float64Array(3);
  private readonly v = new Float64Array(3);
  private readonly form = new Float64Array(3);
  private readonly trial = new Float64Array(3);
  private readonly trialPair = new Float64Array(pairSize);

  /** Goes up from n as far as it gets; `line` is a direction that n stays square to. Returns f. */
  ascend(body: Minkowski, line: Float64Array | undefined): number {
    const { n, u, v, form, trial, trialPair, pair } = this;
    this.height = Number.NEGATIVE_INFINITY;
    if (line && !squareTo(n, line)) return this.height;
    this.height = body.pair(pair, 0, n[0], n[1], n[2]);
    for (let iteration = 0; iteration < manyIterations; iteration++) {
      if (line) crossInto(u, n, line);
      else anySquare(u, n);
      crossInto(v, n, u);
      const gu = dot(pair, u);
      const gv = line ? 0 : dot(pair, v);
      const miss = Math.sqrt(gu * gu + gv * gv);
      this.miss = miss;
      if (miss <= 1e-15 * body.scale) break;

      // the Newton step, of a matrix that is made positive where it is not
      body.curvature(form, n, u, v);
      let a = form[0] + this.height;
      const b = line ? 0 : form[1];
      let d = line ? 1 : form[2] + this.height;
      const middle = (a + d) / 2;
      const least = line ? a : middle - Math.sqrt(((a - d) / 2) ** 2 + b * b);
      const floor = 1e-12 * body.scale;
      if (least < floor) {
        const lift = Math.max(floor, 0.1 * Math.abs(least), miss) - least;
        a += lift;
        d += lift;
      }
      const determinant = a * d - b * b;
      let du = (d * gu - b * gv) / determinant;
      let dv = line ? 0 : (a * gv - b * gu) / determinant;
      const size = Math.sqrt(du * du + dv * dv);
      if (!(size > 1e-16)) break;
      if (size > largestStep) {
        du *= largestStep / size;
        dv *= largestStep / size;
      }
      const slope = gu * du + gv * dv;

      // shorter while it does not go up; at the top, where f no longer tells, while w does not turn to n
      let taken = false;
      for (let share = 1; share > 1e-6; share /= 4) {
        for (let k = 0; k < 3; k++) trial[k] = n[k] + share * (du * u[k] + dv * v[k]);
        const length = Math.sqrt(dot(trial, trial));
        for (let k = 0; k < 3; k++) trial[k] /= length;
        const height = body.pair(trialPair, 0, trial[0], trial[1], trial[2]);
        const flat = slope < 1e-12 * body.scale && height > this.height - 1e-14 * body.scale;
        if (height > this.height + 1e-3 * share * slope || (flat && missOf(trialPair, trial, line) < 0.9 * miss)) {
          n.set(trial);
          pair.set(trialPair);
          this.height = height;
          taken = true;
          break;
        }
      }
      if (!taken) break;
    }
    return this.height;
  }
}

/** Length of w across n, along n × line where there is one. */
function missOf(w: Float64Array, n: Float64Array, line: Float64Array | undefined): number {
  if (line) {
    const along =
      w[0] * (n[1] * line[2] - n[2] * line[1]) +
      w[1] * (n[2] * line[0] - n[0] * line[2]) +
      w[2] * (n[0] * line[1] - n[1] * line[0]);
    return Math.abs(along);
  }
  const height = dot(w, n);
  const x = w[0] - height * n[0];
  const y = w[1] - height * n[1];
  const z = w[2] - height * n[2];
  return Math.sqrt(x * x + y * y + z * z);
}
