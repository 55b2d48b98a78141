import { describe, expect, it } from "vitest";
import { javascript, type Program, webassembly } from "../codegen/index.ts";
import { Random } from "../math/index.ts";
import { eliminationOrder } from "../solver/index.ts";
import { factorList, planElimination, solveList } from "./elimination.ts";
import { address, MemoryPlan } from "./memory.ts";
import { stride } from "./nodeKernels.ts";

/** Unpivoted elimination of diagonally dominant random matrices. */
const tolerance = 1e-11;

const graphs: readonly [string, number[], [number, number][]][] = [
  [
    "a chain",
    [6, 5, 6, 5, 6],
    [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ],
  ],
  [
    "a star with odd blocks",
    [6, 1, 3, 5, 6],
    [
      [0, 1],
      [0, 2],
      [0, 3],
      [0, 4],
    ],
  ],
  [
    "a loop",
    [6, 5, 6, 5, 6, 4],
    [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 5],
      [5, 0],
    ],
  ],
  [
    "two components and a clique",
    [2, 3, 4, 6, 6],
    [
      [0, 1],
      [2, 3],
      [3, 4],
      [2, 4],
    ],
  ],
];

describe.each([webassembly, javascript])("block elimination on %s", (target) => {
  it.each(graphs)("%s: solves the system", (_name, sizes, edges) => {
    const random = new Random(5);
    const memory = new MemoryPlan();
    const plan = eliminationOrder(sizes, edges);
    const blocks = new Map<string, number>();
    const reserve = (i: number, j: number): void => {
      blocks.set(`${i},${j}`, memory.reserve(sizes[i] * stride(sizes[j])));
    };
    sizes.forEach((_, i) => {
      reserve(i, i);
    });
    for (const [i, j] of edges) {
      reserve(i, j);
      reserve(j, i);
    }
    const elimination = planElimination(sizes, plan, (i, j) => blocks.get(`${i},${j}`), memory);
    const starts = sizes.map((_, i) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const vectorStart = memory.reserve(total);
    const block = (i: number, j: number): number => blocks.get(`${i},${j}`) as number;
    const vector = (i: number): number => vectorStart + starts[i];

    // programs and lists
    const programs: Program[] = [];
    const known = new Map<string, number>();
    const register = (key: string, make: () => Program): number => {
      if (!known.has(key)) known.set(key, programs.push(make()) - 1);
      return known.get(key) as number;
    };
    const factor = factorList(sizes, elimination, register);
    const solve = solveList(sizes, plan, elimination.factors, vector, register);
    const lists = [factor, solve];
    const offsets: number[] = [];
    let bytes = address(memory.length);
    for (const list of lists) {
      offsets.push(bytes);
      bytes += 4 * list.words.length;
    }
    const executable = target.load(programs, bytes);
    const i32 = new Int32Array(executable.memory);
    lists.forEach((list, k) => {
      i32.set(list.words, offsets[k] / 4);
    });
    const f64 = new Float64Array(executable.memory, 0, memory.length);

    // a random matrix on the original edges, dense beside it
    const dense = Array.from({ length: total }, () => new Float64Array(total));
    const fill = (i: number, j: number): void => {
      for (let r = 0; r < sizes[i]; r++) {
        for (let c = 0; c < sizes[j]; c++) {
          const value = random.uniform(-1, 1) + (i === j && r === c ? 10 : 0);
          f64[block(i, j) + r * stride(sizes[j]) + c] = value;
          dense[starts[i] + r][starts[j] + c] = value;
        }
      }
    };
    sizes.forEach((_, i) => {
      fill(i, i);
    });
    for (const [i, j] of edges) {
      fill(i, j);
      fill(j, i);
    }
    const solution = Array.from({ length: total }, () => random.uniform(-1, 1));
    executable.run(offsets[0], factor.entries);
    solution.forEach((_, r) => {
      f64[vectorStart + r] = solution.reduce((sum, value, c) => sum + dense[r][c] * value, 0);
    });
    executable.run(offsets[1], solve.entries);
    solution.forEach((value, r) => {
      expect(Math.abs(f64[vectorStart + r] - value)).toBeLessThan(tolerance);
    });
  });
});
