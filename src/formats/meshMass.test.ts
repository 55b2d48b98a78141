import { expect, test } from "vitest";
import { hullOf } from "../geometry/index.ts";
import { quaternion, Random } from "../math/index.ts";
import { meshMass } from "./meshMass.ts";

test("the hull of a turned cuboid has the cuboid's volume, centre and moments, from its points and from its faces", () => {
  const random = new Random(4);
  const turn = random.quaternion();
  const size = [0.4, 0.2, 1.1];
  const points = Array.from({ length: 400 }, (_, i) => {
    // corners, points on faces and points inside
    const inside = size.map((edge) => edge * random.uniform(-0.5, 0.5));
    const corner = size.map((edge, k) => edge * (((i >> k) & 1) - 0.5));
    const onFace = inside.map((entry, k) => (k === i % 3 ? corner[k] : entry));
    const [x, y, z] = i < 8 ? corner : i % 2 ? onFace : inside;
    const [a, b, c] = quaternion.rotate(turn, [x, y, z]);
    return [a + 3, b - 2, c + 1];
  });
  const positions = points.flat();
  const hull = hullOf(positions);
  const triangles = hull.faces.flatMap((face) => face.slice(2).flatMap((p, i) => [face[0], face[i + 1], p]));
  const ofPoints = meshMass({ positions }, "convex");
  const ofFaces = meshMass({ positions: hull.vertices, triangles }, "exact");
  const volume = size[0] * size[1] * size[2];
  for (const mass of [ofPoints, ofFaces]) {
    if (!mass) throw new Error("a cuboid has mass");
    expect(mass.volume).toBeCloseTo(volume, 14);
    [3, -2, 1].forEach((entry, k) => {
      expect(mass.center[k]).toBeCloseTo(entry, 13);
    });
    // in the cuboid's directions: m (b² + c²) / 12
    for (let k = 0; k < 3; k++) {
      const axis = quaternion.rotate(turn, [k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0]);
      const moment = mass.inertia.reduce(
        (sum, row, i) => sum + axis[i] * row.reduce((part, entry, j) => part + entry * axis[j], 0),
        0,
      );
      const [b, c] = size.filter((_, j) => j !== k);
      expect(moment).toBeCloseTo((volume * (b * b + c * c)) / 12, 14);
    }
  }
});
