/** Lays out one linear memory: f64 arrays first, then i32 call lists. Sizes are in f64, addresses in bytes. */

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
  /** By operand: where the second lane of an odd one goes, if it writes. */
  readonly sinks?: readonly (number | undefined)[];
  readonly shared: readonly number[];
}

/** Calls of a list that serve members; in this list, all of them. */
export interface CallGroup {
  /** In words. */
  readonly start: number;
  readonly end: number;
  readonly calls: number;
  readonly members: Members;
}

/** A call list under construction. */
export class CallList {
  readonly words: number[] = [];
  readonly groups: CallGroup[] = [];
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

  append(more: CallList): void {
    const shift = this.words.length;
    for (const { start, end, ...rest } of more.groups)
      this.groups.push({ start: start + shift, end: end + shift, ...rest });
    for (const word of more.words) this.words.push(word);
    this.entries += more.entries;
  }
}
