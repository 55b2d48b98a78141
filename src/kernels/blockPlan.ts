/** The block matrix of a mechanism in memory, and the operands of the kernels that write it. */
import { worldIndex } from "../mechanism/index.ts";
import { type Elimination, eliminationOrder } from "../solver/index.ts";
import { type EliminationPlan, planElimination } from "./elimination.ts";
import { kernelsOfBody } from "./library.ts";
import { address } from "./memory.ts";
import { stride } from "./nodeKernels.ts";
import type { NodeSpec } from "./nodeSpecs.ts";
import type { DataPlan, PlannedNode } from "./plan.ts";
import type { StagedKernels } from "./staging.ts";

export interface SystemPlan extends DataPlan {
  /** Kernels of every body. */
  readonly bodyKernels: readonly StagedKernels[];
  readonly elimination: Elimination;
  readonly factorisation: EliminationPlan;
  /** Index in memory of a block of the matrix, which the factorisation leaves as it is; undefined where there is none. */
  readonly block: (row: number, column: number) => number | undefined;
  /** Blocks that are added to, and so must be zero before an evaluation: [start, end). */
  readonly zeroed: readonly [number, number];
}

export function planBlocks(plan: DataPlan): SystemPlan {
  const { memory, nodes, bodies } = plan;
  const blocks = reserveBlocks(plan);
  const { block } = blocks;
  for (const node of nodes) placeBlocks(node, block, memory.reserve(node.spec.kernels.scratchSize));
  const bodyKernels = bodies.map(({ addresses }, i) => {
    const kernels = kernelsOfBody(
      nodes.some(({ spec }) => addsToBody(spec, i)),
      plan.physics,
    );
    addresses.set("diagonal", address(block(i, i)));
    addresses.set("scratch", address(memory.reserve(kernels.scratchSize)));
    return kernels;
  });
  return { ...plan, ...blocks, bodyKernels };
}

function placeBlocks({ spec, block: own, addresses }: PlannedNode, block: Blocks["block"], scratch: number): void {
  const set = (name: string, index: number): void => {
    addresses.set(name, address(index));
  };
  set("scratch", scratch);
  spec.bodies.forEach((body, k) => {
    if (body === worldIndex) return;
    set(`diagonal.${k}`, block(body, body));
    if (own >= 0) {
      set(`block.${k}.own`, block(body, own));
      set(`block.own.${k}`, block(own, body));
    } else if (couplesBodies(spec)) set(`block.${k}.${1 - k}`, block(body, spec.bodies[1 - k]));
  });
  if (own >= 0) set("diagonal.own", block(own, own));
}

/** Whether a node writes into the body's own block of the matrix. */
function addsToBody(spec: NodeSpec, body: number): boolean {
  return spec.bodies.some(
    (other, k) => other === body && (spec.kernels.kernels.evaluate?.written.has(`diagonal.${k}`) ?? false),
  );
}

/** Whether a node without multipliers ties two moving bodies together: a contact between them. */
function couplesBodies(spec: NodeSpec): boolean {
  return (
    spec.kernels.multipliers === 0 && spec.kernels.coneSize > 0 && spec.bodies.every((body) => body !== worldIndex)
  );
}

interface Blocks {
  /** Index of a block of the matrix in memory. */
  readonly block: (row: number, column: number) => number;
  readonly elimination: Elimination;
  readonly factorisation: EliminationPlan;
  readonly zeroed: readonly [number, number];
}

/** Matrix blocks: those that several nodes add to lie together, to be zeroed in one go. */
function reserveBlocks({ memory, mechanism, nodes, sizes }: DataPlan): Blocks {
  const bodyCount = mechanism.bodies.length;
  const edges = new Map<string, { readonly ends: [number, number]; readonly shared: boolean }>();
  const connect = (i: number, j: number, shared: boolean): void => {
    const ends: [number, number] = i < j ? [i, j] : [j, i];
    edges.set(ends.join(), { ends, shared: shared || (edges.get(ends.join())?.shared ?? false) });
  };
  for (const { spec, block: own } of nodes) {
    for (const body of spec.bodies) if (body !== worldIndex && own >= 0) connect(body, own, spec.kind !== "joint");
    if (couplesBodies(spec)) connect(spec.bodies[0], spec.bodies[1], true);
  }
  const elimination = eliminationOrder(
    sizes,
    [...edges.values()].map(({ ends }) => ends),
    { zeroDiagonal: sizes.map((_, i) => i >= bodyCount) },
  );
  const blocks = new Map<string, number>();
  const reserve = (i: number, j: number): void => {
    if (!blocks.has(`${i},${j}`)) blocks.set(`${i},${j}`, memory.reserve(sizes[i] * stride(sizes[j])));
  };
  const reserveBoth = (i: number, j: number): void => {
    reserve(i, j);
    reserve(j, i);
  };
  for (let i = 0; i < sizes.length; i++) reserve(i, i);
  for (const { ends, shared } of edges.values()) if (!shared) reserveBoth(...ends);
  const zeroStart = memory.length;
  for (const { ends, shared } of edges.values()) if (shared) reserveBoth(...ends);
  const zeroed: [number, number] = [zeroStart, memory.length];
  const factorisation = planElimination(sizes, elimination, (i, j) => blocks.get(`${i},${j}`), memory);
  return { block: (i, j) => blocks.get(`${i},${j}`) as number, elimination, factorisation, zeroed };
}
