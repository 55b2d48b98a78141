/**
 * Nodes that are eliminated whole, with the transposed matrix, over panels (panelBuilder.ts). With the factors of blockKernels.ts
 * (A = L̂ D Û, Û = I + X, L̂ = I + Aⱼᵢ Dᵢ⁻¹):
 *   forwards   bⱼ ← bⱼ − Xᵢⱼᵀ bᵢ         backwards   xᵢ = Dᵢ⁻ᵀ (bᵢ − Σ Aⱼᵢᵀ xⱼ)
 */
import type { Value } from "../../codegen/index.ts";
import { stride } from "../elimination/blockKernels.ts";
import type { PanelBuilder, PanelProgram } from "./panelBuilder.ts";
import type { SparseEntry } from "./sparseOutput.ts";

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** target ← target − Mᵀ source, M m × n. Operands: target, M, source; both panels have `unknowns` rows. */
export function subtractTransposedPanels(m: number, n: number, unknowns: number): PanelProgram {
  return {
    name: `subtractTransposedPanels.${m}.${n}`,
    rows: [unknowns, 0, unknowns],
    write: (b) => {
      const source = range(m).map((k) => b.row(2, k));
      for (let j = 0; j < n; j++) b.setRow(0, j, minusTransposed(b, b.row(0, j), source, 1, j, stride(n)));
    },
  };
}

/** x ← D⁻ᵀ(x − Aᵀ y), D n × n factored, A m × n; m = 0: without A. Operands: D, x, A, y. */
export function solveTransposedPanels(n: number, m: number, unknowns: number): PanelProgram {
  return {
    name: `solveTransposedPanels.${n}.${m}`,
    rows: m > 0 ? [0, unknowns, 0, unknowns] : [0, unknowns],
    write: (b) => {
      const y = range(m).map((k) => b.row(3, k));
      const x = range(n).map((j) => minusTransposed(b, b.row(1, j), y, 2, j, stride(n)));
      const entry = (i: number, j: number): Value => b.number(0, i * stride(n) + j);
      // U⁻ᵀ, then L⁻ᵀ
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < i; j++) x[i] = b.sub(x[i], b.mul(entry(j, i), x[j]));
        x[i] = b.mul(x[i], entry(i, i));
      }
      for (let i = n - 2; i >= 0; i--) for (let j = i + 1; j < n; j++) x[i] = b.sub(x[i], b.mul(entry(j, i), x[j]));
      x.forEach((value, i) => {
        b.setRow(1, i, value);
      });
    },
  };
}

/** total − (column j of M)ᵀ source. */
function minusTransposed(
  b: PanelBuilder,
  total: Value,
  source: readonly Value[],
  matrix: number,
  j: number,
  width: number,
): Value {
  return source.reduce((sum, x, k) => b.sub(sum, b.mul(b.number(matrix, k * width + j), x)), total);
}

/** total ± Σ entry·x(row) over entries of one column. */
export function addEntries(
  b: PanelBuilder,
  total: Value | undefined,
  entries: readonly SparseEntry[],
  operand: number,
  x: (row: number) => Value,
  sign: 1 | -1 = 1,
): Value | undefined {
  let sum = total;
  for (const { row, value } of entries) {
    const isUnit = "constant" in value && Math.abs(value.constant) === 1;
    const isMinus = isUnit && value.constant < 0;
    const factor = (): Value =>
      "constant" in value ? b.constant(value.constant, true) : b.number(operand, value.index);
    const term = isUnit ? x(row) : b.mul(factor(), x(row));
    const adds = sign > 0 !== isMinus;
    if (sum === undefined) sum = adds ? term : b.neg(term);
    else sum = adds ? b.add(sum, term) : b.sub(sum, term);
  }
  return sum;
}
