/**
 * Linear algebra along a tree, one body at a time, as kernels made from expressions: two bodies of a kind share a call.
 *
 * The rates y of a joint's six ports are y = Q_c v_c + Q_p v_p, so that the child moves by
 *   v_c = A v_p + Z y,      Z = Q_c⁻¹,   A = −Z Q_p.
 * Impulses act at z, through the same matrices there (Aᶻ, Zᶻ): f on the ports is Q_cᵀ f on the child and Q_pᵀ f on the parent.
 *
 * Elimination, leaves first. The subtree below a joint answers to its child's motion with Y v_c − q. Of the rates, those of constraints
 * are known, y₀ = −residual; the free ones ν follow from f = τ − k ν on their ports (s, t: their columns of Z and Zᶻ; o = Z y₀):
 *   U = Y s,   V = tᵀ Y,   D = V s + k,        Y_p ← Y_p + Aᶻᵀ (Y − U D⁻¹ V) A
 *   q' = q − Y o,   ν₀ = D⁻¹(τ + tᵀ q'),       q_p ← q_p + Aᶻᵀ (q' − U ν₀)
 * and back:  ν = ν₀ − D⁻¹ V A v_p,   v_c = A v_p + o + s ν,   impulses Zᶻᵀ (Y (A v_p + s ν) − q').
 * In a frame common to all bodies A would be 1, but the stiffness of a foot's contact would drown the inertia of the foot.
 */
import {
  add,
  cross,
  div,
  dot,
  type Expr,
  Graph,
  matMul,
  matVec,
  mul,
  neg,
  type Scalar,
  sub,
  transpose,
  vadd,
  vscale,
  vsub,
} from "../symbolic/index.ts";
import { type Kernel, kernel, type Place } from "./staging.ts";

type Matrix = Scalar[][];

/** Which ports of a joint are translations (the others are rotations), and how many are constrained: those come first. */
export interface PortShape {
  readonly translations: readonly number[];
  readonly constraints: number;
}

const six = [0, 1, 2, 3, 4, 5] as const;

/** Symbols with places, and outputs: one kernel under construction. */
class Sheet {
  private readonly graph = new Graph();
  private readonly places = new Map<Expr, Place>();
  private readonly outputs: { operand: string; index: number; value: Scalar; accumulate: boolean }[] = [];

  vector(operand: string, length: number, start = 0): Scalar[] {
    const symbols = this.graph.symbols(`${operand}.${start}.`, length);
    symbols.forEach((symbol, i) => {
      this.places.set(symbol, { operand, index: start + i });
    });
    return symbols;
  }

  matrix(operand: string, rows: number, columns: number): Matrix {
    const entries = this.vector(operand, rows * columns);
    return Array.from({ length: rows }, (_, i) => entries.slice(columns * i, columns * i + columns));
  }

  /** A 6 × 6 matrix that takes velocities to velocities: positions move along, and turning does not depend on moving. */
  transform(operand: string): Matrix {
    return this.matrix(operand, 6, 6).map((row, i) => row.map((entry, j) => (j >= 3 ? entry : i === j ? 1 : 0)));
  }

  write(operand: string, values: readonly Scalar[], accumulate = false, start = 0): void {
    values.forEach((value, i) => {
      this.outputs.push({ operand, index: start + i, value, accumulate });
    });
  }

  finish(name: string): Kernel {
    return kernel(name, this.places, this.outputs);
  }
}

/**
 * Z and A of a joint from the gradients of its ports. Operands: child, parent (gradients), motions (Z), carried (A).
 * Ports of translations are lengths along the axes of a frame: their gradient by the child's position is a rotation, and by the
 * parent's its negative; rotations see no positions.
 */
export function jointKernel(shape: PortShape, grounded: boolean): Kernel {
  const sheet = new Sheet();
  const order = portOrder(shape);
  const child = blocksOf(order.map((port) => sheet.matrix("child", 6, 6)[port]));
  const a = transpose(child.a);
  const g = inverse3(child.g);
  const b = negated(matMul(a, matMul(child.b, g)));
  const inverse = joined({ a, b, g });
  // columns back into the order of the ports
  sheet.write(
    "motions",
    six.flatMap((i) => six.map((port) => inverse[i][order.indexOf(port)])),
  );
  if (!grounded) {
    const parent = blocksOf(order.map((port) => sheet.matrix("parent", 6, 6)[port]));
    const turned = negated(matMul(g, parent.g));
    const moved = negated(matMul(a, plus(parent.b, matMul(child.b, turned))));
    sheet.write("carried", joined({ a: unit3(), b: moved, g: turned }).flat());
  }
  return sheet.finish(`tree.joint.${order.join("")}${grounded ? ".grounded" : ""}`);
}

