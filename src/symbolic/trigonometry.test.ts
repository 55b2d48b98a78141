import { describe, expect, test } from "vitest";
import {
  arctangent2,
  atan2,
  cos,
  cosine,
  type Expr,
  evaluate,
  expandTranscendentals,
  Graph,
  sin,
  sine,
} from "./index.ts";
import { reachable } from "./traversal.ts";

/** Ours and the platform's are each within 1 ulp (arctangent: 2) of the truth; more apart means a wrong coefficient. */
const maximumUlps = 2;

const one = new Float64Array(1);
const word = new BigInt64Array(one.buffer);

/** Position of a number among all floating-point numbers, zeros together. */
function rank(value: number): bigint {
  one[0] = value;
  return word[0] < 0n ? -(word[0] & 0x7fffffffffffffffn) : word[0];
}

function ulps(a: number, b: number): number {
  const distance = rank(a) - rank(b);
  return Number(distance < 0n ? -distance : distance);
}

/** The most ulps between the two functions over the points, and the point where it happens. */
function worst(
  points: readonly (readonly number[])[],
  ours: (...point: number[]) => number,
  theirs: (...point: number[]) => number,
): { ulps: number; at: readonly number[] } {
  let result: { ulps: number; at: readonly number[] } = { ulps: 0, at: [] };
  for (const at of points) {
    const distance = ulps(ours(...at), theirs(...at));
    if (!(distance <= result.ulps)) result = { ulps: distance, at };
  }
  return result;
}

/** Spread over signs and twelve decades, the same each time. */
function samples(count: number, smallest: number, largest: number): number[] {
  const decades = Math.log10(largest / smallest);
  return Array.from({ length: count }, (_, i) => {
    const golden = (i * 0.6180339887498949) % 1;
    return (i % 2 === 0 ? 1 : -1) * smallest * 10 ** (decades * golden);
  });
}

const angles: [number][] = [
  ...samples(20000, 1e-8, 1e5),
  ...samples(5000, 0.1, 10),
  ...Array.from({ length: 2000 }, (_, k) => ((k - 1000) * Math.PI) / 4),
  ...Array.from({ length: 60 }, (_, k) => (k * 1000 * Math.PI) / 2),
  0,
  5e-324,
  1e-300,
].map((x) => [x]);

describe("sine and cosine", () => {
  test("the sine is within 2 ulp of the platform's up to 1e5", () => {
    const { ulps: most, at } = worst(angles, sine, Math.sin);
    expect(most, `at ${at}`).toBeLessThanOrEqual(maximumUlps);
  });

  test("the cosine is within 2 ulp of the platform's up to 1e5", () => {
    const { ulps: most, at } = worst(angles, cosine, Math.cos);
    expect(most, `at ${at}`).toBeLessThanOrEqual(maximumUlps);
  });

  test("the sine is odd and the cosine even, to the bit", () => {
    expect(
      worst(
        angles,
        (x) => sine(-x),
        (x) => -sine(x),
      ),
    ).toEqual({ ulps: 0, at: [] });
    expect(worst(angles, (x) => cosine(-x), cosine)).toEqual({ ulps: 0, at: [] });
  });

  test("sin 0 = 0 and cos 0 = 1", () => {
    expect(sine(0)).toBe(0);
    expect(cosine(0)).toBe(1);
  });
});

describe("arctangent", () => {
  test("it is within 2 ulp of the platform's on the whole plane", () => {
    const ys = samples(400, 1e-9, 1e9);
    const points = samples(101, 1e-9, 1e9).flatMap((x) => ys.map((y) => [y, x]));
    const { ulps: most, at } = worst(points, arctangent2, Math.atan2);
    expect(most, `at ${at}`).toBeLessThanOrEqual(maximumUlps);
  });

  test("it is within 2 ulp around the unit circle, reduction thresholds included", () => {
    const points = Array.from({ length: 20000 }, (_, k) => [Math.sin(k * 0.31), Math.cos(k * 0.31)]);
    for (const ratio of [7 / 16, 11 / 16, 1]) {
      for (const y of [ratio, ratio * (1 - 2e-16), ratio * (1 + 3e-16)]) points.push([y, 1], [1, -y], [-y, -1]);
    }
    const { ulps: most, at } = worst(points, arctangent2, Math.atan2);
    expect(most, `at ${at}`).toBeLessThanOrEqual(maximumUlps);
  });

  test("the axes are exact", () => {
    expect(arctangent2(0, 1)).toBe(0);
    expect(arctangent2(1, 0)).toBe(Math.PI / 2);
    expect(arctangent2(0, -1)).toBe(Math.PI);
    expect(arctangent2(-1, 0)).toBe(-Math.PI / 2);
    expect(arctangent2(0, 0)).toBe(0);
    expect(arctangent2(2, 2)).toBe(Math.PI / 4);
  });

  test("very large and very small points are no trouble", () => {
    const points = [
      [1e300, 1e300],
      [1e-300, -1e-300],
      [1e-310, 3e-310],
      [-1e300, 1e-300],
      [8e307, 8e307],
    ];
    expect(worst(points, arctangent2, Math.atan2).ulps).toBeLessThanOrEqual(maximumUlps);
  });
});

describe("expansion", () => {
  const graph = new Graph();
  const [x, y] = graph.symbols("x", 2);
  const outputs = [sin(x), cos(sin(y)), atan2(x, cos(y))];

  test("it leaves basic operations only, with the same bits", () => {
    const expanded = expandTranscendentals(outputs);
    const left = reachable(expanded).filter((node) => ["sin", "cos", "atan2"].includes(node.op));
    expect(left).toEqual([]);
    const symbolValue = (symbol: unknown) => (symbol === x ? 1.7 : -0.3);
    expect(evaluate(expanded, symbolValue)).toEqual(evaluate(outputs, symbolValue));
  });

  test("what is below a leaf is left alone", () => {
    const node = sin(x) as Expr;
    const isLeaf = new Uint8Array(node.graph.size);
    isLeaf[node.id] = 1;
    expect(expandTranscendentals([node], isLeaf)).toEqual([node]);
  });
});
