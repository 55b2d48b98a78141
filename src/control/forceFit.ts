/**
 * Inputs and contact forces that balance what is left of a motion's equations, contact forces within their cones:
 *   min ½‖w‖² + ½δ‖y‖² + ½ε‖f‖²    with   w = r + Y y + F f,   f ∈ K
 * so that first the imbalance w is as small as can be, then the inputs y are, then the forces f. Its optimality conditions
 *   w − Y y − F f = r,    Yᵀw + δ y = 0,    s = Fᵀw + ε f,    f ∘ s = κe,   f, s ∈ K
 * are a cone problem like the step's own, and solved by the same solver; dense, since it is small.
 */

import { OrthonormalBasis } from "../coordinates/index.ts";
import { coneMargin, dot } from "../math/index.ts";
import { type Cone, type Direction, type Equations, InteriorPoint, PlainProblem } from "../solver/index.ts";
import { leastSquares } from "./leastSquares.ts";

/** δ and ε, relative to the squared length of the longest column: inputs are the smallest ones up to about δ. */
const inputWeight = 1e-6;
const forceWeight = 1e-10;
/** s is of size δ, so a force that is not needed is left with κ/δ. */
const kappa = 1e-15;
/** Forces below this part of the largest are none; those this far inside their cones may be moved by what δ is worth. */
const smallestForce = 1e-6;
const interior = 1e-4;
/** Vectors of which others leave no more than this part are spanned by them: rounding. */
const spanned = 1e-14;

export interface ForceFit {
  readonly inputs: Float64Array;
  readonly forces: Float64Array;
}

export function fitForces(
  imbalance: Float64Array,
  inputColumns: readonly Float64Array[],
  forceColumns: readonly Float64Array[],
  cones: readonly Cone[],
): ForceFit {
  const [r, ...columns] = shortened([imbalance, ...inputColumns, ...forceColumns]);
  const [inputs, forces] = [columns.slice(0, inputColumns.length), columns.slice(inputColumns.length)];
  if (forces.length === 0) return { inputs: leastSquares(inputs, r), forces: new Float64Array(0) };
  // in units in which r and the longest column are of length 1
  const size = Math.sqrt(dot(r, r)) || 1;
  const length = Math.sqrt(Math.max(...columns.map((column) => dot(column, column)))) || 1;
  const scaled = (column: Float64Array): Float64Array => column.map((entry) => entry / length);
  const problem = new FitProblem(
    r.map((entry) => entry / size),
    inputs.map(scaled),
    forces.map(scaled),
    cones,
  );
  new InteriorPoint(new PlainProblem(problem)).solve({ kappa, maxIterations: 100 });
  const back = (entry: number): number => (entry * size) / length;
  const fit = { inputs: problem.inputs.map(back), forces: problem.b.map(back) };
  polish(fit, r, inputs, forces, cones);
  return fit;
}

/** Vectors by their coefficients in an orthonormal basis of what they span: one number per coordinate of a robot, not six per body. */
function shortened(vectors: readonly Float64Array[]): Float64Array[] {
  const basis = new OrthonormalBasis(spanned);
  for (const vector of vectors) basis.add(vector);
  return vectors.map((vector) => basis.reject(Float64Array.from(vector)));
}

/** Takes out the imbalance that δ has left, by inputs and by forces that are well inside their cones. */
function polish(
  { inputs: y, forces: f }: ForceFit,
  r: Float64Array,
  Y: readonly Float64Array[],
  F: readonly Float64Array[],
  cones: readonly Cone[],
): void {
  const largest = Math.max(...f.map(Math.abs), ...y.map(Math.abs));
  for (const { offset, size } of cones) {
    if (f[offset] < smallestForce * largest) f.fill(0, offset, offset + size);
  }
  const movable = cones.flatMap((cone) =>
    coneMargin(f, cone) > interior * largest ? Array.from({ length: cone.size }, (_, k) => cone.offset + k) : [],
  );
  const rest = Float64Array.from(r);
  const add = (column: Float64Array, amount: number): void => {
    for (let i = 0; i < rest.length; i++) rest[i] += amount * column[i];
  };
  for (let j = 0; j < Y.length; j++) add(Y[j], y[j]);
  for (let j = 0; j < F.length; j++) add(F[j], f[j]);
  const change = leastSquares([...Y, ...movable.map((j) => F[j])], rest);
  for (let j = 0; j < Y.length; j++) y[j] += change[j];
  movable.forEach((j, k) => {
    f[j] += change[Y.length + k];
  });
}

