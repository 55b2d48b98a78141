/**
 * In which order limbs and multipliers are eliminated, and what fills in on the way. A limb waits for those below it. Multipliers (of
 * joints that close a loop, of gears) wait for the limbs between their bodies and the nearest body above all of these: only what moves
 * within a loop gives its multipliers a pivot. Eliminating a node joins all its neighbours. Of those that may go, one with at most one
 * neighbour joins nothing and goes first, then whichever has the fewest numbers around it. Ties go to the limb that is farthest down the
 * tree's list, so that a tree is eliminated in the opposite order.
 */
import { worldIndex } from "../mechanism/index.ts";
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
  if (ties.length + pairs.length === 0)
    return [...limbs].reverse().map((limb) => ({ node: limb.body, limb: withPorts(limb), later: [] }));
  const limbOf = new Map(limbs.map((limb) => [limb.body, limb]));
  const neighbours = new Map(
    [...limbs.map(({ body }) => body), ...ties.map(({ node }) => node)].map((n) => [n, new Set<number>()]),
  );
  const of = (node: number): Set<number> => neighbours.get(node) as Set<number>;
  const join = (i: number, j: number): void => {
    of(i).add(j);
    of(j).add(i);
  };
  for (const [i, j] of pairs) join(i, j);
  for (const { node, bodies } of ties) for (const body of bodies) if (body !== worldIndex) join(node, body);

  const waits = new Map<number, Set<number>>(limbs.map(({ body }) => [body, new Set()]));
  for (const { body, parent } of limbs) waits.get(parent)?.add(body);
  for (const { node, bodies } of ties) waits.set(node, new Set(between(bodies, limbOf)));

  const order: EliminatedNode[] = [];
  const left = [...ties.map(({ node }) => node), ...limbs.map(({ body }) => body)].reverse();
  while (left.length > 0) {
    const ready = left.filter((node) => waits.get(node)?.size === 0);
    const costs = ready.map((node) => cost(node));
    const node = ready[costs.indexOf(Math.min(...costs))];
    const around = withParent(node);
    order.push({ node, limb: withPorts(limbOf.get(node)), later: [...of(node)].sort((i, j) => i - j) });
    left.splice(left.indexOf(node), 1);
    for (const set of waits.values()) set.delete(node);
    for (const other of around) neighbours.get(other)?.delete(node);
    if (of(node).size === 0) continue;
    for (const i of around) for (const j of around) if (i < j) join(i, j);
  }
  return order;

  function withParent(node: number): number[] {
    const parent = limbOf.get(node)?.parent ?? worldIndex;
    return [...new Set([...of(node), ...(parent === worldIndex ? [] : [parent])])];
  }

  function cost(node: number): number {
    const around = withParent(node);
    return around.length <= 1 ? 0 : around.reduce((total, other) => total + sizes[other], 0);
  }
}

function withPorts(limb: Limb | undefined): Limb | undefined {
  return limb?.isLoose ? undefined : limb;
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
