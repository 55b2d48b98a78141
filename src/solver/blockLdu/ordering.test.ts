import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../math/index.ts";
import { type Elimination, eliminationOrder, isForestOrder } from "./ordering.ts";

type Edge = readonly [number, number];
/** Fixed, so that a failure repeats; fast-check prints the graph that failed. */
const seed = 20240602;

function chain(count: number): Edge[] {
  return Array.from({ length: count - 1 }, (_, i) => [i, i + 1] as const);
}

function randomTree(random: Random, count: number): Edge[] {
  return Array.from({ length: count - 1 }, (_, i) => [random.integer(i + 1), i + 1] as const);
}

/** Bodies 0, 2, 4, … each hung by the multiplier before it on the body before it, the first on the world. */
function hangingChain(bodies: number): { sizes: number[]; edges: Edge[]; zeroDiagonal: boolean[] } {
  const sizes = Array.from({ length: 2 * bodies }, (_, i) => (i % 2 === 0 ? 5 : 6));
  return { sizes, edges: chain(2 * bodies), zeroDiagonal: sizes.map((size) => size === 5) };
}

/** What holds for any graph: a permutation, every edge stored, and the pattern closed under elimination. */
function expectConsistent(sizes: readonly number[], edges: readonly Edge[], elimination: Elimination): void {
  const { order, position, later, level, blocks, fill } = elimination;
  expect([...order].sort((a, b) => a - b)).toEqual(sizes.map((_, i) => i));
  order.forEach((node, place) => {
    expect(position[node]).toBe(place);
  });
  for (const [i, j] of edges) {
    const [first, second] = position[i] < position[j] ? [i, j] : [j, i];
    expect(later[first]).toContain(second);
  }
  for (const list of later) {
    expect(list.map((node) => position[node])).toEqual(list.map((node) => position[node]).sort((a, b) => a - b));
    for (const [i, a] of list.entries()) {
      for (const b of list.slice(i + 1)) expect(later[a]).toContain(b);
    }
  }
  expect(blocks).toEqual(order.flatMap((node) => later[node].map((other) => [node, other])));
  for (const [i, j] of blocks) {
    expect(position[i]).toBeLessThan(position[j]);
    expect(level[i]).toBeLessThan(level[j]);
  }
  const distinct = new Set(edges.map(([i, j]) => `${Math.min(i, j)} ${Math.max(i, j)}`));
  expect(fill).toBe(blocks.length - distinct.size);
}

