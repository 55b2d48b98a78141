/**
 * The block elimination with many right-hand sides, and with the transposed matrix.
 *
 * Many columns are kept in panels: two columns side by side, entry i of both at 2i, and the next pair one panel further on.
 * Every kernel runs over all panels in a loop, its matrix entries spread over both lanes.
 *
 * Transposed, with the factors of blockKernels.ts (A = L̂ D Û, Û = I + X, L̂ = I + Aⱼᵢ Dᵢ⁻¹):
 *   forwards   bⱼ ← bⱼ − Xᵢⱼᵀ bᵢ         backwards   xᵢ = Dᵢ⁻ᵀ (bᵢ − Σ Aⱼᵢᵀ xⱼ)
 */
import { type Program, ProgramBuilder, type Value } from "../codegen/index.ts";
import { stride } from "./nodeKernels.ts";

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** Bytes from one panel of `rows` rows to the next. */
export const panelBytes = (rows: number): number => 16 * rows;

/** D⁻¹ times the panel rows of a node. Operands: factored D, panels (of `rows` rows in all). */
export function panelSolveProgram(n: number, rows: number): Program {
  const b = new ProgramBuilder(`panelSolve.${n}.${rows}`, 2);
  const entry = (i: number, j: number): Value => b.splat(b.load(0, i * stride(n) + j));
  const x = range(n).map((i) => b.loadAdjacent(1, 2 * i));
  for (let i = 1; i < n; i++) for (let j = 0; j < i; j++) x[i] = b.sub(x[i], b.mul(entry(i, j), x[j]));
  for (let i = n - 1; i >= 0; i--) {
    for (let j = i + 1; j < n; j++) x[i] = b.sub(x[i], b.mul(entry(i, j), x[j]));
    x[i] = b.mul(x[i], entry(i, i));
  }
  x.forEach((value, i) => {
    b.storeAdjacent(1, 2 * i, value);
  });
  return b.finish([0, panelBytes(rows)]);
}

export interface PanelProduct {
  readonly rows: number;
  readonly columns: number;
  /** Row length of the matrix in memory. */
  readonly matrixStride: number;
  /** Rows of the panels of target and source. */
  readonly targetRows: number;
  readonly sourceRows: number;
  /** −1: target ← target − M·source; 1: target ← target + M·source; 0: target ← M·source. */
  readonly sign: -1 | 0 | 1;
}

/** Operands: target panels, M, source panels. */
export function panelProductProgram(p: PanelProduct): Program {
  const b = new ProgramBuilder(`panelProduct.${Object.values(p).join(".")}`, 3);
  const source = range(p.columns).map((k) => b.loadAdjacent(2, 2 * k));
  for (let i = 0; i < p.rows; i++) {
    const products = source.map((value, k) => b.mul(b.splat(b.load(1, i * p.matrixStride + k)), value));
    const total =
      p.sign === 0
        ? products.reduce((sum, term) => b.add(sum, term))
        : products.reduce((sum, term) => (p.sign < 0 ? b.sub(sum, term) : b.add(sum, term)), b.loadAdjacent(0, 2 * i));
    b.storeAdjacent(0, 2 * i, total);
  }
  return b.finish([panelBytes(p.targetRows), 0, panelBytes(p.sourceRows)]);
}

/** target ← target − Mᵀ v, M rows × columns. Operands: target (columns), M, v (rows). */
export function subtractTransposedProgram(rows: number, columns: number): Program {
  const b = new ProgramBuilder(`subtractTransposed.${rows}.${columns}`, 3);
  const v = range(rows).map((k) => b.splat(b.load(2, k)));
  for (let p = 0; p < columns; p += 2) {
    const isWhole = p + 1 < columns;
    let total = isWhole ? b.loadAdjacent(0, p) : b.join(b.load(0, p), b.constant(0, false));
    for (let k = 0; k < rows; k++) total = b.sub(total, b.mul(b.loadAdjacent(1, k * stride(columns) + p), v[k]));
    if (isWhole) b.storeAdjacent(0, p, total);
    else b.store(0, p, b.lane(total, 0));
  }
  return b.finish();
}

/** x ← D⁻ᵀ x = L⁻ᵀ U⁻ᵀ x. Operands: factored D, x. */
export function solveTransposedProgram(n: number): Program {
  const b = new ProgramBuilder(`solveTransposed.${n}`, 2);
  const entry = (i: number, j: number): Value => b.load(0, i * stride(n) + j);
  const x = range(n).map((i) => b.load(1, i));
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) x[i] = b.sub(x[i], b.mul(entry(j, i), x[j]));
    x[i] = b.mul(x[i], entry(i, i));
  }
  for (let i = n - 2; i >= 0; i--) for (let j = i + 1; j < n; j++) x[i] = b.sub(x[i], b.mul(entry(j, i), x[j]));
  x.forEach((value, i) => {
    b.store(1, i, value);
  });
  return b.finish();
}
