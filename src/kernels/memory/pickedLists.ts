/**
 * Call lists of which a part runs, in any order: calls have numbers, several to a number or none. All of them stay where they are; picking some
 * makes the length of each number's last call the way to the first call of the next. Members of slots.ts come and go in the midst of
 * other calls, two to a call; these are for calls that must run one by one.
 */
import { CallList } from "./memory.ts";

/** A list whose calls have numbers. */
export class NumberedList extends CallList {
  /** The first word of each list, that of its last call, and how many calls it has. */
  readonly firsts: number[] = [];
  readonly lasts: number[] = [];
  readonly counts: number[] = [];

  /** What is called from here on has the next number. */
  next(): void {
    this.firsts.push(this.words.length);
    this.lasts.push(this.words.length);
    this.counts.push(0);
  }

  override call(program: number, addresses: readonly number[], trips?: number): void {
    const number = this.counts.length - 1;
    this.lasts[number] = this.words.length;
    this.counts[number]++;
    super.call(program, addresses, trips);
  }
}

export interface PickedList {
  readonly firsts: Int32Array;
  readonly lasts: Int32Array;
  readonly counts: Int32Array;
  /** Where it begins, in words, and how many calls it has. */
  start: number;
  entries: number;
}

export function pickedList({ firsts, lasts, counts, entries }: NumberedList): PickedList {
  const [first, last, count] = [firsts, lasts, counts].map((values) => Int32Array.from(values));
  return { firsts: first, lasts: last, counts: count, start: 0, entries };
}

/** The first `count` of these numbers, in the list that lies at word `at` and ends at word `end`. */
export function pickFrom(
  words: Int32Array,
  at: number,
  end: number,
  picked: PickedList,
  numbers: Int32Array,
  count: number,
): void {
  const { firsts, lasts, counts } = picked;
  let next = end;
  let entries = 0;
  for (let k = count - 1; k >= 0; k--) {
    const number = numbers[k];
    if (counts[number] === 0) continue;
    const last = at + lasts[number];
    words[last + 1] = next - last;
    next = at + firsts[number];
    entries += counts[number];
  }
  picked.start = next;
  picked.entries = entries;
}
