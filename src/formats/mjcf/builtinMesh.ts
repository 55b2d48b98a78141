/**
 * Meshes that MuJoCo's compiler makes from a few numbers (<mesh builtin="sphere" params="2">), of extent 1 about the origin. Convex
 * ones are clouds of points, whose hull is the mesh.
 */
import type { Mesh } from "../triangleMesh.ts";
import { attributeError, readNumberList, type XmlElement } from "../xml.ts";

/** Most vertices of one mesh. */
const MAX_VERTICES = 100_000;

interface Builtin {
  /** What the parameters are, for messages. */
  readonly parameters: string;
  readonly count: number;
  fits(parameters: readonly number[]): boolean;
  make(parameters: readonly number[]): Mesh;
}

const isCount = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most;
/** Round ones have rings of that many vertices, as many rings. */
const isResolution = (value: number): boolean => isCount(value, 3, Math.floor(Math.sqrt(MAX_VERTICES)));

const builtins: Readonly<Record<string, Builtin>> = {
  sphere: {
    parameters: "subdivisions of an icosahedron, 0 to 4",
    count: 1,
    fits: ([subdivisions]) => isCount(subdivisions, 0, 4),
    make: ([subdivisions]) => ({ positions: icosphere(subdivisions) }),
  },
  hemisphere: {
    parameters: "subdivisions of a quadrant, 0 to 10",
    count: 1,
    fits: ([resolution]) => isCount(resolution, 0, 10),
    make: ([resolution]) => ({ positions: hemisphere(resolution + 1) }),
  },
  cone: {
    parameters: "corners, 3 or more, and the radius at the top, 0 to 1",
    count: 2,
    fits: ([corners, radius]) => isCount(corners, 3, MAX_VERTICES) && radius >= 0 && radius <= 1,
    make: ([corners, radius]) => ({ positions: cone(corners, radius) }),
  },
  supersphere: {
    parameters: "vertices around, 3 or more, and two exponents of 0 or more",
    count: 3,
    fits: ([resolution, e, n]) => isResolution(resolution) && e >= 0 && n >= 0,
    make: ([resolution, e, n]) => supersphere(resolution, e, n),
  },
  supertorus: {
    parameters: "vertices around, 3 or more, the smaller radius up to 1, and two exponents above 0",
    count: 4,
    fits: ([resolution, radius, s, t]) => isResolution(resolution) && radius > 0 && radius <= 1 && s > 0 && t > 0,
    make: ([resolution, radius, s, t]) => supertorus(resolution, radius, s, t),
  },
};

/** Kinds that are made; others are for sensors. */
export const builtinKinds: readonly string[] = Object.keys(builtins);

export function builtinMesh(element: XmlElement, kind: string): Mesh {
  const builtin = builtins[kind];
  const parameters = readNumberList(element, "params") ?? [];
  if (parameters.length !== builtin.count || !builtin.fits(parameters))
    throw attributeError(element, "params", `of a ${kind} are ${builtin.parameters}`);
  return builtin.make(parameters);
}

type Point = readonly [number, number, number];

function onSphere([x, y, z]: Point): Point {
  const size = Math.hypot(x, y, z);
  return [x / size, y / size, z / size];
}

/** Corners of an icosahedron and, level by level, the middles of all edges, moved out to the sphere. */
function icosphere(subdivisions: number): number[] {
  const golden = (1 + Math.sqrt(5)) / 2;
  const points: Point[] = [];
  for (const a of [-1, 1]) {
    for (const b of [-golden, golden])
      for (const corner of [
        [a, b, 0],
        [0, a, b],
        [b, 0, a],
      ])
        points.push(onSphere(corner as unknown as Point));
  }
  // neighbours of a corner are the five nearest
  const distance = (i: number, j: number): number => Math.hypot(...points[i].map((entry, k) => entry - points[j][k]));
  const edge = 1.1;
  let faces: number[][] = [];
  for (let i = 0; i < 12; i++) {
    for (let j = i + 1; j < 12; j++) {
      for (let k = j + 1; k < 12; k++)
        if (distance(i, j) < edge && distance(j, k) < edge && distance(i, k) < edge) faces.push([i, j, k]);
    }
  }
  for (let level = 0; level < subdivisions; level++) {
    const middles = new Map<string, number>();
    const middle = (i: number, j: number): number => {
      const key = i < j ? `${i} ${j}` : `${j} ${i}`;
      let index = middles.get(key);
      if (index === undefined) {
        const [a, b] = [points[i], points[j]];
        index = points.push(onSphere([a[0] + b[0], a[1] + b[1], a[2] + b[2]])) - 1;
        middles.set(key, index);
      }
      return index;
    };
    faces = faces.flatMap(([i, j, k]) => {
      const [ij, jk, ki] = [middle(i, j), middle(j, k), middle(k, i)];
      return [
        [i, ij, ki],
        [ij, j, jk],
        [ki, jk, k],
        [ij, jk, ki],
      ];
    });
  }
  return points.flat();
}

