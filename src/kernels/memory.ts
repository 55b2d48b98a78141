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

/** A call list under construction. */
export class CallList {
  readonly words: number[] = [];
  entries = 0;

  call(program: number, addresses: readonly number[], trips = 1): void {
    this.words.push(program, 3 + addresses.length, trips, ...addresses);
    this.entries++;
  }

  append(more: CallList): void {
    for (const word of more.words) this.words.push(word);
    this.entries += more.entries;
  }
}
