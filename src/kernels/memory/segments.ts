/**
 * Calls that are written at run time. A *segment* is a stretch of calls that several lists share: in each of them stands a call of nothing
 * whose length is the way to the segment, and the segment ends with a call of nothing that leads back. Before a list runs, the ways back
 * of its segments are set; so what changes is written once, however many lists run it.
 */
import { headerWords, OutOfMemory } from "../../codegen/index.ts";

/** Hears which programs calls are written for (programSupply.ts). */
export interface ProgramWants {
  want(program: number): void;
}

export class Segment {
  readonly name: string;
  /** How many words fit in, the way back included. */
  readonly capacity: number;
  /** Calls, the way back included. */
  entries = 0;
  /** Word of the way back. */
  end = 0;
  private words: Int32Array = new Int32Array(0);
  private programs: ProgramWants = { want() {} };
  private start = 0;
  private cursor = 0;
  private calls = 0;
  private nothing = 0;

  /** Has room for so many words of calls. */
  constructor(name: string, words: number) {
    this.name = name;
    this.capacity = words + headerWords;
  }

  /** Where it lies, once memory is there, and what is told which programs it calls; it is empty at first. */
  place(words: Int32Array, start: number, nothing: number, programs: ProgramWants): void {
    this.words = words;
    this.programs = programs;
    this.start = start;
    this.nothing = nothing;
    this.begin();
    this.finish();
  }

  get at(): number {
    return this.start;
  }

  begin(): void {
    this.cursor = this.start;
    this.calls = 0;
  }

  /** Begins a call and returns the word of its first address: the caller writes so many there. */
  call(program: number, addresses: number): number {
    const { words, cursor } = this;
    const length = headerWords + addresses;
    if (cursor + length + headerWords > this.start + this.capacity) throw new OutOfMemory(`${this.name}: out of room`);
    this.programs.want(program);
    words[cursor] = program;
    words[cursor + 1] = length;
    words[cursor + 2] = 1;
    this.cursor = cursor + length;
    this.calls++;
    return cursor + headerWords;
  }

  /** Copies whole calls. */
  copy(from: Int32Array, calls: number): void {
    const { words, programs } = this;
    let to = this.cursor;
    if (to + from.length + headerWords > this.start + this.capacity) throw new OutOfMemory(`${this.name}: out of room`);
    for (let at = 0; at < from.length; at += from[at + 1]) programs.want(from[at]);
    for (let i = 0; i < from.length; i++) words[to++] = from[i];
    this.cursor = to;
    this.calls += calls;
  }

  /** Takes the calls of another segment as they are now. */
  copyFrom(other: Segment): void {
    this.begin();
    this.copy(this.words.subarray(other.start, other.cursor), other.calls);
    this.finish();
  }

  finish(): void {
    const { words, cursor } = this;
    words[cursor] = this.nothing;
    words[cursor + 1] = headerWords;
    words[cursor + 2] = 1;
    this.end = cursor;
    this.entries = this.calls + 1;
  }
}
