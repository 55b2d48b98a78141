/** Gradients of steps and rollouts in which shapes touch, against central differences and against each other. */
import { describe, expect, test } from "vitest";
import {
  box,
  capsule,
  checkGradients,
  compile,
  ellipsoid,
  floating,
  type Mechanism,
  maximalState,
  pullback,
  pushforward,
  revolute,
  type Shape,
  Simulation,
  sphere,
  stepGradients,
} from "../../src/index.ts";

const floor: Shape = { kind: "halfSpace", name: "floor", contact: { frictionCoefficient: 0.5 } };
const ball = (radius: number) => sphere({ radius, mass: (radius / 0.1) ** 3, contact: true });

/** Two balls on the floor that roll into each other, and a ball on a motor-driven arm that pushes the first. */
function pushedBalls(x = 0.222): { mechanism: Mechanism; start: Float64Array; input: Float64Array } {
  const mechanism = compile({
    timestep: 0.02,
    bodies: { a: ball(0.1), b: ball(0.12), arm: ball(0.08) },
    joints: {
      a: floating({ parent: "world", child: "a" }),
      b: floating({ parent: "world", child: "b" }),
      arm: revolute({
        ...{ parent: "world", child: "arm", axis: [0, 0, 1], parentAnchor: [-0.19, -0.5, 0.15] },
        ...{ childAnchor: [0, -0.5, 0], actuated: true },
      }),
    },
    shapes: [floor],
  });
  const start = maximalState(mechanism, {
    a: { position: [0, 0, 0.1005, 0, 0, 0], velocity: [0.3, 0.05, 0, 0.4, 1, -0.2] },
    b: { position: [x, 0.01, 0.1205, 0, 0, 0], velocity: [-0.1, 0, 0, 0, 0, 0] },
    arm: { position: [0], velocity: [-0.2] },
  });
  return { mechanism, start, input: Float64Array.of(-1) };
}

describe("a step", () => {
  const { mechanism, start, input } = pushedBalls();
  const simulation = new Simulation(mechanism);
  const parameters = [
    ...["bodies.a.mass", "bodies.b.centerOfMass.y", "timestep", "gravity.z", "joints.arm.childAnchor.y"],
    "contacts.*.frictionCoefficient",
  ];

  test("says of itself with gradients all that it says without them", () => {
    const plain = { ...simulation.step(start, input) };
    simulation.continuation = undefined;
    const asked = stepGradients(simulation, start, input);
    expect(plain.overlap).toBeDefined();
    for (const name of ["status", "iterations", "interval", "precision", "frictionScale", "overlap"] as const)
      expect(asked[name]).toBe(plain[name]);
    // handed to a mechanism in which nothing touches, the result says nothing of that
    const apart = compile({ ...mechanism.description, collisions: { only: [] }, shapes: [] });
    const again = stepGradients(new Simulation(apart), start, input, { into: asked });
    expect(again).toBe(asked);
    expect([again.frictionScale, again.overlap]).toEqual([undefined, undefined]);
  });

  test.each([
    ["maximal", 0.1],
    ["minimal", 0.1],
    ["maximal", 1e-3],
  ] as const)(
    "in %s coordinates at κ' = %f has the Jacobians of differences with features held",
    (coordinates, relativeKappa) => {
      let state = start;
      let most = 0;
      for (let k = 0; k < 3; k++) {
        const check = checkGradients(simulation, state, input, { coordinates, relativeKappa, parameters });
        expect(check.worst, check.entry).toBeLessThan(1e-6);
        most = Math.max(most, simulation.touches().length);
        state = Float64Array.from(simulation.step(state, input).next);
      }
      // floor twice, a on b, the arm on a
      expect(most).toBeGreaterThanOrEqual(4);
    },
  );

  test("that a tolerance divides has the Jacobians of differences with features held", () => {
    const divided = new Simulation(mechanism, { errorTolerance: 1e-4 });
    const check = checkGradients(divided, start, input, { relativeKappa: 0.1, parameters });
    expect(divided.division?.parts.length).toBeGreaterThan(1);
    expect(divided.touches().length).toBeGreaterThanOrEqual(3);
    expect(check.worst, check.entry).toBeLessThan(1e-6);
  });

  test("is the same with and without gradients", () => {
    // steps end anywhere below their κ', which leaves 1e-7 rad/s at 1e-8, each its own
    const sharp = { relativeKappa: 1e-11, tolerance: 1e-11 };
    const plain = Float64Array.from(new Simulation(mechanism, sharp).step(start, input).next);
    const { next } = stepGradients(new Simulation(mechanism, sharp), start, input);
    for (let i = 0; i < plain.length; i++) expect(next[i]).toBeCloseTo(plain[i], 8);
  });
});

