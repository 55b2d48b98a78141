/** Steps with all kinds of contact features at once: the same bits on every target, and gradients that agree in all their forms. */
import { expect, test } from "vitest";
import { featureKinds } from "../../src/geometry/index.ts";
import {
  interpreter,
  javascript,
  pullback,
  pushforward,
  Random,
  Simulation,
  stepGradients,
  webassembly,
} from "../../src/index.ts";
import { relativeError } from "../gradients/differences.ts";
import { flyingPair, randomPlacement, stateOf } from "./featureScenes.ts";
import { anyFeature } from "./roundOracle.ts";

/** One contact of each kind between two bodies that fly towards each other. */
function scene(): { mechanism: ReturnType<typeof flyingPair>; state: Float64Array } {
  const random = new Random(5);
  const [first, second] = [randomPlacement(random, 0.2), randomPlacement(random, 0.2)];
  const contacts = featureKinds.map((feature) => ({
    feature,
    values: anyFeature(random, feature, second, first, random.uniform(1e-3, 0.02)),
    frictionCoefficient: 0.4,
  }));
  const velocity = (): number[] => Array.from({ length: 6 }, () => 0.5 * random.normal());
  return { mechanism: flyingPair(contacts, true), state: stateOf([first, second], [velocity(), velocity()]) };
}

test("the three targets take the same steps, to the last bit", () => {
  const { mechanism, state } = scene();
  const runs = [webassembly, javascript, interpreter].map((target) => {
    const { states, solved } = new Simulation(mechanism, { target }).rollout(state, { steps: 10 });
    expect(solved).toBe(true);
    return states;
  });
  expect(runs[0].length).toBe(11);
  // they meet
  expect(Math.abs(runs[0][10][7] - state[7])).toBeGreaterThan(0.01);
  for (const other of runs.slice(1)) expect(other).toEqual(runs[0]);
});

test("cotangents and tangents of a step are rows and columns of its Jacobian", () => {
  const { mechanism, state } = scene();
  const simulation = new Simulation(mechanism);
  const kappa = 1e-3;
  const size = 12 * mechanism.bodies.length;
  const { dNext_dState } = stepGradients(simulation, state, new Float64Array(0), { kappa });
  const trajectory = simulation.rollout(state, { steps: 1, gradients: { kappa } });
  const random = new Random(6);
  const [bar, direction] = [0, 1].map(() => Float64Array.from({ length: size }, () => random.normal()));
  const back = pullback(trajectory, [undefined, bar]);
  const [, forth] = pushforward(trajectory, { state: direction });
  const entry = (i: number, j: number): number => dNext_dState[size * i + j];
  const sum = (f: (k: number) => number): number =>
    Array.from({ length: size }, (_, k) => f(k)).reduce((a, b) => a + b);
  const rows = Float64Array.from({ length: size }, (_, j) => sum((i) => bar[i] * entry(i, j)));
  const columns = Float64Array.from({ length: size }, (_, i) => sum((j) => entry(i, j) * direction[j]));
  // sums of 24 products, of solves with the same factors
  expect(relativeError(back.state, rows)).toBeLessThan(1e-9);
  expect(relativeError(forth, columns)).toBeLessThan(1e-9);
});
