/** Ways of solving that fail in step after step are left out for a while. */
import { expect, test } from "vitest";
import { startState } from "../../coordinates/index.ts";
import { Random } from "../../math/index.ts";
import { models } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";
import { Pause } from "./pause.ts";

/** Steps from one failure to the next, of a way that always fails. */
function intervals(pause: Pause, steps: number): number[] {
  const tried: number[] = [];
  for (let k = 0; k < steps; k++) {
    pause.begin(true);
    if (!pause.isOver()) continue;
    tried.push(k);
    pause.fail();
  }
  return tried.slice(1).map((k, i) => k - tried[i]);
}

test("what has failed waits, and for longer where it has failed shortly before", () => {
  expect(intervals(new Pause({ first: 1, again: 6 }), 20)).toEqual([2, 7, 7]);
  expect(intervals(new Pause({ first: 0, again: 12 }), 30)).toEqual([1, 13, 13]);
  const pause = new Pause({ first: 2, again: 6 });
  pause.fail();
  pause.begin(false);
  expect(pause.isOver()).toBe(true);
});

test("a snake, whose predictions jam, seldom tries them, and goes on to the bit from what is saved", () => {
  const mechanism = compile(models.snake());
  const simulation = new Simulation(mechanism);
  const random = new Random(11);
  const state = startState(mechanism);
  const steps = 150;
  let [iterations, retries, compared] = [0, 0, 0];
  for (let k = 0; k < steps; k++) {
    const input = Float64Array.from(mechanism.inputNames, () => random.uniform(-1, 1));
    const saved = k % 10 === 9 ? simulation.continuation : undefined;
    const result = simulation.step(state, input);
    expect(result.status).toBe("solved");
    iterations += result.iterations;
    retries += result.retries;
    const next = Float64Array.from(result.next);
    if (saved?.warm?.jams) {
      const other = new Simulation(mechanism);
      other.continuation = saved;
      expect(Float64Array.from(other.step(state, input).next)).toEqual(next);
      compared++;
    }
    state.set(next);
  }
  expect(compared).toBeGreaterThan(5);
  expect(iterations / steps).toBeLessThan(9);
  expect(retries / steps).toBeLessThan(0.4);
});

test("a limp Atlas that sinks slowly goes on by Newton's method from its predictions", () => {
  const mechanism = compile(models.atlas({ actuated: false, spring: 1, damper: 25 }));
  const simulation = new Simulation(mechanism);
  const state = Float64Array.from(simulation.rollout(startState(mechanism), { steps: 150 }).final);
  let iterations = 0;
  for (let k = 0; k < 100; k++) {
    const result = simulation.step(state);
    expect(result.status).toBe("solved");
    iterations += result.iterations;
    state.set(result.next);
  }
  expect(iterations / 100).toBeLessThan(3.2);
});
