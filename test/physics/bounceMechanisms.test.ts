/** Contacts with restitution on bodies that joints hold or that stand on others: what an impact does to all of them, and what is read of it. */
import { describe, expect, test } from "vitest";
import {
  box,
  capsule,
  checkGradients,
  compile,
  floating,
  frictionContact,
  halfSpace,
  impactContact,
  type JointDescription,
  maximalState,
  prismatic,
  revolute,
  Simulation,
  serial,
  sphere,
  spherical,
} from "../../src/index.ts";
import { ball, g, letGo, radius } from "./bouncingBall.ts";

describe("mechanisms", () => {
  test("a ball on a free plate: momentum stays, and they part at e of their approach", () => {
    const e = 0.7;
    const mechanism = compile({
      timestep: 0.01,
      gravity: [0, 0, 0],
      bodies: { ball: sphere({ radius, mass: 1 }), plate: box({ size: [1, 1, 0.1], mass: 3 }) },
      joints: {
        base: floating({ parent: "world", child: "ball" }),
        plate: floating({ parent: "world", child: "plate" }),
      },
      contacts: [
        frictionContact({
          body: "ball",
          point: [0, 0, 0],
          radius,
          frictionCoefficient: 0.5,
          restitution: e,
          halfSpace: halfSpace({ body: "plate", normal: [0, 0, 1], offset: 0.05 }),
        }),
      ],
    });
    const simulation = new Simulation(mechanism);
    const start = maximalState(mechanism, {
      base: { position: [0, 0, 0.35, 0, 0, 0], velocity: [0, 0, -2, 0, 0, 0] },
      plate: { position: [0, 0, 0, 0, 0, 0], velocity: [0, 0, 1, 0, 0, 0] },
    });
    const { final, solved } = simulation.rollout(start, { steps: 20 });
    expect(solved).toBe(true);
    expect(final[9] + 3 * final[22]).toBeCloseTo(-2 + 3, 9);
    expect(final[9] - final[22]).toBeCloseTo(e * 3, 7);
  });

  test("a ball that sticks to a wall in its impact goes on as it fell at that moment", () => {
    const [e, h, speed, gap] = [0.6, 0.02, 3, 0.5];
    const mechanism = compile({
      timestep: h,
      bodies: { ball: sphere({ radius, mass: 1 }) },
      joints: { base: floating({ parent: "world", child: "ball" }) },
      contacts: [
        frictionContact({
          body: "ball",
          point: [0, 0, 0],
          radius,
          frictionCoefficient: 5,
          restitution: e,
          halfSpace: halfSpace({ normal: [-1, 0, 0], offset: -(radius + gap) }),
        }),
      ],
    });
    const simulation = new Simulation(mechanism);
    const start = maximalState(mechanism, { base: { velocity: [speed, 0, 0, 0, 0, 0] } });
    start[9] = (g * h) / 2;
    const { final, solved } = simulation.rollout(start, { steps: 20 });
    const [impact, end] = [gap / speed, 20 * h];
    expect(solved).toBe(true);
    expect(final[7]).toBeCloseTo(-e * speed, 7);
    // of a solid ball that rolls along the wall, 5/7 of the speed is left
    expect(final[9] - (g * h) / 2).toBeCloseTo((-5 / 7) * g * impact - g * (end - impact), 7);
    expect(final[2]).toBeCloseTo(
      (-g * impact ** 2) / 2 - (5 / 7) * g * impact * (end - impact) - (g * (end - impact) ** 2) / 2,
      7,
    );
  });

  test("a pendulum that swings into a wall comes back at e of its speed", () => {
    const e = 0.5;
    const mechanism = compile({
      timestep: 1e-3,
      gravity: [0, 0, 0],
      bodies: { rod: capsule({ radius: 0.02, length: 1, mass: 1 }) },
      joints: { hinge: revolute({ parent: "world", child: "rod", axis: [0, 1, 0], childAnchor: [0, 0, 0.5] }) },
      contacts: [
        impactContact({
          body: "rod",
          point: [0, 0, -0.5],
          restitution: e,
          halfSpace: halfSpace({ normal: [1, 0, 0], offset: -0.2 }),
        }),
      ],
    });
    const simulation = new Simulation(mechanism);
    const start = maximalState(mechanism, { hinge: { position: [0.1], velocity: [2] } });
    const { final, solved } = simulation.rollout(start, { steps: 120 });
    expect(solved).toBe(true);
    expect(final[11] / -2).toBeCloseTo(e, 6);
  });

  test("what is hit passes the blow on: a cart against a cart on a rail", () => {
    const [e, m, M] = [0.8, 1, 2];
    const cart = (mass: number) => box({ size: [0.2, 0.2, 0.2], mass });
    const rail = (child: string) => prismatic({ parent: "world", child, axis: [1, 0, 0] });
    const mechanism = compile({
      timestep: 0.01,
      bodies: { left: cart(m), right: cart(M) },
      joints: { left: rail("left"), right: rail("right") },
      contacts: [
        impactContact({
          body: "right",
          point: [-0.1, 0, 0],
          restitution: e,
          halfSpace: halfSpace({ body: "left", normal: [1, 0, 0], offset: 0.1 }),
        }),
      ],
    });
    const simulation = new Simulation(mechanism);
    const start = maximalState(mechanism, { left: { position: [0], velocity: [1] }, right: { position: [0.337] } });
    const { final, solved } = simulation.rollout(start, { steps: 40 });
    expect(solved).toBe(true);
    expect(final[7]).toBeCloseTo((m - e * M) / (m + M), 6);
    expect(final[20]).toBeCloseTo(((1 + e) * m) / (m + M), 6);
  });

  test("a step in parts bounces as a whole one does", () => {
    const simulation = ball(0.8, 0.02);
    const start = letGo(simulation, 0.4);
    const { states } = simulation.rollout(start, { steps: 18 });
    const hit = states.findIndex((state, k) => k > 0 && states[k - 1][9] <= 0 && state[9] > 0);
    const before = states[hit - 1];
    const { next, substeps, status } = simulation.step(simulation.transferState(before, 0.01), undefined, {
      interval: 0.01,
    });
    expect([status, substeps]).toEqual(["solved", 2]);
    // forces that do not act for half the difference of the intervals: g h/4 of speed at most
    expect(Math.abs(next[9] - states[hit][9])).toBeLessThan(g * 0.02);
    expect(next[9]).toBeGreaterThan(0.5 * states[hit][9]);
  });

  test("contacts read what has changed momentum: balls that bounce on each other and on the floor", () => {
    const sphereAt = { point: [0, 0, 0], radius, restitution: 0.5, frictionCoefficient: 0.3 } as const;
    const mechanism = compile({
      timestep: 0.01,
      bodies: { low: sphere({ radius, mass: 1 }), high: sphere({ radius, mass: 1 }) },
      joints: {
        low: floating({ parent: "world", child: "low" }),
        high: floating({ parent: "world", child: "high" }),
      },
      contacts: [
        frictionContact({ name: "floor", body: "low", ...sphereAt }),
        frictionContact({
          name: "lid",
          body: "high",
          ...sphereAt,
          halfSpace: halfSpace({ body: "low", normal: [0, 0, 1], offset: radius }),
        }),
      ],
    });
    const start = maximalState(mechanism, {
      low: { position: [0, 0, 0.15, 0, 0, 0] },
      high: { position: [0, 0, 0.4, 0, 0, 0] },
    });
    const run = new Simulation(mechanism).rollout(start, { steps: 60 });
    expect(run.solved).toBe(true);
    const [floor, lid] = [run.contact("floor"), run.contact("lid")];
    for (let k = 0; k < 60; k++) {
      const change = (body: number): number => run.states[k + 1][13 * body + 9] - run.states[k][13 * body + 9];
      expect(change(1), `${k}`).toBeCloseTo((lid[k].normal - g) * 0.01, 6);
      expect(change(0), `${k}`).toBeCloseTo((floor[k].normal - lid[k].normal - g) * 0.01, 6);
    }
  });
});

