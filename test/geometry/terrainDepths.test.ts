/** What has just gone into sharp hills is in them by no more than it takes to lift it out again: ways past its other sides are no depths. */
import { expect, test } from "vitest";
import {
  placementBetween,
  placementSize,
  prepareShape,
  type ShapeDimensions,
  signedDistance,
} from "../../src/geometry/index.ts";
import { Random } from "../../src/math/index.ts";

const count = 15;
const ground = Float64Array.of(0, 0, 0, 1, 0, 0, 0);
/** Where a shape that comes down is taken to touch, m. */
const touches = 1e-9;
/** Parts that go the same way out as the shortest count up to three times as deep. */
const deeper = 3;
/** Up to which depth no part is taken for another side, m: a thousandth of the largest shape. */
const shallow = 5e-4;

const dimensions = (kind: string, random: Random): ShapeDimensions => {
  const length = (): number => random.uniform(0.15, 0.5);
  if (kind === "box") return { kind, size: [length(), length(), length()] };
  if (kind === "capsule") return { kind, radius: length() / 4, length: length() };
  if (kind === "cylinder") return { kind, radius: length() / 2, length: length() };
  if (kind === "ellipsoid") return { kind, radii: [length() / 2, length() / 2, length() / 2] };
  const corner = (radius: number): [number, number, number] => {
    const [x, y, z] = random.unitVector();
    return [radius * x, radius * y, radius * z];
  };
  return { kind: "hull", points: Array.from({ length: 12 }, () => corner(length() / 2)) };
};

test.each(["capsule", "box", "hull", "cylinder", "ellipsoid"])("a %s lowered onto sharp hills", (kind) => {
  const random = new Random(5);
  let compared = 0;
  for (let scene = 0; scene < 250; scene++) {
    const cell = random.uniform(0.08, 0.4);
    const height = (): number => cell * random.uniform(-1.5, 1.5);
    const heights = Array.from({ length: count }, () => Array.from({ length: count }, height));
    const terrain = prepareShape({ kind: "heightField", size: [(count - 1) * cell, (count - 1) * cell], heights });
    const shape = prepareShape(dimensions(kind, random));
    const [x, y] = [random.uniform(-cell, cell), random.uniform(-cell, cell)];
    const turn = random.quaternion();
    const distanceAt = (z: number): number => {
      const pose = Float64Array.of(x, y, z, ...turn);
      return signedDistance(shape, terrain, placementBetween(new Float64Array(placementSize), pose, 0, ground, 0));
    };
    // down by as much as there is room below
    let z = 1.5 * cell + 1;
    let room = distanceAt(z);
    for (let k = 0; k < 1000 && room > touches; k++) {
      z -= room;
      room = distanceAt(z);
    }
    expect(room, `scene ${scene}`).toBeLessThan(touches);
    for (const by of [1e-4, 1e-3, 5e-3]) {
      const distance = distanceAt(z - by);
      expect(distance, `scene ${scene}, ${by} m down`).toBeLessThan(touches);
      expect(-distance, `scene ${scene}, ${by} m down`).toBeLessThan(deeper * (by + touches) + shallow);
      compared++;
    }
  }
  expect(compared).toBe(750);
});
