/**
 * Quantities of another moment than the one that a function is differentiated at: expressions read them as parameters of the function.
 * A reward of the states before and after a step is so one expression, made twice: once with the state before as parameters, and once
 * with the state after.
 */
import { Quantities, type Section, type SymbolPlace } from "../quantities/index.ts";
import type { Expr } from "../symbolic/index.ts";
import type { Moment } from "./moment.ts";

export class OtherMoment extends Quantities {
  private readonly owner: Quantities;
  /** Where the number of each parameter comes from, in the order of the owner's parameters. */
  private readonly read: SymbolPlace[] = [];

  constructor(owner: Quantities) {
    super(owner.mechanism);
    this.owner = owner;
  }

  /** How many numbers expressions have asked for. */
  get size(): number {
    return this.read.length;
  }

  get readsImpulses(): boolean {
    return this.read.some(({ section }) => section === "impulse");
  }

  /** Writes the numbers that the owner's parameters stand for. */
  parametersInto(out: Float64Array, moment: Moment, input: Float64Array): void {
    for (let i = 0; i < this.read.length; i++) {
      const { section, index } = this.read[i];
      if (section === "time") out[i] = moment.time;
      else if (section === "input") out[i] = input[index];
      else out[i] = (moment[section as "minimal" | "state" | "impulse"] as Float64Array)[index];
    }
  }

  protected override symbol(section: Section, index: number): Expr {
    const known = this.read.findIndex((place) => place.section === section && place.index === index);
    if (known < 0) this.read.push({ section, index });
    return this.owner.parameter(`other.${section}.${index}`);
  }
}
