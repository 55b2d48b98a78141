/**
 * What a step reads all the time must have V8's fast properties: an object with a getter in its literal, or with properties that come and
 * go, becomes a dictionary, and a step of a humanoid takes a tenth longer.
 */
import { setFlagsFromString } from "node:v8";
import { expect, test } from "vitest";
import { compile, models, Simulation, startState, stepGradients } from "../../src/index.ts";
import { insidesOf } from "../../src/tools.ts";

setFlagsFromString("--allow-natives-syntax");
const isFast = new Function("object", "return %HasFastProperties(object)") as (object: object) => boolean;

test("V8 tells dictionaries apart", () => {
  const entries = { a: 1, b: 2, c: 3 };
  expect(isFast(entries)).toBe(true);
  Reflect.deleteProperty(entries, "a");
  expect(isFast(entries)).toBe(false);
});

test.each(["a1", "panda", "skydioX2"] as const)("what steps of %s read is no dictionary", (name) => {
  const mechanism = compile(models[name]());
  const simulation = new Simulation(mechanism);
  const state = startState(mechanism);
  simulation.step(state);
  stepGradients(simulation, state, new Float64Array(simulation.inputSize));
  const { system, stepper } = insidesOf(simulation);
  const { problem, solver, solve, history, writer, report } = stepper;
  const read = { simulation, mechanism, system, stepper, problem, solver, solve, history, writer, report };
  const more = { places: system.places, solverPlaces: system.solver, units: problem.units, measures: problem.measures };
  for (const [what, object] of Object.entries({ ...read, ...more })) expect(isFast(object), what).toBe(true);
  // one hidden class for all nodes of a kind would be better still; none of them is a dictionary
  for (const node of system.nodes) expect(isFast(node)).toBe(true);
});
