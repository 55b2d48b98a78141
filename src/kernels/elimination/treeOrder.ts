/**
 * The nodes of a mechanism's elimination, and their order where what ties them stays the same (eliminationGraph.ts has the rule). A limb
 * waits for those below it. Multipliers (of joints that close a loop, of gears) wait for the limbs between their bodies and the nearest
 * body above all of these: only what moves within a loop gives its multipliers a pivot. Ties go to the limb that is farthest down the
 * tree's list, so that a tree is eliminated in the opposite order.
 */
import { worldIndex } from "../../mechanism/index.ts";
import { EliminationGraph, type GraphNodes } from "./eliminationGraph.ts";
import type { Limb } from "./treeLimbs.ts";

/** A node on its way out: bodies and multipliers go by their numbers in the block matrix. */
export interface EliminatedNode {
  readonly node: number;
  /** The limb, if the node is a body with ports: a loose one is eliminated as multipliers are. */
  readonly limb: Limb | undefined;
  /** Neighbours that are left, but for a limb's body above, unless something else ties it to that. */
  readonly later: readonly number[];
}

/** A node that keeps its multipliers, and the bodies it acts on, the world among them. */
export interface Tie {
  readonly node: number;
  readonly bodies: readonly number[];
}

export function treeOrder(
  limbs: readonly Limb[],
  ties: readonly Tie[],
  pairs: readonly (readonly [number, number])[],
  sizes: readonly number[],
): EliminatedNode[] {
  const limbOf = new Map(limbs.map((limb) => [limb.body, limb]));
  const withPorts = (node: number): Limb | undefined => {
    const limb = limbOf.get(node);
    return limb?.isLoose ? undefined : limb;
  };
  const graph = new EliminationGraph(graphNodes(limbs, ties, sizes));
  joinTies(graph, ties, pairs);
  const order: EliminatedNode[] = [];
  graph.run({
    eliminate: (node, count, later) => {
      order.push({ node, limb: withPorts(node), later: [...later.subarray(0, count)] });
    },
  });
  return order;
}

/** Who waits for whom. */
export function graphNodes(limbs: readonly Limb[], ties: readonly Tie[], sizes: readonly number[]): GraphNodes {
  const limbOf = new Map(limbs.map((limb) => [limb.body, limb]));
  const waiting = sizes.map((): Set<number> => new Set());
  for (const { body, parent } of limbs) if (parent !== worldIndex) waiting[body].add(parent);
  for (const { node, bodies } of ties) for (const body of between(bodies, limbOf)) waiting[body].add(node);
  return {
    nodes: [...ties.map(({ node }) => node), ...limbs.map(({ body }) => body)].reverse(),
    sizes,
    above: sizes.map((_, node) => limbOf.get(node)?.parent ?? worldIndex),
    waiting: waiting.map((set) => [...set]),
  };
}

/** What ties nodes always. */
export function joinTies(
  graph: EliminationGraph,
  ties: readonly Tie[],
  pairs: readonly (readonly [number, number])[],
): void {
  for (const [i, j] of pairs) graph.join(i, j);
  for (const { node, bodies } of ties) for (const body of bodies) if (body !== worldIndex) graph.join(node, body);
}

/** Limbs on the ways from bodies to the nearest body above them all. */
function between(bodies: readonly number[], limbOf: ReadonlyMap<number, Limb>): number[] {
  const ways = bodies.map((body) => {
    const way: number[] = [];
    for (let at = body; at !== worldIndex; at = (limbOf.get(at) as Limb).parent) way.push(at);
    return way;
  });
  return ways.flat().filter((body) => !ways.every((way) => way.includes(body)));
}
