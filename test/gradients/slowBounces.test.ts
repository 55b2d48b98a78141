/**
 * Slow impacts with restitution, of bodies that rock on a floor: what bounces meets it beside contacts that carry a load. Jacobians of such
 * steps, which are taken sharp, equal central differences of steps that stop at the gradients' κ by themselves, with features and all
 * choices of the bounce found anew.
 */
import { expect, test } from "vitest";
import {
  addError,
  box,
  capsule,
  compile,
  floating,
  hull,
  type Mechanism,
  maximalState,
  Simulation,
  stateError,
  stepGradients,
} from "../../src/index.ts";
import { Random } from "../../src/math/index.ts";
import type { TouchSteps } from "../../src/simulation/touch/touchSteps.ts";

/** In SI, whose units do not vary with the state: about 5% of the momentum and length that gravity makes in a step. */
const kappa = 5e-6;
const onPath = { kappa, exact: true, pathTolerance: 1e-11, tolerance: 1e-14 } as const;
/** Of central differences with these steps, the best of which counts; and of one-sided ones, where two contacts meet at the same moment. */
const lengths = [1e-6, 1e-7];
const tolerance = 1e-4;

const bodies = {
  hull: (random: Random, contact: object) =>
    hull({ points: Array.from({ length: 10 }, () => triple(() => random.uniform(-0.12, 0.12))), mass: 1, contact }),
  box: (_: Random, contact: object) => box({ size: [0.2, 0.15, 0.1], mass: 1, contact }),
  capsule: (_: Random, contact: object) => capsule({ radius: 0.04, length: 0.2, mass: 0.6, contact }),
};

function triple(entry: () => number): [number, number, number] {
  return [entry(), entry(), entry()];
}

test.each([
  ["hull", 0.3, 0.5],
  ["hull", 0.1, 1],
  ["box", 0.3, 0.5],
  ["capsule", 0.5, 0.5],
] as const)("of a %s with restitution %f and friction %f", (kind, restitution, frictionCoefficient) => {
  const random = new Random(2);
  let [compared, supported, ties] = [0, 0, 0];
  for (let run = 0; run < 2; run++) {
    const mechanism = compile({
      timestep: 0.01,
      bodies: { body: bodies[kind](random, { frictionCoefficient, restitution }) },
      joints: { body: floating({ parent: "world", child: "body" }) },
      shapes: [{ kind: "halfSpace", contact: { frictionCoefficient } }],
    });
    const simulation = new Simulation(mechanism);
    const compare = comparison(mechanism);
    const turned = triple(() => random.uniform(0, 3));
    const velocity = [...triple(() => random.uniform(-0.5, 0.5)), ...triple(() => random.uniform(-2, 2))] as const;
    let state = maximalState(mechanism, { body: { position: [0, 0, 0.2, ...turned], velocity } });
    for (let k = 0; k < 40; k++) {
      const before = state;
      state = simulation.step(before).next.slice();
      const { stepper } = (simulation.touching as TouchSteps).active;
      const { hasBounced } = stepper as unknown as { readonly hasBounced: boolean };
      if (!hasBounced) continue;
      if (simulation.touches().length > 1) supported++;
      if (compare(before)) compared++;
      else ties++;
    }
  }
  expect(compared).toBeGreaterThan(3);
  expect(supported).toBeGreaterThan(3);
  expect(ties).toBeLessThanOrEqual(compared / 3);
});

/** Compares the Jacobian of a step with differences of it; false where the step has a kink, the sides of which differ. */
function comparison(mechanism: Mechanism): (state: Float64Array) => boolean {
  const [differentiated, stepped] = [new Simulation(mechanism), new Simulation(mechanism, onPath)];
  return (state) => {
    differentiated.continuation = undefined;
    return isAsDifferences(stepGradients(differentiated, state, undefined, { kappa }).dNext_dState, stepped, state);
  };
}

function isAsDifferences(dNext_dState: Float64Array, stepped: Simulation, state: Float64Array): boolean {
  const end = (column: number, amount: number): Float64Array => {
    const error = new Float64Array(12);
    error[column] = amount;
    stepped.continuation = undefined;
    const { next, status } = stepped.step(addError(state, error));
    expect(status).toBe("solved");
    return next.slice();
  };
  const base = end(0, 0);
  const norm = dNext_dState.reduce((most, entry) => Math.max(most, Math.abs(entry)), 1);
  for (let j = 0; j < 12; j++) {
    let [worst, kink] = [Number.POSITIVE_INFINITY, 0];
    for (const length of lengths) {
      const [after, before] = [stateError(base, end(j, length)), stateError(base, end(j, -length))];
      const errors = Array.from(after, (entry, i) =>
        Math.abs((entry - before[i]) / (2 * length) - dNext_dState[12 * i + j]),
      );
      worst = Math.min(worst, Math.max(...errors) / norm);
      kink = Math.max(...after.map((entry, i) => Math.abs(entry + before[i]) / length)) / norm;
    }
    if (worst > tolerance && kink > tolerance) return false;
    expect(worst, `column ${j}`).toBeLessThan(tolerance);
  }
  return true;
}
