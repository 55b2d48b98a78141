/**
 * Matrices that a kernel leaves in memory without their zeros: which entries vanish, or are the same always, is known from the
 * expressions. Programs that multiply by them touch only what is there.
 */
import type { Scalar } from "../../symbolic/index.ts";
import type { Place } from "../species/staging.ts";

export interface SparseEntry {
  readonly row: number;
  readonly column: number;
  /** Index in the operand, or the value of an entry that never changes. */
  readonly value: { readonly index: number } | { readonly constant: number };
}

export class SparseOutput {
  readonly operand: string;
  readonly outputs: (Place & { readonly value: Scalar; readonly accumulate: false })[] = [];

  constructor(operand: string) {
    this.operand = operand;
  }

  /** Numbers in memory. */
  get size(): number {
    return this.outputs.length;
  }

  /** The entries of a matrix that are not zero, as if it stood at (row, column) of a larger one. */
  add(matrix: readonly (readonly Scalar[])[], row = 0, column = 0): SparseEntry[] {
    return matrix.flatMap((entries, i) =>
      entries.flatMap((value, j): SparseEntry[] => {
        if (value === 0) return [];
        const at = { row: row + i, column: column + j };
        return [{ ...at, value: typeof value === "number" ? { constant: value } : this.placed(value) }];
      }),
    );
  }

  /** All entries, zeros and constants too: for others to add to. */
  addAll(matrix: readonly (readonly Scalar[])[]): SparseEntry[] {
    return matrix.flatMap((entries, row) =>
      entries.map((value, column) => ({ row, column, value: this.placed(value) })),
    );
  }

  private placed(value: Scalar): { readonly index: number } {
    const index = this.outputs.length;
    this.outputs.push({ operand: this.operand, index, value, accumulate: false });
    return { index };
  }
}
