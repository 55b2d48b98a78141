/**
 * The programs of a system by number. They are made, and handed to the target, when a list that calls them first runs, so that a first
 * step does not wait for what it does not need: a group of lists at a time, since a module per list would cost more than it saves. Those of
 * calls that are written at run time (segments.ts) are made before a list that runs them.
 */

import type { Executable, Program, Target } from "../../codegen/index.ts";
import { cached } from "../../math/index.ts";
import type { CallList, Register } from "./memory.ts";
import type { ChosenList } from "./slots.ts";

/** A list, with what its members are served by where they are chosen at run time. */
export interface Caller {
  readonly list: CallList;
  readonly chosen?: ChosenList | undefined;
}

export class ProgramSupply {
  private readonly numbers = new Map<string, number>();
  private readonly makers: (() => Program)[] = [];
  private readonly made: Program[] = [];

  /** Numbers programs by their key as they are asked for. */
  readonly register: Register = (key, make) => cached(this.numbers, key, () => this.makers.push(make) - 1);

  /** All of them, made or not. */
  get all(): Program[] {
    return this.makers.map((_, number) => this.program(number));
  }

  /** Loads the programs that these lists call, the others when they are asked for; all of them where no lists are given. */
  load(target: Target, lists: readonly Caller[] | undefined, bytes: number): LoadedPrograms {
    return new LoadedPrograms(this.makers.length, (number) => this.program(number), target, lists, bytes);
  }

  private program(number: number): Program {
    this.made[number] ??= this.makers[number]();
    return this.made[number];
  }
}

export class LoadedPrograms {
  readonly executable: Executable;
  /** Whether calls have been written whose programs are not loaded yet. */
  isWanting = false;
  private readonly make: (number: number) => Program;
  /** 1 for each program, by number, once it is loaded. */
  private readonly known: Uint8Array;
  private readonly wanted: number[] = [];

  constructor(
    count: number,
    make: (number: number) => Program,
    target: Target,
    lists: readonly Caller[] | undefined,
    bytes: number,
  ) {
    this.make = make;
    this.known = new Uint8Array(count);
    this.executable = target.load(this.take(lists ? calledBy(lists) : this.known.keys()), bytes);
  }

  /** Loads what these lists call besides. */
  add(lists: readonly Caller[]): void {
    this.executable.add(this.take(calledBy(lists)));
  }

  addAll(): void {
    this.executable.add(this.take(this.known.keys()));
  }

  /** Asks for the program of a call that is written at run time: it is loaded by `addWanted`, unless it is there. */
  want(number: number): void {
    if (this.known[number] === 1) return;
    this.wanted.push(number);
    this.isWanting = true;
  }

  addWanted(): void {
    this.isWanting = false;
    this.executable.add(this.take(this.wanted));
    this.wanted.length = 0;
  }

  /** Those of these programs that are not loaded yet, by number. */
  private take(numbers: Iterable<number>): (Program | undefined)[] {
    const programs = new Array<Program | undefined>(this.known.length).fill(undefined);
    for (const number of numbers) {
      if (this.known[number] === 1) continue;
      this.known[number] = 1;
      programs[number] = this.make(number);
    }
    return programs;
  }
}

/** Numbers of the programs that lists call. */
function calledBy(lists: readonly Caller[]): Set<number> {
  const numbers = new Set<number>();
  for (const { list, chosen } of lists) {
    const { words } = list;
    for (let at = 0; at < words.length; at += words[at + 1]) numbers.add(words[at]);
    for (const { pair, single } of chosen?.rooms ?? []) {
      numbers.add(pair);
      if (single >= 0) numbers.add(single);
    }
  }
  return numbers;
}
