import { describe, expect, test } from "vitest";
import { quaternion, Random, type Vector3 } from "../math/index.ts";
import { loopArea, loopPlane } from "./facePlane.ts";
import { type Hull, HullError, hullOf } from "./hull.ts";
import { Orientation } from "./orientation.ts";
import { polyhedron } from "./polyhedron.ts";

/** Points of an n × n × n grid that lie on the surface of a cube of edge 1. */
function gridOnCube(n: number): Vector3[] {
  const all = Array.from({ length: (n + 1) ** 3 }, (_, i) => [
    i % (n + 1),
    Math.floor(i / (n + 1)) % (n + 1),
    Math.floor(i / (n + 1) ** 2),
  ]);
  return all
    .filter((point) => point.some((entry) => entry === 0 || entry === n))
    .map(([x, y, z]): Vector3 => [x / n - 0.5, y / n - 0.5, z / n - 0.5]);
}

function prism(sides: number): Vector3[] {
  return Array.from({ length: 3 * sides }, (_, i): Vector3 => {
    const angle = (2 * Math.PI * (i % sides)) / sides;
    return [Math.cos(angle), Math.sin(angle), Math.floor(i / sides) - 1];
  });
}

const moved = (points: readonly Vector3[], change: (entry: number) => number, turn = new Random(5).quaternion()) =>
  points.map((point) => quaternion.rotate(turn, point).map(change) as unknown as Vector3);

/** Six times the volume of the pyramids over all faces. */
function volume({ vertices, faces }: Hull): number {
  const from = vertices.subarray(0, 3);
  return faces.reduce((sum, face) => {
    const area = loopArea(vertices, face);
    const p = 3 * face[0];
    return (
      sum +
      (area[0] * (vertices[p] - from[0]) +
        area[1] * (vertices[p + 1] - from[1]) +
        area[2] * (vertices[p + 2] - from[2])) /
        6
    );
  }, 0);
}

/** How far a point stands out, in extents. */
function standsOut(hull: Hull, points: readonly Vector3[]): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const face of hull.faces) {
    const [x, y, z, offset] = loopPlane(hull.vertices, face);
    for (const point of points) most = Math.max(most, x * point[0] + y * point[1] + z * point[2] - offset);
  }
  const extent = Math.max(
    ...[0, 1, 2].map((k) => {
      const entries = points.map((point) => point[k]);
      return entries.reduce((a, b) => Math.max(a, b)) - entries.reduce((a, b) => Math.min(a, b));
    }),
  );
  return most / extent;
}

const random = new Random(11);
/** Coordinates as a mesh file has them: 24 bits, half a unit of the last is 6e-8. */
const single = Math.fround;
const cube = gridOnCube(6);
const shapes: readonly (readonly [string, readonly Vector3[], number, number, number])[] = [
  ["a cube", gridOnCube(1), 8, 6, 1],
  ["a cube with points on its faces and edges", cube, 8, 6, 1],
  ["a turned one", moved(cube, (x) => x), 8, 6, 1],
  ["a turned one in single precision", moved(cube, single), 8, 6, 1],
  ["one a nanometre wide", moved(cube, (x) => 1e-9 * x), 8, 6, 1e-27],
  ["one of 1e80 m", moved(cube, (x) => 1e80 * x), 8, 6, 1e240],
  ["one a million metres away", moved(cube, (x) => x + 1e6), 8, 6, 1],
  ["one with noise of rounding errors", moved(cube, (x) => x + 1e-15 * random.normal()), 8, 6, 1],
  ["one with noise of 1e-9", moved(cube, (x) => x + 1e-9 * random.normal()), 8, 6, 1],
  ["every point five times", moved([...cube, ...cube, ...cube, ...cube, ...cube], (x) => x), 8, 6, 1],
  [
    "a plate a ten-thousandth thick",
    moved(
      cube.map(([x, y, z]): Vector3 => [x, y, 1e-4 * z]),
      (x) => x,
    ),
    8,
    6,
    1e-4,
  ],
  [
    "a needle",
    moved(
      cube.map(([x, y, z]): Vector3 => [x, 1e-4 * y, 1e-4 * z]),
      (x) => x,
    ),
    8,
    6,
    1e-8,
  ],
  ["a prism of 64 sides", prism(64), 128, 66, 64 * Math.sin((2 * Math.PI) / 64)],
  ["the same in single precision", moved(prism(64), single), 128, 66, 64 * Math.sin((2 * Math.PI) / 64)],
];

test.each(shapes)("%s has its corners, its flat faces and its volume", (_, points, corners, faces, expected) => {
  const hull = hullOf(points.flat());
  expect(hull.sources).toHaveLength(corners);
  expect(hull.faces).toHaveLength(faces);
  expect(hull.deviation).toBe(0);
  // points of single precision, and those a million metres away, are off by 1e-7 and 1e-10
  expect(Math.abs(volume(hull) / expected - 1)).toBeLessThan(3e-7);
  // merged faces may leave points out by the tolerance
  expect(standsOut(hull, points)).toBeLessThan(3e-7);
  hull.sources.forEach((point, i) => {
    expect(Array.from(hull.vertices.subarray(3 * i, 3 * i + 3))).toEqual([...points[point]]);
  });
});