/** The upper faces of an octahedron in n parts along each edge, moved out to the sphere. */
function hemisphere(n: number): number[] {
  const points: Point[] = [[0, 0, 0]];
  for (let x = -n; x <= n; x++) {
    for (let y = -n; y <= n; y++) {
      const z = n - Math.abs(x) - Math.abs(y);
      if (z >= 0) points.push(onSphere([x, y, z]));
    }
  }
  return points.flat();
}

/** A polygon at z = −1 and a smaller one, or a tip, at z = 1. */
function cone(corners: number, radius: number): number[] {
  const polygon = (size: number, z: number): number[] =>
    Array.from({ length: size > 0 ? corners : 1 }, (_, i) => {
      const angle = (2 * Math.PI * i) / corners;
      return [size * Math.cos(angle), size * Math.sin(angle), z];
    }).flat();
  return [...polygon(1, -1), ...polygon(radius, 1)];
}

/** |x|ⁿ with the sign of x. */
const signedPower = (x: number, exponent: number): number =>
  Math.abs(x) < ROUNDING ? 0 : Math.sign(x) * Math.abs(x) ** exponent;
const ROUNDING = 1e-12;

/** Rings of n vertices about z with a pole at each end. */
function supersphere(n: number, e: number, northSouth: number): Mesh {
  const rings = Array.from({ length: n - 1 }, (_, i) => -Math.PI / 2 + ((i + 1) * Math.PI) / n);
  const around = Array.from({ length: n }, (_, j) => -Math.PI + (j * 2 * Math.PI) / n);
  const positions = [
    ...[0, 0, -1],
    ...rings.flatMap((v) => {
      const wide = signedPower(Math.cos(v), northSouth);
      return around.flatMap((u) => [
        wide * signedPower(Math.cos(u), e),
        wide * signedPower(Math.sin(u), e),
        signedPower(Math.sin(v), northSouth),
      ]);
    }),
    ...[0, 0, 1],
  ];
  const at = (ring: number, j: number): number => 1 + ring * n + (j % n);
  const north = positions.length / 3 - 1;
  const triangles: number[] = [];
  for (let j = 0; j < n; j++) {
    triangles.push(0, at(0, j + 1), at(0, j));
    for (let ring = 0; ring < n - 2; ring++)
      pushQuad(triangles, at(ring, j), at(ring, j + 1), at(ring + 1, j + 1), at(ring + 1, j));
    triangles.push(at(n - 2, j), at(n - 2, j + 1), north);
  }
  return { positions, triangles };
}

function supertorus(n: number, radius: number, s: number, t: number): Mesh {
  const angles = Array.from({ length: n }, (_, i) => (2 * Math.PI * i) / n);
  const positions = angles.flatMap((u) =>
    angles.flatMap((v) => {
      const wide = 1 + radius * signedPower(Math.cos(v), s);
      return [
        wide * signedPower(Math.cos(u), t),
        wide * signedPower(Math.sin(u), t),
        radius * signedPower(Math.sin(v), s),
      ];
    }),
  );
  const at = (i: number, j: number): number => (i % n) * n + (j % n);
  const triangles: number[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) pushQuad(triangles, at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
  }
  return { positions, triangles };
}

function pushQuad(triangles: number[], a: number, b: number, c: number, d: number): void {
  triangles.push(a, b, c, a, c, d);
}
