/** Gradients of single steps where there is more to them than a plain tree: substeps, thrusters, names, failures. */
import { describe, expect, test } from "vitest";
import { differentiableParameters } from "../../src/gradients/parameters.ts";
import {
  box,
  boxCorners,
  capsule,
  checkGradients,
  compile,
  cylindrical,
  floating,
  frictionContact,
  interpreter,
  javascript,
  maximalState,
  models,
  pullback,
  pushforward,
  Random,
  revolute,
  Simulation,
  spherical,
  startState,
  stepGradients,
  webassembly,
} from "../../src/index.ts";

const promised = 1e-6;
const rod = capsule({ radius: 0.05, length: 0.5, mass: 0.4 });
const ends = { parentAnchor: [0, 0, 0.25], childAnchor: [0, 0, -0.25] } as const;

/** All but the raw quaternions, whose single entries leave the rotations. */
const parametersOf = (simulation: Simulation, every = 1): string[] =>
  differentiableParameters(simulation.system).filter(
    (name, i) => i % every === 0 && !/regularization|Frame\.[wxyz]$/.test(name),
  );

function crate(options: { readonly friction?: readonly number[] } = {}) {
  const body = box({ size: [0.5, 0.4, 0.3], mass: 1.2 });
  const { friction = [0.5] } = options;
  const mechanism = compile({
    timestep: 0.05,
    bodies: { crate: body },
    joints: { base: floating({ parent: "world", child: "crate", actuated: true }) },
    contacts: boxCorners(body).map((point, i) =>
      frictionContact({ body: "crate", point, frictionCoefficient: friction[i % friction.length] }),
    ),
  });
  const simulation = new Simulation(mechanism);
  const state = maximalState(mechanism, {
    base: { position: [0, 0, 0.22, 0.1, 0.2, 0], velocity: [1, 0.2, -1, 0, 0.5, 0] },
  });
  return { simulation, state, input: new Float64Array(6) };
}

describe("a step that needs substeps", () => {
  const mechanism = compile({
    timestep: 0.05,
    bodies: { a: rod, b: { ...rod, mass: 0.3 }, c: rod },
    joints: {
      hinge: revolute({
        parent: "world",
        child: "a",
        axis: [0, 1, 0],
        childAnchor: [0, 0, -0.25],
        damping: 0.1,
        actuated: true,
      }),
      ball: spherical({ ...ends, parent: "a", child: "b", damping: 0.01 }),
      end: revolute({ ...ends, parent: "b", child: "c", axis: [1, 0, 0] }),
    },
    contacts: [
      frictionContact({
        body: "c",
        point: [0, 0, 0.25],
        frictionCoefficient: 0.5,
        halfSpace: { normal: [0, 0, 1], offset: -1 },
      }),
    ],
  });
  const simulation = new Simulation(mechanism);
  const input = Float64Array.of(0.2);
  const random = new Random(5);
  const fast: Float64Array[] = [];
  for (let trial = 0; trial < 1000 && fast.length < 3; trial++) {
    const spin = random.uniform(5, 14);
    const three = (size: number): number[] => [1, 2, 3].map(() => random.uniform(-size, size));
    const state = maximalState(mechanism, {
      hinge: { position: [random.uniform(-3, 3)], velocity: [random.uniform(-spin, spin)] },
      ball: { position: three(1), velocity: three(spin) },
      end: { position: [random.uniform(-2, 2)], velocity: [random.uniform(-spin, spin)] },
    });
    const isSlow = state.every(
      (_, i) => i % 13 < 10 || Math.hypot(...state.subarray(i - (i % 13) + 10, i - (i % 13) + 13)) < 28,
    );
    if (!isSlow) continue;
    const { status, substeps } = simulation.step(state, input, { kappa: 1e-3, exact: true });
    if (status === "solved" && substeps > 1) fast.push(state);
  }

  test("is differentiated through them, by everything", () => {
    expect(fast.length).toBe(3);
    for (const [i, state] of fast.entries()) {
      for (const coordinates of ["maximal", "minimal"] as const) {
        const parameters = parametersOf(simulation, i === 0 && coordinates === "maximal" ? 1 : 5);
        const check = checkGradients(simulation, state, input, {
          kappa: 1e-3,
          coordinates,
          parameters: [...parameters, "timestep"],
        });
        expect(check.worst, check.format()).toBeLessThan(promised);
      }
      expect(stepGradients(simulation, state, input).substeps).toBeGreaterThan(1);
      // each substep has units of its own, and they are held
      const relative = checkGradients(simulation, state, input, { parameters: ["timestep", "bodies.b.mass"] });
      expect(relative.worst, relative.format()).toBeLessThan(promised);
    }
  });

  test("is pulled back as it is pushed forward", () => {
    const trajectory = simulation.rollout(fast[0], { steps: 3, controller: () => input, gradients: true });
    expect(trajectory.reports[0].substeps).toBeGreaterThan(1);
    const vector = (length: number): Float64Array => Float64Array.from({ length }, () => random.normal());
    const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, entry, i) => sum + entry * b[i], 0);
    const [bar, state, names] = [vector(36), vector(36), ["timestep", "bodies.b.inertia.xx", "bodies.c.mass"]];
    const parameters = Object.fromEntries(names.map((name) => [name, 0.001 * random.normal()]));
    const states = pushforward(trajectory, { state, parameters });
    const back = pullback(trajectory, (k) => (k === trajectory.steps ? bar : undefined), { parameters: names });
    const left = dot(bar, states[trajectory.steps]);
    const right =
      dot(back.state, state) + names.reduce((sum, name) => sum + back.parameters[name] * parameters[name], 0);
    expect(Math.abs(left - right)).toBeLessThan(1e-8 * Math.abs(left));
  });
});

