/** Loops over whole vectors, several entries per trip: what the solver does to its unknowns without looking at them. */
import { type Program, ProgramBuilder } from "../../codegen/index.ts";
import { address, type CallList, type Register } from "./memory.ts";
import { registerShared } from "./sharedPrograms.ts";

/** Entries that a trip of a long loop handles; what is left takes one trip of its own. */
export const longTrip = 8;

type Loop = (b: ProgramBuilder, at: number) => void;

const loops = {
  /** target = 0. */
  clear: (b, at) => b.storeAdjacent(0, at, b.constant(0, true)),
  /** target = 0 where it is not finite. */
  clean: (b, at) => {
    const value = b.loadAdjacent(0, at);
    const most = b.constant(Number.POSITIVE_INFINITY, true);
    b.storeAdjacent(0, at, b.ifLess(b.abs(value), most, value, b.constant(0, true)));
  },
  /** target = −source. */
  negate: (b, at) => b.storeAdjacent(0, at, b.neg(b.loadAdjacent(1, at))),
  /** target = source. */
  copy: (b, at) => b.storeAdjacent(0, at, b.loadAdjacent(1, at)),
  /** target = base + α·direction. Operands: target, base, direction, α. */
  addScaled: (b, at) =>
    b.storeAdjacent(0, at, b.add(b.loadAdjacent(1, at), b.mul(b.splat(b.load(3, 0)), b.loadAdjacent(2, at)))),
  /** target = source + α·(before − source), before = source. Operands: target, before, source, α. */
  leap: (b, at) => {
    const source = b.loadAdjacent(2, at);
    const way = b.sub(b.loadAdjacent(1, at), source);
    b.storeAdjacent(0, at, b.add(source, b.mul(b.splat(b.load(3, 0)), way)));
    b.storeAdjacent(1, at, source);
  },
} satisfies Record<string, Loop>;

export type VectorLoop = keyof typeof loops;

const operands = { clear: 1, clean: 1, negate: 2, copy: 2, addScaled: 4, leap: 4 } as const;

/** Appends the loop over `length` entries that start at these memory indices; an odd length takes the entry behind it along. */
export function vectorLoop(
  list: CallList,
  register: Register,
  name: VectorLoop,
  starts: readonly number[],
  length: number,
): void {
  const even = length + (length & 1);
  const left = even % longTrip;
  const call = (width: number, trips: number, from: number): void => {
    if (width === 0 || trips === 0) return;
    // α stays where it is
    const moved = starts.map((start, o) => (o === 3 ? start : start + from));
    list.call(
      registerShared(register, `vector.${name}.${width}`, () => program(name, width)),
      moved.map(address),
      trips,
    );
  };
  call(longTrip, (even - left) / longTrip, 0);
  call(left, 1, even - left);
}

/** A call of the loop on entries that start there, `longTrip` to a trip; how many trips it makes is written later. */
export function openLoop(list: CallList, register: Register, name: VectorLoop, starts: readonly number[]): void {
  list.call(
    registerShared(register, `vector.${name}.${longTrip}`, () => program(name, longTrip)),
    starts.map(address),
    0,
  );
}

function program(name: VectorLoop, width: number): Program {
  const b = new ProgramBuilder(`vector.${name}.${width}`, operands[name]);
  for (let at = 0; at < width; at += 2) loops[name](b, at);
  return b.finish(Array.from({ length: operands[name] }, (_, o) => (o === 3 ? 0 : 8 * width)));
}
