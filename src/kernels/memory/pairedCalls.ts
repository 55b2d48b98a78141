/** Calls of kernels that work on two nodes at once. */

import type { Kernel } from "../species/staging.ts";
import { CallList, type Register } from "./memory.ts";

/** One use of a kernel: undefined where a node has none at this moment. */
export interface KernelCall {
  readonly kernel: Kernel | undefined;
  readonly addresses: ReadonlyMap<string, number>;
  /** Of what comes and goes (slots.ts): all nodes of its kernel have one. */
  readonly slot?: number | undefined;
}

/** Two nodes of a species share a call; the odd one out runs beside itself, writing its second lane into the sink. */
export function pairedCalls(calls: readonly KernelCall[], register: Register, sink: number): CallList {
  const list = new CallList();
  const groups = new Map<Kernel, KernelCall[]>();
  for (const call of calls) {
    if (!call.kernel) continue;
    const group = groups.get(call.kernel);
    if (group) group.push(call);
    else groups.set(call.kernel, [call]);
  }
  for (const [kernel, members] of groups) {
    const number = register(kernel.name, () => kernel.program);
    const operands = members.map(({ addresses }) => kernel.operands.map((operand) => addresses.get(operand) as number));
    const sinks = kernel.operands.map((operand) => (kernel.written.has(operand) ? sink : undefined));
    const write = (): void => {
      for (let i = 0; i < members.length; i += 2) {
        const second = operands[i + 1] ?? operands[i].map((first, o) => sinks[o] ?? first);
        list.call(
          number,
          operands[i].flatMap((first, o) => [first, second[o]]),
        );
      }
    };
    const slots = members.flatMap(({ slot }) => (slot === undefined ? [] : [slot]));
    if (slots.length === members.length) list.group({ slots, operands, pair: number, sinks, shared: [] }, write);
    else write();
  }
  return list;
}
