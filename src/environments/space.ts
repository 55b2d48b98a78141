/** The space of an action or an observation: a box of real numbers, each between its own bounds, which may be infinite. */
import type { Random } from "../math/index.ts";
import { ArgumentError } from "../mechanism/index.ts";

/** A bound for all entries, or one for each. */
export type Bound = number | readonly number[];

export class BoxSpace {
  readonly low: Float64Array;
  readonly high: Float64Array;

  constructor(size: number, low: Bound = Number.NEGATIVE_INFINITY, high: Bound = Number.POSITIVE_INFINITY) {
    this.low = perEntry(size, low, "low");
    this.high = perEntry(size, high, "high");
    const bad = this.low.findIndex((least, i) => !(least <= this.high[i]));
    if (bad < 0) return;
    const message = `${this.low[bad]} is not at most the upper bound ${this.high[bad]}; exchange them`;
    throw new ArgumentError("out-of-range", `low[${bad}]`, message);
  }

  get size(): number {
    return this.low.length;
  }

  /** The space as JSON has it, which knows no infinity: null stands for a bound that is none. */
  toJSON(): { readonly kind: "box"; readonly low: (number | null)[]; readonly high: (number | null)[] } {
    const bounds = (values: Float64Array) => Array.from(values, (value) => (Number.isFinite(value) ? value : null));
    return { kind: "box", low: bounds(this.low), high: bounds(this.high) };
  }

  /** Whether it has the right length, is finite, and keeps to the bounds. */
  contains(value: ArrayLike<number>): boolean {
    if (value.length !== this.size) return false;
    for (let i = 0; i < value.length; i++) {
      if (!Number.isFinite(value[i]) || value[i] < this.low[i] || value[i] > this.high[i]) return false;
    }
    return true;
  }

  /** Uniform between two bounds, normal where there are none, half of a normal distribution beside a single one. */
  sample(random: Random): Float64Array {
    const { low, high } = this;
    return low.map((least, i) => {
      const [hasLow, hasHigh] = [Number.isFinite(least), Number.isFinite(high[i])];
      if (hasLow && hasHigh) return random.uniform(least, high[i]);
      const deviate = random.normal();
      if (hasLow) return least + Math.abs(deviate);
      return hasHigh ? high[i] - Math.abs(deviate) : deviate;
    });
  }

  /** Moves every entry to its nearest value within the bounds. */
  clipInto(out: Float64Array, value: ArrayLike<number>): void {
    for (let i = 0; i < out.length; i++) out[i] = this.clip(i, value[i]);
  }

  /** The value nearest to it within the bounds of entry i. */
  clip(i: number, value: number): number {
    return Math.min(Math.max(value, this.low[i]), this.high[i]);
  }
}

/** One number for each entry, from one for all or a list. */
export function perEntry(size: number, given: Bound, path: string): Float64Array {
  if (typeof given === "number") return new Float64Array(size).fill(given);
  if (given.length === size) return Float64Array.from(given);
  throw new ArgumentError("wrong-length", path, `has ${given.length} numbers; give ${size}, or one for all`);
}
