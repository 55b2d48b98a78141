/** Options of one step go on top of those of its simulation. */
import { expect, test } from "vitest";
import {
  box,
  boxCorners,
  compile,
  dumpStep,
  floating,
  frictionContact,
  maximalState,
  replayStep,
  Simulation,
  type SimulationOptions,
  type StepOptions,
} from "../../src/index.ts";

const crate = box({ size: [0.4, 0.3, 0.2], mass: 2 });
const mechanism = compile({
  timestep: 0.05,
  bodies: { crate },
  joints: { base: floating({ parent: "world", child: "crate" }) },
  contacts: boxCorners(crate).map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.5 })),
});
/** Just above the floor, on one corner and tumbling: where a step ends depends on how it is taken. */
const start = maximalState(mechanism, {
  base: { position: [0, 0, 0.26, 0.4, 0.3, 0], velocity: [1, 0, -1, 2, 3, 0] },
});

function end(options: SimulationOptions, ofStep?: StepOptions): Float64Array {
  return new Simulation(mechanism, options).step(start, undefined, ofStep).next.slice();
}

test.each([
  { precision: "fast" },
  { errorTolerance: 1e-4 },
  { relativeKappa: 0.1, exact: true },
  { kappa: 1e-3 },
] as const)("with its interval a step of %o is what it is without", (options) => {
  expect(end(options)).not.toEqual(end({}));
  expect(end(options, { interval: mechanism.timestep })).toEqual(end({ ...options, interval: mechanism.timestep }));
});

test("a κ of its own stands for the simulation's, in other units too, and undefined is none", () => {
  expect(end({ kappa: 1e-3, exact: true }, { relativeKappa: 0.1 })).toEqual(end({ relativeKappa: 0.1, exact: true }));
  expect(end({ errorTolerance: 1e-4 }, { errorTolerance: undefined })).toEqual(end({}));
});

test("a step that is dumped with options of its own is the step that was taken", () => {
  const simulation = new Simulation(mechanism, { errorTolerance: 1e-4 });
  const options = { interval: mechanism.timestep };
  const dump = dumpStep(simulation, start, undefined, options);
  const { next } = simulation.step(start, undefined, options);
  expect(replayStep(JSON.parse(JSON.stringify(dump))).next).toEqual(next);
});
