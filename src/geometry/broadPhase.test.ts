import { expect, test } from "vitest";
import { Random } from "../math/index.ts";
import { BroadPhase, type PairFilter } from "./broadPhase.ts";

const isEmpty = (box: readonly number[]): boolean => [0, 1, 2].some((k) => !(box[k] <= box[k + 3]));

/** All pairs one by one: boxes, then half-spaces by the eight corners of a box. */
function byHand(bounds: Float64Array, isHalfSpace: (shape: number) => boolean, mayTouch: PairFilter): string[] {
  const shapes = bounds.length / 6;
  const box = (i: number) => Array.from(bounds.subarray(6 * i, 6 * i + 6));
  const [boxes, planes]: string[][] = [[], []];
  for (let a = 0; a < shapes; a++) {
    for (let b = a + 1; b < shapes; b++) {
      if ((isHalfSpace(a) && isHalfSpace(b)) || !mayTouch(a, b)) continue;
      if ([a, b].some((shape) => !isHalfSpace(shape) && isEmpty(box(shape)))) continue;
      if (!isHalfSpace(a) && !isHalfSpace(b)) {
        const [p, q] = [box(a), box(b)];
        if ([0, 1, 2].every((k) => p[k] <= q[k + 3] && q[k] <= p[k + 3])) boxes.push(`${a} ${b}`);
        continue;
      }
      const [plane, other] = isHalfSpace(a) ? [box(a), box(b)] : [box(b), box(a)];
      const corners = Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((k) => other[k + 3 * ((i >> k) & 1)]));
      const heights = corners.map((corner) => plane[0] * corner[0] + plane[1] * corner[1] + plane[2] * corner[2]);
      if (Math.min(...heights) <= plane[3]) planes.push(`${a} ${b}`);
    }
  }
  return [...boxes, ...planes];
}

const pairsOf = (broad: BroadPhase): string[] =>
  Array.from({ length: broad.count }, (_, i) => `${broad.first[i]} ${broad.second[i]}`);

/** Pairs with a half-space come by half-space: for comparing, in ascending order. */
const ascending = (pairs: readonly string[]): string[] =>
  [...pairs].sort((p, q) => {
    const [a, b] = [p.split(" ").map(Number), q.split(" ").map(Number)];
    return a[0] - b[0] || a[1] - b[1];
  });

class Crowd {
  readonly centers: Float64Array;
  readonly velocities: Float64Array;
  readonly edges: Float64Array;
  readonly random: Random;

  constructor(seed: number, shapes: number, width: number) {
    this.random = new Random(seed);
    this.centers = Float64Array.from({ length: 3 * shapes }, () => this.random.uniform(0, width));
    this.velocities = Float64Array.from({ length: 3 * shapes }, () => this.random.normal());
    // sizes over three orders of magnitude
    this.edges = Float64Array.from({ length: 3 * shapes }, () => 0.01 * 10 ** this.random.uniform(0, 2.3));
  }

  writeInto(bounds: Float64Array, timestep: number): void {
    for (let i = 0; i < this.centers.length; i++) {
      this.centers[i] += timestep * this.velocities[i];
      const at = 6 * Math.floor(i / 3) + (i % 3);
      const half = this.edges[i] / 2 + timestep * Math.abs(this.velocities[i]);
      bounds[at] = this.centers[i] - half;
      bounds[at + 3] = this.centers[i] + half;
    }
  }
}

