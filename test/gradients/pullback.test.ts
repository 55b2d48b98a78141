/** Gradients of rollouts: backwards is the transpose of forwards, and both are central differences. */
import { describe, expect, test } from "vitest";
import {
  addError,
  box,
  boxCorners,
  type Controller,
  capsule,
  compile,
  floating,
  frictionContact,
  maximalState,
  minimalFromState,
  type Pullback,
  pullback,
  pushforward,
  Random,
  revolute,
  Simulation,
  type SimulationOptions,
  spherical,
  stateError,
  stateFromMinimal,
  type Trajectory,
} from "../../src/index.ts";
import { difference, relativeError } from "./differences.ts";

const names = [
  "bodies.crate.mass",
  "bodies.arm.inertia.xx",
  "bodies.crate.centerOfMass.z",
  "joints.hinge.damping.0",
  "joints.hinge.parentAnchor.x",
  "contacts.*.frictionCoefficient",
  "gravity.z",
  "timestep",
] as const;

/** A crate with an arm of two links, that falls on its corners and slides. */
function scene(options: SimulationOptions = {}) {
  const crate = box({ size: [0.4, 0.3, 0.2], mass: 1 });
  const mechanism = compile({
    timestep: 0.02,
    bodies: {
      crate,
      arm: capsule({ radius: 0.03, length: 0.3, mass: 0.3 }),
      hand: box({ size: [0.1, 0.2, 0.1], mass: 0.2 }),
    },
    joints: {
      base: floating({ parent: "world", child: "crate" }),
      hinge: revolute({
        parent: "crate",
        child: "arm",
        axis: [0, 1, 0],
        parentAnchor: [0.1, 0, 0.1],
        childAnchor: [0, 0, -0.15],
        damping: 0.05,
        limits: [-0.6, 0.6],
        actuated: true,
      }),
      wrist: spherical({
        parent: "arm",
        child: "hand",
        parentAnchor: [0, 0, 0.15],
        childAnchor: [0, -0.1, 0],
        damping: 0.02,
        actuated: true,
      }),
    },
    contacts: boxCorners(crate).map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.4 })),
  });
  const simulation = new Simulation(mechanism, options);
  const start = maximalState(mechanism, {
    base: { position: [0, 0, 0.2, 0.3, 0.2, 0], velocity: [1, 0.3, -1, 0.5, 0, 1] },
    hinge: { position: [0.3], velocity: [-2] },
    wrist: { position: [0.1, 0.2, 0], velocity: [1, 0, -1] },
  });
  return { mechanism, simulation, start };
}

const exactAt = (kappa: number): SimulationOptions => ({
  kappa,
  exact: true,
  pathTolerance: 1e-11,
  tolerance: 1e-14,
  maxIterations: 60,
});

const swing: Controller = (_, k, input) => {
  input.set([0.3 * Math.sin(0.3 * k), 0.02, 0.01 * Math.cos(k), 0]);
  return input;
};

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

const randomVector = (random: Random, length: number): Float64Array =>
  Float64Array.from({ length }, () => random.normal());

/** Both sides of ⟨c, J t⟩ = ⟨Jᵀ c, t⟩ for random tangents and cotangents of every state, input and parameter. */
function bothSides(trajectory: Trajectory, coordinates: "maximal" | "minimal", seed: number): [number, number] {
  const { mechanism } = trajectory;
  const random = new Random(seed);
  const size = coordinates === "minimal" ? 2 * mechanism.coordinateCount : 12 * mechanism.bodies.length;
  const cotangents = Array.from({ length: trajectory.steps + 1 }, (_, k) =>
    k % 3 === 0 ? randomVector(random, size) : undefined,
  );
  const state = randomVector(random, size);
  const inputs = trajectory.inputs.map(() => randomVector(random, mechanism.inputSize));
  const parameters = Object.fromEntries(names.map((name) => [name, 0.01 * random.normal()]));
  const forwards = pushforward(trajectory, { state, inputs, parameters }, { coordinates });
  const back = pullback(trajectory, cotangents, { parameters: names, coordinates });
  const start = coordinates === "minimal" ? back.minimal() : back;
  const left = cotangents.reduce((sum, bar, k) => sum + (bar ? dot(bar, forwards[k]) : 0), 0);
  const right =
    dot(start.state, state) +
    inputs.reduce((sum, tangent, k) => sum + dot(back.inputs[k], tangent), 0) +
    names.reduce((sum, name) => sum + start.parameters[name] * parameters[name], 0);
  return [left, right];
}