test("boxes and a capsule in a heap have the Jacobians of differences with features held", () => {
  const contact = true;
  const wedge: Shape = { kind: "box", size: [0.3, 0.3, 0.3], position: [0.3, 0, 0.15], contact };
  const bodies = {
    a: box({ size: [0.2, 0.2, 0.2], mass: 1, contact }),
    b: box({ size: [0.2, 0.15, 0.1], mass: 2, contact }),
    c: capsule({ radius: 0.05, length: 0.2, mass: 0.5, contact, orientation: [Math.SQRT1_2, Math.SQRT1_2, 0, 0] }),
  };
  const joints = Object.fromEntries(Object.keys(bodies).map((child) => [child, floating({ parent: "world", child })]));
  const mechanism = compile({ timestep: 0.01, bodies, joints, shapes: [floor, wedge] });
  const simulation = new Simulation(mechanism);
  let state = maximalState(mechanism, {
    a: { position: [0, 0, 0.101, 0, 0, 0], velocity: [1, 0, 0, 1, 0, 0.5] },
    b: { position: [0.03, 0.01, 0.26, 0.1, 0.1, 0.3] },
    c: { position: [0.02, 0.02, 0.42, 0, 0, 0] },
  });
  const kinds = new Set<string>();
  for (let k = 0; k < 20; k++) {
    if (k % 6 === 1) {
      const parameters = ["bodies.a.mass", "timestep", "bodies.b.centerOfMass.y"];
      const check = checkGradients(simulation, state, new Float64Array(0), { relativeKappa: 0.1, parameters });
      expect(check.worst, check.entry).toBeLessThan(1e-6);
      for (const { feature } of simulation.touches()) kinds.add(feature);
    }
    const { status, next } = simulation.step(state);
    expect(status).toBe("solved");
    state = Float64Array.from(next);
  }
  expect([...kinds]).toEqual(expect.arrayContaining(["pointPlane", "lineLine"]));
});

test("an ellipsoid on the corner of a box has the Jacobians of differences with features held", () => {
  const body = ellipsoid({ radii: [0.1, 0.06, 0.04], mass: 1, contact: true });
  const corner: Shape = { kind: "box", size: [0.3, 0.3, 0.3], position: [-0.15, -0.15, -0.15], contact: true };
  const joints = { body: floating({ parent: "world", child: "body" }) };
  const mechanism = compile({ timestep: 0.01, bodies: { body }, joints, shapes: [corner] });
  const simulation = new Simulation(mechanism);
  let state = maximalState(mechanism, {
    // its tip, where it is more curved than its least radius says
    body: { position: [0.015, 0.015, 0.1, 0, 1.5, 0], velocity: [0, 0, -0.3, 1, 2, 0.5] },
  });
  let touching = 0;
  for (let k = 0; k < 4; k++) {
    const check = checkGradients(simulation, state, new Float64Array(0), { relativeKappa: 0.1 });
    expect(check.worst, check.entry).toBeLessThan(1e-6);
    state = Float64Array.from(simulation.step(state).next);
    if (simulation.touches().some(({ feature, normalForce }) => feature === "roundRound" && normalForce > 1))
      touching++;
  }
  expect(touching).toBeGreaterThan(0);
});