describe("elimination order", () => {
  it("a chain goes from both ends to the middle without fill", () => {
    const elimination = eliminationOrder([6, 6, 6, 6, 6], chain(5));
    expect(elimination.order).toEqual([0, 4, 1, 3, 2]);
    expect(elimination.later).toEqual([[1], [2], [], [2], [3]]);
    expect(elimination.level).toEqual([0, 1, 2, 1, 0]);
  });

  it("a star goes leaves first, small blocks before large ones", () => {
    const elimination = eliminationOrder(
      [1, 6, 3, 6, 3],
      [
        [1, 0],
        [2, 0],
        [3, 0],
        [4, 0],
      ],
    );
    expect(elimination.order.slice(0, 3)).toEqual([2, 4, 1]);
    expect(elimination.fill).toBe(0);
    expect(isForestOrder(elimination)).toBe(true);
  });

  it("a leaf with a large neighbour still goes before the middle of small ones", () => {
    // node 1 has neighbours of total size 2, the leaves 3 and 4 one of size 9
    const edges: Edge[] = [
      [0, 1],
      [1, 2],
      [2, 3],
      [2, 4],
      [0, 5],
      [0, 6],
    ];
    expect(eliminationOrder([1, 9, 1, 1, 1, 1, 1], edges).fill).toBe(0);
  });

  it("a loop of n fills in n − 3 blocks, the least possible", () => {
    for (const count of [3, 4, 7, 20]) {
      const edges: Edge[] = [...chain(count), [count - 1, 0]];
      const elimination = eliminationOrder(new Array<number>(count).fill(6), edges);
      expect(elimination.fill).toBe(count - 3);
      expect(isForestOrder(elimination)).toBe(false);
      expectConsistent(new Array<number>(count).fill(6), edges, elimination);
    }
  });

  it("trees and forests of any shape have no fill", () => {
    const random = new Random(1);
    for (let trial = 0; trial < 50; trial++) {
      const count = 2 + random.integer(60);
      const edges = randomTree(random, count).filter(() => random.uniform() < 0.9);
      const sizes = Array.from({ length: count }, () => 1 + random.integer(6));
      const elimination = eliminationOrder(sizes, edges);
      expect(elimination.fill).toBe(0);
      expect(isForestOrder(elimination)).toBe(true);
      expectConsistent(sizes, edges, elimination);
    }
  });

  it("the pattern of any graph is closed under elimination, with and without zero diagonal blocks", () => {
    const graph = fc.integer({ min: 1, max: 14 }).chain((count) =>
      fc.record({
        sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: count, maxLength: count }),
        zeroDiagonal: fc.array(fc.boolean(), { minLength: count, maxLength: count }),
        edges: fc
          .array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 30 })
          .map((pairs) => pairs.filter(([i, j]) => i !== j)),
      }),
    );
    const property = fc.property(graph, ({ sizes, edges, zeroDiagonal }) => {
      expectConsistent(sizes, edges, eliminationOrder(sizes, edges));
      expectConsistent(sizes, edges, eliminationOrder(sizes, edges, { zeroDiagonal }));
    });
    fc.assert(property, { seed, numRuns: 500 });
  });

  it("a node of size 0 takes no part", () => {
    const elimination = eliminationOrder(
      [6, 0, 6],
      [
        [0, 1],
        [1, 2],
      ],
    );
    expect(elimination.later).toEqual([[], [], []]);
    expect(elimination.order).toHaveLength(3);
  });

  it("edges that make no sense are refused", () => {
    expect(() => eliminationOrder([1, 1], [[0, 2]])).toThrow("there is no node 2");
    expect(() => eliminationOrder([1, 1], [[1, 1]])).toThrow("diagonal block");
  });

  it("2000 nodes in a tree take well under a second: a chain, a star, anything between", () => {
    const count = 2000;
    const sizes = new Array<number>(count).fill(6);
    const star = Array.from({ length: count - 1 }, (_, i) => [0, i + 1] as const);
    for (const edges of [chain(count), star, randomTree(new Random(2), count)]) {
      const start = performance.now();
      expect(eliminationOrder(sizes, edges).fill).toBe(0);
      // measured at 5 to 20 ms; a quadratic method takes seconds
      expect(performance.now() - start).toBeLessThan(500);
    }
  });
});

describe("nodes with a zero diagonal block", () => {
  it("a chain hung on the world goes from its end to the world, without fill", () => {
    const { sizes, edges, zeroDiagonal } = hangingChain(4);
    const elimination = eliminationOrder(sizes, edges, { zeroDiagonal });
    expect(elimination.order).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
    expect(elimination.fill).toBe(0);
  });

  it("2000 bodies and joints hung on the world have no fill, in well under a second", () => {
    const { sizes, edges, zeroDiagonal } = hangingChain(1000);
    const start = performance.now();
    expect(isForestOrder(eliminationOrder(sizes, edges, { zeroDiagonal }))).toBe(true);
    expect(performance.now() - start).toBeLessThan(500);
  });

  it("every pivot block is regular in trees and loops of bodies and joints", () => {
    const random = new Random(3);
    for (let trial = 0; trial < 200; trial++) {
      const { sizes, edges, zeroDiagonal } = randomMechanism(random, random.integer(4));
      const elimination = eliminationOrder(sizes, edges, { zeroDiagonal });
      expect(smallestPivot(random, sizes, zeroDiagonal, edges, elimination.order), `trial ${trial}`).toBeGreaterThan(
        1e-8,
      );
    }
  });

  it("a chain held at both ends waits with the joint that closes it", () => {
    // joints of size 4 leave two bodies no freedom: any joint eliminated too early has a singular pivot
    const sizes = [4, 6, 4, 6, 4];
    const zeroDiagonal = sizes.map((size) => size === 4);
    const { order } = eliminationOrder(sizes, chain(5), { zeroDiagonal });
    expect(smallestPivot(new Random(4), sizes, zeroDiagonal, chain(5), order)).toBeGreaterThan(1e-4);
    expect(smallestPivot(new Random(4), sizes, zeroDiagonal, chain(5), [1, 0, 2, 3, 4])).toBeLessThan(1e-12);
  });
});

