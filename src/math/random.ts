/**
 * Seeded random numbers: xoshiro128** (Blackman and Vigna), its state filled by splitmix32 from the seed. Equal seeds
 * give bit-identical streams in every engine: normal deviates use a logarithm of our own, directions use no
 * trigonometry.
 */
import type { Quaternion } from "./quaternion.ts";
import type { Vector3 } from "./vector.ts";

/** Where a stream of random numbers stands, as plain data. */
export interface RandomState {
  /** Four words of 32 bits. */
  readonly words: readonly number[];
  /** The second of a pair of normal deviates, where only the first was asked for. */
  readonly spareNormal: number | null;
}

export class Random {
  readonly #state = new Uint32Array(4);
  #spareNormal: number | undefined;

  /** Any finite number; distinct integers give unrelated streams. */
  constructor(seed: number) {
    if (!Number.isFinite(seed)) throw new RangeError(`seed ${seed}: a seed must be a finite number`);
    // both halves of the double, so that 1, 1.5 and 2^40 + 1 all differ
    const halves = new DataView(new ArrayBuffer(8));
    halves.setFloat64(0, seed === 0 ? 0 : seed);
    let counter = (mix(halves.getUint32(0)) ^ halves.getUint32(4)) >>> 0;
    for (let i = 0; i < 4; i++) {
      counter = (counter + 0x9e3779b9) >>> 0;
      this.#state[i] = mix(counter);
    }
  }

  /** A stream that goes on where another one stood. */
  static from({ words, spareNormal }: RandomState): Random {
    const isWord = (word: unknown): boolean => Number.isInteger(word) && (word as number) >>> 0 === word;
    const isGood = words?.length === 4 && words.every(isWord) && words.some((word) => word !== 0);
    if (!isGood || !(spareNormal === null || Number.isFinite(spareNormal))) {
      throw new RangeError("this is no state of a random stream: give one that `state` returned");
    }
    const random = new Random(0);
    random.#state.set(words);
    random.#spareNormal = spareNormal ?? undefined;
    return random;
  }

  get state(): RandomState {
    return { words: Array.from(this.#state), spareNormal: this.#spareNormal ?? null };
  }

  /** 32 random bits. */
  bits(): number {
    const s = this.#state;
    const product = Math.imul(s[1], 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 11) | (s[3] >>> 21);
    return result;
  }

  /** A number in [lo, hi), with 53 random bits. */
  uniform(lo = 0, hi = 1): number {
    const high = this.bits() >>> 5;
    const low = this.bits() >>> 6;
    const fraction = (high * 67108864 + low) / 9007199254740992;
    const value = lo + (hi - lo) * fraction;
    // rounding may reach hi
    return value < hi ? value : lo;
  }

  /** Mean 0, variance 1, by Marsaglia's polar method. */
  normal(): number {
    const spare = this.#spareNormal;
    if (spare !== undefined) {
      this.#spareNormal = undefined;
      return spare;
    }
    for (;;) {
      const x = this.uniform(-1, 1);
      const y = this.uniform(-1, 1);
      const s = x * x + y * y;
      if (s >= 1 || s === 0) continue;
      const factor = Math.sqrt((-2 * naturalLogarithm(s)) / s);
      this.#spareNormal = y * factor;
      return x * factor;
    }
  }

  /** A number in {0, …, n − 1}, without bias. */
  integer(n: number): number {
    if (!(Number.isInteger(n) && n >= 1 && n <= 4294967296)) {
      throw new RangeError(`integer(${n}): n must be a whole number from 1 to 2^32`);
    }
    const limit = 4294967296 - (4294967296 % n);
    for (;;) {
      const value = this.bits();
      if (value < limit) return value % n;
    }
  }

  /** Uniform on the sphere, by Marsaglia's method. */
  unitVector(): Vector3 {
    for (;;) {
      const x = this.uniform(-1, 1);
      const y = this.uniform(-1, 1);
      const s = x * x + y * y;
      if (s >= 1) continue;
      const factor = 2 * Math.sqrt(1 - s);
      return [x * factor, y * factor, 1 - 2 * s];
    }
  }

  /** Uniform over rotations: a direction in four dimensions, of either sign. */
  quaternion(): Quaternion {
    for (;;) {
      const [x, y, s] = this.#discPoint();
      const [z, w, r] = this.#discPoint();
      if (r === 0) continue;
      const factor = Math.sqrt((1 - s) / r);
      return [w * factor, x, y, z * factor];
    }
  }

  /** Uniform in the unit disc: x, y, x² + y². */
  #discPoint(): readonly [number, number, number] {
    for (;;) {
      const x = this.uniform(-1, 1);
      const y = this.uniform(-1, 1);
      const s = x * x + y * y;
      if (s < 1) return [x, y, s];
    }
  }
}

/** The finaliser of splitmix32. */
function mix(value: number): number {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/**
 * ln s for 0 < s ≤ 1 with + − × / only: s = 2^k m with m ∈ [√½, √2), ln m = 2 (t + t³/3 + t⁵/5 + …), t = (m−1)/(m+1).
 * |t| < 0.172, so eleven terms leave under 1e-17.
 */
function naturalLogarithm(s: number): number {
  let m = s;
  let k = 0;
  while (m < Math.SQRT1_2) {
    m *= 2;
    k--;
  }
  const t = (m - 1) / (m + 1);
  const square = t * t;
  let series = 0;
  for (let n = 21; n >= 1; n -= 2) series = series * square + 1 / n;
  return k * Math.LN2 + 2 * t * series;
}
