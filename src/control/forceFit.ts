/**
 * Inputs and contact forces that balance what is left of a motion's equations, contact forces within their cones:
 *   min ½‖w‖² + ½δ‖y‖² + ½ε‖f‖²    with   w = r + Y y + F f,   f ∈ K
 * so that first the imbalance w is as small as can be, then the inputs y are, then the forces f. Inputs follow from forces,
 *   y = −Yᵀ B⁻¹(r + F f),    B = δ1 + Y Yᵀ = C Cᵀ,
 * and with A = √δ C⁻¹F and a = √δ C⁻¹r there is left  min ½‖a + A f‖² + ½ε‖f‖². Its optimality conditions
 *   s = Aᵀ(a + A f) + ε f,    f ∘ s = κe,   f, s ∈ K
 * are a cone problem like the step's own, and solved by the same solver; dense, since it is small.
 */
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

export interface ForceFit {
  readonly inputs: Float64Array;
  readonly forces: Float64Array;
}

export function fitForces(
  r: Float64Array,
  inputs: readonly Float64Array[],
  forces: readonly Float64Array[],
  cones: readonly Cone[],
): ForceFit {
  if (forces.length === 0) return { inputs: leastSquares(inputs, r), forces: new Float64Array(0) };
  // in units in which r and the longest column are of length 1
  const size = Math.sqrt(dot(r, r)) || 1;
  const length = Math.sqrt(Math.max(...[...inputs, ...forces].map((column) => dot(column, column)))) || 1;
  const scaled = (column: Float64Array): Float64Array => column.map((entry) => entry / length);
  const elimination = new InputElimination(r.length, inputs.map(scaled));
  const [a, ...A] = [r.map((entry) => entry / size), ...forces.map(scaled)];
  const problem = new FitProblem(elimination.reduced(a), A.map(elimination.reduced), cones);
  new InteriorPoint(new PlainProblem(problem)).solve({ kappa, maxIterations: 100 });
  addColumns(a, A, problem.b);
  const back = (entry: number): number => (entry * size) / length;
  const fit = { inputs: elimination.inputsFor(a).map(back), forces: problem.b.map(back) };
  polish(fit, r, inputs, forces, cones);
  return fit;
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
  addColumns(rest, Y, y);
  addColumns(rest, F, f);
  const change = leastSquares([...Y, ...movable.map((j) => F[j])], rest);
  for (let j = 0; j < Y.length; j++) y[j] += change[j];
  movable.forEach((j, k) => {
    f[j] += change[Y.length + k];
  });
}

/** v ← v + Σ amountⱼ columnⱼ. */
function addColumns(v: Float64Array, columns: readonly Float64Array[], amounts: Float64Array): void {
  columns.forEach((column, j) => {
    for (let i = 0; i < v.length; i++) v[i] += amounts[j] * column[i];
  });
}

/** The Cholesky factor of B, and what it makes of columns. */
class InputElimination {
  private readonly Y: readonly Float64Array[];
  /** C, row by row. */
  private readonly factor: Float64Array[];

