/** Impulses of contacts and their Jacobians against central differences of steps that stop exactly at κ. */
import { describe, expect, test } from "vitest";
import {
  addError,
  box,
  capsule,
  compile,
  type FrictionOptions,
  floating,
  frictionContact,
  halfSpace,
  impactContact,
  linearContact,
  maximalFromMinimal,
  maximalState,
  minimalState,
  pullback,
  revolute,
  Simulation,
  stepGradients,
} from "../../src/index.ts";
import { difference } from "./differences.ts";

const kappa = 1e-3;
/** On the central path to rounding: how far a point is off it shows in its derivatives. */
const onPath = { kappa, exact: true, pathTolerance: 1e-11, tolerance: 1e-14 } as const;
/** Of central differences with steps of 1e-5, at a κ that rounds corners over millimetres. */
const tolerance = 1e-6;
const models = ["cone", "linear", "impact"] as const;
type Model = (typeof models)[number];

function contact(model: Model, options: FrictionOptions) {
  if (model === "cone") return frictionContact(options);
  if (model === "linear") return linearContact(options);
  const { frictionCoefficient: _, ...own } = options;
  return impactContact(own);
}

/** A torso on a leg whose foot slides on the floor, and a block that rests on the torso. */
function scene(kind: Model) {
  const mechanism = compile({
    timestep: 0.02,
    bodies: {
      torso: box({ size: [0.4, 0.3, 0.2], mass: 2 }),
      leg: capsule({ radius: 0.04, length: 0.4, mass: 0.5 }),
      block: box({ size: [0.1, 0.1, 0.1], mass: 0.3 }),
    },
    joints: {
      base: floating({ parent: "world", child: "torso" }),
      hip: revolute({
        parent: "torso",
        child: "leg",
        axis: [0, 1, 0],
        parentAnchor: [0.05, 0, -0.1],
        childAnchor: [0, 0, 0.2],
        actuated: true,
      }),
      lid: floating({ parent: "world", child: "block" }),
    },
    contacts: [
      contact(kind, { name: "foot", body: "leg", point: [0, 0, -0.2], radius: 0.04, frictionCoefficient: 0.6 }),
      contact(kind, {
        name: "lid",
        body: "block",
        point: [0.01, 0.02, -0.05],
        frictionCoefficient: 0.4,
        halfSpace: halfSpace({ body: "torso", normal: [0, 0, 1], offset: 0.1 }),
      }),
    ],
  });
  const state = maximalState(mechanism, {
    base: { position: [0, 0, 0.54, 0.02, 0.05, 0], velocity: [0.3, 0.1, -0.2, 0.2, 0.1, 0.3] },
    hip: { position: [0.1], velocity: [-1] },
    lid: { position: [0.02, 0.01, 0.695, 0, 0, 0.1], velocity: [0.1, 0, -0.3, 0, 0, 0] },
  });
  return { mechanism, state, input: Float64Array.of(0.5) };
}

const names = ["foot", "lid"];

/** max |a − b| / ‖b‖∞. */
function off(a: Float64Array, b: Float64Array): number {
  const size = Math.max(...b.map(Math.abs));
  return Math.max(...b.map((entry, i) => Math.abs(entry - a[i]))) / size;
}

