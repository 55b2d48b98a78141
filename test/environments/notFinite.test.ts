/** What an environment's description makes of a state and is no number is an error that says what, when and from what. */
import { expect, test } from "vitest";
import {
  ArgumentError,
  Environment,
  type EnvironmentDescription,
  pendulumEnvironment,
  type Quantities,
} from "../../src/index.ts";
import { div, type Scalar, sqrt, sub } from "../../src/symbolic/index.ts";

const base = pendulumEnvironment();
const environmentOf = (own: Partial<EnvironmentDescription>): Environment =>
  new Environment({ ...base, observationBounds: {}, ...own });
/** √(0.12 − t): a number until 0.12 s have passed. */
const untilTenth = (q: Quantities): Scalar => sqrt(sub(0.12, q.time));

test("an observation, at the start", () => {
  const environment = environmentOf({ observation: (q) => [q.time, div(1, q.time)] });
  expect(() => environment.reset({ seed: 1 })).toThrow(ArgumentError);
  expect(() => environment.reset({ seed: 1 })).toThrow(
    /^not-finite at observation\[1\]: Infinity at the start of the episode, from time; /,
  );
});

test.each([
  ["observation[1]", { observation: (q: Quantities) => [q.time, untilTenth(q)] }],
  ["reward", { reward: ({ after }: { after: Quantities }) => untilTenth(after) }],
  ["alive[0]", { alive: (q: Quantities) => [untilTenth(q)] }],
])("%s, after a step; the episode is over then", (path, own) => {
  const environment = environmentOf(own as Partial<EnvironmentDescription>);
  const action = new Float64Array(environment.actionSpace.size);
  environment.reset({ seed: 1 });
  environment.step(action);
  environment.step(action);
  // steps of 0.05 s
  expect(() => environment.step(action)).toThrow(`not-finite at ${path}: NaN after step 3 of the episode, from time; `);
  expect(() => environment.step(action)).toThrow(/not-reset/);
  environment.reset();
  expect(environment.step(action).info.steps).toBe(1);
});
