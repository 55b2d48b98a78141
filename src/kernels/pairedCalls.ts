/** Calls of kernels that work on two nodes at once. */
import type { Register } from "./elimination.ts";
import { CallList } from "./memory.ts";
import type { Kernel } from "./staging.ts";

/** One use of a kernel: undefined where a node has none at this moment. */
export interface KernelCall {
  readonly kernel: Kernel | undefined;
  readonly addresses: ReadonlyMap<string, number>;
}

/** Two nodes of a species share a call; the odd one out runs beside itself, writing its second lane into the sink. */
export function pairedCalls(calls: readonly KernelCall[], register: Register, sink: number): CallList {
  const list = new CallList();
  const groups = new Map<Kernel, ReadonlyMap<string, number>[]>();
  for (const { kernel, addresses } of calls) if (kernel) groups.set(kernel, [...(groups.get(kernel) ?? []), addresses]);
  for (const [kernel, members] of groups) {
    const number = register(kernel.program.name, () => kernel.program);
    for (let i = 0; i < members.length; i += 2) {
      const addresses = kernel.operands.flatMap((operand) => {
        const first = members[i].get(operand) as number;
        const second =
          i + 1 < members.length ? (members[i + 1].get(operand) as number) : kernel.written.has(operand) ? sink : first;
        return [first, second];
      });
      list.call(number, addresses);
    }
  }
  return list;
}
