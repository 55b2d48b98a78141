/** Steps of shapes that touch which are taken in halves: with gradients they end where they end without, and their gradients go through the halves. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  checkGradients,
  compile,
  linearize,
  pullback,
  pushforward,
  Simulation,
  scenes,
  startState,
  stepGradients,
} from "../../src/index.ts";
import { Random } from "../../src/math/index.ts";

/** Poured into a narrow bin in long steps: a few of them need halves, and halves of halves. */
const mechanism = compile(scenes.pile({ count: 10, width: 0.16, timestep: 0.01, frictionCoefficient: 0.8 }));
const input = new Float64Array(0);
const steps = 52;
const parameters = [
  ...["bodies.body2.mass", "timestep", "gravity.z", "bodies.body0.centerOfMass.y"],
  ...[
    "contacts.*.frictionCoefficient",
    "surfaces.*.*.frictionCoefficient",
    "surfaces.world.shape0.frictionCoefficient",
  ],
];

/** One for all, which knows nothing of what it did before: a second one takes as long to make as some steps. */
const shared = new Simulation(mechanism);
const fresh = (): Simulation => {
  shared.continuation = undefined;
  return shared;
};

/** The states from which steps are halved, where these lead, and in how many parts of which sizes. */
const halved: { k: number; state: Float64Array; next: Float64Array; sizes: readonly number[] }[] = [];
const states: Float64Array[] = [];
beforeAll(() => {
  const simulation = fresh();
  let state = startState(mechanism, "poured");
  for (let k = 0; k < steps; k++) {
    states.push(state);
    const { status, next } = simulation.step(state);
    expect(status).toBe("solved");
    const { isInPieces, pieces } = simulation.touching as NonNullable<Simulation["touching"]>;
    const sizes = pieces.list.map(({ size }) => size);
    if (isInPieces) halved.push({ k, state, next: next.slice(), sizes });
    state = next.slice();
  }
});

function difference(a: Float64Array, b: Float64Array): number {
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
}

test("the pile needs them, and halves of halves", () => {
  expect(halved.length).toBeGreaterThanOrEqual(2);
  expect(Math.max(...halved.map(({ sizes }) => sizes.length))).toBeGreaterThanOrEqual(3);
  for (const { sizes } of halved) expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1);
});

// as far as starts that are warm or cold leave it open
const sameEnd = 1e-7;

test("with gradients they end where they end without", () => {
  for (const { state, next, sizes } of halved) {
    const gradients = stepGradients(fresh(), state, input, { also: { relativeKappa: 1e-3 } });
    expect(gradients.differentiable).toBe(true);
    expect(gradients.also.differentiable).toBe(true);
    expect(gradients.substeps).toBe(sizes.length);
    expect(difference(gradients.next, next)).toBeLessThan(sameEnd);
    expect(difference(linearize(fresh(), state, input).gradients.next, next)).toBeLessThan(sameEnd);
  }
});

test.each([
  ["maximal", 0.1],
  ["minimal", 1e-3],
] as const)(
  "in %s coordinates at κ' = %f they have the Jacobians of differences with features and halves held",
  (coordinates, relativeKappa) => {
    for (const { state } of halved) {
      const check = checkGradients(fresh(), state, input, { coordinates, relativeKappa, parameters });
      expect(check.worst, check.entry).toBeLessThan(1e-6);
    }
  },
);

describe("a rollout through them", () => {
  const from = (): number => halved[0].k - 1;
  const count = (): number => halved[1].k + 2 - from();
  const run = (gradients: boolean | { checkpointEvery: number }) =>
    fresh().rollout(states[from()], { steps: count(), gradients });
  const random = new Random(2);
  const vector = (): Float64Array => Float64Array.from({ length: 12 * mechanism.bodies.length }, () => random.normal());
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * b[i], 0);

  test("ends where the plain one ends, step by step", () => {
    // each step from the state that the plain one has led to: a pile is chaotic
    for (let k = from(); k < from() + count(); k++) {
      const taken = (gradients: boolean) => fresh().rollout(states[k], { steps: 1, gradients });
      expect(difference(taken(true).final, taken(false).final)).toBeLessThan(1e-4);
    }
  });

  test("has tangents that are the transpose of its cotangents, also between checkpoints", () => {
    const [tangent, cotangent] = [vector(), vector()];
    const trajectory = run(true);
    expect(trajectory.solved).toBe(true);
    expect(trajectory.reports.filter(({ substeps }) => substeps > 1).length).toBeGreaterThanOrEqual(1);
    const amounts = Object.fromEntries(parameters.map((name) => [name, 0.1 * random.normal()]));
    const pushed = pushforward(trajectory, { state: tangent, parameters: amounts })[count()];
    const weights = [...new Array<undefined>(count()), cotangent];
    const back = pullback(trajectory, weights, { parameters });
    const byParameter = parameters.reduce((sum, name) => sum + amounts[name] * back.parameters[name], 0);
    const pulled = dot(back.state, tangent) + byParameter;
    expect(dot(pushed, cotangent) / pulled).toBeCloseTo(1, 8);
    const again = pullback(run({ checkpointEvery: 3 }), weights, { parameters });
    expect(difference(again.state, back.state)).toBeLessThan(1e-9 * Math.max(...back.state.map(Math.abs)));
  });
});

test("forces that are read add up to what bodies gain, those of features that are gone by the end among them", () => {
  const h = 0.01;
  for (const { state, next } of halved) {
    const simulation = fresh();
    simulation.step(state);
    const touches = simulation.touches();
    mechanism.bodies.forEach(({ name, mass }, i) => {
      for (let k = 0; k < 3; k++) {
        const gained = (mass * (next[13 * i + 7 + k] - state[13 * i + 7 + k])) / h;
        const weight = k === 2 ? -9.81 * mass : 0;
        const force = touches.reduce((sum, touch) => {
          if (touch.body === name) return sum + touch.force[k];
          return touch.other === name ? sum - touch.force[k] : sum;
        }, weight);
        expect(force).toBeCloseTo(gained, 5);
      }
    });
  }
});
