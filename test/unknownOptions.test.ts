/** Options that there are none of are refused with the nearest that there is, by all that take options: they would have no effect. */
import { describe, expect, test } from "vitest";
import * as dojo from "../src/index.ts";

const description = dojo.models.pendulum();
const mechanism = dojo.compile(description);
const simulation = new dojo.Simulation(mechanism);
const state = dojo.maximalState(mechanism, { hinge: { position: [0.3] } });
const trajectory = simulation.rollout(state, { steps: 2, gradients: true });
const environment = dojo.pendulumEnvironment();
const task = dojo.planningTasks["box-right"].make();
const urdf = dojo.toUrdf(description).xml;
const mjcf = dojo.toMjcf(description).xml;

/** What misspells an option, and the option that is meant. */
const calls: Record<string, [(misspelt: never) => unknown, Record<string, unknown>, string]> = {
  Simulation: [(options) => new dojo.Simulation(mechanism, options), { kapa: 1 }, "kappa"],
  step: [(options) => simulation.step(state, undefined, options), { relativKappa: 1 }, "relativeKappa"],
  rollout: [(options) => simulation.rollout(state, options), { steps: 1, controler: () => {} }, "controller"],
  "rollout's gradients": [
    (gradients) => simulation.rollout(state, { steps: 1, gradients }),
    { checkpointsEvery: 2 },
    "checkpointEvery",
  ],
  stepGradients: [
    (options) => dojo.stepGradients(simulation, state, undefined, options),
    { coordinate: "minimal" },
    "coordinates",
  ],
  linearize: [(options) => dojo.linearize(simulation, state, undefined, options), { kapa: 1 }, "kappa"],
  checkGradients: [(options) => dojo.checkGradients(simulation, state, undefined, options), { step: [1] }, "steps"],
  pullback: [(options) => dojo.pullback(trajectory, () => undefined, options), { parameter: [] }, "parameters"],
  "pushforward's tangents": [(tangents) => dojo.pushforward(trajectory, tangents), { input: [] }, "inputs"],
  pushforward: [(options) => dojo.pushforward(trajectory, {}, options), { coordinate: "minimal" }, "coordinates"],
  checkState: [(options) => dojo.checkState(simulation, state, options), { tolerence: 1 }, "tolerance"],
  stateAt: [(options) => dojo.stateAt(simulation, {}, options), { inputs: [] }, "input"],
  gravityCompensation: [(options) => dojo.gravityCompensation(simulation, state, options), { contact: [] }, "contacts"],
  planTrajectory: [(options) => dojo.planTrajectory(task, options), { maxIteration: 1 }, "maxIterations"],
  "planTrajectory's penalty": [(penalty) => dojo.planTrajectory(task, { penalty }), { factors: 2 }, "factor"],
  "a planning task": [(more) => dojo.compileTask({ ...task, ...(more as object) }), { constraint: 1 }, "constraints"],
  RecedingHorizon: [(options) => new dojo.RecedingHorizon(task, options), { iteration: 3 }, "iterations"],
  "RecedingHorizon's path": [(path) => new dojo.RecedingHorizon(task, { path }), { kapa: 1 }, "kappa"],
  runControl: [
    (options) => dojo.runControl(dojo.controlTasks.cartpole.make(), options),
    { servosalone: true },
    "servosAlone",
  ],
  Environment: [(options) => new dojo.Environment(environment, options), { precison: "fast" }, "precision"],
  "an environment": [
    (more) => new dojo.Environment({ ...environment, ...(more as object) }),
    { actionLimits: 3 },
    "actionLimit",
  ],
  reset: [(options) => new dojo.Environment(environment).reset(options), { sed: 1 }, "seed"],
  VectorEnvironment: [(options) => new dojo.VectorEnvironment(environment, options), { counts: 2 }, "count"],
  augmentedRandomSearch: [
    (options) => dojo.augmentedRandomSearch(new dojo.Environment(environment), options),
    { seed: 1, direction: 3 },
    "directions",
  ],
  augmentedGradientSearch: [
    (options) => dojo.augmentedGradientSearch(new dojo.Environment(environment), options),
    { seed: 1, optimiser: "adam" },
    "optimizer",
  ],
  shortHorizonSearch: [
    (options) => dojo.shortHorizonSearch(new dojo.Environment(environment), options),
    { seed: 1, actor: 3 },
    "actors",
  ],
  RolloutPool: [(options) => new dojo.RolloutPool(mechanism, options), { workrs: 1 }, "workers"],
  importUrdf: [(options) => dojo.importUrdf(urdf, options), { bases: "fixed" }, "base"],
  "importUrdf's floor": [(floor) => dojo.importUrdf(urdf, { floor }), { heigth: 1 }, "height"],
  importMjcf: [(options) => dojo.importMjcf(mjcf, options), { collision: "shapes" }, "collisions"],
  toUrdf: [(options) => dojo.toUrdf(description, options), { collision: "none" }, "collisions"],
  toMjcf: [(options) => dojo.toMjcf(description, options), { timstep: 0.1 }, "timestep"],
  parseRecording: [(options) => dojo.parseRecording("", mechanism, options), { rates: 100 }, "rate"],
  replayData: [(options) => dojo.replayData(trajectory, options), { titel: "a" }, "title"],
  sphere: [
    (more) => dojo.sphere({ radius: 1, mass: 1, ...(more as object) }),
    { orientaton: [1, 0, 0, 0] },
    "orientation",
  ],
};

