/** The spheres with which an ellipsoid of a file touches a floor, against the ellipsoid itself. */
import { expect, test } from "vitest";
import { importMjcf } from "../../src/index.ts";

const sizes = [
  [0.1, 0.1, 0.1],
  [0.3, 0.1, 0.1],
  [0.1, 0.3, 0.1],
  [0.1, 0.1, 0.3],
  [0.3, 0.3, 0.1],
  [0.1, 0.2, 0.3],
  [0.3, 0.1, 0.2],
  [0.2, 0.3, 0.1],
] as const;

test.each(sizes)("an ellipsoid of radii %d, %d and %d is touched where it ends along its axes", (...radii) => {
  const { description, warnings } = importMjcf(`
    <mujoco><worldbody>
      <geom type="plane" size="1 1 1"/>
      <body pos="0 0 1"><freejoint/><geom type="ellipsoid" size="${radii.join(" ")}"/></body>
    </worldbody></mujoco>`);
  const contacts = description.contacts ?? [];
  const shortest = Math.min(...radii);
  const points = contacts.map(({ point }) => point ?? [0, 0, 0]);
  for (const { radius } of contacts) expect(radius).toBeCloseTo(shortest, 12);
  for (const axis of [0, 1, 2])
    for (const side of [-1, 1])
      expect(Math.max(...points.map((point) => side * point[axis])) + shortest, `${axis}`).toBeCloseTo(radii[axis], 12);
  // centres on the ellipse that is as much smaller as the spheres are thick, or in the middle
  for (const point of points) {
    const shares = point.map((entry, axis) => (entry === 0 ? 0 : entry / (radii[axis] - shortest)));
    const distance = Math.hypot(...shares);
    expect(Math.min(Math.abs(distance - 1), distance)).toBeLessThan(1e-12);
  }
  const keys = new Set(points.map((point) => point.map((entry) => entry.toFixed(9)).join(" ")));
  expect(keys.size).toBe(points.length);
  const longer = radii.filter((radius) => radius > shortest).length;
  expect(points.length).toBe([1, 3, 8][longer]);
  expect(warnings.map(({ code }) => code)).toEqual(["adjusted"]);
});
