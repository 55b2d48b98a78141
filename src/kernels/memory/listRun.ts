/**
 * A call list in memory, and how lists run: one, or several in a row by one call. Behind each of them stands a call of nothing, whose
 * length is the way to the list that follows it.
 */
import { headerWords } from "../../codegen/index.ts";
import type { CallList } from "./memory.ts";
import { type PickedList, pickFrom } from "./pickedLists.ts";
import type { LoadedPrograms } from "./programSupply.ts";
import type { Segment } from "./segments.ts";
import { type Choice, type ChosenList, chooseInto } from "./slots.ts";

/** Words behind every list. */
export const tailWords = headerWords;

/** What may change in a list before it runs. */
export interface Changes {
  /** Which members are chosen; what is written when the list next runs, since some never do. */
  readonly chosen?: { readonly members: ChosenList; readonly choice: Choice; readonly wanted: 0 | 1 } | undefined;
  readonly picked?: PickedList | undefined;
  /** Makes its programs ready; it does so once, however often it is called. */
  readonly load?: (() => void) | undefined;
}

export class ListRun {
  private readonly words: Int32Array;
  /** Where it lies, where it begins, and where the call of nothing is, in words. */
  private readonly at: number;
  private start: number;
  private readonly tail: number;
  private entries: number;
  private readonly segments: readonly Segment[];
  private readonly waysBack: Int32Array;
  private readonly programs: LoadedPrograms;
  private readonly changes: Changes;
  private isLoaded: boolean;
  /** Number of the choice that is written. */
  private written = 0;

  /** Writes the list from this word on. */
  constructor(
    words: Int32Array,
    start: number,
    list: CallList,
    nothing: number,
    programs: LoadedPrograms,
    changes: Changes,
  ) {
    this.words = words;
    this.programs = programs;
    this.at = this.start = start;
    this.entries = list.entries;
    this.changes = changes;
    this.isLoaded = changes.load === undefined;
    words.set(list.words, start);
    this.tail = start + list.words.length;
    words.set([nothing, headerWords, 1], this.tail);
    this.segments = list.holes.map(({ segment }) => segment);
    this.waysBack = Int32Array.from(list.holes, (hole) => start + hole.at + headerWords);
    list.holes.forEach((hole) => {
      words[start + hole.at + 1] = hole.segment.at - (start + hole.at);
    });
  }

  /** A picked list runs the first `count` of these numbered calls. */
  pick(numbers: Int32Array, count: number): void {
    const { picked } = this.changes;
    if (!picked) return;
    pickFrom(this.words, this.at, this.tail, picked, numbers, count);
    this.start = picked.start;
    this.entries = picked.entries;
  }

  /** Makes it ready to run, and returns how many entries it has. */
  private ready(): number {
    const { changes, words, segments, waysBack } = this;
    if (!this.isLoaded) {
      changes.load?.();
      this.isLoaded = true;
    }
    const { chosen } = changes;
    if (chosen && this.written !== chosen.choice.number) {
      const goesOn = this.written === chosen.choice.number - 1;
      this.written = chosen.choice.number;
      this.entries = chooseInto(words, this.at, chosen.members, chosen.choice, chosen.wanted, goesOn);
    }
    let { entries } = this;
    if (segments.length > 0 && this.programs.isWanting) this.programs.addWanted();
    for (let i = 0; i < segments.length; i++) {
      const { end } = segments[i];
      words[end + 1] = waysBack[i] - end;
      entries += segments[i].entries;
    }
    return entries;
  }

  /** Whether it stays as it is once its programs are loaded. */
  private get isFixed(): boolean {
    const { changes, segments } = this;
    return !changes.chosen && !changes.picked && segments.length === 0;
  }

  /** The same for lists that stay as they are: only the ways from one to the next are written, since others of them lead elsewhere. */
  private static fixedRunner(lists: readonly ListRun[], run: (start: number, entries: number) => void): () => void {
    const { words, start } = lists[0];
    const ways = Int32Array.from(lists.slice(1), (_, k) => lists[k].tail + 1);
    const lengths = Int32Array.from(lists.slice(1), (list, k) => list.start - lists[k].tail);
    let entries = 0;
    return () => {
      if (entries === 0) entries = lists.reduce((sum, list) => sum + list.ready(), lists.length - 1);
      for (let k = 0; k < ways.length; k++) words[ways[k]] = lengths[k];
      run(4 * start, entries);
    };
  }

  /** A function that runs these lists one after another. */
  static runner(lists: readonly ListRun[], run: (start: number, entries: number) => void): () => void {
    const segments = lists.flatMap((list) => list.segments);
    const [first] = lists;
    if (lists.length === 0) return () => {};
    if (lists.length === 1) return () => run(4 * first.start, first.ready());
    // a segment knows one way back at a time
    if (new Set(segments).size < segments.length) {
      const apart = lists.map((list) => ListRun.runner([list], run));
      return () => {
        for (let k = 0; k < apart.length; k++) apart[k]();
      };
    }
    const { words } = first;
    if (lists.every((list) => list.isFixed)) return ListRun.fixedRunner(lists, run);
    return () => {
      let entries = first.ready();
      for (let k = 1; k < lists.length; k++) {
        const { tail } = lists[k - 1];
        words[tail + 1] = lists[k].start - tail;
        entries += 1 + lists[k].ready();
      }
      run(4 * first.start, entries);
    };
  }
}
