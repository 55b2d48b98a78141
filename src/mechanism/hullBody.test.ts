import { expect, test } from "vitest";
import type { Vector3 } from "./description.ts";
import { hull } from "./hullBody.ts";
import { box } from "./shapes.ts";
import { faultsOf } from "./validation.ts";

test("the hull of a box's corners, wherever they are, is the box", () => {
  const size: Vector3 = [0.3, 0.5, 0.2];
  const corners = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => [x, y, z])));
  const points = corners.map(
    (corner) => corner.map((sign, k) => (sign * size[k]) / 2 + [3, -2, 1][k]) as unknown as Vector3,
  );
  const made = hull({ points: [...points, [3, -2, 1]], mass: 2, contact: true });
  const same = box({ size, mass: 2 });
  made.inertia.flat().forEach((entry, i) => {
    expect(entry).toBeCloseTo(same.inertia.flat()[i], 12);
  });
  const [shape] = made.shapes ?? [];
  if (shape?.kind !== "hull") throw new Error("no hull");
  expect(shape.points[0].map((entry) => Math.abs(entry))).toEqual(size.map((entry) => expect.closeTo(entry / 2, 12)));
});

test("a tetrahedron with legs a along the axes: I = 3/80 m a² · 2 on the diagonal", () => {
  const points: Vector3[] = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const { inertia } = hull({ points, mass: 1 });
  // moments of a right tetrahedron about its centre: ∫x² = 1/10 − 1/16, ∫xy = 1/20 − 1/16
  expect(inertia[0][0]).toBeCloseTo(2 * (1 / 10 - 1 / 16), 12);
  expect(inertia[0][1]).toBeCloseTo(-(1 / 20 - 1 / 16), 12);
});

test("flat points are a fault of the description", () => {
  const flat = hull({ points: [0, 1, 2, 3].map((i): Vector3 => [i, i * i, 0]), mass: 1 });
  expect(faultsOf({ timestep: 0.01, bodies: { flat }, joints: {} }).map(({ code }) => code)).toContain("flat-hull");
});
