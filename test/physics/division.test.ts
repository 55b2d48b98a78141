/**
 * Steps divided by an error tolerance against closed forms: a fall that ends on a sprung leg, a ball that bounces, a pendulum's period, a
 * free body's momentum. And what they promise besides: the same bits again and after a restart, an end, and nothing where they are not asked for.
 */
import { describe, expect, test } from "vitest";
import {
  box,
  boxCorners,
  type Continuation,
  compile,
  floating,
  frictionContact,
  impactContact,
  models,
  prismatic,
  revolute,
  Simulation,
  sphere,
  stateAt,
} from "../../src/index.ts";
import { completeEllipticK } from "./elliptic.ts";
import { run } from "./measures.ts";
import { printTable } from "./table.ts";

const g = 9.81;
const h = 0.05;

/** A body on a sprung leg with a small foot, that falls: then the foot stands, and the body swings. */
const leg = { body: 1, foot: 0.1, stiffness: 150, damping: 4, length: 0.5 } as const;

function hopper(errorTolerance?: number): Simulation {
  const { stiffness, damping, length } = leg;
  const mechanism = compile({
    timestep: h,
    bodies: { body: box({ size: [0.1, 0.1, 0.1], mass: leg.body }), foot: sphere({ radius: 0.01, mass: leg.foot }) },
    joints: {
      base: prismatic({ parent: "world", child: "body", axis: [0, 0, 1] }),
      leg: prismatic({
        parent: "body",
        child: "foot",
        axis: [0, 0, 1],
        parentAnchor: [0, 0, -length],
        stiffness,
        damping,
      }),
    },
    contacts: [impactContact({ body: "foot", point: [0, 0, 0], radius: 0.01 })],
  });
  return new Simulation(mechanism, { errorTolerance });
}

/** Height of the body at a time; `touch` is when the foot lands: then a damped swing about where the spring carries the body. */
function heightOf(time: number, touch: number): number {
  const { body: m, stiffness: k, damping: d, length } = leg;
  if (time < touch) return length + 0.01 + (g * (touch ** 2 - time ** 2)) / 2;
  const [speed, t] = [-g * touch, time - touch];
  const [decay, sag] = [d / (2 * m), (m * g) / k];
  const frequency = Math.sqrt(k / m - decay ** 2);
  const angle = frequency * t;
  const swung = sag * Math.cos(angle) + ((speed + decay * sag) / frequency) * Math.sin(angle);
  return length + 0.01 - sag + Math.exp(-decay * t) * swung;
}

describe("a fall that ends on a sprung leg", () => {
  // impacts at ten moments of the fifth step; 0.15 s after them the foot is about to leave the floor
  const errorOf = (tolerance?: number): { readonly error: number; readonly parts: number } => {
    const simulation = hopper(tolerance);
    let [error, parts] = [0, 0];
    for (let phase = 0.05; phase < 1; phase += 0.1) {
      const touch = (4 + phase) * h;
      const start = stateAt(simulation, { base: { position: [heightOf(0, touch)] } });
      run(simulation, start, 7, (state, step, { substeps }) => {
        const time = (step + 1) * h;
        error = Math.max(error, Math.abs(state[2] - heightOf(time, touch)));
        parts += substeps;
      });
    }
    return { error, parts };
  };

  test("is as near to the closed form as the tolerance asks for", () => {
    const tolerances = [undefined, 1e-2, 1e-3, 1e-4, 1e-5];
    const found = tolerances.map((tolerance) => ({ tolerance, ...errorOf(tolerance) }));
    printTable(
      "ten falls on a sprung leg at 20 Hz",
      ["tolerance", "largest error, mm", "parts"],
      found.map(({ tolerance, error, parts }) => [tolerance ?? "whole steps", 1000 * error, parts]),
    );
    const [whole, ...divided] = found;
    // a tolerance is that of a part, and parts add up
    for (const { tolerance = 0, error } of divided) expect(error).toBeLessThan(Math.min(10 * tolerance, whole.error));
    expect(divided[1].error).toBeLessThan(whole.error / 4);
    expect(divided[3].error).toBeLessThan(whole.error / 50);
  });
});