test("onIteration sees the iterations of impacts, all that the report counts", () => {
  let seen = 0;
  const simulation = ball(0.8, 0.01);
  const state = maximalState(simulation.mechanism, {
    base: { position: [0, 0, radius + 0.01, 0, 0, 0], velocity: [0, 0, -2, 0, 0, 0] },
  });
  const { next, iterations } = simulation.step(state, undefined, { onIteration: () => seen++ });
  expect(next[9]).toBeGreaterThan(1);
  expect(seen).toBe(iterations);
});

describe("rotors of joints take part in impacts", () => {
  /** A ball of 1 kg and a light finger on a slide with a heavy rotor, before one of them meets the other at 1 m/s. */
  const meeting = (restitution: number, armature: number) => {
    const contact = { frictionCoefficient: 0, restitution };
    return compile({
      timestep: 0.01,
      gravity: [0, 0, 0],
      bodies: {
        ball: sphere({ radius: 0.1, mass: 1, contact }),
        finger: box({ size: [0.1, 0.2, 0.2], mass: 0.1, contact }),
      },
      joints: {
        free: floating({ parent: "world", child: "ball" }),
        slide: prismatic({ parent: "world", child: "finger", axis: [1, 0, 0], armature }),
      },
    });
  };

  test.each([
    [1, 1],
    [0.5, 1],
    [0.5, 0],
  ])("with e = %d, a rotor of %d kg counts as mass, whichever strikes", (e, armature) => {
    const mass = 0.1 + armature;
    const mechanism = meeting(e, armature);
    for (const [ball, finger] of [
      [1, 0],
      [0, -1],
    ] as const) {
      const simulation = new Simulation(mechanism);
      const start = maximalState(mechanism, {
        free: { position: [-0.195, 0, 0, 0, 0, 0], velocity: [ball, 0, 0, 0, 0, 0] },
        slide: { velocity: [finger] },
      });
      const { final } = simulation.rollout(start, { steps: 10 });
      const common = (ball + mass * finger) / (1 + mass);
      expect(final[7]).toBeCloseTo(common - (e * mass) / (1 + mass), 6);
      expect(final[20]).toBeCloseTo(common + e / (1 + mass), 6);
      // nothing gains, and with e = 1 nothing loses
      const kept = simulation.energy(final).total / simulation.energy(start).total;
      expect(kept).toBeLessThan(1 + 1e-6);
      if (e === 1) expect(kept).toBeCloseTo(1, 6);
    }
  });

  /** A ball of 1 kg and a paddle on three hinges in a row: one joint, or three with next to nothing between them. */
  const paddle = (joints: Record<string, JointDescription>, between: readonly string[]) => {
    const contact = { frictionCoefficient: 0, restitution: 1 };
    const speck = sphere({ radius: 0.1, mass: 1e-5 });
    return compile({
      timestep: 0.002,
      gravity: [0, 0, 0],
      bodies: {
        ball: sphere({ radius: 0.05, mass: 1, contact }),
        ...Object.fromEntries(between.map((name) => [name, speck])),
        paddle: box({ size: [0.06, 0.3, 0.4], mass: 0.3, contact }),
      },
      joints: { free: floating({ parent: "world", child: "ball" }), ...joints },
    });
  };
  const [x, y, z] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ] as const;
  const [a, b, c] = [0.05, 0.08, 0.03];
  const end = { child: "paddle", childAnchor: [0, 0, 0.2] } as const;
  const angles = [0.5, -0.4, 0.3];
  const free = { position: [-0.4, 0.02, -0.2, 0, 0, 0], velocity: [3, 0, 0, 0, 0, 0] };

  test("those of three hinges in a row too, as those of three joints do", () => {
    const one = paddle({ hinges: serial({ parent: "world", ...end, axes: [x, y, z], armature: [a, b, c] }) }, []);
    const three = paddle(
      {
        h0: revolute({ parent: "world", child: "one", axis: x, armature: a }),
        h1: revolute({ parent: "one", child: "two", axis: y, armature: b }),
        h2: revolute({ parent: "two", ...end, axis: z, armature: c }),
      },
      ["one", "two"],
    );
    const starts = [
      maximalState(one, { free, hinges: { position: angles } }),
      maximalState(three, { free, ...Object.fromEntries(angles.map((angle, i) => [`h${i}`, { position: [angle] }])) }),
    ];
    const [ball, other] = [one, three].map((mechanism, i) => {
      const simulation = new Simulation(mechanism);
      const { final } = simulation.rollout(starts[i], { steps: 100 });
      // with e = 1 nothing is lost: it had been half of it
      const kept = simulation.energy(final).total / simulation.energy(starts[i]).total;
      expect(Math.abs(kept - 1)).toBeLessThan(1e-3);
      return final.subarray(7, 10);
    });
    // its specks weigh a thousandth of a percent of the ball
    for (let k = 0; k < 3; k++) expect(Math.abs(ball[k] - other[k])).toBeLessThan(3e-3);
    expect(Math.abs(ball[0] - 3)).toBeGreaterThan(1);
  });

  const elbows = {
    "a ball joint": spherical,
    "three hinges": (options: Parameters<typeof spherical>[0]) => serial({ ...options, axes: [x, y, z] }),
  };
  test.each(Object.entries(elbows))("and gradients go through them: an arm with %s meets a wall", (_, elbow) => {
    const link = capsule({ radius: 0.03, length: 0.5, mass: 1 });
    const ends = { parentAnchor: [0, 0, -0.25], childAnchor: [0, 0, 0.25] } as const;
    const mechanism = compile({
      timestep: 0.01,
      bodies: { upper: link, lower: link },
      joints: {
        shoulder: revolute({
          parent: "world",
          child: "upper",
          axis: [0, 1, 0],
          childAnchor: [0, 0, 0.25],
          armature: 0.05,
        }),
        elbow: elbow({ ...ends, parent: "upper", child: "lower", armature: [0.02, 0.01, 0.03], damping: 0.1 }),
      },
      contacts: [
        frictionContact({
          ...{
            name: "hand",
            body: "lower",
            point: [0, 0, -0.25],
            radius: 0.03,
            frictionCoefficient: 0.3,
            restitution: 0.7,
          },
          halfSpace: halfSpace({ normal: [1, 0, 0], offset: -0.13 }),
        }),
      ],
    });
    const simulation = new Simulation(mechanism);
    let state = maximalState(mechanism, {
      shoulder: { position: [0.02], velocity: [2] },
      elbow: { position: [0.1, 0.05, 0], velocity: [0, 1, 0.5] },
    });
    for (let k = 0; k < 12; k++) {
      const next = simulation.step(state).next.slice();
      if (simulation.contact("hand").normal > 20) break;
      state = next;
    }
    expect(simulation.contact("hand").normal).toBeGreaterThan(20);
    const parameters = ["joints.shoulder.armature.0", "joints.elbow.armature.1"];
    expect(checkGradients(simulation, state, undefined, { parameters, smoothing: 0.1 }).worst).toBeLessThan(1e-7);
    // contacts are 1e5 times as stiff at the end, and differences of it drown sooner
    expect(checkGradients(simulation, state, undefined, { parameters }).worst).toBeLessThan(1e-6);
  });
});