/** At the ends of steps contacts are up to 1e6 times as stiff as bodies are heavy, and that many digits are lost of the sixteen. */
const sameEnd = 1e-8;

describe("a rollout's gradients", () => {
  test("backwards is the transpose of forwards, in maximal and minimal coordinates", () => {
    const { simulation, start } = scene();
    const trajectory = simulation.rollout(start, { steps: 40, controller: swing, gradients: true });
    expect(trajectory.solved).toBe(true);
    for (const coordinates of ["maximal", "minimal"] as const) {
      const [left, right] = bothSides(trajectory, coordinates, 1);
      expect(Math.abs(left - right)).toBeLessThan(sameEnd * Math.max(1, Math.abs(left)));
    }
  });

  test("gradients by state and input are the same with and without those by parameters", () => {
    const { mechanism, simulation, start } = scene();
    const trajectory = simulation.rollout(start, { steps: 40, controller: swing, gradients: true });
    const random = new Random(5);
    const cotangents = Array.from({ length: 41 }, () => randomVector(random, 12 * mechanism.bodies.length));
    const all = pullback(trajectory, cotangents, { parameters: names });
    const alone = pullback(trajectory, cotangents);
    const flat = ({ state, inputs }: Pullback): number[] => [...state, ...inputs.flatMap((input) => [...input])];
    const [expected, actual] = [flat(all), flat(alone)];
    const largest = Math.max(...expected.map(Math.abs));
    const apart = Math.max(...expected.map((value, i) => Math.abs(value - actual[i])));
    expect(apart).toBeLessThan(sameEnd * largest);
  });

  test("fifty steps with contact equal central differences at a large kappa", () => {
    const kappa = 1e-2;
    const { mechanism, simulation, start } = scene(exactAt(kappa));
    const steps = 50;
    const run = (from: Float64Array, controller: Controller) =>
      simulation.rollout(from, { steps, controller, gradients: { kappa }, check: false });
    const trajectory = run(start, swing);
    const raw = randomVector(new Random(3), mechanism.stateSize);
    // attitudes come in as raw quaternions; their sign and length are none of the cost's business
    const cost = ({ final }: Trajectory): number => dot(raw, final);
    const cotangents = (k: number) => (k === steps ? raw : undefined);
    const back = pullback(trajectory, cotangents, { parameters: names });
    const compare = (f: (amount: number) => number, exact: number, scale = 1): void => {
      const [best] = [1e-4, 1e-5]
        .map((step) => Math.abs(difference((amount) => Float64Array.of(f(amount)), step * scale)[0] - exact))
        .sort((a, b) => a - b);
      expect(best).toBeLessThan(1e-6 * Math.max(1, Math.abs(exact)));
    };
    for (const column of [0, 2, 4, 7, 11, 16, 22, 30, 35]) {
      const along = (amount: number): Float64Array => {
        const error = new Float64Array(12 * mechanism.bodies.length);
        error[column] = amount;
        return addError(start, error);
      };
      compare((amount) => cost(run(along(amount), swing)), back.state[column]);
    }
    for (const [k, i] of [
      [0, 0],
      [12, 1],
      [30, 3],
      [49, 0],
    ]) {
      const nudged =
        (amount: number): Controller =>
        (state, step, input, interval) => {
          swing(state, step, input, interval);
          if (step === k) input[i] += amount;
          return input;
        };
      compare((amount) => cost(run(start, nudged(amount))), back.inputs[k][i]);
    }
    for (const name of ["bodies.crate.mass", "joints.hinge.damping.0", "gravity.z", "timestep"] as const) {
      const before = simulation.parameter(name);
      compare(
        (amount) => {
          simulation.setParameter(name, before + amount);
          const value = cost(run(start, swing));
          simulation.setParameter(name, before);
          return value;
        },
        back.parameters[name],
        Math.abs(before),
      );
    }
  });

  test("in minimal coordinates the start's joint positions are held while an anchor moves", () => {
    const kappa = 1e-2;
    const { simulation, start } = scene(exactAt(kappa));
    const run = (from: Float64Array) =>
      simulation.rollout(from, { steps: 15, controller: swing, gradients: { kappa }, check: false });
    const x = minimalFromState(simulation, start);
    const weights = randomVector(new Random(4), x.length);
    const name = "joints.hinge.parentAnchor.x";
    const back = pullback(run(start), (k) => (k === 15 ? weights : undefined), {
      parameters: [name],
      coordinates: "minimal",
    });
    const { state, parameters } = back.minimal();
    const cost = (from: Float64Array): number => dot(weights, minimalFromState(simulation, run(from).final));
    const before = simulation.parameter(name);
    const byAnchor = difference((amount) => {
      simulation.setParameter(name, before + amount);
      const value = cost(stateFromMinimal(simulation, x));
      simulation.setParameter(name, before);
      return Float64Array.of(value);
    }, 1e-5);
    expect(Math.abs(byAnchor[0] - parameters[name])).toBeLessThan(1e-6 * Math.max(1, Math.abs(byAnchor[0])));
    const byAngle = difference((amount) => {
      const y = Float64Array.from(x);
      y[6] += amount;
      return Float64Array.of(cost(stateFromMinimal(simulation, y)));
    }, 1e-5);
    expect(Math.abs(byAngle[0] - state[6])).toBeLessThan(1e-6 * Math.max(1, Math.abs(byAngle[0])));
  });

  test("checkpoints give the same bits, and call the controller only once a step", () => {
    const cotangents = (k: number, state: Float64Array) =>
      k % 7 === 0 ? state.map((entry) => Math.sin(entry)) : undefined;
    const results = [undefined, 8].map((checkpointEvery) => {
      const { simulation, start } = scene();
      let calls = 0;
      const controller: Controller = (state, k, input, interval) => {
        calls++;
        if (k === 20) simulation.setWrench("crate", { force: [1, 0, 0] });
        if (k === 30) simulation.setParameter("gravity.z", -5);
        input.set(state.subarray(0, 4));
        return swing(state, k, input, interval);
      };
      const gradients = checkpointEvery === undefined ? true : { checkpointEvery };
      const trajectory = simulation.rollout(start, { steps: 45, controller, gradients });
      const back = pullback(trajectory, cotangents, { parameters: names });
      expect(calls).toBe(45);
      return { back, trajectory };
    });
    const [whole, sparse] = results;
    expect(sparse.trajectory.states.length).toBe(6);
    expect(sparse.trajectory.final).toEqual(whole.trajectory.final);
    expect(sparse.trajectory.states[2]).toEqual(whole.trajectory.states[16]);
    expect(sparse.back.state).toEqual(whole.back.state);
    expect(sparse.back.inputs).toEqual(whole.back.inputs);
    expect(sparse.back.parameters).toEqual(whole.back.parameters);
  });

  test("a controller's own derivative carries on to the state", () => {
    const kappa = 1e-2;
    const { mechanism, simulation, start } = scene(exactAt(kappa));
    const gain = randomVector(new Random(6), 4 * mechanism.stateSize).map((entry) => 0.003 * entry);
    const policy: Controller = (state, _, input) => {
      for (let i = 0; i < 4; i++) input[i] = dot(gain.subarray(i * state.length, (i + 1) * state.length), state);
      return input;
    };
    const run = (from: Float64Array) =>
      simulation.rollout(from, { steps: 20, controller: policy, gradients: { kappa }, check: false });
    const weights = randomVector(new Random(7), mechanism.stateSize);
    const back = pullback(run(start), (k) => (k === 20 ? weights : undefined), {
      controllerPullback: (_, state, bar) => {
        const raw = new Float64Array(state.length);
        for (let i = 0; i < 4; i++) for (let j = 0; j < raw.length; j++) raw[j] += gain[i * raw.length + j] * bar[i];
        return raw;
      },
    });
    for (const column of [1, 5, 8, 15, 33]) {
      const moved = difference((amount) => {
        const error = new Float64Array(12 * mechanism.bodies.length);
        error[column] = amount;
        return Float64Array.of(dot(weights, run(addError(start, error)).final));
      }, 1e-5);
      expect(Math.abs(moved[0] - back.state[column])).toBeLessThan(1e-6 * Math.max(1, Math.abs(moved[0])));
    }
    // and forwards
    const tangent = randomVector(new Random(8), 12 * mechanism.bodies.length);
    const states = pushforward(
      run(start),
      { state: tangent },
      {
        controllerPushforward: (_, state, dotState) => {
          const moved = difference(
            (amount) =>
              addError(
                state,
                dotState.map((entry) => amount * entry),
              ),
            1e-3,
          );
          return Float64Array.from({ length: 4 }, (_, i) =>
            dot(gain.subarray(i * state.length, (i + 1) * state.length), moved),
          );
        },
      },
    );
    const along = (amount: number) =>
      run(
        addError(
          start,
          tangent.map((entry) => amount * entry),
        ),
      ).final;
    const reference = run(start).final;
    const moved = difference((amount) => stateError(reference, along(amount)), 1e-5);
    expect(relativeError(states[20], moved)).toBeLessThan(1e-6);
  });

  test("a cotangent may be discounted, or cut off, on its way from step to step", () => {
    const { simulation, start } = scene();
    const steps = 12;
    const trajectory = simulation.rollout(start, { steps, controller: swing, gradients: true });
    const last = trajectory.final.map((_, i) => Math.sin(i));
    const cost = (k: number): Float64Array | undefined => (k === steps ? last : undefined);
    const whole = pullback(trajectory, cost);
    const seen: number[] = [];
    const factor = 0.5;
    const discounted = pullback(trajectory, cost, {
      onCotangent: (k, cotangent) => {
        seen.push(k);
        cotangent.forEach((entry, i) => {
          cotangent[i] = factor * entry;
        });
      },
    });
    expect(seen).toEqual(Array.from({ length: steps }, (_, i) => steps - i));
    // a power of two leaves the bits alone
    whole.inputs.forEach((input, k) => {
      expect(discounted.inputs[k]).toEqual(input.map((entry) => entry * factor ** (steps - k)));
    });
    expect(discounted.state).toEqual(whole.state.map((entry) => entry * factor ** steps));
    const truncated = pullback(trajectory, cost, { onCotangent: (k, cotangent) => k === 5 && cotangent.fill(0) });
    whole.inputs.forEach((input, k) => {
      expect(truncated.inputs[k].map(Math.abs)).toEqual(k < 5 ? input.map(() => 0) : input.map(Math.abs));
    });
    expect(() => pullback(trajectory, cost, { onCotangent: (_, cotangent) => cotangent.fill(Number.NaN) })).toThrow(
      "onCotangent(12)",
    );
  });

  test("what cannot be differentiated says so", () => {
    const { simulation, start } = scene();
    expect(() => pullback(simulation.rollout(start, { steps: 2 }), [])).toThrow("no-gradients at trajectory");
    const trajectory = simulation.rollout(start, { steps: 2, gradients: true });
    expect(() => pullback(trajectory, [new Float64Array(5)])).toThrow("wrong-size at cotangents[0]");
    expect(() => pullback(trajectory, [], { parameters: ["bodies.crat.mass"] })).toThrow(
      'did you mean "bodies.crate.mass"',
    );
    expect(() => simulation.rollout(start, { steps: 1, gradients: { checkpointEvery: 0 } })).toThrow(
      "out-of-range at checkpointEvery",
    );
  });
});