class FitProblem implements Equations {
  readonly cones: readonly Cone[];
  readonly b: Float64Array;
  readonly c: Float64Array;
  readonly weight: Float64Array;
  readonly residual: Float64Array;
  readonly tolerance: Float64Array;
  readonly gapRows = new Int32Array(0);
  readonly gapSlacks = new Int32Array(0);

  private readonly r: Float64Array;
  private readonly Y: readonly Float64Array[];
  private readonly F: readonly Float64Array[];
  private readonly w: Float64Array;
  private readonly y: Float64Array;
  private readonly saved: Direction;
  /** Unknowns in the order w, y, f, rows in the order of theirs, and f ∘ s in place of those of s, which follow from w and f. */
  private readonly size: number;
  private readonly lu: Float64Array[];
  private readonly order: Int32Array;
  private readonly given: Float64Array;
  private readonly x: Float64Array;

  constructor(r: Float64Array, Y: readonly Float64Array[], F: readonly Float64Array[], cones: readonly Cone[]) {
    this.r = r;
    this.Y = Y;
    this.F = F;
    this.cones = cones;
    this.w = Float64Array.from(r);
    this.y = new Float64Array(Y.length);
    this.b = new Float64Array(F.length);
    this.c = new Float64Array(F.length);
    for (const { offset } of cones) this.b[offset] = this.c[offset] = 1;
    this.weight = new Float64Array(F.length).fill(1);
    const rows = r.length + Y.length + F.length;
    this.residual = new Float64Array(rows);
    this.tolerance = new Float64Array(rows).fill(1e-13);
    this.size = rows;
    this.order = new Int32Array(rows);
    this.lu = Array.from({ length: rows }, () => new Float64Array(rows));
    this.given = new Float64Array(rows);
    this.x = new Float64Array(rows);
    this.saved = this.newDirection();
  }

  get inputs(): Float64Array {
    return this.y;
  }

  newDirection(): Direction {
    const { length } = this.F;
    return {
      a: new Float64Array(this.r.length + this.Y.length),
      b: new Float64Array(length),
      c: new Float64Array(length),
    };
  }

  evaluate(): void {
    const { residual, r, w, y, b, c, Y, F } = this;
    for (let i = 0; i < r.length; i++) {
      let sum = w[i] - r[i];
      for (let j = 0; j < Y.length; j++) sum -= Y[j][i] * y[j];
      for (let j = 0; j < F.length; j++) sum -= F[j][i] * b[j];
      residual[i] = sum;
    }
    Y.forEach((column, j) => {
      residual[r.length + j] = dot(column, w) + inputWeight * y[j];
    });
    F.forEach((column, j) => {
      residual[r.length + Y.length + j] = dot(column, w) + forceWeight * b[j] - c[j];
    });
  }