/** A random tree of bodies hung on the world by multipliers, and some loops, two through the world at most. */
function randomMechanism(random: Random, loops: number): { sizes: number[]; edges: Edge[]; zeroDiagonal: boolean[] } {
  const bodies = 3 + random.integer(12);
  const sizes = new Array<number>(bodies).fill(6);
  const edges: Edge[] = [];
  const addJoint = (size: number, ends: readonly number[]): void => {
    for (const body of ends) if (body >= 0) edges.push([body, sizes.length]);
    sizes.push(size);
  };
  for (let body = 0; body < bodies; body++) addJoint(1 + random.integer(5), [random.integer(body + 1) - 1, body]);
  for (let loop = 0; loop < loops; loop++) {
    const first = random.integer(bodies);
    // size 1: whatever the tree left free, three of these fit in
    addJoint(1, [loop < 2 ? -1 : (first + 1) % bodies, first]);
  }
  return { sizes, edges, zeroDiagonal: sizes.map((_, node) => node >= bodies) };
}

/**
 * Fills [M Gᵀ; G 0] with random numbers, eliminates its blocks in this order, and returns the smallest pivot met inside
 * a diagonal block (with exchanges of rows inside the block only), relative to the block.
 */
function smallestPivot(
  random: Random,
  sizes: readonly number[],
  zeroDiagonal: readonly boolean[],
  edges: readonly Edge[],
  order: readonly number[],
): number {
  const offset = new Array<number>(sizes.length);
  let total = 0;
  for (const node of order) {
    offset[node] = total;
    total += sizes[node];
  }
  const a = Array.from({ length: total }, () => new Float64Array(total));
  for (const [node, size] of sizes.entries()) {
    for (let k = 0; k < size && !zeroDiagonal[node]; k++) a[offset[node] + k][offset[node] + k] = random.uniform(1, 2);
  }
  for (const [i, j] of edges) {
    for (let r = 0; r < sizes[i]; r++) {
      for (let c = 0; c < sizes[j]; c++) {
        a[offset[i] + r][offset[j] + c] = a[offset[j] + c][offset[i] + r] = random.uniform(-1, 1);
      }
    }
  }

  let smallest = Number.POSITIVE_INFINITY;
  for (const node of order) {
    const end = offset[node] + sizes[node];
    let scale = 0;
    for (let r = offset[node]; r < end; r++)
      for (let c = offset[node]; c < end; c++) scale = Math.max(scale, Math.abs(a[r][c]));
    for (let k = offset[node]; k < end; k++) {
      let best = k;
      for (let r = k + 1; r < end; r++) if (Math.abs(a[r][k]) > Math.abs(a[best][k])) best = r;
      [a[k], a[best]] = [a[best], a[k]];
      smallest = Math.min(smallest, scale === 0 ? 0 : Math.abs(a[k][k]) / scale);
      for (let r = k + 1; r < total; r++) {
        const factor = a[r][k] / a[k][k];
        if (factor !== 0) for (let c = k; c < total; c++) a[r][c] -= factor * a[k][c];
      }
    }
  }
  return smallest;
}
