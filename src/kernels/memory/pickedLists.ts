/**
 * Call lists of which a part runs, in any order: every call has a number, and picking some of them writes these one after another.
 * Members of slots.ts come and go in the midst of other calls, two to a call; these are for calls that must run one by one.
 */
import type { CallList } from "./memory.ts";

export interface PickedList {
  readonly list: CallList;
  /** Words of a call. */
  readonly stride: number;
  readonly words: Int32Array;
}

/** All calls of the list have as many words. */
export function pickedList(list: CallList): PickedList {
  const words = Int32Array.from(list.words);
  const stride = list.entries === 0 ? 0 : words.length / list.entries;
  return { list, stride, words };
}

/** Writes the first `count` of the numbered calls into the list that begins at word `at`. */
export function pickInto(i32: Int32Array, at: number, picked: PickedList, numbers: Int32Array, count: number): void {
  const { stride, words } = picked;
  let cursor = at;
  for (let k = 0; k < count; k++) {
    const from = stride * numbers[k];
    for (let i = 0; i < stride; i++) i32[cursor++] = words[from + i];
  }
  picked.list.entries = count;
}