test("Jacobians have the same bits whichever way the kernels are run", () => {
  const mechanism = compile(models.panda());
  const state = maximalState(mechanism, models.panda().states?.rest);
  for (const coordinates of ["maximal", "minimal"] as const) {
    const [first, ...others] = [webassembly, javascript, interpreter].map((target) => {
      const simulation = new Simulation(mechanism, { target });
      const { dNext_dState, dNext_dInput } = stepGradients(simulation, state, new Float64Array(8), { coordinates });
      return [dNext_dState, dNext_dInput];
    });
    for (const other of others) expect(other).toEqual(first);
  }
});

test("a result handed in again is overwritten, with the same bits", () => {
  const { simulation, state, input } = crate();
  for (const coordinates of ["maximal", "minimal"] as const) {
    const fresh = stepGradients(simulation, state, input, { coordinates });
    const elsewhere = state.map((entry, i) => (i === 6 ? entry + 0.1 : entry));
    const into = stepGradients(simulation, elsewhere, input, { coordinates });
    expect(into.next).not.toEqual(fresh.next);
    expect(stepGradients(simulation, state, input, { coordinates, into })).toBe(into);
    expect(into).toEqual(fresh);
    expect(() => stepGradients(simulation, state, input, { coordinates, parameters: ["timestep"], into })).toThrow(
      /into/,
    );
  }
});

test("thrusters, drag, servos and the centre of mass", () => {
  const mechanism = compile({
    timestep: 0.02,
    fluid: { density: 1.2, viscosity: 0.01, wind: [1, 0, 0] },
    bodies: { drone: box({ size: [0.3, 0.2, 0.1], mass: 0.8 }), arm: rod },
    joints: {
      base: floating({ parent: "world", child: "drone" }),
      reach: cylindrical({
        parent: "drone",
        child: "arm",
        axis: [0, 0.6, 0.8],
        childAnchor: [0, 0, 0.2],
        servo: { stiffness: 20, damping: 1 },
      }),
    },
    thrusters: {
      left: { body: "drone", position: [0.1, 0.1, 0], force: [0, 0, 1] },
      right: { body: "drone", force: [0, 0.1, 1], torque: [0, 0, 0.1] },
    },
    contacts: [
      frictionContact({
        name: "tip",
        body: "arm",
        point: [0, 0, -0.25],
        frictionCoefficient: 0.4,
        halfSpace: { body: "drone", normal: [0, 0, 1], offset: -0.6 },
      }),
    ],
  });
  const simulation = new Simulation(mechanism);
  const state = maximalState(mechanism, {
    base: { position: [0, 0, 1, 0.2, 0.1, 0], velocity: [1, 0, 0.5, 0.3, 0, 1] },
    reach: { position: [0.02, 0.3], velocity: [0.1, 1] },
  });
  const input = Float64Array.from({ length: simulation.inputSize }, (_, i) => 0.3 + 0.1 * i);
  for (const coordinates of ["maximal", "minimal"] as const) {
    const check = checkGradients(simulation, state, input, { coordinates, parameters: parametersOf(simulation) });
    expect(check.worst, check.format()).toBeLessThan(promised);
  }
});

describe("names", () => {
  test("a pattern is the sum of what it stands for, and leaves out what has no such parameter", () => {
    const { simulation, state, input } = crate({ friction: [0.5, 0] });
    const single = [0, 2, 4, 6].map((i) => `contacts.contact${i}.frictionCoefficient`);
    const parameters = ["contacts.*.frictionCoefficient", ...single];
    // contacts at the end of a step are as stiff as 1e6 times its mass, and rounding counts as much more
    for (const [smoothing, rounding] of [
      [0.1, 1e-12],
      [0, 1e-9],
    ]) {
      const found = stepGradients(simulation, state, input, { parameters, smoothing });
      expect(found.parameterNames).toEqual(parameters);
      let largest = 0;
      for (let i = 0; i < found.rows; i++) {
        const [common, ...own] = found.dNext_dParameter.subarray(5 * i, 5 * i + 5);
        expect(Math.abs(common - own.reduce((sum, entry) => sum + entry, 0))).toBeLessThan(rounding);
        largest = Math.max(largest, Math.abs(common));
      }
      expect(largest).toBeGreaterThan(1e-3);
    }
  });

  test("what is mistyped or compiled away is refused, with a way out", () => {
    const { simulation, state, input } = crate({ friction: [0.5, 0] });
    const by = (name: string) => () => stepGradients(simulation, state, input, { parameters: [name] });
    expect(by("bodies.crate.maas")).toThrow(
      'unknown-parameter at bodies.crate.maas: no such parameter; did you mean "bodies.crate.mass"?',
    );
    expect(by("bodies.crate.centreOfMass.x")).toThrow('did you mean "bodies.crate.centerOfMass.x"');
    expect(by("contacts.*.stickiness")).toThrow("unknown-parameter at contacts.*.stickiness");
    expect(by("contacts.contact1.frictionCoefficient")).toThrow(
      "compiled-without at contacts.contact1.frictionCoefficient",
    );
    expect(by("joints.base.stiffness.0")).toThrow("compiled-without at joints.base.stiffness.0");
  });
});