  constructor(rows: number, Y: readonly Float64Array[]) {
    this.Y = Y;
    const factor = Array.from({ length: rows }, () => new Float64Array(rows));
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = i === j ? inputWeight : 0;
        for (const column of Y) sum += column[i] * column[j];
        for (let k = 0; k < j; k++) sum -= factor[i][k] * factor[j][k];
        factor[i][j] = i === j ? Math.sqrt(Math.max(sum, inputWeight)) : sum / factor[j][j];
      }
    }
    this.factor = factor;
  }

  /** √δ C⁻¹v. */
  readonly reduced = (v: Float64Array): Float64Array => this.forward(v).map((entry) => entry * Math.sqrt(inputWeight));

  /** y = −Yᵀ B⁻¹v. */
  inputsFor(v: Float64Array): Float64Array {
    const { factor } = this;
    const x = this.forward(v);
    for (let i = x.length - 1; i >= 0; i--) {
      for (let k = i + 1; k < x.length; k++) x[i] -= factor[k][i] * x[k];
      x[i] /= factor[i][i];
    }
    return Float64Array.from(this.Y, (column) => -dot(column, x));
  }

  private forward(v: Float64Array): Float64Array {
    const { factor } = this;
    const x = Float64Array.from(v);
    for (let i = 0; i < x.length; i++) {
      for (let k = 0; k < i; k++) x[i] -= factor[i][k] * x[k];
      x[i] /= factor[i][i];
    }
    return x;
  }
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

  private readonly a: Float64Array;
  private readonly A: readonly Float64Array[];
  /** H = AᵀA + ε1. */
  private readonly hessian: readonly Float64Array[];
  private readonly saved: Direction;
  /** Factors of f ∘ Δs + s ∘ Δf, with Δs = H Δf. */
  private readonly lu: Float64Array[];
  private readonly order: Int32Array;
  private readonly given: Float64Array;

  constructor(a: Float64Array, A: readonly Float64Array[], cones: readonly Cone[]) {
    const size = A.length;
    const vector = (): Float64Array => new Float64Array(size);
    this.a = a;
    this.A = A;
    this.cones = cones;
    this.b = vector();
    this.c = vector();
    for (const { offset } of cones) this.b[offset] = this.c[offset] = 1;
    this.weight = vector().fill(1);
    this.residual = vector();
    this.tolerance = vector().fill(1e-13);
    this.hessian = A.map((row, i) =>
      Float64Array.from(A, (column, j) => dot(row, column) + (i === j ? forceWeight : 0)),
    );
    this.order = new Int32Array(size);
    this.lu = Array.from({ length: size }, vector);
    this.given = vector();
    this.saved = this.newDirection();
  }

  newDirection(): Direction {
    const { length } = this.A;
    return { a: new Float64Array(0), b: new Float64Array(length), c: new Float64Array(length) };
  }

  /** E = Aᵀ(a + A f) + ε f − s. */
  evaluate(): void {
    const { residual, b, c, A } = this;
    const w = Float64Array.from(this.a);
    addColumns(w, A, b);
    A.forEach((column, j) => {
      residual[j] = dot(column, w) + forceWeight * b[j] - c[j];
    });
  }

  factor(): boolean {
    const { hessian, b, c, lu: matrix } = this;
    for (const row of matrix) row.fill(0);
    this.eachEntry((row, column, head) => {
      const to = matrix[row];
      to[column] += c[head];
      const from = hessian[column];
      for (let j = 0; j < to.length; j++) to[j] += b[head] * from[j];
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
    const { lu, order } = this;
    const size = lu.length;
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

  /** With Δs = H Δf + E, what is left of the right-hand side is that of f ∘ H Δf + s ∘ Δf. */
  solve(coneRhs: Float64Array, out: Direction): void {
    const { lu, order, residual, b, given, hessian } = this;
    const size = lu.length;
    given.set(coneRhs);
    this.eachEntry((row, column, head) => {
      given[row] -= b[head] * residual[column];
    });
    const x = out.b;
    for (let i = 0; i < size; i++) {
      let sum = given[order[i]];
      for (let j = 0; j < i; j++) sum -= lu[i][j] * x[j];
      x[i] = sum;
    }
    for (let i = size - 1; i >= 0; i--) {
      for (let j = i + 1; j < size; j++) x[i] -= lu[i][j] * x[j];
      x[i] /= lu[i][i];
    }
    for (let j = 0; j < size; j++) out.c[j] = residual[j] + dot(hessian[j], x);
  }

  save(): void {
    this.saved.b.set(this.b);
    this.saved.c.set(this.c);
  }

  advance(alpha: number, direction: Direction): boolean {
    const { b, c, saved } = this;
    for (let i = 0; i < b.length; i++) {
      b[i] = saved.b[i] + alpha * direction.b[i];
      c[i] = saved.c[i] + alpha * direction.c[i];
    }
    return true;
  }
}
