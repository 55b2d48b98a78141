/** Every model starts in a state in which something happens, and robots stand where servos hold them. */
import { afterAll, describe, expect, test } from "vitest";
import {
  ArgumentError,
  checkState,
  compile,
  hasMotors,
  modelNames,
  models,
  Simulation,
  startState,
  stateInput,
  withServos,
} from "../../src/index.ts";
import { quaternion, vector } from "../../src/math/index.ts";
import { bodyState } from "../physics/measures.ts";
import { printTable } from "../physics/table.ts";

/** Farthest that any body went and turned between two states, in metres and radians. */
function motion(a: Float64Array, b: Float64Array): { far: number; turned: number } {
  const moves = Array.from({ length: a.length / 13 }, (_, i) => {
    const [from, to] = [bodyState(a, i), bodyState(b, i)];
    const turn = quaternion.multiply(quaternion.conjugate(from.orientation), to.orientation);
    return {
      far: vector.norm(vector.sub(to.position, from.position)),
      turned: 2 * Math.atan2(Math.hypot(...turn.slice(1)), Math.abs(turn[0])),
    };
  });
  return { far: Math.max(...moves.map(({ far }) => far)), turned: Math.max(...moves.map(({ turned }) => turned)) };
}

describe("starts", () => {
  test.each(modelNames)("%s moves when it is let go", (name) => {
    const description = models[name]();
    const mechanism = compile(description);
    const simulation = new Simulation(mechanism);
    const [first] = Object.keys(description.states ?? {});
    const start = startState(mechanism);
    expect(checkState(simulation, start)).toEqual([]);
    const input = stateInput(mechanism, first);
    const run = simulation.rollout(start, { steps: Math.round(0.5 / mechanism.timestep), controller: () => input });
    expect(run.solved).toBe(true);
    // half a second is enough to fall a metre; the top spins where it is
    const { far, turned } = motion(start, run.final);
    expect(Math.max(far / 0.05, turned / 0.2)).toBeGreaterThan(1);
  });

  test.each(modelNames)("every named state of %s is valid", (name) => {
    const description = models[name]();
    const mechanism = compile(description);
    expect(Object.keys(description.states ?? {})).toContain("rest");
    for (const state of Object.keys(description.states ?? {})) {
      expect([state, checkState(mechanism, startState(mechanism, state))]).toEqual([state, []]);
    }
  });

  test("the first state is the default, and a name that is not there is refused with those that are", () => {
    const mechanism = compile(models.pendulum());
    expect(startState(mechanism)).toEqual(startState(mechanism, "raised"));
    expect(() => startState(mechanism, "rset")).toThrow(/did you mean "rest".*raised, rest, upright/);
    const bare = compile({ ...models.pendulum(), states: {} });
    expect(startState(bare)).toEqual(startState(mechanism, "rest"));
  });

  test("the quadrotor hovers with the inputs that come with its state", () => {
    const mechanism = compile(models.skydioX2());
    const start = startState(mechanism, "hover");
    const input = stateInput(mechanism, "hover");
    const run = new Simulation(mechanism).rollout(start, { steps: 100, controller: () => input });
    // figures of the hull are symmetric but for rounding
    expect(motion(start, run.final).far).toBeLessThan(1e-9);
  });
});

describe("servos in place of motors", () => {
  const rows: (string | number)[][] = [];
  const driven = modelNames.filter((name) => hasMotors(models[name]()));

  test.each(driven)("%s holds its rest pose for 3 s at 100 Hz and at 20 Hz", (name) => {
    for (const timestep of [0.01, 0.05]) {
      const description = withServos(models[name]({ timestep }), "rest");
      const mechanism = compile(description);
      const start = startState(mechanism, "rest");
      const input = stateInput(mechanism, "rest");
      const run = new Simulation(mechanism).rollout(start, {
        steps: Math.round(3 / timestep),
        controller: () => input,
      });
      expect(run.solved).toBe(true);
      const { far, turned } = motion(start, run.final);
      rows.push([name, timestep, far, turned]);
      expect(far).toBeLessThan(0.05);
      expect(turned).toBeLessThan(0.15);
    }
  });
  afterAll(() => printTable("Rest held by servos, 3 s", ["model", "h, s", "moved, m", "turned, rad"], rows));

  test("what has no motors is told so, and inputs of motors are not kept", () => {
    expect(() => withServos(models.block())).toThrow(ArgumentError);
    const description = { ...models.cartpole(), stateInputs: { rest: { "rail.slide": 3 } } };
    const servoed = withServos(description);
    expect(servoed.stateInputs).toBeUndefined();
    expect(compile(servoed).joints[0].coordinates[0].servo).toMatchObject({ stiffness: expect.any(Number) });
    expect(compile(servoed).joints[1].coordinates[0].servo).toBeNull();
  });
});
