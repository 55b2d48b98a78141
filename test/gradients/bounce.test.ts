/** Gradients of steps with a bounce against central differences of steps that stop exactly at the same κ, and against closed forms. */
import { describe, expect, test } from "vitest";
import {
  addError,
  box,
  boxCorners,
  capsule,
  checkGradients,
  compile,
  floating,
  frictionContact,
  halfSpace,
  impactContact,
  linearContact,
  maximalState,
  models,
  pullback,
  pushforward,
  revolute,
  Simulation,
  sphere,
  stateError,
  stepGradients,
} from "../../src/index.ts";
import { column, difference, relativeError } from "./differences.ts";

const kappa = 1e-6;
/** On the central path to rounding: how far a point is off it shows in its derivatives. */
const onPath = { kappa, exact: true, pathTolerance: 1e-11, tolerance: 1e-14 } as const;
/** Of differences with steps of 1e-5, of what changes over centimetres. */
const tolerance = 1e-6;

type Model = "cone" | "linear" | "impact";

function contact(
  model: Model,
  options: { body: string; point: readonly [number, number, number]; restitution?: number },
) {
  const friction = { frictionCoefficient: 0.3, radius: 0.004, ...options };
  if (model === "cone") return frictionContact(friction);
  if (model === "linear") return linearContact(friction);
  return impactContact(options);
}

/** A box about to hit the floor with a corner; every other one has no restitution. */
function thrown(model: Model) {
  const body = box({ size: [0.2, 0.12, 0.08], mass: 1.3 });
  const mechanism = compile({
    timestep: 0.01,
    bodies: { body },
    joints: { base: floating({ parent: "world", child: "body", actuated: true }) },
    contacts: boxCorners(body).map((point, i) =>
      contact(model, { body: "body", point, ...(i % 2 === 0 && { restitution: 0.5 }) }),
    ),
  });
  const simulation = new Simulation(mechanism, onPath);
  const start = maximalState(mechanism, {
    base: { position: [0, 0, 0.17, 0.4, -0.7, 0], velocity: [0.5, 0.2, -1.5, 2, -1, 3] },
  });
  return { simulation, ...untilBounce(simulation, start) };
}

/** A link on a hinge whose tip hits a wall, with a ball on top of it that is hit too. */
function linked() {
  const mechanism = compile({
    timestep: 0.01,
    bodies: { rod: capsule({ radius: 0.02, length: 0.6, mass: 0.8 }), base: box({ size: [0.3, 0.2, 0.1], mass: 2 }) },
    joints: {
      base: floating({ parent: "world", child: "base", actuated: true }),
      hinge: revolute({
        parent: "base",
        child: "rod",
        axis: [0, 1, 0],
        parentAnchor: [0, 0, -0.05],
        childAnchor: [0, 0, 0.3],
        stiffness: 3,
        damping: 0.1,
        actuated: true,
      }),
    },
    contacts: [
      frictionContact({ body: "rod", point: [0, 0, -0.3], frictionCoefficient: 0.4, restitution: 0.7 }),
      frictionContact({
        body: "rod",
        point: [0, 0, -0.3],
        radius: 0.02,
        frictionCoefficient: 0.2,
        restitution: 0.4,
        halfSpace: halfSpace({ normal: [-1, 0, 0], offset: -1 }),
      }),
    ],
  });
  const simulation = new Simulation(mechanism, onPath);
  const start = maximalState(mechanism, {
    base: { position: [0, 0, 0.7, 0, 0.2, 0], velocity: [0.3, 0, -1.2, 0, 1, 0] },
    hinge: { position: [0.3], velocity: [-1] },
  });
  return { simulation, ...untilBounce(simulation, start) };
}

function untilBounce(simulation: Simulation, start: Float64Array): { state: Float64Array; input: Float64Array } {
  const input = new Float64Array(simulation.inputSize).map((_, i) => 0.3 - 0.1 * i);
  let state = start;
  for (let k = 0; k < 60; k++) {
    simulation.continuation = undefined;
    const { next, status } = simulation.stepWith(state, input, { ...onPath, points: [{ kappa }] });
    expect(status).toBe("solved");
    if (simulation.stepper.solve.kept[0].bounces.length > 0) return { state, input };
    state = next.slice();
  }
  throw new Error("nothing bounces");
}

function stepped(simulation: Simulation, state: Float64Array, input: Float64Array, base: Float64Array): Float64Array {
  simulation.continuation = undefined;
  const { next, status } = simulation.step(state, input);
  expect(status).toBe("solved");
  return stateError(base, next);
}