/**
 * Elimination of a joint and the body below it. Operands: articulated (Y), motions, motionsBefore, carried, carriedBefore, stiffness,
 * residual (of the body), constraint (residual of the joint); response (U), pull (D⁻¹V), factors (of D), offset (o), base (q' without
 * what the laws and the subtree add); articulatedAbove.
 */
export function reduceKernel(constraints: number, grounded: boolean): Kernel {
  const sheet = new Sheet();
  const n = 6 - constraints;
  const y = sheet.matrix("articulated", 6, 6);
  const { motions, s, t } = motionColumns(sheet, constraints);
  const u = matMul(y, s);
  const v = matMul(transpose(t), y);
  if (n > 0) {
    const stiffness = sheet.vector("stiffness", n);
    const d = matMul(v, s).map((row, i) => row.map((entry, j) => (i === j ? add(entry, stiffness[i]) : entry)));
    const factors = factored(d);
    sheet.write("factors", factors.flat());
    if (!grounded) {
      const pull = transpose(transpose(v).map((column) => solved(factors, column)));
      sheet.write("pull", pull.flat());
      sheet.write("response", u.flat());
      sheet.write("articulatedAbove", passedUp(sheet, minus(y, matMul(u, pull))).flat(), true);
    }
  } else if (!grounded) sheet.write("articulatedAbove", passedUp(sheet, y).flat(), true);

  const rates = sheet.vector("constraint", constraints).map(neg);
  const offset = six.map((i) => dot(motions[i].slice(0, constraints), rates));
  const residual = sheet.vector("residual", 6);
  sheet.write("base", vsub(residual.map(neg), constraints > 0 ? matVec(y, offset) : six.map(() => 0)));
  sheet.write("offset", offset);
  return sheet.finish(`tree.reduce.${n}${grounded ? ".grounded" : ""}`);
}

/** Aᶻᵀ Y A. */
function passedUp(sheet: Sheet, y: Matrix): Matrix {
  return matMul(transpose(sheet.transform("carriedBefore")), matMul(y, sheet.transform("carried")));
}

/** Operands: force (q'), motionsBefore, carriedBefore, push (τ), factors, response; first (ν₀), forceAbove. */
export function upKernel(constraints: number, grounded: boolean): Kernel {
  const sheet = new Sheet();
  const n = 6 - constraints;
  const force = sheet.vector("force", 6);
  let passed: Scalar[] = force;
  if (n > 0) {
    const t = sheet.matrix("motionsBefore", 6, 6).map((row) => row.slice(constraints));
    const first = solved(sheet.matrix("factors", n, n), vadd(sheet.vector("push", n), matVec(transpose(t), force)));
    sheet.write("first", first);
    if (!grounded) passed = vsub(force, matVec(sheet.matrix("response", 6, n), first));
  }
  if (!grounded) sheet.write("forceAbove", matVec(transpose(sheet.transform("carriedBefore")), passed), true);
  return sheet.finish(`tree.up.${n}${grounded ? ".grounded" : ""}`);
}

/**
 * Operands: stepAbove (v_p), first, pull, offset, motions, articulated, force, motionsBefore, carried; step (v_c), motion (y), impulses
 * (of the joint's multipliers, which push the ports `pushed`). Homogeneous: as if the constraints were met.
 */
export function downKernel(
  constraints: number,
  grounded: boolean,
  pushed: readonly number[],
  homogeneous = false,
): Kernel {
  const sheet = new Sheet();
  const n = 6 - constraints;
  const s = sheet.matrix("motions", 6, 6).map((row) => row.slice(constraints));
  const above = grounded ? six.map(() => 0) : matVec(sheet.transform("carried"), sheet.vector("stepAbove", 6));
  const first = sheet.vector("first", n);
  const free = grounded || n === 0 ? first : vsub(first, matVec(sheet.matrix("pull", n, 6), above));
  const gained = vadd(above, n > 0 ? matVec(s, free) : six.map(() => 0));
  sheet.write("step", constraints > 0 && !homogeneous ? vadd(gained, sheet.vector("offset", 6)) : gained);
  sheet.write("motion", free, false, constraints);
  if (pushed.length > 0) {
    const wrench = vsub(matVec(sheet.matrix("articulated", 6, 6), gained), sheet.vector("force", 6));
    const before = sheet.matrix("motionsBefore", 6, 6);
    sheet.write(
      "impulses",
      pushed.map((port) =>
        dot(
          before.map((row) => row[port]),
          wrench,
        ),
      ),
    );
  }
  const name = `tree.down.${n}${grounded ? ".grounded" : ""}${homogeneous ? ".homogeneous" : ""}`;
  return sheet.finish(`${name}.${pushed.join("")}`);
}

/** total ← total + ratio·rate of a port. Operands: motion, ratio, total. */
export function tieKernel(port: number): Kernel {
  const sheet = new Sheet();
  const [rate] = sheet.vector("motion", 1, port);
  sheet.write("total", [mul(sheet.vector("ratio", 1)[0], rate)], true);
  return sheet.finish(`tree.tie.${port}`);
}