test.each([1, 2, 3, 4, 5, 6])("clouds have closed hulls that hold all points, seed %i", (seed) => {
  const stream = new Random(seed);
  // some in planes, on lines and on top of each other
  const points = Array.from({ length: 40 * seed }, (): Vector3 => {
    const point = [stream.normal(), stream.normal(), stream.normal()].map((x) =>
      stream.uniform() < 0.5 ? Math.round(2 * x) / 2 : x,
    );
    return point as unknown as Vector3;
  });
  const hull = hullOf(points.flat());
  const { vertexCount, edgeCount, faceCount } = polyhedron(hull.vertices, hull.faces);
  expect(vertexCount - edgeCount + faceCount).toBe(2);
  expect(standsOut(hull, points)).toBeLessThan(3e-7);
  // with fewer points it is smaller
  const fewer = hullOf(hull.sources.slice(1).flatMap((p) => [...points[p]]));
  expect(volume(fewer)).toBeLessThan(volume(hull));
});

test("points of a ball are all corners, and the volume is that of the triangles", () => {
  const stream = new Random(3);
  const points = Array.from({ length: 1000 }, () => stream.unitVector());
  const hull = hullOf(points.flat());
  expect(hull.sources).toHaveLength(1000);
  // n random points on a ball leave caps of about 4π/n each outside; their hull lacks some 10/n of the volume
  expect(volume(hull)).toBeGreaterThan((4 / 3) * Math.PI * (1 - 15 / 1000));
  expect(volume(hull)).toBeLessThan((4 / 3) * Math.PI);
});

describe("a hull with fewer corners", () => {
  const stream = new Random(9);
  const points = Array.from({ length: 800 }, () => stream.unitVector());

  test.each([4, 12, 50])("%i corners lie inside, and how far the rest stands out is told", (maxVertices) => {
    const hull = hullOf(points.flat(), { maxVertices });
    expect(hull.sources.length).toBeLessThanOrEqual(maxVertices);
    expect(hull.sources.length).toBeGreaterThan(0.8 * maxVertices);
    expect(2 * standsOut(hull, points)).toBeCloseTo(hull.deviation, 2);
    expect(hull.deviation).toBeLessThan(4 / maxVertices + 0.1);
  });

  test("a cube keeps its corners, and loses nothing", () => {
    const hull = hullOf(moved(cube, (x) => x).flat(), { maxVertices: 8 });
    expect(hull.sources).toHaveLength(8);
    expect(hull.deviation).toBeLessThan(1e-15);
  });
});

describe("what has no hull is refused", () => {
  const line = Array.from({ length: 9 }, (_, i): Vector3 => [i, 2 * i, -i]);
  const disc = Array.from({ length: 9 }, (_, i): Vector3 => [Math.cos(i), Math.sin(i), 0.3 * Math.cos(i)]);
  const refused: readonly (readonly [string, readonly Vector3[], string])[] = [
    ["nothing", [], "0 points have no volume: give four or more"],
    ["three points", line.slice(0, 3), "3 points have no volume: give four or more"],
    ["one point many times", line.map(() => line[1]), "all 9 points are one"],
    ["a line", line, "all points lie on a line"],
    ["a disc", disc, "all points lie in a plane"],
    [
      "a disc off its plane by less than files can say",
      disc.map(([x, y, z], i): Vector3 => [x, y, z + 1e-7 * (i % 2)]),
      "all points lie in a plane",
    ],
    ["not a number", [...disc, [0, Number.NaN, 0]], "point 9 is not finite"],
    ["too far apart", [...disc, [1e308, 0, 0], [-1e308, 0, 0]], "farther apart than numbers go"],
  ];
  test.each(refused)("%s", (_, points, message) => {
    expect(() => hullOf(points.flat())).toThrow(HullError);
    expect(() => hullOf(points.flat())).toThrow(message);
  });
  test("less than four corners", () => {
    expect(() => hullOf(cube.flat(), { maxVertices: 3 })).toThrow("a hull has four corners or more");
  });
});

test("sides of planes are exact where doubles round", () => {
  const stream = new Random(21);
  const digits = (): number => stream.integer(9) - 4;
  for (let i = 0; i < 300; i++) {
    // a plane a + s u + t v with small integers, far away and finely scaled, which doubles hold exactly
    const [a, u, v] = [0, 1, 2].map(() => [digits(), digits(), digits()]);
    const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const k = normal.findIndex((entry) => entry !== 0);
    if (k < 0) continue;
    const [s, t] = [digits(), digits()];
    const far = 2 ** 40;
    const base = a.map((entry) => far + entry);
    const at = (s1: number, t1: number): number[] => base.map((entry, j) => entry + s1 * u[j] + t1 * v[j]);
    const p = at(s, t);
    const nudged = p.map((entry, j) => (j === k ? entry + 2 ** -12 : entry));
    const orientation = new Orientation([...base, ...at(1, 0), ...at(0, 1), ...p, ...nudged]);
    expect(orientation.side(0, 1, 2, 3)).toBe(0);
    expect(orientation.side(0, 1, 2, 4)).toBe(Math.sign(normal[k]));
    expect(orientation.side(0, 2, 1, 4)).toBe(-Math.sign(normal[k]));
  }
  // below the smallest normal number too
  const tiny = 2 ** -1074;
  expect(new Orientation([0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 7, tiny]).side(0, 1, 2, 3)).toBe(1);
  expect(new Orientation([0, 0, 0, 1e300, 0, 0, 0, 1e300, 0, 5, 7, -1e300]).side(0, 1, 2, 3)).toBe(-1);
});

test("the volume is that of the hull of all points, also where corners are cut off", () => {
  const octahedron = [0, 1, 2].flatMap((k) => [-3, 3].map((x) => [0, 1, 2].map((i) => (i === k ? x : 0))));
  const shifted = octahedron.map(([x, y, z]) => [x + 5, y - 2, z + 0.5]);
  const inside = [[5, -2, 0.5]];
  for (const points of [octahedron, [...shifted, ...inside]])
    for (const maxVertices of [6, 5]) expect(hullOf(points.flat(), { maxVertices }).volume).toBeCloseTo(36, 12);
});
