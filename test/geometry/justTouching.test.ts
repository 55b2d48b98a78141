/**
 * Shapes that lie on each other to within rounding, axes along axes as in a stack, on faces up to a hundred times as wide as they are: the
 * distance is the gap, less what a tilt of the upper one takes.
 */
import { expect, test } from "vitest";
import {
  compile,
  floating,
  type Quaternion,
  Random,
  type Shape,
  ShapeDistances,
  type Vector3,
} from "../../src/index.ts";
import { quaternion } from "../../src/math/index.ts";

const onItsSide: Vector3 = [Math.PI / 2, 0, 0];
const upright: Vector3 = [0, 0, 0];

/** Shape, how far it reaches below its middle, and how it is turned. */
const upper: Readonly<Record<string, readonly [Shape, number, Vector3]>> = {
  "a can": [{ kind: "cylinder", radius: 0.5, length: 0.6 }, 0.3, upright],
  "a lying can": [{ kind: "cylinder", radius: 0.3, length: 1 }, 0.3, onItsSide],
  "an ellipsoid": [{ kind: "ellipsoid", radii: [0.5, 0.4, 0.3] }, 0.3, upright],
  "a capsule": [{ kind: "capsule", radius: 0.2, length: 0.6 }, 0.5, upright],
  "a lying capsule": [{ kind: "capsule", radius: 0.2, length: 0.6 }, 0.2, onItsSide],
  "a hull": [{ kind: "hull", points: pyramid(0.5, -0.3, 0.3) }, 0.3, upright],
  "a box": [{ kind: "box", size: [1, 0.8, 0.6] }, 0.3, upright],
  "a sphere": [{ kind: "sphere", radius: 0.3 }, 0.3, upright],
};

/** Shapes as wide as asked for, with a flat top at a height. */
const lower: Readonly<Record<string, (reach: number) => readonly [Shape, number]>> = {
  "a box": (reach) => [{ kind: "box", size: [2 * reach, 2 * reach, 1] }, 0.5],
  "a thin box": (reach) => [{ kind: "box", size: [2 * reach, 2 * reach, 0.01] }, 0.005],
  "a can": (reach) => [{ kind: "cylinder", radius: reach, length: 1 }, 0.5],
  "a disc": (reach) => [{ kind: "cylinder", radius: reach, length: 0.02 }, 0.01],
  "a hull": (reach) => [{ kind: "hull", points: pyramid(reach, 0.5, -1) }, 0.5],
  terrain: (reach) => [
    { kind: "heightField", size: [2 * reach, 2 * reach], heights: [1, 2, 3].map(() => [0.5, 0.5, 0.5]) },
    0.5,
  ],
};

function pyramid(reach: number, base: number, tip: number): Vector3[] {
  return [...[-reach, reach].flatMap((x) => [-reach, reach].map((y): Vector3 => [x, y, base])), [0, 0, tip]];
}

/** Relative to the size of the pair. */
const TOLERANCE = 2e-10;
const POSES = 80;
const pairs = Object.keys(lower).flatMap((below) => Object.keys(upper).map((above) => [above, below] as const));

test.each(pairs)("%s just on %s is as far from it as it is", (above, below) => {
  const random = new Random(17);
  const [shape, half, turn] = upper[above];
  for (const reach of [1.2, 10, 100]) {
    const [ground, top] = lower[below](reach);
    const mechanism = compile({
      timestep: 0.01,
      bodies: {
        a: {
          mass: 1,
          inertia: [
            [1, 0, 0],
            [0, 1, 0],
            [0, 0, 1],
          ],
          shapes: [{ ...shape, contact: true }],
        },
      },
      joints: { a: floating({ parent: "world", child: "a" }) },
      shapes: [{ ...ground, name: "ground", contact: true }],
    });
    const distances = new ShapeDistances(mechanism);
    const chance = (share: number): boolean => random.uniform(0, 1) < share;
    const small = (least: number, most: number): number => (chance(0.5) ? -1 : 1) * 10 ** random.uniform(least, most);
    for (let pose = 0; pose < POSES; pose++) {
      const gap = chance(0.1) ? 0 : small(-15, -7);
      const tilt = chance(0.3) ? 0 : small(-15, -8);
      const tilted = quaternion.fromRotationVector(chance(0.5) ? [0, tilt, 0] : [tilt, 0, 0]);
      const yaw: Quaternion = quaternion.fromRotationVector([0, 0, chance(0.5) ? 0 : random.uniform(-3, 3)]);
      const state = new Float64Array(13);
      const place = Math.max(0, Math.min(reach / 2, reach / 1.42 - 0.75));
      state.set([...[0, 1].map(() => (chance(0.4) ? 0 : random.uniform(-place, place))), top + half + gap]);
      state.set(quaternion.multiply(tilted, quaternion.multiply(yaw, quaternion.fromRotationVector(turn))), 3);
      const [found] = distances.at(state, 0.1);
      const error = Math.abs(found.distance - gap) - 0.8 * Math.abs(tilt);
      expect(error, `reach ${reach}, gap ${gap}, tilt ${tilt}, pose ${state.join(" ")}`).toBeLessThan(
        TOLERANCE * (reach + 1),
      );
    }
  }
});
