/** Rows that go through limbs by their six unit rows (kernels/limbs.ts) against rows that go through every joint. */
import { expect, test } from "vitest";
import { compile, type Mechanism, maximalState, models, Random, Simulation } from "../../src/index.ts";
import { buildSystem, type JacobianPlaces, stepJacobians } from "../../src/kernels/index.ts";

/** Of the largest entry: sums of six terms, each rounded. */
const rounding = 1e-11;

interface Both {
  /** Jacobians by state and input, one after the other. */
  readonly full: Float64Array;
  readonly byLimbs: Float64Array | undefined;
  readonly roots: number;
}

function jacobians(mechanism: Mechanism, start: Float64Array): Both {
  // at a κ where nothing is refined
  const simulation = new Simulation(mechanism, { kappa: 3e-4, exact: true });
  const random = new Random(4);
  let state = start;
  for (let k = 0; k < 10; k++) {
    const input = Float64Array.from({ length: simulation.inputSize }, () => random.uniform(-1, 1));
    state = Float64Array.from(simulation.step(state, input).next);
  }
  let jacobianPlaces: JacobianPlaces | undefined;
  let hasLimbs = false;
  const system = buildSystem(mechanism, simulation.target, (plan, register) => {
    const { places, lists } = stepJacobians(plan, register, "minimal");
    jacobianPlaces = places;
    hasLimbs = lists.has("limbSolve");
    return lists;
  });
  const found = jacobianPlaces as unknown as JacobianPlaces;
  if (found.coordinates !== "minimal") throw new Error("these are maximal");
  const { f64 } = system;
  const { step, clearedEnd, places } = found;
  const rows = 2 * mechanism.coordinateCount;
  const size = rows * (rows + mechanism.inputSize);
  const run = (...lists: string[]): Float64Array => {
    f64.set(simulation.system.f64.subarray(0, system.dataEnd));
    f64.fill(0, step, clearedEnd);
    for (const at of places.units) f64[at] = 1;
    for (const list of ["matrix", "factor", "blocks", ...lists]) system.run(list);
    return f64.slice(places.byState, places.byState + size);
  };
  return {
    full: run("solveMany", "data"),
    byLimbs: hasLimbs ? run("limbSolve", "limbData") : undefined,
    roots: places.units.length / 6,
  };
}

test.each([
  // legs on a trunk
  ["a1", 1],
  // legs on the pelvis, arms on the torso
  ["humanoid", 2],
] as const)("%s: rows by limbs are those through all joints", (name, roots) => {
  const description = models[name]({ timestep: 0.01 });
  const mechanism = compile(description);
  const {
    full,
    byLimbs = new Float64Array(0),
    ...found
  } = jacobians(mechanism, maximalState(mechanism, description.states?.rest));
  expect(found.roots).toBe(roots);
  expect(byLimbs.length).toBe(full.length);
  const largest = full.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  full.forEach((entry, i) => {
    expect(Math.abs(byLimbs[i] - entry)).toBeLessThan(rounding * largest);
  });
});

test("an arm is no limb: nothing hangs beside it", () => {
  const description = models.panda({ timestep: 0.01 });
  const mechanism = compile(description);
  expect(jacobians(mechanism, maximalState(mechanism, description.states?.rest)).byLimbs).toBeUndefined();
});