test("impulses of a ball that strikes a block on the floor, and of the floor, have the derivatives of differences", () => {
  const block = box({ size: [0.3, 0.3, 0.1], mass: 1 });
  const mechanism = compile({
    timestep: 0.01,
    bodies: { block, ball: sphere({ radius: 0.05, mass: 0.5 }) },
    joints: {
      block: floating({ parent: "world", child: "block" }),
      ball: floating({ parent: "world", child: "ball", actuated: true }),
    },
    contacts: [
      ...boxCorners(block)
        .slice(0, 4)
        .map((point, i) => frictionContact({ name: `foot${i}`, body: "block", point, frictionCoefficient: 0.5 })),
      frictionContact({
        name: "ball",
        body: "ball",
        ...{ point: [0, 0, 0], radius: 0.05, frictionCoefficient: 0.4, restitution: 0.6 },
        halfSpace: halfSpace({ body: "block", normal: [0, 0, 1], offset: 0.05 }),
      }),
    ],
  });
  const simulation = new Simulation(mechanism, onPath);
  const { state, input } = untilBounce(
    simulation,
    maximalState(mechanism, {
      block: { position: [0, 0, 0.0501, 0, 0, 0] },
      ball: { position: [0.03, 0.02, 0.2, 0, 0, 0], velocity: [0.2, 0, -1, 0, 3, 0] },
    }),
  );
  const contacts = ["foot0", "foot3", "ball"];
  const after = (z: Float64Array): Float64Array => {
    simulation.continuation = undefined;
    expect(simulation.step(z, input).status).toBe("solved");
    return Float64Array.from(
      contacts.flatMap((name) => {
        const { normal, friction } = simulation.contact(name);
        return [normal, ...friction].map((force) => force * mechanism.timestep);
      }),
    );
  };
  const { impulses, dImpulse_dState } = stepGradients(simulation, state, input, { kappa, contacts });
  expect(relativeError(impulses, after(state))).toBeLessThan(1e-8);
  expect(impulses[6]).toBeGreaterThan(0.5);
  const errors = 12 * mechanism.bodies.length;
  for (const j of [2, 3, 8, 12, 14, 18, 20, 22]) {
    const unit = new Float64Array(errors);
    const moved = (amount: number): Float64Array => {
      unit[j] = amount;
      return after(addError(state, unit));
    };
    expect(relativeError(column(dImpulse_dState, errors, j), difference(moved, 1e-6)), `${j}`).toBeLessThan(tolerance);
  }
});

describe.each([
  ["a box with an exact cone", () => thrown("cone")],
  ["a box with a pyramid", () => thrown("linear")],
  ["a box without friction", () => thrown("impact")],
  ["a link on a hinge", linked],
] as const)("%s", (_, scene) => {
  const { simulation, state, input } = scene();
  const names = [
    "contacts.*.restitution",
    "contacts.*.point.x",
    "contacts.*.offset",
    "bodies.*.mass",
    "bodies.*.inertia.yy",
    "timestep",
    "gravity.z",
  ];
  const gradients = stepGradients(simulation, state, input, { kappa, parameters: names });
  const base = gradients.next.slice();
  const errors = 12 * simulation.mechanism.bodies.length;

  test("has the Jacobians of the bounce with respect to state and input", () => {
    for (let j = 0; j < errors; j++) {
      const unit = new Float64Array(errors);
      const moved = (amount: number): Float64Array => {
        unit[j] = amount;
        return stepped(simulation, addError(state, unit), input, base);
      };
      const expected = difference(moved, 1e-5);
      expect(relativeError(column(gradients.dNext_dState, errors, j), expected)).toBeLessThan(tolerance);
    }
    for (let j = 0; j < input.length; j++) {
      const pushed = (amount: number): Float64Array =>
        stepped(
          simulation,
          state,
          input.map((value, i) => (i === j ? value + amount : value)),
          base,
        );
      const expected = difference(pushed, 1e-3);
      expect(relativeError(column(gradients.dNext_dInput, input.length, j), expected)).toBeLessThan(tolerance);
    }
  });

  test("and with respect to its parameters, restitution among them", () => {
    names.forEach((pattern, j) => {
      const matching = simulation.parameterNames.filter((name) =>
        new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^.]+")}$`).test(name),
      );
      const set = (amount: number): Float64Array => {
        const before = Object.fromEntries(matching.map((name) => [name, simulation.parameter(name)]));
        simulation.setParameters(Object.fromEntries(matching.map((name) => [name, before[name] + amount])));
        const error = stepped(simulation, state, input, base);
        simulation.setParameters(before);
        return error;
      };
      const expected = difference(set, pattern === "bodies.*.inertia.yy" ? 1e-7 : 1e-6);
      expect([pattern, relativeError(column(gradients.dNext_dParameter, names.length, j), expected)]).toEqual([
        pattern,
        expect.closeTo(0, 5),
      ]);
    });
  });

  test("tangents and cotangents of a rollout through it agree", () => {
    const rollout = new Simulation(simulation.mechanism).rollout(state, {
      steps: 4,
      inputs: [input, input, input, input],
      // rounding grows as κ falls, and impacts have a tenth of it
      gradients: { kappa: 10 * kappa },
    });
    const direction = Float64Array.from({ length: errors }, (__, i) => Math.sin(i + 1));
    const weights = Float64Array.from({ length: errors }, (__, i) => Math.cos(2 * i));
    const parameters = ["contacts.*.restitution"];
    const forward = pushforward(rollout, { state: direction, parameters: { [parameters[0]]: 0.7 } });
    const back = pullback(rollout, [undefined, undefined, undefined, undefined, weights], { parameters });
    const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * b[i], 0);
    const [one, two] = [
      dot(forward[4], weights),
      dot(back.state, direction) + 0.7 * back.parameters["contacts.*.restitution"],
    ];
    expect(Math.abs(one - two)).toBeLessThan(1e-9 * Math.max(1, Math.abs(one)));
  });
});