describe("a rollout", () => {
  // b out of reach at first
  const { mechanism, start, input } = pushedBalls(0.28);
  const steps = 16;
  // on the central path at the gradients' κ, in SI since natural units move with the masses: then differences of rollouts are what gradients say
  const path = { kappa: 3e-5 };
  const exact = { ...path, exact: true, pathTolerance: 1e-10, tolerance: 1e-13, maxIterations: 60 };
  const run = (part: { mass?: number; state?: Float64Array; inputs?: Float64Array[] } = {}, gradients = {}) => {
    const simulation = new Simulation(mechanism, exact);
    if (part.mass !== undefined) simulation.setParameter("bodies.a.mass", part.mass);
    const inputs = part.inputs ?? Array.from({ length: steps }, () => input);
    return simulation.rollout(part.state ?? start, { inputs, gradients: { ...path, ...gradients } });
  };
  const cost = (state: Float64Array): number => state[13] + 0.3 * state[0] + 0.1 * state[20];
  const cotangent = (): Float64Array => {
    const raw = new Float64Array(mechanism.stateSize);
    raw[13] = 1;
    raw[0] = 0.3;
    raw[20] = 0.1;
    return raw;
  };
  const names = ["bodies.a.mass", "contacts.*.frictionCoefficient"];

  test("pulls cotangents back to what differences say, features coming and going on the way", () => {
    const trajectory = run();
    expect(trajectory.solved).toBe(true);
    const counts = trajectory.touches.map((list) => list.length);
    expect(new Set(counts).size).toBeGreaterThan(1);
    const back = pullback(trajectory, [...new Array(steps).fill(undefined), cotangent()], { parameters: names });
    const difference = (change: (amount: number) => Parameters<typeof run>[0], h: number): number =>
      (cost(run(change(h)).final) - cost(run(change(-h)).final)) / (2 * h);
    // spheres have the same features wherever they are, so whole rollouts can be compared
    const byMass = difference((amount) => ({ mass: mechanism.bodies[0].mass + amount }), 1e-5);
    expect(back.parameters["bodies.a.mass"]).toBeCloseTo(byMass, 6);
    for (const [index, step] of [
      [7, 0],
      [1, 0],
    ] as const) {
      const moved = (amount: number) => {
        const state = Float64Array.from(start);
        state[index] += amount;
        return { state };
      };
      // velocities of body a stand at 6 of its errors
      const error = index === 7 ? 6 : index;
      expect(back.state[error]).toBeCloseTo(difference(moved, 1e-5), 5);
      expect(step).toBe(0);
    }
    const pushed = (amount: number) => ({
      inputs: Array.from({ length: steps }, (_, k) => Float64Array.of(input[0] + (k === 2 ? amount : 0))),
    });
    expect(back.inputs[2][0]).toBeCloseTo(difference(pushed, 1e-4), 6);
  });

  test("pushes tangents forward as the transpose of pulling back", () => {
    const trajectory = run();
    const back = pullback(trajectory, [...new Array(steps).fill(undefined), cotangent()], { parameters: names });
    const tangent = Float64Array.from({ length: 36 }, (_, i) => Math.sin(i + 1));
    const parameters = { "bodies.a.mass": 0.7, "contacts.*.frictionCoefficient": -0.4 };
    const forward = pushforward(trajectory, { state: tangent, parameters })[steps];
    const pulled =
      tangent.reduce((sum, entry, i) => sum + entry * back.state[i], 0) +
      0.7 * back.parameters["bodies.a.mass"] -
      0.4 * back.parameters["contacts.*.frictionCoefficient"];
    const pushed = forward[12] + 0.3 * forward[0] + 0.1 * forward[18];
    expect(pushed).toBeCloseTo(pulled, 9);
  });

  test("with checkpoints has the same gradients", () => {
    const full = pullback(run(), [...new Array(steps).fill(undefined), cotangent()]);
    const sparse = pullback(run({}, { checkpointEvery: 5 }), [...new Array(steps).fill(undefined), cotangent()]);
    for (let i = 0; i < full.state.length; i++) expect(sparse.state[i]).toBeCloseTo(full.state[i], 10);
  });
});