describe("a step that is not solved", () => {
  test("has no gradients before the central path, and says so when they are read", () => {
    const { mechanism } = crate().simulation;
    const { state, input } = crate();
    const simulation = new Simulation(mechanism, { maxIterations: 2, fallback: false });
    const result = stepGradients(simulation, state, input);
    expect(result.status).toBe("iterationLimit");
    expect(result.differentiable).toBe(false);
    expect(() => result.dNext_dState).toThrow("the step has no gradients: it ended as iterationLimit");
  });

  test("a hold that fails costs neither the step nor its gradients", () => {
    const { simulation: exact, state, input } = crate();
    const whole = stepGradients(exact, state, input, { kappa: 1e-2 });
    const seen = new Set<string>();
    for (let maxIterations = 2; maxIterations < whole.iterations; maxIterations++) {
      const simulation = new Simulation(exact.mechanism, { maxIterations, fallback: false });
      const result = stepGradients(simulation, state, input, { kappa: 1e-2 });
      seen.add(`${result.status}, ${result.differentiable}`);
      if (!result.differentiable) continue;
      const largest = Math.max(...whole.dNext_dState.map((entry, i) => Math.abs(entry - result.dNext_dState[i])));
      expect(largest).toBeLessThan(promised);
    }
    expect(seen).toContain("iterationLimit, false");
    expect(seen).toContain("solved, true");
  });
});

test("at a sharp kappa, backwards and forwards agree as well", () => {
  const lid = box({ size: [0.2, 0.2, 0.2], mass: 0.5 });
  const body = box({ size: [0.5, 0.4, 0.3], mass: 1.2 });
  const mechanism = compile({
    timestep: 0.05,
    bodies: { body, lid },
    joints: { base: floating({ parent: "world", child: "body" }), free: floating({ parent: "world", child: "lid" }) },
    contacts: [
      ...boxCorners(body).map((point) => frictionContact({ body: "body", point, frictionCoefficient: 0.5 })),
      ...boxCorners(lid).map((point) =>
        frictionContact({
          body: "lid",
          point,
          frictionCoefficient: 0.5,
          halfSpace: { body: "body", normal: [0, 0, 1], offset: 0.15 },
        }),
      ),
    ],
  });
  const simulation = new Simulation(mechanism);
  const start = maximalState(mechanism, {
    base: { position: [0, 0, 0.151, 0, 0, 0], velocity: [0.3, 0, 0, 0, 0, 0] },
    free: { position: [0, 0, 0.402, 0, 0, 0.2] },
  });
  const trajectory = simulation.rollout(start, { steps: 5, gradients: { kappa: 1e-8 } });
  const random = new Random(9);
  const [bar, state] = [0, 1].map(() => Float64Array.from({ length: 24 }, () => random.normal()));
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, entry, i) => sum + entry * b[i], 0);
  const left = dot(bar, pushforward(trajectory, { state })[5]);
  const right = dot(pullback(trajectory, (k) => (k === 5 ? bar : undefined)).state, state);
  expect(Math.abs(left - right)).toBeLessThan(1e-7 * Math.max(1, Math.abs(left)));
});

test("inputs on the limits of thrusters and motors have the gradient of one side", () => {
  const quadrotor = new Simulation(compile(models.skydioX2()));
  const falling = startState(quadrotor.mechanism);
  const { lower, upper } = quadrotor.mechanism.thrusters[0];
  for (const level of [lower, upper] as number[]) {
    const input = new Float64Array(4).fill(level);
    expect(checkGradients(quadrotor, falling, input, { coordinates: "minimal" }).worst).toBeLessThan(1e-7);
  }
  const rod = box({ size: [0.1, 0.1, 1], mass: 1 });
  const motor = { parent: "world", child: "rod", axis: [1, 0, 0], childAnchor: [0, 0, 0.5], actuated: true } as const;
  const arm = new Simulation(
    compile({ timestep: 0.01, bodies: { rod }, joints: { hinge: revolute({ ...motor, effortLimit: 3 }) } }),
  );
  for (const torque of [3, -3])
    expect(checkGradients(arm, maximalState(arm.mechanism), Float64Array.of(torque)).worst).toBeLessThan(1e-7);
});
