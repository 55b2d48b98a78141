/** Starts that are predicted: the elimination, and steps from a cold start, are the oracles. */
import { describe, expect, test } from "vitest";
import { interpreter, javascript, webassembly } from "../../codegen/index.ts";
import { maximalState, startState } from "../../coordinates/index.ts";
import { portNumbers } from "../../kernels/index.ts";
import { Random } from "../../math/index.ts";
import {
  box,
  boxCorners,
  fixed,
  floating,
  frictionContact,
  impactContact,
  linearContact,
  type MechanismDescription,
  prismatic,
  revolute,
  spherical,
} from "../../mechanism/index.ts";
import { models } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";

const a1 = models.a1({ timestep: 0.01, bodyContacts: true });
const humanoid = models.humanoid({ timestep: 0.01, bodyContacts: true });
const crate = box({ size: [0.3, 0.2, 0.4], mass: 1 });
/** Boxes on a slide and on a hinge, both with limits; corners with friction and without, more than it takes to carry them. */
const sled: MechanismDescription = {
  timestep: 0.01,
  bodies: { one: crate, two: crate, three: crate },
  joints: {
    base: floating({ parent: "world", child: "one" }),
    slide: prismatic({ parent: "one", child: "two", axis: [1, 0, 0], limits: [-0.05, 0.05], actuated: true }),
    hinge: revolute({
      ...{ parent: "two", child: "three", axis: [0, 1, 0], limits: [-0.2, 0.1], actuated: true },
      ...{ parentAnchor: [0.3, 0, 0], childAnchor: [-0.3, 0, 0] },
    }),
  },
  contacts: ["one", "two", "three"].flatMap((body, k) =>
    boxCorners(crate).map((point) =>
      k === 1 ? impactContact({ body, point }) : frictionContact({ body, point, frictionCoefficient: 0.6 }),
    ),
  ),
};
const tumbling = { base: { position: [0, 0, 0.5, 0.3, 0.2, 0], velocity: [1, 0, 0, 3, 2, 1] } };
/** Boxes in two loops that share the one on top, which no row of theirs holds twice. */
const frame: MechanismDescription = {
  timestep: 0.01,
  bodies: { floor: crate, left: crate, right: crate, top: crate, strut: box({ size: [0.05, 0.05, 0.4], mass: 0.2 }) },
  joints: {
    base: floating({ parent: "world", child: "floor" }),
    left: revolute({
      ...{ parent: "floor", child: "left", axis: [0, 1, 0], limits: [-0.1, 0.2], actuated: true },
      ...{ parentAnchor: [-0.3, 0, 0.2], childAnchor: [0, 0, -0.2] },
    }),
    top: spherical({ parent: "left", child: "top", parentAnchor: [0, 0, 0.2], childAnchor: [-0.3, 0, 0] }),
    right: spherical({ parent: "floor", child: "right", parentAnchor: [0.3, 0, 0.2], childAnchor: [0, 0, -0.2] }),
    strut: spherical({ parent: "floor", child: "strut", parentAnchor: [0, 0.1, 0.2], childAnchor: [0, 0, -0.2] }),
    closing: spherical({ parent: "top", child: "right", parentAnchor: [0.3, 0, 0], childAnchor: [0, 0, 0.2] }),
    closingToo: spherical({ parent: "top", child: "strut", parentAnchor: [0, 0.1, 0], childAnchor: [0, 0, 0.2] }),
  },
  contacts: ["floor", "top"].flatMap((body) =>
    boxCorners(crate).map((point) => frictionContact({ body, point, frictionCoefficient: 0.6 })),
  ),
};
/** Boxes on ball joints: limits on their tilt and on their rotation vectors, some of them reached. */
const ball = { parentAnchor: [0.2, 0, 0], childAnchor: [-0.2, 0, 0] } as const;
const doll: MechanismDescription = {
  timestep: 0.01,
  bodies: { trunk: crate, arm: crate, hand: crate },
  joints: {
    base: floating({ parent: "world", child: "trunk" }),
    shoulder: spherical({ parent: "trunk", child: "arm", tiltLimit: 0.3, actuated: true, stiffness: 1, ...ball }),
    wrist: spherical({ parent: "arm", child: "hand", limits: [-0.2, 0.3], actuated: true, damping: 0.1, ...ball }),
  },
  contacts: ["trunk", "hand"].flatMap((body) =>
    boxCorners(crate).map((point) => frictionContact({ body, point, frictionCoefficient: 0.6 })),
  ),
};
const scenes = {
  "a quadruped that falls": { description: a1, start: a1.states?.rest, effort: 5, fewer: 0.8, other: 0.05 },
  "a humanoid that falls": { description: humanoid, start: humanoid.states?.rest, effort: 20, fewer: 0.6, other: 0.05 },
  "a frame of loops that tumbles": { description: frame, start: tumbling, effort: 2, fewer: 0.9, other: 0.2 },
  "boxes on ball joints that tumble": { description: doll, start: tumbling, effort: 2, fewer: 0.9, other: 0.2 },
  "boxes that tumble": { description: sled, start: tumbling, effort: 2, fewer: 0.9, other: 0.2 },
} as const;

