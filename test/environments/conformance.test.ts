/**
 * One suite for all environments: observations lie in their space, equal seeds give the same bits, stepping is a rollout of the
 * simulation, and gradients of observations and rewards are those of central differences in joint coordinates.
 */
import { describe, expect, test } from "vitest";
import {
  CoordinateMaps,
  checkState,
  Environment,
  type EnvironmentDescription,
  environments,
  expression,
  maximalFromMinimal,
  minimalState,
  models,
  Random,
  type StateCotangent,
  stateCotangent,
  type Transition,
} from "../../src/index.ts";

const { add, div, mul, square, sub, sum } = expression;
/** In the slow tests ten times as many. */
const randomSteps = Number(process.env.DOJO_RANDOM_STEPS ?? 1000);
/** Differences over 1e-6 are good to about 1e-9 of the size of the values; rates of fast limbs are some tens. */
const differenceTolerance = 1e-6;
const differenceStep = 1e-6;

/** Random actions of a third of the space's width, a new episode whenever one is over. */
function randomRun(environment: Environment, seed: number, steps: number): Transition[] {
  const random = new Random(seed);
  const run: Transition[] = [];
  environment.reset({ seed });
  for (let k = 0; k < steps; k++) {
    const action = environment.actionSpace.sample(random).map((value) => value / 3);
    const transition = environment.step(action);
    run.push(transition);
    if (transition.terminated || transition.truncated) environment.reset();
  }
  return run;
}

/** Joint coordinates and impulses before and after some steps of a run. */
function visitedMoments(environment: Environment, count: number) {
  const { simulation, mechanism, actionScale, actionOffset } = environment;
  const random = new Random(6);
  const impulses: Float64Array[] = [new Float64Array(3 * mechanism.contacts.length)];
  const { states } = simulation.rollout(environment.start(random), {
    steps: 10 * count + 1,
    controller: () => actionScale.map((scale, i) => actionOffset[i] + 0.1 * scale * random.normal()),
    onStep: () => {
      const impulse = new Float64Array(3 * mechanism.contacts.length);
      simulation.contactImpulsesInto(impulse);
      impulses.push(impulse);
    },
  });
  return Array.from({ length: count }, (_, i) => {
    const at = [10 * (i + 1), 10 * (i + 1) + 1];
    return {
      minimal: at.map((k) => minimalState(mechanism, states[k])),
      impulse: at.map((k) => impulses[k]),
    };
  });
}

/** Not in the library: it reads bodies, a contact and the time, at both moments. */
const hopper = (): EnvironmentDescription => ({
  name: "own-hopper",
  summary: "reads bodies, contacts and both moments",
  mechanism: models.hopper({ timestep: 0.02 }),
  horizon: 30,
  actionScale: 20,
  observation: (q) => [
    ...q.body("torso").position,
    ...q.body("foot").point([0.1, 0, 0]).velocity,
    ...q.body("leg").axes[2],
    q.contact("foot.toe").distance,
    q.time,
  ],
  reward: ({ before, after, action }) => {
    const forwards = sub(after.centerOfMass.position[0], before.body("torso").position[0]);
    const lean = mul(after.body("torso").axes[2][0], before.contact("foot.heel").distance);
    return sub(add(div(forwards, 0.02), lean), mul(after.time, sum(action.map(square))));
  },
  start: models.hopper().states?.raised ?? {},
  startNoise: 0.05,
});