/** Adds the ratio, or takes it off, at an index. Operands: ratio, pushed. */
export function ratioKernel(index: number, sign: 1 | -1): Kernel {
  const sheet = new Sheet();
  const [ratio] = sheet.vector("ratio", 1);
  sheet.write("pushed", [sign > 0 ? ratio : neg(ratio)], true, index);
  return sheet.finish(`tree.ratio.${index}.${sign}`);
}

/** Gears' impulses λ from α λ + k (rate + C λ) = τ. Operands: yielding, stiffness, coupling (C); factors. */
export function gearFactorKernel(count: number): Kernel {
  const sheet = new Sheet();
  const [yielding, stiffness] = [sheet.vector("yielding", count), sheet.vector("stiffness", count)];
  const matrix = sheet
    .matrix("coupling", count, count)
    .map((row, i) => row.map((entry, j) => add(mul(stiffness[i], entry), i === j ? yielding[i] : 0)));
  sheet.write("factors", factored(matrix).flat());
  return sheet.finish(`tree.gearFactor.${count}`);
}

/** Operands: push, stiffness, coupling, factors, rate (without the gears, then with them); impulse. */
export function gearSolveKernel(count: number): Kernel {
  const sheet = new Sheet();
  const [push, stiffness, rate] = ["push", "stiffness", "rate"].map((name) => sheet.vector(name, count));
  const driven = push.map((entry, i) => sub(entry, mul(stiffness[i], rate[i])));
  const impulse = solved(sheet.matrix("factors", count, count), driven);
  sheet.write("impulse", impulse);
  sheet.write("rate", vadd(rate, matVec(sheet.matrix("coupling", count, count), impulse)));
  return sheet.finish(`tree.gearSolve.${count}`);
}

function motionColumns(sheet: Sheet, constraints: number): { motions: Matrix; s: Matrix; t: Matrix } {
  const motions = sheet.matrix("motions", 6, 6);
  const before = sheet.matrix("motionsBefore", 6, 6);
  return { motions, s: motions.map((row) => row.slice(constraints)), t: before.map((row) => row.slice(constraints)) };
}

function portOrder({ translations }: PortShape): number[] {
  return [...translations, ...six.filter((port) => !translations.includes(port))];
}

/** [a b; 0 g]. */
interface Blocks {
  readonly a: Matrix;
  readonly b: Matrix;
  readonly g: Matrix;
}

function blocksOf(rows: readonly (readonly Scalar[])[]): Blocks {
  const part = (from: number, column: number): Matrix =>
    rows.slice(from, from + 3).map((row) => row.slice(column, column + 3));
  return { a: part(0, 0), b: part(0, 3), g: part(3, 3) };
}

function joined({ a, b, g }: Blocks): Matrix {
  return [...a.map((row, i) => [...row, ...b[i]]), ...g.map((row) => [0, 0, 0, ...row])];
}

const unit3 = (): Matrix => [0, 1, 2].map((i) => [0, 1, 2].map((j) => (i === j ? 1 : 0)));
const negated = (m: Matrix): Matrix => m.map((row) => row.map(neg));
const plus = (m: Matrix, n: Matrix): Matrix => m.map((row, i) => vadd(row, n[i]));
const minus = (m: Matrix, n: Matrix): Matrix => m.map((row, i) => vsub(row, n[i]));

/** By cross products of the rows: it needs no pivots. */
function inverse3([r0, r1, r2]: Matrix): Matrix {
  const columns = [cross(r1, r2), cross(r2, r0), cross(r0, r1)];
  const scale = div(1, dot(r0, columns[0]));
  return transpose(columns.map((column) => vscale(column, scale)));
}

/** L and U in one, unit L, reciprocal pivots. No pivoting: D has the inertia of the subtree on its diagonal. */
function factored(d: Matrix): Matrix {
  const rows = d.map((row) => [...row]);
  const n = rows.length;
  for (let k = 0; k < n; k++) {
    rows[k][k] = div(1, rows[k][k]);
    for (let i = k + 1; i < n; i++) {
      rows[i][k] = mul(rows[i][k], rows[k][k]);
      for (let j = k + 1; j < n; j++) rows[i][j] = sub(rows[i][j], mul(rows[i][k], rows[k][j]));
    }
  }
  return rows;
}

function solved(factors: Matrix, b: readonly Scalar[]): Scalar[] {
  const x = [...b];
  const n = x.length;
  for (let i = 1; i < n; i++) for (let j = 0; j < i; j++) x[i] = sub(x[i], mul(factors[i][j], x[j]));
  for (let i = n - 1; i >= 0; i--) {
    for (let j = i + 1; j < n; j++) x[i] = sub(x[i], mul(factors[i][j], x[j]));
    x[i] = mul(x[i], factors[i][i]);
  }
  return x;
}
