/**
 * Derivatives of a step whose contacts are bound at run time are those of the mechanism that has the same contacts by hand, at the same
 * point: for every kind of feature, bodies on joints and loose ones, friction of all sorts.
 */
import { beforeAll, expect, test } from "vitest";
import { featureKinds } from "../../src/geometry/index.ts";
import { StepJacobians } from "../../src/gradients/jacobians.ts";
import type { SolvedStep } from "../../src/gradients/point.ts";
import { StepChain } from "../../src/gradients/stepChain.ts";
import {
  box,
  capsule,
  compile,
  ellipsoid,
  floating,
  type Mechanism,
  maximalState,
  revolute,
  Simulation,
  sphere,
} from "../../src/index.ts";
import { buildSystem, conesOf, type NodePlace, type System } from "../../src/kernels/index.ts";
import { Random } from "../../src/math/index.ts";
import type { TouchSteps } from "../../src/simulation/touch/touchSteps.ts";
import { contactsByHand } from "../contacts/contactsByHand.ts";

/** The same sums in another order: what rounding may do, as part of the largest entry. */
const rounding = 1e-11;
/** Where stiffnesses are refined. */
const refined = 1e-9;

const turning = { frictionCoefficient: 0.6, torsionalFriction: 0.01, rollingFriction: 0.002 };

/** A chain of two links that presses on a heap of all kinds of shapes. */
function heap(): { mechanism: Mechanism; start: Float64Array } {
  const contact = true;
  const bodies = {
    upper: capsule({ radius: 0.04, length: 0.3, mass: 1 }),
    lower: sphere({ radius: 0.08, mass: 1, contact }),
    a: box({ size: [0.3, 0.3, 0.2], mass: 3, contact }),
    b: sphere({ radius: 0.06, mass: 0.3, contact: turning }),
    c: capsule({ radius: 0.05, length: 0.3, mass: 0.5, contact }),
    d: capsule({ radius: 0.05, length: 0.3, mass: 0.4, contact: turning }),
    e: ellipsoid({ radii: [0.08, 0.06, 0.05], mass: 0.4, contact }),
    f: ellipsoid({ radii: [0.05, 0.07, 0.06], mass: 0.4, contact: { frictionCoefficient: 0 } }),
    g: sphere({ radius: 0.05, mass: 0.3, contact }),
    h: capsule({ radius: 0.04, length: 0.2, mass: 0.3, contact }),
    i: capsule({ radius: 0.05, length: 0.3, mass: 0.4, contact: turning }),
  };
  const loose = Object.keys(bodies).slice(2);
  const mechanism = compile({
    timestep: 0.01,
    bodies,
    joints: {
      shoulder: revolute({
        ...{ parent: "world", child: "upper", axis: [0, 1, 0] },
        ...{ parentAnchor: [-0.4, 0, 0.6], childAnchor: [0, 0, 0.2] },
      }),
      elbow: revolute({
        ...{ parent: "upper", child: "lower", axis: [0, 1, 0], damping: 0.1 },
        ...{ parentAnchor: [0, 0, -0.2], childAnchor: [0, 0, 0.05] },
      }),
      ...Object.fromEntries(loose.map((child) => [child, floating({ parent: "world", child })])),
    },
    shapes: [
      { kind: "halfSpace", name: "floor", contact: true },
      { kind: "sphere", name: "knob", radius: 0.1, position: [-1, 0, 0], contact: true },
    ],
  });
  const turned = Math.PI / 2;
  const start = maximalState(mechanism, {
    shoulder: { position: [-0.35], velocity: [-0.5] },
    elbow: { position: [0.2] },
    a: { position: [0, 0, 0.1005, 0, 0, 0.2] },
    b: { position: [-0.06, 0.02, 0.2605, 0, 0, 0], velocity: [0.1, 0, 0, 0, 1, 0] },
    c: { position: [0.06, 0, 0.2508, turned, 0, 0], velocity: [0, 0.1, 0, 0, 0, 0] },
    d: { position: [0.06, 0.02, 0.351, 0, turned, 0.3] },
    e: { position: [0.3, 0, 0.0505, 0, 0, 0.3], velocity: [-0.3, 0, 0, 0, 0, 0.5] },
    f: { position: [0.305, 0.01, 0.164, 0, 0, 0] },
    g: { position: [-0.06, 0.1305, 0.2505, 0, 0, 0], velocity: [0, -0.5, 0, 0, 0, 0] },
    i: { position: [-0.99, 0, 0.1505, turned, 0, 0], velocity: [0.1, 0.05, 0, 0, 0.5, 0.2] },
    h: { position: [0.4195, 0, 0.0405, turned, 0, 0], velocity: [-0.5, 0, 0, 0, 0, 0] },
  });
  return { mechanism, start };
}

/** The step as it stands in memory, on slots and with the same contacts by hand. */
interface Both {
  readonly slots: System;
  readonly byHand: System;
  readonly features: ReadonlySet<string>;
}

function bothAt(simulation: Simulation, mechanism: Mechanism, state: Float64Array, relativeKappa: number): Both {
  const touching = simulation.touching as TouchSteps;
  const input = new Float64Array(mechanism.inputSize);
  return simulation.holdingFeatures(state, input, {}, () => {
    const taken = simulation.step(state, input, { relativeKappa, exact: true, pathTolerance: 1e-10 });
    expect(taken.status).toBe("solved");
    const { features, active } = touching;
    const [from, to] = [active.system, buildSystem(contactsByHand(mechanism, touching), simulation.target)];
    to.f64.set(from.f64.subarray(0, from.places.unknown + from.unknowns));
    for (let i = 0; i < features.count; i++) {
      const node = active.nodes[active.table.slotOf[i]];
      const own = to.nodes.find(({ kind, index }) => kind === "contact" && index === i) as NodePlace;
      for (const cone of ["coneB", "coneC"] as const)
        conesOf(node).forEach(({ offset, size }, k) => {
          const there = to.places[cone] + conesOf(own)[k].offset;
          to.f64.set(from.f64.subarray(from.places[cone] + offset, from.places[cone] + offset + size), there);
        });
    }
    return { slots: from, byHand: to, features: new Set(simulation.touches().map(({ feature }) => feature)) };
  });
}

