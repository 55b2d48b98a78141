/**
 * The programs of a system by number. They are made, and handed to the target, when a list that calls them first runs, so that a first
 * step does not wait for what it does not need: a group of lists at a time, since a module per list would cost more than it saves.
 */
import type { Executable, Program, Target } from "../../codegen/index.ts";
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
  readonly register: Register = (key, make) => {
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.makers.push(make) - 1;
      this.numbers.set(key, number);
    }
    return number;
  };

  /** All of them, made or not. */
  get all(): Program[] {
    return this.makers.map((_, number) => this.program(number));
  }

  /** Loads the programs that these lists call, the others when they are asked for; all of them where no lists are given. */
  load(target: Target, lists: readonly Caller[] | undefined, bytes: number): LoadedPrograms {
    const known = new Uint8Array(this.makers.length);
    const ofLists = (more: readonly Caller[]): (Program | undefined)[] => {
      const programs = new Array<Program | undefined>(known.length).fill(undefined);
      for (const caller of more) {
        for (const number of calledBy(caller)) {
          if (known[number] === 1) continue;
          known[number] = 1;
          programs[number] = this.program(number);
        }
      }
      return programs;
    };
    const executable = target.load(lists ? ofLists(lists) : this.all, bytes);
    return { executable, add: (more) => executable.add(ofLists(more)) };
  }

  private program(number: number): Program {
    this.made[number] ??= this.makers[number]();
    return this.made[number];
  }
}

export interface LoadedPrograms {
  readonly executable: Executable;
  /** Loads what these lists call besides. */
  add(lists: readonly Caller[]): void;
}

function calledBy({ list, chosen }: Caller): Set<number> {
  const { words } = list;
  const numbers = new Set<number>();
  for (let at = 0; at < words.length; at += words[at + 1]) numbers.add(words[at]);
  for (const { pair, single } of chosen?.rooms ?? []) {
    numbers.add(pair);
    if (single >= 0) numbers.add(single);
  }
  return numbers;
}