describe("a ball", () => {
  const ball = (restitution?: number, errorTolerance?: number): Simulation =>
    new Simulation(
      compile({
        timestep: h,
        bodies: { ball: sphere({ radius: 0.1, mass: 1 }) },
        joints: { base: floating({ parent: "world", child: "ball" }) },
        contacts: [
          frictionContact({
            ...{ body: "ball", point: [0, 0, 0], radius: 0.1, frictionCoefficient: 0.5 },
            ...(restitution !== undefined && { restitution }),
          }),
        ],
      }),
      { errorTolerance },
    );

  test("that bounces flies between its impacts as the parabolas do", () => {
    const e = 0.7;
    const simulation = ball(e, 1e-3);
    const start = stateAt(simulation, { base: { position: [0, 0, 1.1, 0, 0, 0] } });
    const fall = Math.sqrt(2 / g);
    const height = (time: number): number => {
      let [since, speed] = [time - fall, Math.sqrt(2 * g)];
      if (since < 0) return 1.1 - (g * time * time) / 2;
      for (speed *= e; since > (2 * speed) / g; speed *= e) since -= (2 * speed) / g;
      return 0.1 + speed * since - (g * since * since) / 2;
    };
    run(simulation, start, 30, (state, step) => {
      expect(Math.abs(state[2] - height((step + 1) * h))).toBeLessThan(1e-6);
    });
  });

  test("that lands late in a step rolls from the moment at which it lands", () => {
    const simulation = ball(undefined, 1e-4);
    for (const phase of [0.5, 0.93, 0.96, 0.99]) {
      const [touch, end] = [(2 + phase) * h, 4 * h];
      const start = stateAt(simulation, {
        base: { position: [0, 0, 0.1 + (g * touch ** 2) / 2, 0, 0, 0], velocity: [1, 0, 0, 0, 0, 0] },
      });
      // friction makes it roll at once, with 5/7 of the speed
      expect(Math.abs(run(simulation, start, 4).final[0] - touch - (5 / 7) * (end - touch))).toBeLessThan(1e-4);
    }
  });

  test("that does not bounce lies where it falls, and slides on as friction lets it", () => {
    const simulation = ball(undefined, 1e-4);
    const start = stateAt(simulation, { base: { position: [0, 0, 0.6, 0, 0, 0], velocity: [2, 0, 0, 0, 0, 0] } });
    const fall = Math.sqrt(1 / g);
    // friction of the impact, μ √(2 g 0.5), then μ g until the ball rolls with 5/7 of the speed
    const { final } = run(simulation, start, 40);
    expect(final[2]).toBeCloseTo(0.1, 6);
    // chord and arc of a turn of 0.7 rad per step differ, which rolling sees
    expect(Math.abs(final[7] - (5 / 7) * 2)).toBeLessThan(2e-3);
    expect(fall).toBeLessThan(40 * h);
  });
});

test("a pendulum swings with the period of the elliptic integral", () => {
  const mechanism = compile(models.pendulum({ actuated: false, timestep: h }));
  const { mass, inertia } = mechanism.bodies[0];
  const arm = 0.5;
  const amplitude = 2;
  const small = 2 * Math.PI * Math.sqrt((inertia[0][0] + mass * arm * arm) / (mass * g * arm));
  const period = (small * 2 * completeEllipticK(Math.sin(amplitude / 2))) / Math.PI;
  const errors = [1e-2, 1e-4, 1e-6].map((errorTolerance) => {
    const simulation = new Simulation(mechanism, { errorTolerance });
    // as many steps as a period has: then it is where it was
    const steps = Math.round(period / h);
    simulation.setParameter("timestep", period / steps);
    const { final } = run(simulation, stateAt(simulation, { hinge: { position: [amplitude] } }), steps);
    return Math.abs(2 * Math.atan2(final[4], final[3]) - amplitude);
  });
  expect(errors[0]).toBeLessThan(0.1);
  // of second order, and parts go with the cube root of the tolerance: 100^(2/3) = 21 times nearer in the limit
  expect(errors[1]).toBeLessThan(errors[0] / 4);
  expect(errors[2]).toBeLessThan(errors[1] / 10);
});

