/** Calls of kernels that work on two nodes at once. */

import type { Kernel } from "../species/staging.ts";
import { CallList, type Register } from "./memory.ts";

/** Operands by name. */
export interface Addresses {
  get(name: string): number | undefined;
}

/** Some addresses before those that are known: cheaper than a map of all of them where each is asked for once or twice. */
export function addressesBefore(known: Addresses, own: ReadonlyMap<string, number>): Addresses {
  return { get: (name) => own.get(name) ?? known.get(name) };
}

/** One use of a kernel: undefined where a node has none at this moment. */
export interface KernelCall {
  readonly kernel: Kernel | undefined;
  readonly addresses: Addresses;
  /** The slot of what comes and goes (slots.ts): all nodes of its kernel have one. */
  readonly slot?: number | undefined;
}

/** A program and the addresses of its operands. */
export interface PlacedCall {
  readonly program: number;
  readonly places: readonly number[];
}

/** The call of a kernel for one node. */
export function aloneCall(kernel: Kernel, addresses: Addresses, register: Register): PlacedCall {
  const { operands } = kernel;
  const places: number[] = [];
  for (let o = 0; o < operands.length; o++) places.push(addresses.get(operands[o]) as number);
  return { program: register(`${kernel.name}.alone`, () => kernel.alone), places };
}

/**
 * Two nodes of a species share a call. One that is the only one of its species has it for itself; the odd one out of several runs beside
 * itself, writing its second lane into the sink, which spares a program.
 */
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
    if (members.length === 1 && members[0].slot === undefined) {
      const { program, places } = aloneCall(kernel, members[0].addresses, register);
      list.call(program, places);
      continue;
    }
    const number = register(kernel.name, () => kernel.program);
    const operands = members.map(({ addresses }) => kernel.operands.map((operand) => addresses.get(operand) as number));
    const sinks = kernel.operands.map((operand) => (kernel.written.has(operand) ? sink : undefined));
    const write = (): void => {
      for (let i = 0; i < members.length; i += 2) {
        const first = operands[i];
        const second = operands[i + 1];
        const addresses: number[] = [];
        for (let o = 0; o < first.length; o++) addresses.push(first[o], second?.[o] ?? sinks[o] ?? first[o]);
        list.call(number, addresses);
      }
    };
    const slots = members.flatMap(({ slot }) => (slot === undefined ? [] : [slot]));
    if (slots.length === members.length) list.group({ slots, operands, pair: number, sinks, shared: [] }, write);
    else write();
  }
  return list;
}