describe.each(Object.entries({ ...environments, "own-hopper": hopper }))("%s", (name, make) => {
  const environment = new Environment(make());
  const { mechanism, functions, simulation } = environment;
  const run = randomRun(environment, 7, randomSteps);

  test("has the name it is listed under, and a summary", () => {
    expect(environment.description.name).toBe(name);
    expect(environment.description.summary).not.toBe("");
  });

  test("starts are states that a simulation takes: nothing is torn or inside the floor", () => {
    const random = new Random(9);
    for (let i = 0; i < 20; i++) expect(checkState(simulation, environment.start(random))).toEqual([]);
  });

  test("observations lie in their space and rewards are finite, in every random step", () => {
    expect(environment.observationSpace.contains(environment.reset({ seed: 1 }).observation)).toBe(true);
    for (const { observation, reward, info } of run) {
      expect(info.status).toBe("solved");
      expect(environment.observationSpace.contains(observation)).toBe(true);
      expect(Number.isFinite(reward)).toBe(true);
    }
    expect(run.some(({ terminated, truncated }) => terminated || truncated)).toBe(true);
  });

  test("equal seeds give the same bits, others do not", () => {
    const again = randomRun(new Environment(make()), 7, 200);
    expect(again).toEqual(run.slice(0, 200));
    expect(environment.reset({ seed: 7 })).toEqual(environment.reset({ seed: 7 }));
    const isRandom = environment.description.startNoise !== undefined;
    expect(isRandom).toBe(name !== "ant");
    if (isRandom) expect(environment.reset({ seed: 8 })).not.toEqual(environment.reset({ seed: 7 }));
  });

  test("its steps are those of a rollout with the same inputs, to the bit", () => {
    const random = new Random(3);
    const start = environment.start(new Random(11));
    environment.reset({ seed: 11 });
    const actions = Array.from({ length: 20 }, () => environment.actionSpace.sample(random).map((value) => value / 3));
    const inputs = actions.map((action) => {
      const input = new Float64Array(mechanism.inputSize);
      environment.inputInto(input, action);
      return input;
    });
    const observed = actions.map((action) => environment.step(action).observation);
    simulation.continuation = undefined;
    let known = minimalState(mechanism, start);
    simulation.rollout(start, {
      inputs,
      onStep: ({ next, interval }, k) => {
        known = minimalState(mechanism, next, interval, known);
        const impulse = new Float64Array(3 * mechanism.contacts.length);
        simulation.contactImpulsesInto(impulse);
        const moment = { minimal: known, state: next, impulse, time: (k + 1) * mechanism.timestep };
        expect(observed[k]).toEqual(functions.observe(moment));
      },
    });
  });

  test("gradients of observations and rewards are those of central differences", () => {
    const random = new Random(5);
    const h = mechanism.timestep;
    const n = 2 * mechanism.coordinateCount;
    const impulses = Array.from({ length: 2 }, () =>
      Float64Array.from({ length: 3 * mechanism.contacts.length }, () => random.uniform(0, 0.5)),
    );
    const moment = (x: Float64Array, time: number, impulse = impulses[time > 0.3 ? 1 : 0]) => ({
      minimal: x,
      state: maximalFromMinimal(mechanism, x),
      impulse,
      time,
    });
    const randomState = () =>
      minimalState(mechanism, environment.start(random)).map((value) => value + 0.2 * random.normal());
    const shifted = (x: Float64Array, i: number, by: number) => x.map((value, j) => (i === j ? value + by : value));
    const maps = new CoordinateMaps(mechanism);
    /** Both parts of a cotangent as one of joint coordinates. */
    const joined = ({ minimal, state }: StateCotangent, z: Float64Array): Float64Array => {
      const out = minimal.slice();
      maps.update(z, h);
      maps.pullMaximalInto(out, state);
      return out;
    };
    const expectSlope = (slope: number, f: (by: number) => number): void => {
      const difference = (f(differenceStep) - f(-differenceStep)) / (2 * differenceStep);
      expect(Math.abs(slope - difference)).toBeLessThan(differenceTolerance * (1 + Math.abs(difference)));
    };
    // states at random, and some that a run comes past, with what their contacts do there
    const visited = visitedMoments(environment, 3);
    for (let sample = 0; sample < 3 + visited.length; sample++) {
      const [x, xNext] = visited[sample]?.minimal ?? [randomState(), randomState()];
      visited[sample]?.impulse.forEach((impulse, i) => {
        impulses[i].set(impulse);
      });
      const [before, after] = [moment(x, 0.3), moment(xNext, 0.3 + h)];
      const u = environment.actionScale.map((scale) => 0.2 * scale * random.normal());

      const weights = environment.observationSpace.low.map(() => random.normal());
      const observed = (at: Float64Array): number =>
        functions.observe(moment(at, 0.3)).reduce((sum, value, i) => sum + weights[i] * value, 0);
      const byState = stateCotangent(mechanism);
      functions.pullObservationInto(byState, before, weights);
      const observationSlopes = joined(byState, before.state);
      impulses[0].forEach((_, i) => {
        const at = (by: number) => moment(x, 0.3, shifted(impulses[0], i, by));
        const weighted = (by: number): number =>
          functions.observe(at(by)).reduce((sum, value, j) => sum + weights[j] * value, 0);
        expectSlope(byState.impulse[i], weighted);
      });
      for (let i = 0; i < n; i++) expectSlope(observationSlopes[i], (by) => observed(shifted(x, i, by)));

      const out = {
        before: stateCotangent(mechanism),
        input: new Float64Array(u.length),
        after: stateCotangent(mechanism),
      };
      functions.pullRewardInto(out, before, u, after);
      const beforeSlopes = joined(out.before, before.state);
      const afterSlopes = joined(out.after, after.state);
      for (let i = 0; i < n; i++) {
        expectSlope(beforeSlopes[i], (by) => functions.reward(moment(shifted(x, i, by), 0.3), u, after));
        expectSlope(afterSlopes[i], (by) => functions.reward(before, u, moment(shifted(xNext, i, by), 0.3 + h)));
      }
      impulses[1].forEach((_, i) => {
        const at = (by: number) => moment(xNext, 0.3 + h, shifted(impulses[1], i, by));
        expectSlope(out.after.impulse[i], (by) => functions.reward(before, u, at(by)));
      });
      for (let i = 0; i < u.length; i++)
        expectSlope(out.input[i], (by) => functions.reward(before, shifted(u, i, by), after));
    }
  });

  test("actions are clipped where they have limits; others, and those of the wrong length, are refused by name", () => {
    const { actionSpace } = environment;
    const zero = new Float64Array(actionSpace.size);
    const stepWith = (action: ArrayLike<number>) => {
      environment.reset({ seed: 2 });
      return environment.step(action);
    };
    expect(() => stepWith([...zero, 0])).toThrow(`action: has ${zero.length + 1} numbers; give ${zero.length}`);
    zero.forEach((_, i) => {
      const [wrong, large] = [zero.slice(), zero.slice()];
      wrong[i] = Number.NaN;
      large[i] = Number.POSITIVE_INFINITY;
      expect(() => stepWith(wrong)).toThrow(`action[${i}]: NaN; give a finite number`);
      const most = zero.slice();
      most[i] = actionSpace.high[i];
      if (Number.isFinite(most[i])) expect(stepWith(large)).toEqual(stepWith(most));
      else expect(() => stepWith(large)).toThrow(`action[${i}]: Infinity; give a finite number`);
    });
  });
});
