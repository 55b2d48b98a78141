import { describe, expect, it } from "vitest";
import { Random } from "../../math/index.ts";
import { EliminationGraph, type GraphNodes } from "./eliminationGraph.ts";

interface Gone {
  readonly node: number;
  readonly later: number[];
}

/** Nodes of six numbers; `above` of each, −1 for none. */
function nodesOf(above: readonly number[]): GraphNodes {
  return {
    nodes: above.map((_, i) => i).reverse(),
    sizes: above.map(() => 6),
    above,
    waiting: above.map((parent) => (parent < 0 ? [] : [parent])),
  };
}

function run(graph: EliminationGraph): Gone[] {
  const order: Gone[] = [];
  graph.run({
    eliminate: (node, count, later, edges, between, width) => {
      const around = [...later.subarray(0, count)];
      // edges are those that the lists say
      around.forEach((other, i) => {
        expect([graph.from[edges[i]], graph.to[edges[i]]]).toEqual([node, other].sort((a, b) => a - b));
        around.forEach((second, j) => {
          if (i !== j) expect(between[i * width + j]).toBe(graph.edge(other, second));
        });
      });
      order.push({ node, later: around });
    },
  });
  return order;
}

/** Later neighbours by sets, in the same order. */
function bySets(
  order: readonly number[],
  edges: readonly (readonly [number, number])[],
  above: readonly number[],
): Gone[] {
  const neighbours = above.map(() => new Set<number>());
  const join = (i: number, j: number): void => {
    neighbours[i].add(j);
    neighbours[j].add(i);
  };
  for (const [i, j] of edges) join(i, j);
  return order.map((node) => {
    const later = [...neighbours[node]].sort((i, j) => i - j);
    for (const other of later) neighbours[other].delete(node);
    const around = new Set(later.length > 0 && above[node] >= 0 ? [...later, above[node]] : later);
    for (const i of around) for (const j of around) if (i < j) join(i, j);
    return { node, later };
  });
}

describe("the order of elimination", () => {
  it("a chain and a star fill in nothing", () => {
    const loose = new Array<number>(50).fill(-1);
    for (const edges of [loose.slice(1).map((_, i) => [i, i + 1]), loose.slice(1).map((_, i) => [0, i + 1])]) {
      const graph = new EliminationGraph(nodesOf(loose));
      for (const [i, j] of edges) graph.join(i, j);
      for (const { later } of run(graph)) expect(later.length).toBeLessThanOrEqual(1);
      expect(graph.edgeCount).toBe(49);
    }
  });

  it("a ring of n fills in n − 3 edges, however often it is eliminated", () => {
    const loose = new Array<number>(20).fill(-1);
    const graph = new EliminationGraph(nodesOf(loose));
    for (let times = 0; times < 3; times++) {
      graph.reset();
      for (let i = 0; i < 20; i++) graph.join(i, (i + 1) % 20);
      run(graph);
      expect(graph.edgeCount).toBe(20 + 17);
    }
  });

  it("random ties of random trees: limbs after those below them, and the fill that sets have", () => {
    const random = new Random(1);
    for (let trial = 0; trial < 60; trial++) {
      const count = 2 + random.integer(30);
      const above = Array.from({ length: count }, (_, i) =>
        i === 0 || random.integer(3) === 0 ? -1 : random.integer(i),
      );
      const graph = new EliminationGraph(nodesOf(above));
      const edges: [number, number][] = [];
      for (let k = random.integer(2 * count); k > 0; k--) {
        const [i, j] = [random.integer(count), random.integer(count)];
        if (i !== j) edges.push([i, j]);
      }
      for (const [i, j] of edges) graph.join(i, j);
      const found = run(graph);
      const order = found.map(({ node }) => node);
      expect([...order].sort((i, j) => i - j)).toEqual(above.map((_, i) => i));
      above.forEach((parent, body) => {
        if (parent >= 0) expect(order.indexOf(body)).toBeLessThan(order.indexOf(parent));
      });
      expect(found).toEqual(bySets(order, edges, above));
    }
  });

  it("nodes that wait for each other are refused", () => {
    const graph = new EliminationGraph({ nodes: [0, 1], sizes: [6, 6], above: [-1, -1], waiting: [[1], [0]] });
    expect(() => run(graph)).toThrow(/wait for each other/);
  });
});