test("a tumbling body keeps its momentum to rounding, however its parts change", () => {
  const brick = box({ size: [0.1, 0.3, 0.5], mass: 1 });
  const joints = { base: floating({ parent: "world", child: "brick" }) };
  const mechanism = compile({ timestep: h, gravity: [0, 0, 0], bodies: { brick }, joints });
  const simulation = new Simulation(mechanism, { errorTolerance: 1e-3 });
  const start = stateAt(simulation, { base: { velocity: [1, 2, 3, 0.1, 6, 0.2] } });
  const { linear, angular } = simulation.momentum(start);
  const sizes = new Set<number>();
  run(simulation, start, 60, (state) => {
    const now = simulation.momentum(state);
    for (const part of simulation.division?.parts ?? []) sizes.add(part);
    now.linear.forEach((entry, i) => {
      expect(Math.abs(entry - linear[i])).toBeLessThan(1e-12);
    });
    now.angular.forEach((entry, i) => {
      expect(Math.abs(entry - angular[i])).toBeLessThan(1e-10);
    });
  });
  expect(sizes.size).toBeGreaterThan(3);
});

test("energy is that of the part which led to a state: free fall and a swing keep it, however parts change", () => {
  const rod = box({ size: [0.05, 0.05, 0.5], mass: 1 });
  const mechanism = compile({
    timestep: h,
    bodies: { falling: rod, swinging: rod },
    joints: {
      base: floating({ parent: "world", child: "falling" }),
      hinge: revolute({ parent: "world", child: "swinging", axis: [0, 1, 0], childAnchor: [0, 0, 0.25] }),
    },
  });
  const simulation = new Simulation(mechanism, { errorTolerance: 1e-4 });
  const start = stateAt(simulation, { base: { velocity: [0, 0, -3, 0, 0, 0] }, hinge: { position: [2] } });
  const { total } = simulation.energy(start);
  // 4.5 J of the fall, and the swing's from its height
  expect(total).toBeCloseTo(4.5 - 0.25 * g * Math.cos(2), 2);
  const sizes = new Set<number>();
  const trajectory = simulation.rollout(start, {
    steps: 12,
    onStep: ({ next }) => {
      sizes.add(simulation.division?.parts.at(-1) ?? 1);
      expect(Math.abs(simulation.energy(next).total - total)).toBeLessThan(0.03);
    },
  });
  expect(sizes.size).toBeGreaterThan(3);
  trajectory.states.forEach((state, k) => {
    const there = simulation.energy(state, h, trajectory.continuationAt(k));
    expect(Math.abs(there.total - total)).toBeLessThan(0.03);
  });
});

test("what turns at a constant rate turns as far as that rate says", () => {
  const brick = box({ size: [0.1, 0.3, 0.5], mass: 1 });
  const joints = { base: floating({ parent: "world", child: "brick" }) };
  const mechanism = compile({ timestep: h, bodies: { brick }, joints });
  const rate = 12;
  const errors = [1e-3, 1e-4, 1e-5].map((errorTolerance) => {
    const simulation = new Simulation(mechanism, { errorTolerance });
    const start = stateAt(simulation, { base: { velocity: [0, 0, 0, 0, 0, rate] } });
    const { final } = run(simulation, start, 5);
    return Math.abs(2 * Math.atan2(final[6], final[3]) - 5 * h * rate);
  });
  // each part by no more than the tolerance, and parts in inverse proportion to its cube root
  expect(errors[0]).toBeLessThan(0.02);
  expect(errors[1]).toBeLessThan(errors[0] / 3);
  expect(errors[2]).toBeLessThan(errors[1] / 3);
});

