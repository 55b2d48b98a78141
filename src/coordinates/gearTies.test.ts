/** Coordinates that gears tie: the nearest ones in the metric of what joints carry, by Lagrange multipliers written out, and derivatives. */
import { expect, test } from "vitest";
import { Random } from "../math/index.ts";
import { box, compile, prismatic, revolute } from "../mechanism/index.ts";
import { GearTies } from "./gearTies.ts";
import { type GeometryVector, valuesOfMechanism } from "./geometry.ts";

const term = (joint: string, ratio: number) => ({ joint, ratio });
const mechanism = compile({
  timestep: 0.01,
  bodies: {
    sled: box({ size: [0.2, 0.2, 0.2], mass: 2 }),
    wheel: box({ size: [0.1, 0.3, 0.4], mass: 3 }),
    rod: box({ size: [0.6, 0.1, 0.1], mass: 0.5 }),
    free: box({ size: [0.1, 0.1, 0.1], mass: 1 }),
  },
  joints: {
    slide: prismatic({ parent: "world", child: "sled", axis: [1, 0, 0] }),
    free: revolute({ parent: "sled", child: "free", axis: [0, 1, 0] }),
    turn: revolute({ parent: "world", child: "wheel", axis: [1, 0, 0] }),
    swing: revolute({ parent: "wheel", child: "rod", axis: [0, 1, 0] }),
  },
  gears: {
    rack: { terms: [term("slide", 1), term("turn", -0.15)], offset: 0.1 },
    pair: { terms: [term("turn", 2), term("swing", 3)], offset: -0.4 },
    // what the others say already
    both: { terms: [term("slide", 1), term("turn", 1.85), term("swing", 3)], offset: -0.3 },
  },
});
const offsets = mechanism.gears.map((gear) => ("offset" in gear ? gear.offset : Number.NaN));
const names = ["slide", "turn", "swing"];
const places = names.map((name) => mechanism.joints.find((joint) => joint.name === name)?.coordinateOffset ?? -1);
const c = mechanism.coordinateCount;
/** The mass of what slides, the largest moment of a box that turns. */
const weights = [2, (3 * (0.3 ** 2 + 0.4 ** 2)) / 12, (0.5 * (0.6 ** 2 + 0.1 ** 2)) / 12];
const rounding = 1e-12;

/** θ − W⁻¹Gᵀ (G W⁻¹ Gᵀ)⁻¹ (G θ − offset) for the two gears that count. */
function nearest(theta: readonly number[], offset: readonly number[], G: readonly (readonly number[])[]): number[] {
  const product = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, entry, i) => sum + (entry * b[i]) / weights[i], 0);
  const off = G.map((row, k) => row.reduce((sum, entry, i) => sum + entry * theta[i], 0) - offset[k]);
  const [aa, ab, bb] = [product(G[0], G[0]), product(G[0], G[1]), product(G[1], G[1])];
  const determinant = aa * bb - ab * ab;
  const lambda = [(bb * off[0] - ab * off[1]) / determinant, (aa * off[1] - ab * off[0]) / determinant];
  return theta.map((entry, i) => entry - (G[0][i] * lambda[0] + G[1][i] * lambda[1]) / weights[i]);
}

const rows = [
  [1, -0.15, 0],
  [0, 2, 3],
];
const ties = () => {
  const made = GearTies.of(mechanism, valuesOfMechanism(mechanism)) as GearTies;
  made.update();
  return made;
};
const random = (seed: number): Float64Array => {
  const numbers = new Random(seed);
  return Float64Array.from({ length: 2 * c }, () => numbers.uniform(-1, 1));
};
const at = (x: Float64Array, part: number): number[] => places.map((place) => x[part * c + place]);
const close = (found: readonly number[], wanted: readonly number[], tolerance = rounding): void => {
  expect(found.length).toBe(wanted.length);
  found.forEach((value, i) => {
    expect(Math.abs(value - wanted[i])).toBeLessThan(tolerance);
  });
};

test("positions come to the nearest that satisfy all gears, rates to the nearest without an offset; others stay", () => {
  const given = random(1);
  const x = given.slice();
  ties().project(x, (gear) => offsets[gear]);
  close(at(x, 0), nearest(at(given, 0), offsets, rows));
  close(at(x, 1), nearest(at(given, 1), [0, 0], rows));
  const free = mechanism.joints.findIndex(({ name }) => name === "free");
  const place = mechanism.joints[free].coordinateOffset;
  expect([x[place], x[c + place]]).toEqual([given[place], given[c + place]]);
});

test("tangents with ratios and offsets are differences of the projection, cotangents and rows of matrices their transpose", () => {
  const [given, direction, bar] = [random(2), random(3), random(4)];
  const key = (gear: number, number: number) => `${gear}.${number}`;
  const changes = [
    [0.3, -0.2],
    [0.1, 0.4],
    // the third gear goes on being the sum of the others
    [0.3, -0.1, 0.4],
  ];
  const offsetChanges = [0.7, -0.5, 0.2];
  const vector = (fill: boolean): GeometryVector & { readonly sum: () => number } => {
    const own = new Map<string, Float64Array>();
    const entry = (name: string, value: number): Float64Array => {
      const found = own.get(name) ?? Float64Array.of(fill ? value : 0);
      own.set(name, found);
      return found;
    };
    return {
      frame: () => new Float64Array(16),
      ratio: (gear, number) => entry(key(gear, number), changes[gear][number]),
      offset: (gear) => entry(`${gear}`, offsetChanges[gear]),
      timestep: new Float64Array(1),
      sum: () =>
        [...own].reduce((sum, [name, [value]]) => {
          const [gear, number] = name.split(".").map(Number);
          return sum + value * (number === undefined ? offsetChanges[gear] : changes[gear][number]);
        }, 0),
    };
  };
  // tangents are taken at what satisfies the gears
  const x = given.slice();
  const made = ties();
  made.project(x, (gear) => offsets[gear]);
  const pushed = direction.slice();
  made.push(pushed, x, vector(true));
  const step = 1e-4;
  const moved = (amount: number, part: number): number[] => {
    const theta = at(x, part).map((entry, i) => entry + amount * at(direction, part)[i]);
    const G = [
      [1 + amount * 0.3, -0.15 - amount * 0.2, 0],
      [0, 2 + amount * 0.1, 3 + amount * 0.4],
    ];
    const offset = part === 0 ? [0.1 + amount * 0.7, -0.4 - amount * 0.5] : [0, 0];
    return nearest(theta, offset, G);
  };
  for (const part of [0, 1]) {
    const [ahead, behind] = [moved(step, part), moved(-step, part)];
    close(
      at(pushed, part),
      ahead.map((entry, i) => (entry - behind[i]) / (2 * step)),
      1e-6,
    );
  }

  const product = (a: Float64Array, b: Float64Array) => a.reduce((sum, entry, i) => sum + entry * b[i], 0);
  const [pulled, byTheta] = [bar.slice(), vector(false)];
  made.pull(pulled, x, byTheta);
  expect(product(pulled, direction) + byTheta.sum()).toBeCloseTo(product(bar, pushed), 11);
  const matrix = bar.slice();
  made.pullRows(matrix);
  expect(farthest(matrix, pulled)).toBeLessThan(rounding);
});

const farthest = (a: Float64Array, b: Float64Array): number => Math.max(...a.map((entry, i) => Math.abs(entry - b[i])));
