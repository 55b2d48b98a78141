/** Cylinders and coins that land on a floor and on a slab whose edges they reach beyond: gradients beside free differences. */
import { expect, test } from "vitest";
import { checkGradients, compile, cylinder, floating, maximalState, type Shape, Simulation } from "../../src/index.ts";
import { Random } from "../../src/math/index.ts";

const contact = { frictionCoefficient: 0.5 };
const floor: Shape = { kind: "halfSpace", name: "floor", contact };
const slab: Shape = { kind: "box", name: "slab", size: [0.3, 0.25, 1], position: [0, 0, -0.5], contact };

/** Whether the step holds points that were found where it ends: these are not differentiated. */
function hasPointsOfItsEnd({ touching }: Simulation): boolean {
  const found = touching?.features;
  return found?.round.subarray(0, found.count).some((round) => round > 0) ?? false;
}

test.each([
  ["a can on a floor", 0.2, floor],
  ["a can on a slab", 0.2, slab],
  ["a coin on a floor", 0.03, floor],
  ["a coin on a slab", 0.03, slab],
])("%s", (what, length, ground) => {
  const body = cylinder({ radius: 0.1, length, mass: 1, contact });
  const joints = { base: floating({ parent: "world", child: "a" }) };
  const mechanism = compile({ timestep: 0.01, bodies: { a: body }, joints, shapes: [ground] });
  let [checked, left] = [0, 0];
  for (const seed of [1, 2, 3]) {
    const random = new Random(seed + (ground === slab ? 100 : 0));
    const near = (size: number): number => size * random.normal();
    const start = {
      position: [near(0.06), near(0.06), length / 2 + 0.03, near(0.15), near(0.15), 0],
      velocity: [near(0.2), near(0.2), -0.5, near(1), near(1), near(1)],
    };
    const simulation = new Simulation(mechanism);
    let state = maximalState(mechanism, { base: start });
    for (let k = 0; k < 8; k++) {
      const next = Float64Array.from(simulation.step(state).next);
      const isTouching = simulation.touches().some(({ normalForce }) => normalForce > 0.1);
      if (isTouching && hasPointsOfItsEnd(simulation)) left++;
      else if (isTouching) {
        checked++;
        const check = checkGradients(new Simulation(mechanism), state, undefined, { relativeKappa: 1e-3 });
        expect(check.worst, check.format()).toBeLessThan(1e-6);
        expect(check.free?.worst, `seed ${seed}, step ${k}\n${check.format()}`).toBeLessThan(1e-5);
        expect(check.free?.corners).toEqual([]);
      }
      state = next;
    }
  }
  console.log(`${what}: ${checked} steps checked, ${left} left out`);
  expect(checked).toBeGreaterThan(left);
});
