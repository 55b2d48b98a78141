/** R at the point in memory, and the next poses, without residuals: for gradients. */
import type { SystemPlan } from "./blockPlan.ts";
import type { Register } from "./elimination.ts";
import { CallList } from "./memory.ts";
import { pairedCalls } from "./pairedCalls.ts";
import { matrixKernelOf } from "./sensitivityLibrary.ts";

/** What bodies prepare and evaluate, then the nodes' share of the matrix alone. */
export function matrixList({ bodies, bodyKernels, nodes, sink }: SystemPlan, register: Register): CallList {
  const list = new CallList();
  for (const stage of ["prepare", "evaluate"] as const) {
    const calls = bodies.map(({ addresses }, i) => ({ kernel: bodyKernels[i].kernels[stage], addresses }));
    list.append(pairedCalls(calls, register, sink));
  }
  const calls = nodes.map(({ spec, addresses }) => ({ kernel: matrixKernelOf(spec.kernels), addresses }));
  list.append(pairedCalls(calls, register, sink));
  return list;
}
