import { describe, expect, it } from "vitest";
import { Random } from "./random.ts";
import { norm } from "./vector.ts";

const COUNT = 20000;
/** Five standard deviations of a mean of COUNT numbers of variance 1. */
const MEAN_TOLERANCE = 5 / Math.sqrt(COUNT);

describe("Random", () => {
  it("equal seeds give equal streams, neighbouring and fractional seeds others", () => {
    const stream = (seed: number) => {
      const random = new Random(seed);
      return Array.from({ length: 8 }, () => random.bits()).join();
    };
    expect(stream(7)).toBe(stream(7));
    expect(stream(0)).toBe(stream(-0));
    expect(new Set([0, 1, 2, 1.5, -1, 2 ** 40, 2 ** 40 + 1].map(stream)).size).toBe(7);
  });

  it("the stream of seed 1 never changes", () => {
    const random = new Random(1);
    const drawn = [random.bits(), random.bits(), random.uniform(), random.normal(), random.integer(1000)];
    expect(drawn).toMatchInlineSnapshot(`
      [
        1019660517,
        1817985123,
        0.983415952314815,
        -0.8513782637388704,
        112,
      ]
    `);
  });

  it("uniform numbers fill the interval and stay inside it", () => {
    const random = new Random(2);
    let [sum, least, most] = [0, 0, 0];
    for (let i = 0; i < COUNT; i++) {
      const x = random.uniform(-2, 4);
      sum += x;
      least = Math.min(least, x);
      most = Math.max(most, x);
    }
    // the outermost of so many are within a thousandth of the ends
    expect(least >= -2 && least < -1.994).toBe(true);
    expect(most < 4 && most > 3.994).toBe(true);
    expect(Math.abs(sum / COUNT - 1)).toBeLessThan(2 * MEAN_TOLERANCE);
  });

  it("normal numbers have the moments of the normal law", () => {
    const random = new Random(3);
    const moments = [0, 0, 0, 0];
    for (let i = 0; i < COUNT; i++) {
      const x = random.normal();
      for (let k = 0; k < 4; k++) moments[k] += x ** (k + 1) / COUNT;
    }
    // standard deviations of x, x², x³, x⁴: 1, √2, √15, √96
    expect(Math.abs(moments[0])).toBeLessThan(MEAN_TOLERANCE);
    expect(Math.abs(moments[1] - 1)).toBeLessThan(1.5 * MEAN_TOLERANCE);
    expect(Math.abs(moments[2])).toBeLessThan(4 * MEAN_TOLERANCE);
    expect(Math.abs(moments[3] - 3)).toBeLessThan(10 * MEAN_TOLERANCE);
  });

  it("a stream goes on from its state, in the middle of a pair of normal deviates too", () => {
    const random = new Random(8);
    random.normal();
    const again = Random.from(JSON.parse(JSON.stringify(random.state)));
    for (let i = 0; i < 5; i++) expect([again.normal(), again.uniform()]).toEqual([random.normal(), random.uniform()]);
    expect(() => Random.from({ words: [1, 2, 3], spareNormal: null })).toThrow("no state");
    expect(() => Random.from({ words: [0, 0, 0, 0], spareNormal: null })).toThrow("no state");
    expect(() => Random.from({ words: [1, 2, 3, 0.5], spareNormal: null })).toThrow("no state");
  });

  it("integers come out equally often", () => {
    const random = new Random(4);
    const counts = new Array<number>(5).fill(0);
    for (let i = 0; i < COUNT; i++) counts[random.integer(5)]++;
    for (const count of counts) expect(Math.abs(count / COUNT - 0.2)).toBeLessThan(MEAN_TOLERANCE);
    expect(() => random.integer(0)).toThrow("whole number");
  });

  it("directions and quaternions have length 1 and no preferred side", () => {
    const random = new Random(5);
    const sum = new Array<number>(7).fill(0);
    let off = 0;
    for (let i = 0; i < COUNT; i++) {
      const direction = random.unitVector();
      const q = random.quaternion();
      off = Math.max(off, Math.abs(norm(direction) - 1), Math.abs(norm(q) - 1));
      for (const [k, entry] of [...direction, ...q].entries()) sum[k] += entry / COUNT;
    }
    expect(off).toBeLessThan(5e-15);
    for (const mean of sum) expect(Math.abs(mean)).toBeLessThan(MEAN_TOLERANCE);
  });
});