test.each([1, 2, 3, 4])("pairs equal those found one by one, whatever moved before, seed %i", (seed) => {
  const shapes = 60;
  const crowd = new Crowd(seed, shapes, 3);
  const { random } = crowd;
  const isHalfSpace = (shape: number): boolean => shape === 7 || shape === 40;
  const mayTouch: PairFilter = (a, b) => (a * 31 + b * 17) % 5 !== 0;
  const broad = new BroadPhase(shapes, { isHalfSpace, mayTouch });
  for (let step = 0; step < 120; step++) {
    // now and then all is elsewhere, faster or slower, or a box is gone
    if (step % 50 === 49) for (let i = 0; i < 3 * shapes; i++) crowd.centers[i] = random.uniform(0, 3);
    if (step % 30 === 29) for (let i = 0; i < 3 * shapes; i++) crowd.velocities[i] = 5 * random.normal() ** 3;
    crowd.writeInto(broad.bounds, step % 40 < 20 ? 0.01 : 0.001);
    if (step % 7 === 3) broad.bounds[6 * (step % shapes)] = Number.NaN;
    if (step % 11 === 3) broad.bounds[6 * ((3 * step) % shapes)] = 1e9;
    for (const plane of [7, 40]) broad.bounds.set([...random.unitVector(), random.uniform(-1, 2)], 6 * plane);
    broad.update();
    const expected = byHand(broad.bounds, isHalfSpace, mayTouch);
    const found = pairsOf(broad);
    expect(ascending(found).join(), `step ${step}`).toBe(ascending(expected).join());
    const ofBoxes = found.filter((pair) => !pair.split(" ").some((shape) => isHalfSpace(Number(shape))));
    expect(found.slice(0, ofBoxes.length).join(), "boxes first, in ascending order").toBe(ascending(ofBoxes).join());
    // the same boxes give the same list in the same order, with no past
    const fresh = new BroadPhase(shapes, { isHalfSpace, mayTouch });
    fresh.bounds.set(broad.bounds);
    fresh.update();
    expect(pairsOf(fresh).join()).toBe(found.join());
  }
});

test("endless boxes and boxes that only touch meet", () => {
  const broad = new BroadPhase(4, { isHalfSpace: (shape) => shape === 3 });
  const endless = Number.POSITIVE_INFINITY;
  broad.bounds.set([0, 0, 0, 1, 1, 1], 0);
  broad.bounds.set([1, 1, 1, 2, 2, 2], 6);
  broad.bounds.set([-endless, -endless, 5, endless, endless, endless], 12);
  broad.bounds.set([0, 0, 1, 5], 18);
  broad.update();
  expect(pairsOf(broad)).toEqual(["0 1", "0 3", "1 3", "2 3"]);
  broad.bounds[6 + 5] = 5;
  broad.update();
  expect(pairsOf(broad)).toEqual(["0 1", "1 2", "0 3", "1 3", "2 3"]);
  // none at all
  const none = new BroadPhase(0);
  none.update();
  expect(none.count).toBe(0);
});

/** Boxes of edge about 1, three apart, that drift at up to some metres per second. */
function drifting(shapes: number, speed: number): { readonly broad: BroadPhase; step(): void } {
  const random = new Random(shapes);
  const side = Math.ceil(Math.cbrt(shapes));
  const broad = new BroadPhase(shapes);
  const velocities = Float64Array.from({ length: 3 * shapes }, () => speed * random.normal());
  const centers = Float64Array.from(velocities, (_, i) => 3 * (Math.floor(Math.floor(i / 3) / side ** (i % 3)) % side));
  const step = (): void => {
    for (let i = 0; i < centers.length; i++) {
      centers[i] += 0.01 * velocities[i];
      const at = 6 * Math.floor(i / 3) + (i % 3);
      broad.bounds[at] = centers[i] - 0.5;
      broad.bounds[at + 3] = centers[i] + 0.5;
    }
    broad.update();
  };
  return { broad, step };
}

test("a search among bodies far apart looks at as many boxes as their logarithm, and few need one", () => {
  for (const shapes of [500, 5000]) {
    const { broad, step } = drifting(shapes, 1);
    step();
    // everything is new: measured 22 and 31, 2.5 levels of a balanced tree each
    const first = broad.comparisons / shapes;
    expect(first).toBeLessThan(4 * Math.log2(shapes));
    // at 1 m/s: measured 1.5 and 2.5 per body and update
    for (let i = 0; i < 40; i++) step();
    expect(broad.comparisons / shapes - first).toBeLessThan(40 * 0.4 * Math.log2(shapes));
  }
  // resting bodies are not searched for at all
  const { broad, step } = drifting(5000, 0);
  step();
  const before = broad.comparisons;
  for (let i = 0; i < 10; i++) step();
  expect(broad.comparisons).toBe(before);
});

test("a shape that was thrown across the world once gets a small box again", () => {
  const { broad, step } = drifting(1000, 0);
  step();
  const measure = (): number => {
    const before = broad.comparisons;
    broad.update();
    return broad.comparisons - before;
  };
  const box = [0, 0, 0, 1e4, 1e4, 1e4];
  broad.bounds.set(box, 0);
  broad.update();
  expect(broad.count).toBe(999);
  broad.bounds.set([0, 0, 0, 1, 1, 1], 0);
  // one search, among few
  expect(measure()).toBeLessThan(200);
  expect(measure()).toBe(0);
});
