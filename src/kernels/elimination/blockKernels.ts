/**
 * Dense kernels of nodes that are eliminated whole: multipliers, and bodies on their own. For node i with later neighbours j, k (blocks row-major, rows of even length):
 *   Dᵢ = L U (unit L, reciprocal pivots on the diagonal),   Xᵢⱼ = Dᵢ⁻¹ Aᵢⱼ,   Aₖⱼ − Aₖᵢ Xᵢⱼ in its place
 *   solve:  yᵢ = Dᵢ⁻¹ bᵢ,   bⱼ ← bⱼ − Aⱼᵢ yᵢ   forwards;   xᵢ = yᵢ − Σ Xᵢⱼ xⱼ   backwards.
 * Nothing overwrites A: factors, X and updated blocks have places of their own, so that what does not change during a step is
 * written once per step. No pivoting: bodies have their mass on the diagonal and multipliers get theirs from the limbs before them. Two
 * columns go together in the lanes of an f64x2.
 */
import { type Program, ProgramBuilder, type Value } from "../../codegen/index.ts";

/** Blocks have rows of even length, so that two columns always go together. */
export function stride(columns: number): number {
  return columns + (columns & 1);
}

const pairs = (columns: number): number => stride(columns) / 2;

/** D → L, U. `source` and `operand` may be the same place. */
function factorInto(b: ProgramBuilder, source: number, operand: number, n: number): void {
  const width = stride(n);
  const rows = range(n).map((i) => range(pairs(n)).map((p) => b.loadAdjacent(source, i * width + 2 * p)));
  for (let k = 0; k < n; k++) {
    const inverse = b.div(b.constant(1, false), b.lane(rows[k][k >> 1], (k & 1) as 0 | 1));
    for (let i = k + 1; i < n; i++) {
      const factor = b.mul(b.lane(rows[i][k >> 1], (k & 1) as 0 | 1), inverse);
      b.store(operand, i * width + k, factor);
      const wide = b.splat(factor);
      // columns right of k; an even k shares its pair with column k + 1
      for (let p = (k + 1) >> 1; p < pairs(n); p++) rows[i][p] = b.sub(rows[i][p], b.mul(wide, rows[k][p]));
    }
    b.store(operand, k * width + k, inverse);
    for (let j = k + 1; j < n; j++) {
      if (j & 1) b.store(operand, k * width + j, b.lane(rows[k][j >> 1], 1));
      else if (j + 1 < n) b.storeAdjacent(operand, k * width + j++, rows[k][j >> 1]);
      else b.store(operand, k * width + j, b.lane(rows[k][j >> 1], 0));
    }
  }
}

/** X = D⁻¹ A, two columns at a time. */
function solveColumnsInto(
  b: ProgramBuilder,
  factored: number,
  block: number,
  x: number,
  n: number,
  columns: number,
): void {
  const entry = (i: number, j: number): Value => b.splat(b.load(factored, i * stride(n) + j));
  for (let p = 0; p < pairs(columns); p++) {
    const column = range(n).map((i) => b.loadAdjacent(block, i * stride(columns) + 2 * p));
    for (let i = 1; i < n; i++) for (let j = 0; j < i; j++) column[i] = b.sub(column[i], b.mul(entry(i, j), column[j]));
    for (let i = n - 1; i >= 0; i--) {
      for (let j = i + 1; j < n; j++) column[i] = b.sub(column[i], b.mul(entry(i, j), column[j]));
      column[i] = b.mul(column[i], entry(i, i));
    }
    column.forEach((value, i) => {
      b.storeAdjacent(x, i * stride(columns) + 2 * p, value);
    });
  }
}

/** target = source − B X; target and source may be the same place. Target is rows × columns, B rows × inner, X inner × columns. */
function subtractProductInto(
  b: ProgramBuilder,
  target: number,
  source: number,
  left: number,
  x: number,
  rows: number,
  inner: number,
  columns: number,
): void {
  for (let p = 0; p < pairs(columns); p++) {
    const column = range(inner).map((k) => b.loadAdjacent(x, k * stride(columns) + 2 * p));
    for (let i = 0; i < rows; i++) {
      let value = b.loadAdjacent(source, i * stride(columns) + 2 * p);
      for (let k = 0; k < inner; k++)
        value = b.sub(value, b.mul(b.splat(b.load(left, i * stride(inner) + k)), column[k]));
      b.storeAdjacent(target, i * stride(columns) + 2 * p, value);
    }
  }
}

