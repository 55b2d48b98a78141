/**
 * Every pair of kinds of shapes that is about to touch, with the second in the world and on a body that moves: gradients beside free differences,
 * and forces beside true distances.
 */
import { describe, expect, test } from "vitest";
import { checkGradients, ShapeDistances } from "../../src/index.ts";
import { type FixedKind, groundKinds, type MovingKind, movingKinds, touchingPair } from "./touchingPairs.ts";

type Where = "world" | "moving";
const pairs: [Where, MovingKind, FixedKind][] = [
  ...movingKinds.flatMap((first) =>
    [...movingKinds, ...groundKinds].map((second): [Where, MovingKind, FixedKind] => ["world", first, second]),
  ),
  ...movingKinds.flatMap((first, i) =>
    movingKinds.slice(i).map((second): [Where, MovingKind, FixedKind] => ["moving", first, second]),
  ),
];
describe("gradients of two shapes that are about to touch", () => {
  let [columns, corners] = [0, 0];

  test.each(pairs)("are those of free differences: %s, %s and %s", (where, first, second) => {
    for (const seed of [1, 2]) {
      const { simulation, state } = touchingPair(first, second, where, seed);
      const check = checkGradients(simulation, state, undefined, { relativeKappa: seed === 1 ? 0.1 : 1e-4 });
      expect(check.worst, check.format()).toBeLessThan(1e-6);
      expect(check.free?.worst, check.format()).toBeLessThan(1e-5);
      columns += check.blocks[0].columns;
      corners += check.free?.corners.length ?? 0;
    }
  });

  test("have few corners", () => {
    console.log(`${corners} of ${columns} columns were set aside as corners`);
    expect(corners).toBeLessThan(0.01 * columns);
  });
});

test("what presses in the world touches: of every pair, in three steps from where it is about to", () => {
  const faults: string[] = [];
  let pressing = 0;
  for (const [where, first, second] of pairs) {
    if (where !== "world") continue;
    for (const seed of [1, 2, 3]) {
      const { simulation, mechanism, state } = touchingPair(first, second, where, seed);
      const distances = new ShapeDistances(mechanism);
      let at = state;
      for (let k = 0; k < 3; k++) {
        const { next, status } = simulation.step(at);
        expect(status).toBe("solved");
        at = Float64Array.from(next);
        const force = Math.max(0, ...simulation.touches().map(({ normalForce }) => normalForce));
        if (force < 0.01) continue;
        pressing++;
        const gap = distances.at(at, 0.1)[0]?.distance ?? 0.1;
        if (gap > 2e-7) faults.push(`${first} and ${second}, seed ${seed}: ${force} N across ${gap} m`);
      }
    }
  }
  expect(pressing).toBeGreaterThan(200);
  expect(faults).toEqual([]);
});
