/** Lays out one linear memory: f64 arrays first, then i32 call lists. Sizes are in f64, addresses in bytes. */
import type { Program } from "../../codegen/index.ts";
import type { Segment } from "./segments.ts";

export class MemoryPlan {
  private size = 0;

  /** Reserves `length` f64 and returns their index. Even, so that pairs of columns are aligned. */
  reserve(length: number): number {
    const start = this.size;
    this.size += length + (length & 1);
    return start;
  }

  get length(): number {
    return this.size;
  }
}

export const address = (index: number): number => 8 * index;

/** What a call is needed for, once per slot: members come and go (slots.ts), two of them to a call. */
export interface Members {
  readonly slots: readonly number[];
  /** Addresses of every member, in the order of its operands. */
  readonly operands: readonly (readonly number[])[];
  /** Program for two: both addresses of each operand, then the shared ones. */
  readonly pair: number;
  /** Program for the odd one out; left out, it is a pair with itself whose second lane writes into the sinks. */
  readonly single?: number;
  /** Where the second lane of an odd one goes, by operand, if it writes. */
  readonly sinks?: readonly (number | undefined)[];
  readonly shared: readonly number[];
}

/** Calls of a list that serve members; in this list, all of them. */
export interface CallGroup {
  /** Its first word. */
  readonly start: number;
  readonly end: number;
  readonly calls: number;
  readonly members: Members;
}

/** Calls that are written at run time, between those of a list (segments.ts). */
export interface Hole {
  /** Where its own call lies, in words. */
  readonly at: number;
  readonly segment: Segment;
}

/** A loop whose trips follow the part of a pool of slots that is in use (boundSlots.ts). */
export interface SizedCall {
  /** Where the call lies, in words. */
  readonly at: number;
  readonly pool: number;
  /** Entries of each slot that it goes over, and how many a trip handles. */
  readonly entries: number;
  readonly width: number;
}

/** Numbers a program, adding it to the module when new. */
export type Register = (key: string, make: () => Program) => number;

/** A call list under construction. */
export class CallList {
  readonly words: number[] = [];
  readonly groups: CallGroup[] = [];
  readonly holes: Hole[] = [];
  readonly sized: SizedCall[] = [];
  entries = 0;

  call(program: number, addresses: readonly number[], trips = 1): void {
    this.words.push(program, 3 + addresses.length, trips, ...addresses);
    this.entries++;
  }

  /** The calls that `write` makes are those of all members. */
  group(members: Members, write: () => void): void {
    const [start, entries] = [this.words.length, this.entries];
    write();
    this.groups.push({ start, end: this.words.length, calls: this.entries - entries, members });
  }

  /** Leaves room for what the segment holds when the list runs. A segment has one place in a list. */
  hole(segment: Segment, nothing: number): void {
    this.holes.push({ at: this.words.length, segment });
    this.call(nothing, []);
  }

  /** The calls that `write` makes, one trip of each for so many entries, are for the slots of a pool. */
  whileInUse(pool: number, entries: number, width: number, write: () => void): void {
    const from = this.words.length;
    write();
    for (let at = from; at < this.words.length; at += this.words[at + 1]) this.sized.push({ at, pool, entries, width });
  }

  append(more: CallList): void {
    const shift = this.words.length;
    for (const hole of more.holes) this.holes.push({ ...hole, at: hole.at + shift });
    for (const call of more.sized) this.sized.push({ ...call, at: call.at + shift });
    for (const { start, end, ...rest } of more.groups)
      this.groups.push({ start: start + shift, end: end + shift, ...rest });
    for (let i = 0; i < more.words.length; i++) this.words.push(more.words[i]);
    this.entries += more.entries;
  }
}

/** Lists one after the other, as one. */
export function joined(...lists: readonly CallList[]): CallList {
  const all = new CallList();
  for (const list of lists) all.append(list);
  return all;
}
