/**
 * Runs of shapes that touch are carried on to the bit, through JSON, whatever was in their slots: where a rim was held at points that the next
 * step finds again, where something bounces, and in flight.
 */
import { expect, test } from "vitest";
import {
  box,
  type Continuation,
  compile,
  cylinder,
  floating,
  frictionContact,
  hull,
  type Mechanism,
  type MechanismDescription,
  maximalState,
  Simulation,
  sphere,
} from "../../src/index.ts";

type Bodies = MechanismDescription["bodies"];

function dropped(bodies: Bodies, more: Partial<MechanismDescription> = {}): Mechanism {
  return compile({
    timestep: 0.01,
    bodies,
    joints: Object.fromEntries(Object.keys(bodies).map((child) => [child, floating({ parent: "world", child })])),
    shapes: [{ kind: "halfSpace", name: "floor", contact: true }],
    ...more,
  });
}

/** Three that fall flat or on their rims, one on the other. */
function cylinders(): { mechanism: Mechanism; start: Float64Array } {
  const contact = { frictionCoefficient: 0.5 };
  const mechanism = dropped({
    a: cylinder({ radius: 0.08436, length: 0.09222, mass: 1.452, contact }),
    b: cylinder({ radius: 0.0709, length: 0.1442, mass: 0.681, contact }),
    c: cylinder({ radius: 0.09644, length: 0.1662, mass: 0.773, contact }),
  });
  const start = maximalState(mechanism, {
    a: { position: [0.026, 0.038, 0.2, 0.284, 0.328, -0.966], velocity: [0, 0, -1.565, 0.71, -3, 0] },
    b: { position: [-0.012, -0.034, 0.48, -0.464, -0.091, 0.293], velocity: [0, 0, -1.25, 0.021, 0.235, 0] },
    c: { position: [0.043, 0.004, 0.76, 0.608, -0.76, -0.994], velocity: [0, 0, -1.125, 1.011, 2.888, 0] },
  });
  return { mechanism, start };
}

/** Five that bounce off each other and off the floor, and a contact by hand that bounces too. */
function bouncing(): { mechanism: Mechanism; start: Float64Array } {
  const contact = { frictionCoefficient: 0.5, restitution: 0.6 };
  const points = [
    [0.069, 0.061, 0.07],
    [0.061, 0.089, 0.018],
    [0.034, -0.026, -0.063],
    [-0.073, -0.021, -0.018],
    [-0.072, 0.011, -0.086],
    [0.074, -0.067, 0.006],
    [-0.061, -0.1, 0.056],
    [-0.056, 0.093, -0.033],
  ] as const;
  const mechanism = dropped(
    {
      a: sphere({ radius: 0.0626, mass: 0.255, contact }),
      b: box({ size: [0.234, 0.159, 0.137], mass: 0.211, contact }),
      c: cylinder({ radius: 0.0703, length: 0.1911, mass: 0.203, contact }),
      d: hull({ points, mass: 1.673, contact }),
      e: box({ size: [0.143, 0.145, 0.231], mass: 1.854, contact }),
    },
    {
      contacts: [
        frictionContact({
          ...{ name: "hand", body: "e", point: [0, 0, 0], radius: 0.02 },
          ...{ frictionCoefficient: 0.4, restitution: 0.7 },
        }),
      ],
    },
  );
  const start = maximalState(mechanism, {
    a: { position: [-0.09, -0.021, 0.25, 0.686, -0.43, 0.324], velocity: [0, 0, -0.675, -1.796, -2.69, 0] },
    b: { position: [0.016, 0.055, 0.55, -0.741, -0.957, 0.89], velocity: [0, 0, -0.902, -1.756, -2.451, 0] },
    c: { position: [0.071, 0.095, 0.85, 0.294, -0.095, 0.106], velocity: [0, 0, -0.184, 2.914, -2.021, 0] },
    d: { position: [0.072, 0.015, 1.15, 0.177, 0.269, 0.133], velocity: [0, 0, -0.097, -2.08, -2.398, 0] },
    e: { position: [0.016, -0.084, 1.45, 0.461, 0.811, -0.394], velocity: [0, 0, -1.159, 2.007, -0.59, 0] },
  });
  return { mechanism, start };
}

interface Point {
  readonly state: Float64Array;
  readonly continuation: string;
}

/** After each step. */
function run(simulation: Simulation, start: Float64Array, steps: number, continuation?: Continuation): Point[] {
  const points: Point[] = [];
  let state = start;
  for (let k = 0; k < steps; k++) {
    const { next } = simulation.step(state, undefined, k === 0 && continuation ? { continuation } : {});
    state = Float64Array.from(next);
    points.push({ state, continuation: JSON.stringify(simulation.continuation) });
  }
  return points;
}

test.each([
  ["cylinders, in flight and on their rims", cylinders(), [2, 9, 23, 38]],
  ["shapes that bounce", bouncing(), [14, 36, 39, 46]],
])("%s: runs go on to the bit", (_, { mechanism, start }, cuts) => {
  const more = 3;
  const whole = run(new Simulation(mechanism), start, Math.max(...cuts) + more);
  // what was in its slots before does not matter
  const other = new Simulation(mechanism);
  for (const cut of cuts) {
    const { state, continuation } = whole[cut - 1];
    for (const simulation of [new Simulation(mechanism), other]) {
      const again = run(simulation, state, more, JSON.parse(continuation) as Continuation);
      expect(again, `cut after ${cut} steps`).toEqual(whole.slice(cut, cut + more));
    }
  }
});

test("what is set and read again before a step is taken has all of its slots", () => {
  const { mechanism, start } = cylinders();
  const [{ continuation }] = run(new Simulation(mechanism), start, 30).slice(-1);
  const { touch } = JSON.parse(continuation) as Continuation;
  expect(touch?.slots.some((slot) => slot !== null)).toBe(true);
  const simulation = new Simulation(mechanism);
  simulation.continuation = JSON.parse(continuation) as Continuation;
  expect(JSON.stringify(simulation.continuation)).toBe(continuation);
});

test("a trajectory's continuation is that of its end, wherever its simulation has gone since", () => {
  const { mechanism, start } = cylinders();
  const simulation = new Simulation(mechanism);
  const first = simulation.rollout(start, { steps: 9 });
  const { continuation } = first;
  simulation.rollout(first.final, { steps: 30 });
  expect(first.continuation).toEqual(continuation);
});