describe.each(models)("impulses of %s contacts", (kind) => {
  const { mechanism, state, input } = scene(kind);
  const exact = new Simulation(mechanism, onPath);
  const simulation = new Simulation(mechanism);
  const impulsesAfter = (z: Float64Array, u: Float64Array): Float64Array => {
    exact.continuation = undefined;
    expect(exact.step(z, u).status).toBe("solved");
    return Float64Array.from(
      names.flatMap((name) => {
        const { normal, friction } = exact.contact(name);
        return [normal, ...friction].map((force) => force * mechanism.timestep);
      }),
    );
  };
  const columnsOf = (matrix: Float64Array, j: number): Float64Array => {
    const columns = matrix.length / 6;
    return Float64Array.from({ length: 6 }, (_, i) => matrix[i * columns + j]);
  };

  test("are those of the point at κ, and both bear", () => {
    const { impulses } = stepGradients(simulation, state, input, { kappa, contacts: names });
    expect(off(impulses, impulsesAfter(state, input))).toBeLessThan(1e-8);
    expect(impulses[0]).toBeGreaterThan(1e-2);
    expect(impulses[3]).toBeGreaterThan(1e-3);
    if (kind !== "impact") expect(Math.abs(impulses[1])).toBeGreaterThan(1e-3);
  });

  test("have the derivatives of differences, in maximal coordinates", () => {
    const { dImpulse_dState, dImpulse_dInput } = stepGradients(simulation, state, input, { kappa, contacts: names });
    const errors = 12 * mechanism.bodies.length;
    const direction = Float64Array.from({ length: errors }, (_, j) => Math.sin(1 + j));
    for (const own of [
      direction,
      ...[2, 4, 8, 10, 14, 21, 26].map((j) => direction.map((_, i) => (i === j ? 1 : 0))),
    ]) {
      const moved = difference(
        (amount) =>
          impulsesAfter(
            addError(
              state,
              own.map((entry) => amount * entry),
            ),
            input,
          ),
        1e-5,
      );
      const given = new Float64Array(6);
      for (let j = 0; j < errors; j++)
        columnsOf(dImpulse_dState, j).forEach((entry, i) => {
          given[i] += entry * own[j];
        });
      expect(off(given, moved)).toBeLessThan(tolerance);
    }
    const byInput = difference((amount) => impulsesAfter(state, Float64Array.of(input[0] + amount)), 1e-4);
    expect(off(columnsOf(dImpulse_dInput, 0), byInput)).toBeLessThan(tolerance);
  });

  test("and in minimal ones", () => {
    const options = { kappa, contacts: names, coordinates: "minimal" } as const;
    const { dImpulse_dState } = stepGradients(simulation, state, input, options);
    const x = minimalState(mechanism, state);
    for (let j = 0; j < x.length; j += 3) {
      const along = (amount: number): Float64Array => {
        const moved = x.slice();
        moved[j] += amount;
        return impulsesAfter(maximalFromMinimal(mechanism, moved), input);
      };
      expect(off(columnsOf(dImpulse_dState, j), difference(along, 1e-5))).toBeLessThan(tolerance);
    }
  });

  test("a rollout's cost on them has the gradient of differences, with parameters", () => {
    const steps = 4;
    // steps so large that the solver's own tolerance does not show
    const sizes = { "bodies.torso.mass": 1e-3, "contacts.foot.offset": 1e-5, timestep: 1e-5 };
    const parameters = Object.keys(sizes);
    const cost = (run: Simulation, inputs: readonly Float64Array[]): number => {
      let total = 0;
      run.continuation = undefined;
      run.rollout(state, {
        inputs,
        check: false,
        onStep: () => {
          const { normal, friction } = run.contact("foot");
          total += run.timestep * (normal + 0.5 * friction[0]);
          return true;
        },
      });
      return total;
    };
    const inputs = Array.from({ length: steps }, () => input);
    const recorded = exact.rollout(state, { inputs, check: false, gradients: { kappa } });
    const gradient = pullback(recorded, [], { impulses: () => ({ foot: [1, 0.5] }), parameters });
    for (let k = 0; k < steps; k++) {
      const nudged = (amount: number): Float64Array =>
        Float64Array.of(
          cost(
            exact,
            inputs.map((own, i) => (i === k ? own.map((entry) => entry + amount) : own)),
          ),
        );
      expect(off(gradient.inputs[k], difference(nudged, 1e-2))).toBeLessThan(tolerance);
    }
    for (const [name, size] of Object.entries(sizes)) {
      const other = new Simulation(mechanism, onPath);
      const value = other.parameter(name);
      const nudged = (amount: number): Float64Array => {
        other.setParameter(name, value + amount);
        return Float64Array.of(cost(other, inputs));
      };
      const given = Float64Array.of(gradient.parameters[name]);
      expect(off(given, difference(nudged, size))).toBeLessThan(tolerance);
    }
  });
});

test("a step in parts has the sum over them", () => {
  const { mechanism, state, input } = scene("cone");
  const simulation = new Simulation(mechanism, onPath);
  const interval = mechanism.timestep / 2;
  const take = (z: Float64Array) => {
    simulation.continuation = undefined;
    return stepGradients(simulation, z, input, { kappa, contacts: names, interval });
  };
  const { substeps, impulses, dImpulse_dState } = take(state);
  expect(substeps).toBe(2);
  const columns = 12 * mechanism.bodies.length;
  for (const j of [2, 8, 16, 33]) {
    const along = (amount: number): Float64Array =>
      take(
        addError(
          state,
          Float64Array.from({ length: columns }, (_, i) => (i === j ? amount : 0)),
        ),
      ).impulses.slice();
    const given = Float64Array.from({ length: impulses.length }, (_, i) => dImpulse_dState[i * columns + j]);
    expect(off(given, difference(along, 1e-5))).toBeLessThan(tolerance);
  }
});

test("names and sizes that do not fit are refused with their place", () => {
  const { mechanism, state, input } = scene("cone");
  const simulation = new Simulation(mechanism);
  expect(() => stepGradients(simulation, state, input, { contacts: ["fot"] })).toThrow('did you mean "foot"');
  const run = simulation.rollout(state, { steps: 2, check: false, gradients: true });
  expect(() => pullback(run, [], { impulses: () => ({ foot: [1, 2, 3, 4] }) })).toThrow("impulses[1].foot");
  const into = stepGradients(simulation, state, input);
  expect(() => stepGradients(simulation, state, input, { contacts: ["foot"], into })).toThrow("wrong-size at into");
});