type Scene = (typeof scenes)[keyof typeof scenes];

/** States and inputs of a run, and the simulation that takes its steps. */
function* run({ description, start, effort }: Scene, steps: number, target = webassembly) {
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism, { target });
  const random = new Random(3);
  const state = maximalState(mechanism, start);
  for (let k = 0; k < steps; k++) {
    const input = Float64Array.from({ length: mechanism.inputSize }, () => random.uniform(-effort, effort));
    const step = simulation.step(state, input);
    expect(step.status).toBe("solved");
    yield { simulation, state: state.slice(), input, step };
    state.set(step.next);
  }
}

/** Differences in wild motion, m/s: what differs by more is another solution of the same step. */
const same = 1e-4;

describe.each(Object.entries(scenes))("%s", (_, scene) => {
  test("the sweeps see the rates of ports that the elimination finds for the same impulses", () => {
    let seen = 0;
    for (const { simulation, step } of run(scene, 30)) {
      if (step.substeps > 1) continue;
      const { problem } = simulation.stepper;
      const { f64, places, responses, nodes, unknowns } = simulation.system;
      const { prediction } = problem;
      if (!responses || !prediction) throw new Error("no prediction");
      // once more from the state in memory, whose step has just been taken
      problem.survey();
      const residual = problem.residual.slice();
      problem.startPredicted(prediction, 0.01, false);
      const h = f64[places.globals];
      for (const { kind, index, equality } of nodes) {
        if (kind !== "contact" || problem.contacts?.slots[index] === 0) continue;
        const { ports, gradient, twist, numbers } = responses.contacts[index];
        const row = unknowns + equality;
        for (let port = 0; port < ports; port++) {
          let rate = port === 0 ? -residual[row] / h : -residual[row + 1 + port];
          for (let k = 0; k < 6; k++) rate += f64[gradient + 6 * port + k] * f64[twist + k];
          expect(Math.abs(f64[numbers + portNumbers.rate + port] - rate)).toBeLessThan(1e-9 * (1 + Math.abs(rate)));
          seen++;
        }
      }
    }
    expect(seen).toBeGreaterThan(50);
  });

  test("steps that go on and cold ones are both solutions, nearly always the same, and take fewer iterations", () => {
    const cold = new Simulation(compile(scene.description));
    const count = { on: 0, cold: 0, steps: 0, other: 0 };
    for (const { simulation, state, input, step } of run(scene, 60)) {
      cold.continuation = undefined;
      const again = cold.step(state, input);
      expect(again.status).toBe("solved");
      for (const [each, { substeps }] of [
        [simulation, step],
        [cold, again],
      ] as const) {
        // of a step in parts the memory has the last one
        if (substeps > 1) continue;
        const { problem } = each.stepper;
        problem.takeAll();
        problem.evaluate();
        problem.measure(0);
        expect(problem.measures.residualViolation).toBeLessThan(1e3);
        expect(problem.measures.complementarityViolation).toBeLessThan(1.01e-8);
        expect(each.smallestDistance).toBeGreaterThan(0);
      }
      count.on += step.iterations;
      count.cold += again.iterations;
      count.steps++;
      if (step.next.some((value, i) => Math.abs(value - again.next[i]) > same)) count.other++;
    }
    expect(count.on).toBeLessThan(scene.fewer * count.cold);
    expect(count.other).toBeLessThanOrEqual(scene.other * count.steps);
  });

  test("smoothed points are those that a cold step finds, and steps end as they do without them", () => {
    const points = [{ relativeKappa: 0.1 }];
    const [smoothed, plain, cold] = [1, 2, 3].map(() => new Simulation(compile(scene.description)));
    const count = { steps: 0, other: 0 };
    for (const { simulation, state, input } of run(scene, 40)) {
      smoothed.memory = simulation.memoryOf(state);
      plain.memory = simulation.memoryOf(state);
      const { status, substeps, next } = smoothed.stepWith(state, input, { points });
      expect(status).toBe("solved");
      expect(plain.step(state, input).next).toEqual(next);
      if (substeps > 1) continue;
      count.steps++;
      cold.continuation = undefined;
      expect(cold.stepWith(state, input, { points }).status).toBe("solved");
      const [point, other] = [smoothed, cold].map((each) => each.stepper.solve.kept[0].points[0]);
      if (point.some((value, i) => Math.abs(value - other[i]) > same)) count.other++;
    }
    expect(count.steps).toBeGreaterThan(30);
    expect(count.other).toBeLessThanOrEqual(scene.other * count.steps);
  });
});

