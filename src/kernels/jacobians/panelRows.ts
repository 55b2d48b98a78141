/**
 * The rows of a Jacobian as right-hand sides of the transposed elimination. A row starts on a few bodies and spreads from each to what
 * is eliminated later, so most rows are zero at most nodes while the elimination goes forwards. Rows that meet early get neighbouring
 * numbers: then a node's rows are a short range of panels.
 */
import { isGrounded } from "../elimination/treeLimbs.ts";
import type { LimbPlan } from "../elimination/treePlan.ts";

/** The order in which nodes are eliminated, and what each of them passes on to, first eliminated first. */
export interface EliminationTree {
  readonly order: readonly number[];
  readonly later: readonly (readonly number[])[];
}

/** A limb passes on to the body above it, and to what it is tied to. */
export function eliminationTree({ order, sizes }: Pick<LimbPlan, "order" | "sizes">): EliminationTree {
  const nodes = order.map(({ node }) => node);
  const position = new Map(nodes.map((node, i) => [node, i]));
  const later = sizes.map((): number[] => []);
  for (const { node, limb, later: ties } of order) {
    const all = new Set([...ties, ...(limb && !isGrounded(limb) ? [limb.parent] : [])]);
    later[node] = [...all].sort((i, j) => (position.get(i) as number) - (position.get(j) as number));
  }
  return { order: nodes, later };
}

/** The order that rows are to have, from the bodies that each starts on: along the elimination tree, subtree by subtree. */
export function rowOrder(elimination: EliminationTree, bodiesOf: readonly (readonly number[])[]): number[] {
  const rank = postorder(elimination);
  const key = bodiesOf.map((bodies) => Math.min(...bodies.map((body) => rank[body])));
  return bodiesOf.map((_, row) => row).sort((a, b) => key[a] - key[b] || a - b);
}

/** The panels [first, end) in which each node has something when it is eliminated. */
export function touchedPanels(
  elimination: EliminationTree,
  bodiesOf: readonly (readonly number[])[],
): (readonly [number, number])[] {
  const ranges = elimination.later.map((): [number, number] => [Number.POSITIVE_INFINITY, 0]);
  const widen = (node: number, first: number, end: number): void => {
    ranges[node][0] = Math.min(ranges[node][0], first);
    ranges[node][1] = Math.max(ranges[node][1], end);
  };
  bodiesOf.forEach((bodies, row) => {
    for (const body of bodies) widen(body, row >> 1, (row >> 1) + 1);
  });
  for (const i of elimination.order) for (const j of elimination.later[i]) widen(j, ...ranges[i]);
  return ranges.map(([first, end]) => [Math.min(first, end), end]);
}

/** The panels in which each node has something to begin with. */
export function seededPanels(nodes: number, bodiesOf: readonly (readonly number[])[]): (readonly [number, number])[] {
  return Array.from({ length: nodes }, (_, node) => {
    const own = bodiesOf.flatMap((bodies, row) => (bodies.includes(node) ? [row >> 1] : []));
    return own.length > 0 ? [Math.min(...own), Math.max(...own) + 1] : [0, 0];
  });
}

/** Numbers of the nodes such that every node comes right after all that is eliminated into it. */
function postorder({ order, later }: EliminationTree): number[] {
  const children = later.map((): number[] => []);
  const roots: number[] = [];
  for (const i of order) (later[i].length > 0 ? children[later[i][0]] : roots).push(i);
  const rank = new Array<number>(later.length).fill(0);
  let next = 0;
  const stack = roots.reverse().map((node) => ({ node, opened: false }));
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (top.opened) {
      rank[top.node] = next++;
      continue;
    }
    stack.push({ node: top.node, opened: true });
    for (const child of children[top.node].reverse()) stack.push({ node: child, opened: false });
  }
  return rank;
}
