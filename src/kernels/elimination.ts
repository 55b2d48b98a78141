/**
 * The block elimination of one mechanism as call lists: which dense kernels run on which blocks, in which order.
 * Trees cost one fused kernel a node; loops and body-to-body contacts create fill, found once by the ordering.
 */
import type { Program } from "../codegen/index.ts";
import type { Elimination } from "../solver/index.ts";
import {
  eliminateProgram,
  factorProgram,
  forwardProgram,
  solveColumnsProgram,
  solveVectorProgram,
  subtractMatVecProgram,
  subtractProductProgram,
} from "./blockKernels.ts";
import { address, CallList } from "./memory.ts";

export interface BlockPlaces {
  /** Index of block (row node, column node) in memory. */
  readonly block: (row: number, column: number) => number;
  /** Index of a node's part of the vector to solve for. */
  readonly vector: (node: number) => number;
}

/** Numbers a program, adding it to the module when new. */
export type Register = (key: string, make: () => Program) => number;

export function eliminationLists(
  sizes: readonly number[],
  plan: Elimination,
  places: BlockPlaces,
  register: Register,
): { factor: CallList; solve: CallList } {
  const factor = new CallList();
  const solve = new CallList();
  const block = (row: number, column: number): number => address(places.block(row, column));
  const vector = (node: number): number => address(places.vector(node));

  for (const i of plan.order) {
    const n = sizes[i];
    const later = plan.later[i];
    if (later.length === 1) {
      const j = later[0];
      const m = sizes[j];
      factor.call(
        register(`eliminate.${n}.${m}`, () => eliminateProgram(n, m)),
        [block(i, i), block(i, j), block(j, i), block(j, j)],
      );
      solve.call(
        register(`forward.${n}.${m}`, () => forwardProgram(n, m)),
        [block(i, i), vector(i), block(j, i), vector(j)],
      );
      continue;
    }
    factor.call(
      register(`factor.${n}`, () => factorProgram(n)),
      [block(i, i)],
    );
    solve.call(
      register(`solveVector.${n}`, () => solveVectorProgram(n)),
      [block(i, i), vector(i)],
    );
    for (const j of later) {
      factor.call(
        register(`solveColumns.${n}.${sizes[j]}`, () => solveColumnsProgram(n, sizes[j])),
        [block(i, i), block(i, j)],
      );
      solve.call(
        register(`subtractMatVec.${sizes[j]}.${n}`, () => subtractMatVecProgram(sizes[j], n)),
        [vector(j), block(j, i), vector(i)],
      );
    }
    for (const k of later) {
      for (const j of later) {
        const key = `subtractProduct.${sizes[k]}.${n}.${sizes[j]}`;
        factor.call(
          register(key, () => subtractProductProgram(sizes[k], n, sizes[j])),
          [block(k, j), block(k, i), block(i, j)],
        );
      }
    }
  }
  for (const i of [...plan.order].reverse()) {
    for (const j of plan.later[i]) {
      solve.call(
        register(`subtractMatVec.${sizes[i]}.${sizes[j]}`, () => subtractMatVecProgram(sizes[i], sizes[j])),
        [vector(i), block(i, j), vector(j)],
      );
    }
  }
  return { factor, solve };
}
