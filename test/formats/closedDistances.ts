/** Distances of points from shapes, by formulas of their own: the expectation for those of the engine, of MJCF and of MuJoCo. */
import type { Shape } from "../../src/index.ts";
import { quaternion, type Vector3, vector } from "../../src/math/index.ts";
import { surface } from "../geometry/sampledDepth.ts";

type Triangle = readonly [Vector3, Vector3, Vector3];

const minus = (a: Vector3, b: Vector3): Vector3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vector3, b: Vector3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

function fromSegment(p: Vector3, a: Vector3, b: Vector3): number {
  const way = minus(b, a);
  const t = Math.min(Math.max(dot(minus(p, a), way) / dot(way, way), 0), 1);
  return vector.norm(minus(minus(p, a), vector.scale(way, t)));
}

function fromTriangle(p: Vector3, [a, b, c]: Triangle): number {
  const normal = vector.normalize(vector.cross(minus(b, a), minus(c, a)));
  const sides: [Vector3, Vector3][] = [
    [a, b],
    [b, c],
    [c, a],
  ];
  if (sides.every(([from, to]) => dot(vector.cross(normal, minus(to, from)), minus(p, from)) >= 0))
    return Math.abs(dot(normal, minus(p, a)));
  return Math.min(...sides.map(([from, to]) => fromSegment(p, from, to)));
}

/** Triangles of three points with all others on one side: on faces with more corners they overlap, and cover them. */
function outside(points: readonly Vector3[]): Triangle[] {
  const triangles: Triangle[] = [];
  for (let i = 0; i < points.length; i++) {
    for (let j = 0; j < i; j++) {
      for (let k = 0; k < j; k++) {
        const triangle: Triangle = [points[i], points[j], points[k]];
        const normal = vector.cross(minus(points[j], points[i]), minus(points[k], points[i]));
        const heights = points.map((point) => dot(normal, minus(point, points[i])));
        if (Math.min(...heights) > -1e-12 || Math.max(...heights) < 1e-12) triangles.push(triangle);
      }
    }
  }
  return triangles;
}

function surfaceOf({
  size,
  heights,
}: {
  size: readonly [number, number];
  heights: readonly (readonly number[])[];
}): Triangle[] {
  const at = (i: number, j: number): Vector3 => [
    (i / (heights[0].length - 1) - 0.5) * size[0],
    (j / (heights.length - 1) - 0.5) * size[1],
    heights[j][i],
  ];
  return heights.slice(1).flatMap((row, j) =>
    row.slice(1).flatMap((_, i): Triangle[] => [
      [at(i, j), at(i + 1, j), at(i + 1, j + 1)],
      [at(i, j), at(i + 1, j + 1), at(i, j + 1)],
    ]),
  );
}

/** Distance of a point outside of a shape of the world from it. */
export function closedDistance(shape: Shape, point: Vector3): number {
  const { position = [0, 0, 0], orientation = [1, 0, 0, 0] } = shape;
  const p = quaternion.rotate(quaternion.conjugate(orientation), minus(point, position));
  switch (shape.kind) {
    case "sphere":
      return vector.norm(p) - shape.radius;
    case "capsule":
      return fromSegment(p, [0, 0, -shape.length / 2], [0, 0, shape.length / 2]) - shape.radius;
    case "box":
      return Math.hypot(...shape.size.map((side, k) => Math.max(Math.abs(p[k]) - side / 2, 0)));
    case "cylinder":
      return Math.hypot(
        Math.max(Math.hypot(p[0], p[1]) - shape.radius, 0),
        Math.max(Math.abs(p[2]) - shape.length / 2, 0),
      );
    case "ellipsoid": {
      // the foot is at r²x/(r² + t), with the t > 0 that puts it on the surface
      let [low, high] = [0, 100];
      const foot = (t: number) => shape.radii.map((r, k) => (r * r * p[k]) / (r * r + t)) as unknown as Vector3;
      for (let k = 0; k < 200; k++) {
        const t = (low + high) / 2;
        if (Math.hypot(...foot(t).map((x, axis) => x / shape.radii[axis])) > 1) low = t;
        else high = t;
      }
      return vector.norm(minus(p, foot(low)));
    }
    case "halfSpace":
      return p[2];
    case "hull":
      return Math.min(...outside(shape.points as Vector3[]).map((triangle) => fromTriangle(p, triangle)));
    case "heightField": {
      const distance = Math.min(...surfaceOf(shape).map((triangle) => fromTriangle(p, triangle)));
      return p[2] < surface(shape, p[0], p[1]) ? -distance : distance;
    }
  }
}