test("a run with features is carried on to the bit, through JSON", () => {
  const { mechanism, start, input } = pushedBalls();
  const whole = new Simulation(mechanism).rollout(start, { steps: 20, inputs: input });
  const first = new Simulation(mechanism).rollout(start, { steps: 8, inputs: input });
  const continuation = JSON.parse(JSON.stringify(first.continuation));
  const second = new Simulation(mechanism).rollout(first.final, { steps: 12, inputs: input, continuation });
  expect(second.final).toEqual(whole.final);
  const broken = { ...continuation, touch: { ...continuation.touch, pools: [{ feature: "pointPlane" }] } };
  expect(() => new Simulation(mechanism).step(first.final, input, { continuation: broken })).toThrow(
    "continuation.touch",
  );
});

describe("friction of a surface", () => {
  const path = "surfaces.slider.shape0.frictionCoefficient";
  /** A box with friction 0.3 that slides over a floor with friction 0.6. */
  const slide = (combine: "geometricMean" | "max" | "min" | "product") => {
    const mechanism = compile({
      timestep: 0.02,
      bodies: { slider: box({ size: [0.2, 0.2, 0.1], mass: 1, contact: { frictionCoefficient: 0.3 } }) },
      joints: { slider: floating({ parent: "world", child: "slider" }) },
      shapes: [{ ...floor, contact: { frictionCoefficient: 0.6 } }],
      collisions: { combine },
    });
    const start = maximalState(mechanism, {
      slider: { position: [0, 0, 0.0501, 0, 0, 0], velocity: [3, 0, 0, 0, 0, 0] },
    });
    return { mechanism, start };
  };
  const combined = { geometricMean: Math.sqrt(0.18), max: 0.6, min: 0.3, product: 0.18 } as const;
  const slope = { geometricMean: Math.sqrt(0.5), max: 0, min: 1, product: 0.6 } as const;

  test.each(["geometricMean", "max", "min", "product"] as const)(
    "combined by %s brakes a box by μ g, and its gradient goes through the rule",
    (combine) => {
      const { mechanism, start } = slide(combine);
      const steps = 10;
      const time = steps * 0.02;
      const simulation = new Simulation(mechanism);
      const run = simulation.rollout(start, { steps, gradients: { relativeKappa: 1e-6 } });
      expect(run.final[7]).toBeCloseTo(3 - combined[combine] * 9.81 * time, 1);
      const cotangent = new Float64Array(13);
      cotangent[7] = 1;
      const weights = [...new Array(steps).fill(undefined), cotangent];
      const { parameters } = pullback(run, weights, { parameters: [path, "surfaces.world.floor.frictionCoefficient"] });
      const change = 1e-4;
      const moved = [change, -change].map((amount) => {
        const other = new Simulation(mechanism);
        other.setParameter(path, 0.3 + amount);
        expect(other.parameter(path)).toBe(0.3 + amount);
        return other.rollout(start, { steps }).final[7];
      });
      expect(parameters[path]).toBeCloseTo((moved[0] - moved[1]) / (2 * change), 3);
      expect(parameters[path]).toBeCloseTo(-slope[combine] * 9.81 * time, 1);
    },
  );

  test("equals differences with features held, for one surface and for all", () => {
    const { mechanism, start } = slide("geometricMean");
    const names = [path, "surfaces.*.*.frictionCoefficient"];
    const check = checkGradients(new Simulation(mechanism), start, new Float64Array(0), { parameters: names });
    expect(check.worst, check.entry).toBeLessThan(1e-7);
    const { dNext_dParameter } = stepGradients(new Simulation(mechanism), start, new Float64Array(0), {
      parameters: names,
    });
    // √(ab) by both is (√(b/a) + √(a/b))/2, by the first alone √(b/a)/2
    const [one, both] = [dNext_dParameter[6 * 2], dNext_dParameter[6 * 2 + 1]];
    expect(both / one).toBeCloseTo(1 + 0.3 / 0.6, 10);
    const tangents = pushforward(new Simulation(mechanism).rollout(start, { steps: 1, gradients: true }), {
      parameters: { [path]: 1 },
    });
    expect(tangents[1][6]).toBeCloseTo(one, 10);
  });
});