/** At the usual κ' of gradients, 0.1, and a tenth of it at a tenth: what is left is κ in the impact, worst where the impact is slow beside g h. */
const slopeTolerance = 5e-3;

test.each([
  [0.05, 1],
  [0.05, 0.6],
  [0.01, 1],
  [0.01, 0.6],
  [0.001, 0.6],
] as const)(
  "a ball that is let go higher comes back higher by e², at every phase of its impact (h = %f, e = %f)",
  (h, e) => {
    const [g, radius] = [9.81, 0.1];
    const mechanism = compile({
      timestep: h,
      bodies: { ball: sphere({ radius, mass: 1 }) },
      joints: { base: floating({ parent: "world", child: "ball" }) },
      contacts: [impactContact({ name: "floor", body: "ball", point: [0, 0, 0], radius, restitution: e })],
    });
    const simulation = new Simulation(mechanism);
    for (const phase of h < 0.01 ? [0.3] : [0, 0.17, 0.34, 0.5, 0.67, 0.84]) {
      const fall = h * (Math.round(0.33 / h) + phase);
      const height = (g * fall ** 2) / 2;
      // up to the middle of the flight that follows
      const steps = Math.ceil(fall / h) + Math.max(1, Math.floor((e * fall) / h));
      const start = maximalState(mechanism, { base: { position: [0, 0, radius + height, 0, 0, 0] } });
      start[9] = (g * h) / 2;
      for (const relativeKappa of [0.1, 0.01]) {
        const rollout = simulation.rollout(start, { steps, gradients: { relativeKappa } });
        // height of the next apex: z + v²/2g with the velocity at the end of the interval
        const weights = new Float64Array(12);
        weights[2] = 1;
        weights[8] = (rollout.final[9] - (g * h) / 2) / g;
        const { state, parameters } = pullback(rollout, [...Array(steps).fill(undefined), weights], {
          parameters: ["contacts.floor.restitution"],
        });
        const most = slopeTolerance * (relativeKappa / 0.1);
        expect(Math.abs(state[2] / e ** 2 - 1)).toBeLessThan(most);
        expect(Math.abs(parameters["contacts.floor.restitution"] / (2 * e * height) - 1)).toBeLessThan(most);
      }
    }
  },
);

test("what lies far behind while a contact bounces has no share in Jacobians, at a large κ either", () => {
  const body = capsule({ radius: 0.05, length: 0.2, mass: 1, contact: true });
  const floor = { kind: "halfSpace", contact: { frictionCoefficient: 0.5, restitution: 0.6 } } as const;
  const joints = { body: floating({ parent: "world", child: "body" }) };
  const mechanism = compile({ timestep: 0.05, bodies: { body }, joints, shapes: [floor] });
  const simulation = new Simulation(mechanism);
  for (const z of [0.14, 0.2]) {
    const start = maximalState(mechanism, {
      body: { position: [0, 0, z, 0.8, 0.3, 0], velocity: [0.5, 0, -2, 3, 1, 2] },
    });
    const check = checkGradients(simulation, start, undefined, { relativeKappa: 1 });
    expect(check.worst, check.entry).toBeLessThan(1e-8);
  }
});

test("a tangent goes through a bounce of a robot at about the price of a cotangent", () => {
  const description = models.hopper({ restitution: 0.8 });
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const start = maximalState(mechanism, Object.values(description.states ?? {})[0]);
  mechanism.bodies.forEach((_, body) => {
    start[13 * body + 2] += 0.2;
  });
  // the step in which a falling body is thrown up again
  const { states } = simulation.rollout(start, { steps: 60 });
  const turns = states.findIndex((state, k) =>
    mechanism.bodies.some((_, body) => state[13 * body + 9] < -1 && states[k + 1]?.[13 * body + 9] > 0.5),
  );
  expect(turns).toBeGreaterThan(0);
  const step = simulation.rollout(states[turns], { steps: 1, gradients: {} });
  const ones = new Float64Array(12 * mechanism.bodies.length).fill(1);
  const least = (run: () => void): number => {
    const times = Array.from({ length: 20 }, () => {
      const before = performance.now();
      run();
      return performance.now() - before;
    });
    return Math.min(...times);
  };
  const forward = least(() => pushforward(step, { state: ones }));
  const back = least(() => pullback(step, [undefined, ones]));
  // one cotangent per row of the Jacobian had taken 12 per body
  expect(forward / back).toBeLessThan(6);
});