  /** With Δs = FᵀΔw + ε Δf + E_s, the rows f ∘ Δs + s ∘ Δf are  f ∘ FᵀΔw + (s + ε f) ∘ Δf. */
  factor(): boolean {
    const { r, Y, F, b, c, lu: matrix } = this;
    const [y0, f0] = [r.length, r.length + Y.length];
    for (const row of matrix) row.fill(0);
    for (let i = 0; i < r.length; i++) {
      matrix[i][i] = 1;
      for (let j = 0; j < Y.length; j++) {
        matrix[i][y0 + j] = -Y[j][i];
        matrix[y0 + j][i] = Y[j][i];
      }
      for (let j = 0; j < F.length; j++) matrix[i][f0 + j] = -F[j][i];
    }
    for (let j = 0; j < Y.length; j++) matrix[y0 + j][y0 + j] = inputWeight;
    this.eachEntry((row, column, head) => {
      const to = matrix[f0 + row];
      to[f0 + column] += c[head] + forceWeight * b[head];
      const rows = F[column];
      for (let i = 0; i < r.length; i++) to[i] += b[head] * rows[i];
    });
    return this.eliminate();
  }

  /** Entries of the matrices of x ∘: at (row, column) there is x[head]. */
  private eachEntry(visit: (row: number, column: number, head: number) => void): void {
    for (const { kind, offset, size } of this.cones) {
      for (let k = offset; k < offset + size; k++) {
        visit(k, k, kind === "orthant" ? k : offset);
        if (kind === "orthant" || k === offset) continue;
        visit(offset, k, k);
        visit(k, offset, k);
      }
    }
  }

  /** LU with row exchanges. */
  private eliminate(): boolean {
    const { lu, size, order } = this;
    for (let k = 0; k < size; k++) order[k] = k;
    for (let k = 0; k < size; k++) {
      let pivot = k;
      for (let i = k + 1; i < size; i++) if (Math.abs(lu[i][k]) > Math.abs(lu[pivot][k])) pivot = i;
      if (!(Math.abs(lu[pivot][k]) > 0)) return false;
      [lu[k], lu[pivot]] = [lu[pivot], lu[k]];
      [order[k], order[pivot]] = [order[pivot], order[k]];
      for (let i = k + 1; i < size; i++) {
        const factor = lu[i][k] / lu[k][k];
        lu[i][k] = factor;
        if (factor !== 0) for (let j = k + 1; j < size; j++) lu[i][j] -= factor * lu[k][j];
      }
    }
    return true;
  }

  solve(coneRhs: Float64Array, out: Direction): void {
    const { lu, size, order, residual, r, Y, F, b, x, given } = this;
    const f0 = r.length + Y.length;
    // the right-hand side, of which f ∘ s has what E_s leaves
    for (let i = 0; i < f0; i++) given[i] = -residual[i];
    given.set(coneRhs, f0);
    this.eachEntry((row, column, head) => {
      given[f0 + row] -= b[head] * residual[f0 + column];
    });
    for (let i = 0; i < size; i++) {
      let sum = given[order[i]];
      for (let j = 0; j < i; j++) sum -= lu[i][j] * x[j];
      x[i] = sum;
    }
    for (let i = size - 1; i >= 0; i--) {
      for (let j = i + 1; j < size; j++) x[i] -= lu[i][j] * x[j];
      x[i] /= lu[i][i];
    }
    out.a.set(x.subarray(0, f0));
    out.b.set(x.subarray(f0));
    for (let j = 0; j < F.length; j++) {
      let sum = forceWeight * out.b[j] + residual[f0 + j];
      for (let i = 0; i < r.length; i++) sum += F[j][i] * x[i];
      out.c[j] = sum;
    }
  }

  save(): void {
    this.saved.a.set(this.w);
    this.saved.a.set(this.y, this.w.length);
    this.saved.b.set(this.b);
    this.saved.c.set(this.c);
  }

  advance(alpha: number, direction: Direction): boolean {
    const { w, y, b, c, saved } = this;
    for (let i = 0; i < w.length; i++) w[i] = saved.a[i] + alpha * direction.a[i];
    for (let i = 0; i < y.length; i++) y[i] = saved.a[w.length + i] + alpha * direction.a[w.length + i];
    for (let i = 0; i < b.length; i++) {
      b[i] = saved.b[i] + alpha * direction.b[i];
      c[i] = saved.c[i] + alpha * direction.c[i];
    }
    return true;
  }
}
