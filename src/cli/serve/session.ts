/**
 * What a client has opened. Things that stay (simulations, records of rollouts, environments, long runs) have numbers, by which later
 * messages name them.
 */
import { ArgumentError } from "../../index.ts";
import type { Shaped } from "./frame.ts";
import type { Parameters } from "./parameters.ts";

export interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly arrays?: Readonly<Record<string, Shaped>>;
}

/** Takes the parameters and arrays of a message, and gives a result and arrays. */
export type Method = (session: Session, parameters: Parameters) => Answer | Promise<Answer>;
export type MethodTable = Readonly<Record<string, Method>>;

export class Session {
  private readonly things = new Map<number, object>();
  private last = 0;

  /** Keeps a thing, and gives its number. */
  keep(thing: object): number {
    this.things.set(++this.last, thing);
    return this.last;
  }

  /** The thing of this number, which must be of the kind. */
  thing<T extends object>(kind: abstract new (...args: never[]) => T, number: number): T {
    const found = this.things.get(number);
    if (found instanceof kind) return found;
    const message = found ? `${number} is a ${found.constructor.name}, not a ${kind.name}` : `${number} is not open`;
    throw new ArgumentError("unknown-handle", kind.name, `${message}; it may have been closed`);
  }

  /** Closes what can be closed. Numbers that are not open are none the worse for it. */
  release(numbers: readonly number[]): void {
    for (const number of numbers) {
      const thing: { close?: () => void } | undefined = this.things.get(number);
      this.things.delete(number);
      thing?.close?.();
    }
  }
}