/** v → D⁻¹ v. */
function solveVectorInto(b: ProgramBuilder, diagonal: number, vector: number, n: number): Value[] {
  const entry = (i: number, j: number): Value => b.load(diagonal, i * stride(n) + j);
  const x = range(n).map((i) => b.load(vector, i));
  for (let i = 1; i < n; i++) for (let j = 0; j < i; j++) x[i] = b.sub(x[i], b.mul(entry(i, j), x[j]));
  for (let i = n - 1; i >= 0; i--) {
    for (let j = i + 1; j < n; j++) x[i] = b.sub(x[i], b.mul(entry(i, j), x[j]));
    x[i] = b.mul(x[i], entry(i, i));
  }
  x.forEach((value, i) => {
    b.store(vector, i, value);
  });
  return x;
}

/** target ← target − M v, with v given as values. */
function subtractMatVecInto(
  b: ProgramBuilder,
  target: number,
  matrix: number,
  rows: number,
  v: readonly Value[],
): void {
  const columns = v.length;
  const wide = range(pairs(columns)).map((p) =>
    b.join(v[2 * p], 2 * p + 1 < columns ? v[2 * p + 1] : b.constant(0, false)),
  );
  for (let i = 0; i < rows; i++) {
    const total = wide
      .map((pair, p) => b.mul(b.loadAdjacent(matrix, i * stride(columns) + 2 * p), pair))
      .reduce((sum, term) => b.add(sum, term));
    b.store(target, i, b.sub(b.load(target, i), b.add(b.lane(total, 0), b.lane(total, 1))));
  }
}

/** A tree edge in one go. Operands: Dᵢ, factors of Dᵢ, Aᵢⱼ, Xᵢⱼ, Aⱼᵢ, Dⱼ, Dⱼ − Aⱼᵢ Xᵢⱼ. */
export function eliminateProgram(n: number, m: number): Program {
  const b = new ProgramBuilder(`eliminate.${n}.${m}`, 7);
  factorInto(b, 0, 1, n);
  solveColumnsInto(b, 1, 2, 3, n, m);
  subtractProductInto(b, 6, 5, 4, 3, m, n, m);
  return b.finish();
}

/** Operands: factors of Dᵢ, Aᵢⱼ, Xᵢⱼ. */
export function solveColumnsProgram(n: number, m: number): Program {
  const b = new ProgramBuilder(`solveColumns.${n}.${m}`, 3);
  solveColumnsInto(b, 0, 1, 2, n, m);
  return b.finish();
}

/** Operands: target, source, Aₖᵢ, Xᵢⱼ. */
export function subtractProductProgram(rows: number, inner: number, columns: number): Program {
  const b = new ProgramBuilder(`subtractProduct.${rows}.${inner}.${columns}`, 4);
  subtractProductInto(b, 0, 1, 2, 3, rows, inner, columns);
  return b.finish();
}

/** A row of blocks at once. Operands: left, then target and right of every column. */
export function subtractProductsProgram(rows: number, inner: number, columns: readonly number[]): Program {
  const b = new ProgramBuilder(`subtractProducts.${rows}.${inner}.${columns.join(".")}`, 1 + 2 * columns.length);
  columns.forEach((count, i) => {
    subtractProductInto(b, 1 + 2 * i, 1 + 2 * i, 0, 2 + 2 * i, rows, inner, count);
  });
  return b.finish();
}

/** Operands: D, factors, then Aᵢⱼ and Xᵢⱼ of every later node. */
export function factorRowProgram(n: number, columns: readonly number[]): Program {
  const b = new ProgramBuilder(`factorRow.${n}.${columns.join(".")}`, 2 + 2 * columns.length);
  factorInto(b, 0, 1, n);
  columns.forEach((count, i) => {
    solveColumnsInto(b, 1, 2 + 2 * i, 3 + 2 * i, n, count);
  });
  return b.finish();
}

/** Operands: factored Dᵢ, bᵢ, then Aⱼᵢ and bⱼ of every later node. */
export function forwardAllProgram(n: number, rows: readonly number[]): Program {
  const b = new ProgramBuilder(`forwardAll.${n}.${rows.join(".")}`, 2 + 2 * rows.length);
  const solved = solveVectorInto(b, 0, 1, n);
  rows.forEach((count, i) => {
    subtractMatVecInto(b, 3 + 2 * i, 2 + 2 * i, count, solved);
  });
  return b.finish();
}

/** target ← target − M v. Operands: target, M, v. */
export function subtractMatVecProgram(rows: number, columns: number): Program {
  const b = new ProgramBuilder(`subtractMatVec.${rows}.${columns}`, 3);
  subtractMatVecInto(
    b,
    0,
    1,
    rows,
    range(columns).map((i) => b.load(2, i)),
  );
  return b.finish();
}

function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}