/** Of two arrays, the largest difference over the largest entry. */
function difference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [most, largest] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    most = Math.max(most, Math.abs(a[i] - b[i]));
    largest = Math.max(largest, Math.abs(b[i]));
  }
  expect(largest).toBeGreaterThan(0);
  return most / largest;
}

const { mechanism, start } = heap();
const target = new Simulation(mechanism).target;
const bodies = 12 * mechanism.bodies.length;

const simulation = new Simulation(mechanism);
const points: (Both & { readonly tolerance: number })[] = [];
beforeAll(() => {
  let state = start;
  const add = (relativeKappa: number, tolerance: number): void => {
    const { slots, byHand, features } = bothAt(simulation, mechanism, state, relativeKappa);
    points.push({ slots: copyOf(slots), byHand: copyOf(byHand), features, tolerance });
  };
  for (let k = 0; k < 12; k++) {
    if (k === 5 || k === 11) add(0.1, rounding);
    if (k === 11) add(1e-5, refined);
    state = Float64Array.from(simulation.step(state).next);
  }
});

test("all kinds of features take part, in one system that is bound anew", () => {
  const kinds = new Set(points.flatMap(({ features }) => [...features]));
  // points that run along rims come and go within landings: test/contacts/landingRims.test.ts
  expect(featureKinds.filter((kind) => !kinds.has(kind))).toEqual(["rimPlane"]);
  expect(points[0].slots.touch?.bonds).not.toEqual(points[1].slots.touch?.bonds);
  for (const { slots } of points) expect(slots.pools).toBe(points[0].slots.pools);
});

test("Jacobians are those of contacts by hand", () => {
  const bound = new StepJacobians(mechanism, target, "maximal", points[0].slots.pools);
  for (const { slots, byHand, tolerance } of points) {
    const fixed = new StepJacobians(byHand.mechanism, target, "maximal");
    const [own, other] = [new Float64Array(bodies ** 2), new Float64Array(bodies ** 2)];
    bound.capture(slots);
    expect(bound.write(own, new Float64Array(0), false)).toBe(true);
    fixed.capture(byHand);
    expect(fixed.write(other, new Float64Array(0), false)).toBe(true);
    expect(difference(own, other)).toBeLessThan(tolerance);
  }
});

test("tangents and cotangents are those of contacts by hand, by state, parameters and friction", () => {
  const random = new Random(3);
  const chain = new StepChain(mechanism, target, "all", points[0].slots.pools);
  for (const { slots, byHand, tolerance } of points) {
    const fixed = new StepChain(byHand.mechanism, target, "all");
    const [step, fixedStep] = [stepAt(slots), stepAt(byHand)];
    const cotangent = Float64Array.from({ length: bodies }, () => random.normal());
    const [back, expected] = [cotangent.slice(), cotangent.slice()];
    chain.clear();
    chain.pull(step, back);
    fixed.clear();
    fixed.pull(fixedStep, expected);
    expect(difference(back, expected)).toBeLessThan(tolerance);
    const named = [...slots.parameters].map(([path, index]) => [index, byHand.parameters.get(path) as number]);
    const ofSlots = named.map(([index]) => chain.mirror[index]);
    const ofHand = named.map(([, index]) => fixed.mirror[index]);
    expect(difference(ofSlots, ofHand)).toBeLessThan(tolerance);
    const frictions = [...byHand.parameters].filter(([path]) => path.endsWith(".frictionCoefficient"));
    const byFriction = frictions.reduce((sum, [, at]) => sum + fixed.mirror[at], 0);
    const found = (slots.touch?.coefficients ?? new Int32Array(0)).reduce((sum, at) => sum + chain.mirror[at], 0);
    expect(found / byFriction).toBeCloseTo(1, 8);
    const tangent = Float64Array.from({ length: bodies }, () => random.normal());
    const [pushed, wanted] = [tangent.slice(), tangent.slice()];
    chain.push(step, [{ state: pushed, entries: [] }]);
    fixed.push(fixedStep, [{ state: wanted, entries: [] }]);
    expect(difference(pushed, wanted)).toBeLessThan(tolerance);
  }
});

/** What the memory has now. */
function copyOf(system: System): System {
  const bonds = system.touch?.bonds ?? new Int32Array(0);
  const touch = system.touch && { ...system.touch, bonds };
  return { ...system, f64: system.f64.slice(), touch } as System;
}

function stepAt(system: System): SolvedStep {
  const { f64, places, dataEnd, unknowns, coneSize, turns } = system;
  const view = (start: number, length: number): number[] => Array.from(f64.subarray(start, start + length));
  const state = Float64Array.from(view(places.state, system.mechanism.stateSize));
  const point = Float64Array.from([
    ...[...state, ...view(places.unknown, unknowns), ...view(places.coneB, coneSize), ...view(places.coneC, coneSize)],
    ...Array.from(turns.indices, (index) => f64[index]),
  ]);
  const data = f64.slice(0, dataEnd);
  return { data, bonds: system.touch?.bonds, input: new Float64Array(0), points: [point], state, next: state };
}
