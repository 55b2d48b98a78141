import { expect, test } from "vitest";
import { type Quaternion, quaternion, Random, type Vector3, vector } from "../math/index.ts";
import { largestSeparation } from "./largestSeparation.ts";
import { roundSet } from "./roundSet.ts";

/** F of a disc of radius 1 with axis a, and a line along x whose nearest point is at −d: n = (0, sin φ, cos φ). */
function separation(a: readonly number[], d: readonly number[], phi: number): number {
  const n = [0, Math.sin(phi), Math.cos(phi)];
  const along = n.reduce((sum, entry, k) => sum + entry * a[k], 0);
  return n.reduce((sum, entry, k) => sum + entry * d[k], 0) - Math.sqrt(Math.max(0, 1 - along ** 2));
}

/** Its maximum, by a scan that narrows: F is concave in the half turn about it. */
function scanned(a: readonly number[], d: readonly number[]): number {
  let [middle, width] = [0, Math.PI / 2];
  for (let round = 0; round < 60; round++, width *= 0.7) {
    const angles = [-1, -0.5, 0, 0.5, 1].map((part) => middle + part * width);
    middle = angles.reduce((best, phi) => (separation(a, d, phi) > separation(a, d, best) ? phi : best));
  }
  return separation(a, d, middle);
}

test("a disc that has turned until it lies nearly flat on a line is as far from it as it is", () => {
  let most = 0;
  for (const tilt of [1e-4, 1e-3, 5e-3, 0.02, 0.1])
    for (const aside of [-0.9, -0.5, 0, 0.3, 0.8])
      for (const turn of [-0.4, -0.2, 0.1, 0.3]) {
        const a = [Math.sin(tilt), 0, Math.cos(tilt)];
        const d = [0, aside, 0.5];
        const matrix = a.map((x, i) => a.map((y, j) => (i === j ? 1 : 0) - x * y));
        const start = [0, Math.sin(turn), Math.cos(turn)];
        const { value } = largestSeparation({ between: d, sets: [roundSet(matrix)], along: [1, 0, 0] }, start);
        most = Math.max(most, Math.abs((value as number) - scanned(a, d)));
      }
  expect(most).toBeLessThan(1e-9);
});

test("a disc that lies flat on a line, seen along its axis: rounding may make nᵀM n less than nothing", () => {
  const random = new Random(1);
  const [radius, height] = [0.026, 0.04];
  let negative = 0;
  for (let k = 0; k < 500; k++) {
    const turn = rotation(quaternion.normalize([random.normal(), random.normal(), random.normal(), random.normal()]));
    const [along, , a] = [0, 1, 2].map((j) => turn.map((row) => row[j]));
    // R M Rᵀ, as the equations have it
    const half = turn.map(([x, y]) => [radius ** 2 * x, radius ** 2 * y, 0]);
    const matrix = turn.map((row) => half.map((other) => vector.dot(asVector(row), asVector(other))));
    if (vector.dot(asVector(a), asVector(matrix.map((row) => vector.dot(asVector(row), asVector(a))))) < 0) negative++;
    const problem = { between: a.map((entry) => height * entry), sets: [roundSet(matrix)], along };
    const { value, normal } = largestSeparation(problem, a);
    expect(value).toBeCloseTo(height, 9);
    expect(vector.dot(asVector(normal as number[]), asVector(a))).toBeCloseTo(1, 6);
  }
  expect(negative).toBeGreaterThan(25);
});

test("a disc and a ball are as far apart as the disc is from its centre, less its radius, wherever the search begins", () => {
  const random = new Random(2);
  const direction = (): Vector3 => vector.normalize([random.normal(), random.normal(), random.normal()]);
  let inside = 0;
  for (let k = 0; k < 400; k++) {
    const [axis, start] = [direction(), direction()];
    // over the disc, beside it, and far from it
    const aside = vector.normalize(vector.cross(axis, direction()));
    const [height, along] = [0.15 + random.uniform(), 2 * random.uniform()];
    const d = vector.add(vector.scale(axis, height), vector.scale(aside, along));
    const disc = axis.map((x, i) => axis.map((y, j) => (i === j ? 1 : 0) - x * y));
    const ball = [0, 1, 2].map((i) => [0, 1, 2].map((j) => (i === j ? 0.04 : 0)));
    const { value, normal } = largestSeparation({ between: d, sets: [roundSet(disc), roundSet(ball)] }, start);
    const over = Math.max(0, along - 1);
    expect(value).toBeCloseTo(Math.hypot(height, over) - 0.2, 9);
    const nearest = vector.normalize(vector.add(vector.scale(axis, height), vector.scale(aside, over)));
    expect(vector.norm(vector.sub(asVector(normal as number[]), nearest))).toBeLessThan(1e-5);
    if (over === 0) inside++;
  }
  expect(inside).toBeGreaterThan(100);
});

test("of two discs that are apart, the planes that part them most are found from normals that do not part them", () => {
  const random = new Random(3);
  const direction = (): Vector3 => vector.normalize([random.normal(), random.normal(), random.normal()]);
  const discOf = (axis: Vector3, r: number) =>
    roundSet(axis.map((x, i) => axis.map((y, j) => r * r * ((i === j ? 1 : 0) - x * y))));
  let off = 0;
  for (let k = 0; k < 200; k++) {
    const [a, b, d, r] = [direction(), direction(), vector.scale(direction(), 0.8 + 2 * random.uniform()), 0.6];
    const reach = (axis: Vector3, radius: number, n: Vector3) => radius * vector.norm(vector.cross(axis, n));
    const separation = (n: Vector3): number => vector.dot(n, d) - reach(a, 1, n) - reach(b, r, n);
    let best = vector.normalize(d);
    for (let i = 0; i < 100; i++) best = [direction(), best].reduce((x, y) => (separation(x) > separation(y) ? x : y));
    for (let size = 0.5; size > 1e-7; size *= 0.9)
      for (let i = 0; i < 12; i++) {
        const moved = vector.normalize(vector.add(best, vector.scale(direction(), size)));
        if (separation(moved) > separation(best)) best = moved;
      }
    if (separation(best) < 0) continue;
    const { value } = largestSeparation({ between: d, sets: [discOf(a, 1), discOf(b, r)] }, direction());
    if (Math.abs((value as number) - separation(best)) > 1e-5) off++;
  }
  expect(off).toBeLessThanOrEqual(4);
});

const asVector = ([x, y, z]: readonly number[]): Vector3 => [x, y, z];

function rotation(q: Quaternion): number[][] {
  const columns = (
    [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ] as const
  ).map((axis) => quaternion.rotate(q, axis));
  return [0, 1, 2].map((i) => columns.map((column) => column[i]));
}
