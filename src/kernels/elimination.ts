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
import { address, CallList, type MemoryPlan } from "./memory.ts";
import { stride } from "./nodeKernels.ts";

/** Numbers a program, adding it to the module when new. */
export type Register = (key: string, make: () => Program) => number;

/** Where the factorisation lives, as indices in memory. */
export interface Factors {
  /** L and U of a node's diagonal block. */
  readonly diagonal: (node: number) => number;
  /** Xᵢⱼ = Dᵢ⁻¹ Aᵢⱼ, i eliminated before j. */
  readonly eliminated: (earlier: number, later: number) => number;
  /** Aⱼᵢ as it was when i was eliminated. */
  readonly coupling: (later: number, earlier: number) => number;
}

/** One dense operation of the factorisation; numbers are nodes, places are indices in memory. */
type Operation =
  | { readonly kind: "eliminate"; readonly node: number; readonly later: number; readonly places: readonly number[] }
  | { readonly kind: "factor"; readonly node: number; readonly places: readonly number[] }
  | { readonly kind: "solveColumns"; readonly node: number; readonly later: number; readonly places: readonly number[] }
  | {
      readonly kind: "subtract";
      readonly node: number;
      readonly row: number;
      readonly column: number;
      readonly places: readonly number[];
    };

export interface EliminationPlan {
  readonly factors: Factors;
  readonly operations: readonly Operation[];
}

/** Reserves memory for the factors and writes down the operations. `block` is undefined where the matrix has none. */
export function planElimination(
  sizes: readonly number[],
  { order, later }: Elimination,
  block: (row: number, column: number) => number | undefined,
  memory: MemoryPlan,
): EliminationPlan {
  const size = (i: number, j: number): number => sizes[i] * stride(sizes[j]);
  const diagonal = sizes.map((_, i) => memory.reserve(size(i, i)));
  const eliminated = new Map<string, number>();
  const coupling = new Map<string, number>();
  const zero = memory.reserve(Math.max(0, ...sizes) ** 2 + Math.max(0, ...sizes));
  // where the value of a block is at this point of the elimination, once it has changed
  const updated = new Map<string, number>();
  const current = (i: number, j: number): number => updated.get(`${i},${j}`) ?? block(i, j) ?? zero;
  const updatedPlace = (i: number, j: number): number => {
    const place = i === j ? diagonal[i] : (updated.get(`${i},${j}`) ?? memory.reserve(size(i, j)));
    updated.set(`${i},${j}`, place);
    return place;
  };

  const operations: Operation[] = [];
  for (const i of order) {
    for (const j of later[i]) {
      eliminated.set(`${i},${j}`, memory.reserve(size(i, j)));
      coupling.set(`${j},${i}`, current(j, i));
    }
    const x = (j: number): number => eliminated.get(`${i},${j}`) as number;
    if (later[i].length === 1) {
      const j = later[i][0];
      const before = current(j, j);
      const places = [current(i, i), diagonal[i], current(i, j), x(j), current(j, i), before, updatedPlace(j, j)];
      operations.push({ kind: "eliminate", node: i, later: j, places });
      continue;
    }
    operations.push({ kind: "factor", node: i, places: [current(i, i), diagonal[i]] });
    for (const j of later[i])
      operations.push({ kind: "solveColumns", node: i, later: j, places: [diagonal[i], current(i, j), x(j)] });
    for (const k of later[i]) {
      for (const j of later[i]) {
        const before = current(k, j);
        operations.push({
          kind: "subtract",
          node: i,
          row: k,
          column: j,
          places: [updatedPlace(k, j), before, current(k, i), x(j)],
        });
      }
    }
  }
  return {
    operations,
    factors: {
      diagonal: (node) => diagonal[node],
      eliminated: (i, j) => eliminated.get(`${i},${j}`) as number,
      coupling: (j, i) => coupling.get(`${j},${i}`) as number,
    },
  };
}

export function factorList(sizes: readonly number[], { operations }: EliminationPlan, register: Register): CallList {
  const list = new CallList();
  for (const operation of operations) list.call(programOf(operation, sizes, register), operation.places.map(address));
  return list;
}

function programOf(operation: Operation, sizes: readonly number[], register: Register): number {
  const n = sizes[operation.node];
  switch (operation.kind) {
    case "factor":
      return register(`factor.${n}`, () => factorProgram(n));
    case "eliminate": {
      const m = sizes[operation.later];
      return register(`eliminate.${n}.${m}`, () => eliminateProgram(n, m));
    }
    case "solveColumns": {
      const m = sizes[operation.later];
      return register(`solveColumns.${n}.${m}`, () => solveColumnsProgram(n, m));
    }
    case "subtract": {
      const [rows, columns] = [sizes[operation.row], sizes[operation.column]];
      return register(`subtractProduct.${rows}.${n}.${columns}`, () => subtractProductProgram(rows, n, columns));
    }
  }
}

/** Forwards and backwards through the factors, on a vector whose parts `vector` places. */
export function solveList(
  sizes: readonly number[],
  { order, later }: Elimination,
  factors: Factors,
  vector: (node: number) => number,
  register: Register,
): CallList {
  const list = new CallList();
  const subtract = (target: number, matrix: number, source: number): void => {
    const [rows, columns] = [sizes[target], sizes[source]];
    const program = register(`subtractMatVec.${rows}.${columns}`, () => subtractMatVecProgram(rows, columns));
    list.call(program, [vector(target), matrix, vector(source)].map(address));
  };
  for (const i of order) {
    const n = sizes[i];
    if (later[i].length === 1) {
      const j = later[i][0];
      const program = register(`forward.${n}.${sizes[j]}`, () => forwardProgram(n, sizes[j]));
      list.call(program, [factors.diagonal(i), vector(i), factors.coupling(j, i), vector(j)].map(address));
      continue;
    }
    list.call(
      register(`solveVector.${n}`, () => solveVectorProgram(n)),
      [factors.diagonal(i), vector(i)].map(address),
    );
    for (const j of later[i]) subtract(j, factors.coupling(j, i), i);
  }
  for (const i of [...order].reverse()) for (const j of later[i]) subtract(i, factors.eliminated(i, j), j);
  return list;
}