describe("runs", () => {
  const a1 = compile(
    models.a1({ timestep: h, servo: { stiffness: 100, damping: 2 }, damping: 1, bodyContacts: false }),
  );
  const { states = {} } = a1.description;
  const standing = Object.values(states)[0];
  const [x = 0, y = 0, z = 0, ...turn] = standing.base?.position ?? [];
  const pose = { ...standing, base: { position: [x, y, z + 0.2, ...turn] } };
  const begin = (errorTolerance?: number): { readonly simulation: Simulation; readonly start: Float64Array } => {
    const simulation = new Simulation(a1, { errorTolerance });
    return { simulation, start: stateAt(simulation, pose) };
  };

  test("go on after a restart with the same bits", () => {
    const { simulation, start } = begin(1e-3);
    const all: Float64Array[] = [];
    let saved: { readonly state: Float64Array; readonly continuation: string } | undefined;
    run(simulation, start, 12, (state, step) => {
      all.push(state.slice());
      if (step === 5) saved = { state: state.slice(), continuation: JSON.stringify(simulation.continuation) };
    });
    if (!saved) throw new Error("nothing was saved");
    const other = new Simulation(a1, { errorTolerance: 1e-3 });
    other.continuation = JSON.parse(saved.continuation) as Continuation;
    run(other, saved.state, 6, (state, step) => {
      expect(state).toEqual(all[6 + step]);
    });
    // without it, a run starts with guesses of its own
    const { simulation: again } = begin(1e-3);
    expect(() => {
      again.continuation = { version: 1, angles: {}, pace: { timestep: h, part: 2, guess: 1 } };
    }).toThrow("continuation.pace");
  });

  test("allocate no arrays", () => {
    const { simulation, start } = begin(1e-3);
    const input = new Float64Array(simulation.inputSize);
    const take = (): number => {
      const state = start.slice();
      const before = process.memoryUsage().arrayBuffers;
      for (let k = 0; k < 12; k++) state.set(simulation.step(state, input).next);
      return process.memoryUsage().arrayBuffers - before;
    };
    for (let warm = 0; warm < 2; warm++) take();
    expect(Math.min(...Array.from({ length: 4 }, take))).toBeLessThanOrEqual(0);
  });

  test("that do not ask are what they were", () => {
    const [plain, other] = [begin(), begin(undefined)];
    const input = new Float64Array(plain.simulation.inputSize);
    for (const { simulation, start } of [plain, other]) {
      run(
        simulation,
        start,
        8,
        (_, __, { substeps }) => expect(substeps).toBe(1),
        () => input,
      );
      expect(simulation.division).toBeUndefined();
    }
  });

  test("end, whatever is asked of them", () => {
    const simulation = hopper(1e-13);
    const start = stateAt(simulation, { base: { position: [heightOf(0, 5 * h)] } });
    run(simulation, start, 7, (_, __, { substeps }) => {
      expect(substeps).toBeLessThan(2 * 1024 + 4);
    });
  });
});

test("parts add up to the step, and can be taken again, where impacts make them as short as can be", () => {
  const crate = box({ size: [0.3, 0.2, 0.1], mass: 1 });
  const arm = { axis: [0, 1, 0], parentAnchor: [0.2, 0, 0], childAnchor: [-0.2, 0, 0], damping: 0.05 } as const;
  const mechanism = compile({
    timestep: 0.02,
    bodies: { one: crate, two: crate },
    joints: {
      base: floating({ parent: "world", child: "one" }),
      hinge: revolute({ parent: "one", child: "two", ...arm, limits: [-1, 1] }),
    },
    contacts: ["one", "two"].flatMap((body) =>
      boxCorners(crate).map((point) => frictionContact({ body, point, frictionCoefficient: 0.5, restitution: 0.5 })),
    ),
  });
  const simulation = new Simulation(mechanism, { errorTolerance: 1e-9 });
  const again = new Simulation(mechanism, { errorTolerance: 1e-9 });
  let smallest = 1;
  for (const height of [0.19, 0.21]) {
    const base = { position: [0, 0, height, 0.2, 0.1, 0], velocity: [1, 0, -2, 2, 1, 0] };
    let state = stateAt(simulation, { base });
    for (let k = 0; k < 2; k++) {
      const next = simulation.step(state).next.slice();
      const { division } = simulation;
      if (!division) throw new Error("the step should be divided");
      // a thousand roundings
      expect(division.parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(1, 11);
      smallest = Math.min(smallest, ...division.parts);
      expect(again.step(state, undefined, { division }).next).toEqual(next);
      state = next;
    }
  }
  expect(smallest).toBeLessThan(1.5 / 1024);
  expect(smallest).toBeGreaterThanOrEqual(0.5 / 1024 - 1e-12);
});

test("a tolerance that is none is refused with the way out", () => {
  const mechanism = compile(models.pendulum({}));
  for (const errorTolerance of [0, -1e-3, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => new Simulation(mechanism, { errorTolerance })).toThrow(/options\.errorTolerance: .*leave it out/);
  }
  const simulation = new Simulation(mechanism);
  const state = stateAt(simulation);
  const division = { parts: [0.5, 0.4], before: 1 };
  expect(() => simulation.step(state, undefined, { division })).toThrow(/options\.division: .*add up to 1/);
});