test.each(["boxes that tumble", "boxes on ball joints that tumble"] as const)(
  "%s: the sweeps see the distances of limits where these land, to first order",
  (name) => {
    const errors = { pushed: 0, ofSquare: 0, leastSquare: 1 };
    for (const { simulation } of run(scenes[name], 30)) {
      const { problem } = simulation.stepper;
      const { f64, places, responses, unknowns } = simulation.system;
      const { prediction } = problem;
      if (!responses || !prediction) throw new Error("no prediction");
      problem.survey();
      const before = f64.slice(places.unknown, places.unknown + unknowns);
      problem.startPredicted(prediction, 1e-4, false);
      const moved = before.reduce((most, value, i) => Math.max(most, Math.abs(f64[places.unknown + i] - value)), 0);
      problem.evaluate();
      const h = f64[places.globals];
      for (const { numbers, cone, row } of responses.limits) {
        if (f64[numbers + portNumbers.near] !== 1) continue;
        const distance = f64[places.coneC + cone] - problem.residual[row];
        const seen = h * f64[numbers + portNumbers.rate];
        // the tilt of a ball joint is a curve of radius 0.3
        errors.ofSquare = Math.max(errors.ofSquare, Math.abs(distance - seen) / (h * moved) ** 2);
        errors.leastSquare = Math.min(errors.leastSquare, (h * moved) ** 2);
        if (f64[numbers + portNumbers.x] > 1e-3) errors.pushed++;
      }
    }
    expect(errors.ofSquare).toBeLessThan(15);
    expect(errors.leastSquare).toBeLessThan(1e-4);
    expect(errors.pushed).toBeGreaterThan(3);
  },
);

test("accelerated sweeps settle in four of five steps of a humanoid that falls: two of three did without the leaps", () => {
  const count = { steps: 0, settled: 0 };
  for (const { simulation } of run(scenes["a humanoid that falls"], 200)) {
    count.steps++;
    if (simulation.stepper.problem.prediction?.hasSettled) count.settled++;
  }
  expect(count.settled).toBeGreaterThan(0.8 * count.steps);
});

test("the same bits on every target", () => {
  const ends = [webassembly, javascript, interpreter].map((target) => {
    let last = new Float64Array();
    for (const { step } of run(scenes["boxes that tumble"], 12, target)) last = step.next.slice();
    return last;
  });
  expect(ends[1]).toEqual(ends[0]);
  expect(ends[2]).toEqual(ends[0]);
});

test("pyramids of friction, friction in joints and limits of joints that close loops start as they did", () => {
  const pyramids = { ...sled, contacts: [linearContact({ body: "one", point: [0, 0, -0.2], frictionCoefficient: 1 })] };
  const { hinge } = sled.joints as Record<string, ReturnType<typeof revolute>>;
  const stiff = { ...sled, joints: { ...sled.joints, hinge: { ...hinge, friction: 0.1 } } };
  const limited = {
    ...frame.joints,
    closing: revolute({ ...frame.joints?.closing, axis: [0, 1, 0], limits: [-1, 1] } as never),
  };
  const closed = { ...frame, joints: limited };
  for (const description of [pyramids, stiff, closed, models.sphere()] as MechanismDescription[])
    expect(new Simulation(compile(description)).stepper.problem.prediction).toBeUndefined();
  expect(new Simulation(compile(sled)).stepper.problem.prediction).toBeDefined();
});

test("steps of a robot whose contacts may bounce go on from a prediction too, and none is tried twice", () => {
  const mechanism = compile({ ...models.hopper({ restitution: 0.5 }), damperCentering: 0 });
  const simulation = new Simulation(mechanism);
  const { stepper } = simulation;
  const state = startState(mechanism);
  const count = { retries: 0, settled: 0 };
  for (let k = 0; k < 150; k++) {
    const { status, retries, next } = simulation.step(state);
    expect(status).toBe("solved");
    count.retries += retries;
    if (!stepper.hadStages && stepper.problem.prediction?.hasSettled) count.settled++;
    state.set(next);
  }
  // the others have contacts out of the way, or come after such a step
  expect(count.settled).toBeGreaterThan(75);
  expect(count.retries).toBe(0);
});

test("a run of bodies that are all fixed, with a contact, goes on without one", () => {
  const pedestal = compile({
    timestep: 0.01,
    bodies: { crate },
    joints: { base: fixed({ parent: "world", child: "crate", parentAnchor: [0, 0, 0.201] }) },
    contacts: [frictionContact({ body: "crate", point: [0, 0, -0.2], frictionCoefficient: 0.5 })],
  });
  const { solved, final } = new Simulation(pedestal).rollout(maximalState(pedestal), { steps: 3 });
  expect(solved).toBe(true);
  expect(final[2]).toBeCloseTo(0.201, 12);
});