describe("refused by name:", () => {
  test.each(Object.entries(calls))("%s", (_, [call, options, meant]) => {
    const misspelt = Object.keys(options).at(-1) as string;
    expect(() => call(options as never)).toThrow(dojo.ArgumentError);
    expect(() => call(options as never)).toThrow(`there is no "${misspelt}"`);
    expect(() => call(options as never)).toThrow(`did you mean "${meant}"?`);
  });

  test("what is no object of options", () => {
    expect(() => simulation.step(state, undefined, 5 as never)).toThrow("options: 5: give an object of options");
    expect(() => new dojo.Simulation(mechanism, null as never)).toThrow("options: null: give an object of options");
  });

  test("a path of the wrong kind, and numbers that no run can have", () => {
    expect(() => dojo.planTrajectory(task, { path: { kappa: 1 } as never })).toThrow(/options.path: is no function/);
    expect(() => new dojo.RecedingHorizon(task, { path: (() => ({ kappa: 1 })) as never })).toThrow(/options.path/);
    const cart = dojo.controlTasks.cartpole.make();
    expect(() => dojo.runControl(cart, { impulse: Number.NaN })).toThrow(/impulse: NaN/);
    expect(() => dojo.runControl(cart, { seed: 1.5 })).toThrow(/seed: 1.5/);
    expect(() => dojo.runControl({ ...cart, seconds: Number.NaN })).toThrow(/task.seconds: NaN/);
  });

  test("promises reject", async () => {
    await expect(dojo.fitParameters({} as never, { tolerence: 1 } as never)).rejects.toThrow(
      'did you mean "tolerance"?',
    );
    await expect(dojo.identify({} as never, [], { signals: 1 } as never)).rejects.toThrow('did you mean "signal"?');
  });
});

test.each([
  ["models", dojo.models],
  ["scenes", dojo.scenes],
] as const)("all %s refuse an option that there is none of, and take all others as before", (path, makers) => {
  for (const [name, make] of Object.entries(makers)) {
    const options = { timestap: 0.005 } as never;
    expect(() => make(options), name).toThrow(`${path}.${name}.timestap`);
    expect(() => make(options), name).toThrow('did you mean "timestep"?');
    expect(make({ timestep: 0.005 }).timestep, name).toBe(0.005);
  }
});
