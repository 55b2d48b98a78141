/**
 * Where the last solve came past on its way down, as a start for a step that goes on: its first point with μ ≤ 10 in the natural units of
 * the cones, moved along the central path to μ = 3,
 *   b ← √(3/μ) b,   c ← √(3/μ) c.
 * At this height the cone variables of contacts change little from step to step. Those of the solve's end are sharp, and jam the step in
 * which a contact opens or closes (decision 0009). It replaces a cold start only where that is above, μ > 10, and only where there are
 * limbs: the limb whose velocity changes most sets the height for all of them. A single body's is right for its contacts.
 */
import { isLeftOut } from "./nearContacts.ts";
import type { StepProblem } from "./stepProblem.ts";

/** μ below which a point is kept, to which it is moved, and above which a cold start gives way. Measured: decision 0010. */
const passing = 10;
const aim = 3;
const farAbove = 10;

export class Passage {
  private readonly problem: StepProblem;
  private readonly b: Float64Array;
  private readonly c: Float64Array;
  private mu = Number.NaN;

  constructor(problem: StepProblem) {
    this.problem = problem;
    this.b = new Float64Array(problem.b.length);
    this.c = new Float64Array(problem.c.length);
  }

  /** Forgets the point, before a solve. */
  clear(): void {
    this.mu = Number.NaN;
  }

  /** Keeps the first point of the solve whose μ is no more than `passing`; called after each iteration. */
  watch(mu: number): void {
    if (!Number.isNaN(this.mu) || !(mu <= passing)) return;
    this.mu = mu;
    this.b.set(this.problem.b);
    this.c.set(this.problem.c);
  }

  /** Nothing is known any more of these cone variables. */
  leaveOut(at: number, size: number): void {
    this.b.fill(0, at, at + size);
    this.c.fill(0, at, at + size);
  }

  /** A copy of the point that was kept; undefined where the solve came past none. */
  save(): { readonly mu: number; readonly b: Float64Array; readonly c: Float64Array } | undefined {
    const { mu, b, c } = this;
    return Number.isNaN(mu) ? undefined : { mu, b: b.slice(), c: c.slice() };
  }

  restore({ mu, b, c }: { readonly mu: number; readonly b: Float64Array; readonly c: Float64Array }): void {
    this.mu = mu;
    this.b.set(b);
    this.c.set(c);
  }

  /** Moves the problem there from a cold start; false where that will do. */
  start(): boolean {
    if (Number.isNaN(this.mu) || !(this.coldMu() > farAbove)) return false;
    const { b, c, cones, weight, starts } = this.problem;
    const scale = Math.sqrt(aim / this.mu);
    for (let i = 0; i < cones.length; i++) {
      const { offset, size } = cones[i];
      if (isLeftOut(b, c, offset)) continue;
      // a contact that was out of the way then: from the cold start down to the same height
      if (isLeftOut(this.b, this.c, offset))
        starts.lower(i, cones[i], (aim * weight[offset]) / (b[offset] * c[offset]));
      else
        for (let k = offset; k < offset + size; k++) {
          b[k] = scale * this.b[k];
          c[k] = scale * this.c[k];
        }
    }
    return true;
  }

  /** Largest of all cones: b∘c is a multiple of e at a start. */
  private coldMu(): number {
    const { cones, b, c, weight } = this.problem;
    let mu = 0;
    for (let i = 0; i < cones.length; i++) {
      const { offset } = cones[i];
      mu = Math.max(mu, (b[offset] * c[offset]) / weight[offset]);
    }
    return mu;
  }
}
