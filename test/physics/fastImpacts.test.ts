/** Fast bodies that meet something in the middle of a step, one scene each, and what steps in parts leave behind. */
import { expect, test } from "vitest";
import {
  box,
  capsule,
  compile,
  cylinder,
  ellipsoid,
  floating,
  type MechanismDescription,
  maximalState,
  type Shape,
  ShapeDistances,
  Simulation,
  sphere,
} from "../../src/index.ts";
import type { TouchSteps } from "../../src/simulation/touch/touchSteps.ts";
import { thrown } from "./fastThrowScenes.ts";

const at = (position: readonly number[], velocity: readonly number[] = [0, 0, 0, 0, 0, 0]) => ({ position, velocity });
const free = (...names: readonly string[]): MechanismDescription["joints"] =>
  Object.fromEntries(names.map((name) => [name, floating({ parent: "world", child: name })]));

test("balls of 2 cm that fly 1 m per step meet, wherever in the step, and go on together as m v = (m + M) u says", () => {
  const contact = { frictionCoefficient: 0 };
  const bodies = { a: sphere({ radius: 0.02, mass: 1, contact }), b: sphere({ radius: 0.02, mass: 3, contact }) };
  const mechanism = compile({ timestep: 0.01, gravity: [0, 0, 0], bodies, joints: free("a", "b") });
  for (let phase = 0; phase < 20; phase++) {
    const start = maximalState(mechanism, {
      a: at([-0.05 - 0.05 * phase, 0, 0, 0, 0, 0], [100, 0, 0, 0, 0, 0]),
      b: at([0, 0, 0, 0, 0, 0]),
    });
    const run = new Simulation(mechanism).rollout(start, { steps: 4 });
    expect(run.solved).toBe(true);
    expect(run.velocities("a")[4][0]).toBeCloseTo(25, 4);
    expect(run.velocities("b")[4][0]).toBeCloseTo(25, 4);
  }
});

test("a bullet that misses a row of posts in every sampled state hits the first of them", () => {
  const contact = { frictionCoefficient: 0.5 };
  const posts = [0, 1, 2].map(
    (i): Shape => ({ kind: "cylinder", radius: 0.01, length: 1, position: [0.21 + 0.07 * i, 0, 0], contact }),
  );
  const mechanism = compile({
    timestep: 0.01,
    gravity: [0, 0, 0],
    bodies: { bullet: sphere({ radius: 0.005, mass: 0.01, contact }) },
    joints: free("bullet"),
    shapes: posts,
  });
  const start = maximalState(mechanism, { bullet: at([0, 0, 0, 0, 0, 0], [300, 0, 0, 0, 0, 0]) });
  const simulation = new Simulation(mechanism);
  const result = simulation.step(start);
  expect(result.status).toBe("solved");
  expect(result.substeps).toBeGreaterThan(1);
  expect(result.next[0]).toBeLessThan(0.2 - 0.005 + 1e-9);
  expect(result.next[0]).toBeGreaterThan(0.19);
});

test("a can as a bullet stops at a thin plate, whatever it spins with afterwards", () => {
  const contact = { frictionCoefficient: 0.4 };
  const bodies = { can: cylinder({ radius: 0.02, length: 0.06, mass: 0.1, contact }) };
  const plate: Shape = { kind: "box", size: [2, 2, 0.002], contact };
  const mechanism = compile({ timestep: 0.01, gravity: [0, 0, 0], bodies, joints: free("can"), shapes: [plate] });
  for (let i = 0; i < 12; i++) {
    const start = maximalState(mechanism, {
      can: at([0, 0, 0.3 + 0.09 * i, 0.3 * i, 0.5 * i, 0], [0, 0, -100, 3, 2, 1]),
    });
    const run = new Simulation(mechanism).rollout(start, { steps: 5 });
    expect(run.solved).toBe(true);
    for (const state of run.states) expect(state[2]).toBeGreaterThan(0);
    expect(run.final[9]).toBeGreaterThan(-1);
  }
});

test("a ball that leaves terrain fast goes over its rim, not through it, wherever in the step it does", () => {
  const contact = { frictionCoefficient: 0.3 };
  const ground: Shape = { kind: "heightField", size: [1, 1], heights: [0.05, 0, 0.05].map((z) => [z, z, z]), contact };
  const bodies = { ball: sphere({ radius: 0.06, mass: 0.2, contact }) };
  const mechanism = compile({ timestep: 0.03, gravity: [0, 0, 0], bodies, joints: free("ball"), shapes: [ground] });
  const distances = new ShapeDistances(mechanism);
  for (let i = 0; i < 10; i++) {
    // along the ground, which rises to the rim at y = −0.5 and ends there; without it the ball would be 4 cm lower where it ends
    const start = maximalState(mechanism, {
      ball: at([0.02, -0.02 * i, 0.061 + 0.002 * i, 0, 0, 0], [0, -20, -1.3, 0, 0, 0]),
    });
    const run = new Simulation(mechanism).rollout(start, { steps: 2 });
    expect(run.solved).toBe(true);
    // on the way that its end says: as it leaves, it flies straight
    const [, y, z] = run.final;
    const slope = run.final[9] / run.final[8];
    expect(y).toBeLessThan(-0.6);
    const overRim = Float64Array.from(run.final);
    overRim[1] = -0.5;
    overRim[2] = z + slope * (-0.5 - y);
    const [touching] = distances.at(overRim, 1);
    expect(touching.distance, `throw ${i}`).toBeGreaterThan(-1e-3);
  }
});

test("a ball that hits a resting rod off its middle hands it the impulse of two bodies that meet: v/(1/m + 1/M + d²/I)", () => {
  const contact = { frictionCoefficient: 0 };
  const [m, M, v, length] = [0.2, 1, 60, 0.6];
  const rod = capsule({ radius: 0.01, length, mass: M, contact });
  const bodies = { ball: sphere({ radius: 0.02, mass: m, contact }), rod };
  const mechanism = compile({ timestep: 0.01, gravity: [0, 0, 0], bodies, joints: free("ball", "rod") });
  for (const d of [0, 0.1, 0.2]) {
    // the rod along z
    const start = maximalState(mechanism, {
      ball: at([-0.57, 0, d, 0, 0, 0], [v, 0, 0, 0, 0, 0]),
      rod: at([0, 0, 0, 0, 0, 0]),
    });
    const run = new Simulation(mechanism).rollout(start, { steps: 2 });
    expect(run.solved).toBe(true);
    const impulse = v / (1 / m + 1 / M + d ** 2 / rod.inertia[0][0]);
    // the rod turns away from the ball as it goes: a few percent more
    expect((M * run.velocities("rod")[2][0]) / impulse).toBeCloseTo(1, 1);
  }
});

test("a fast step that is retried in parts leaves nothing of its other attempts: a run is the same to the bit", () => {
  const run = (): Float64Array => {
    const { simulation, start, steps } = thrown("box", "cylinder", 30, 0.03, 3);
    return simulation.rollout(start, { steps }).final;
  };
  expect(run()).toEqual(run());
});

test("where something is met, along the ways of all pairs, is looked for once per part that is cut", () => {
  const asked: string[] = [];
  for (const seed of [1, 2, 3, 4]) {
    const { simulation, start, steps } = thrown("box", "cylinder", 11, 0.03, seed);
    const { search } = simulation.touching as TouchSteps;
    const firstCut = search.firstCut.bind(search);
    search.firstCut = (state, h) => {
      asked.push(`${h} from ${state.join(" ")}`);
      return firstCut(state, h);
    };
    expect(simulation.rollout(start, { steps }).solved).toBe(true);
  }
  expect(asked.length).toBeGreaterThan(4);
  expect(new Set(asked).size).toBe(asked.length);
});

test("boxes of a plate's edge are untouched by it: a box that falls slowly takes its steps whole", () => {
  const mechanism = compile({
    timestep: 0.01,
    bodies: { crate: box({ size: [0.2, 0.2, 0.2], mass: 1, contact: true }) },
    joints: free("crate"),
    shapes: [{ kind: "box", size: [2, 2, 0.1], contact: true }],
  });
  const start = maximalState(mechanism, { crate: at([0, 0, 0.4, 0.3, 0.2, 0]) });
  const run = new Simulation(mechanism).rollout(start, { steps: 60 });
  expect(run.solved).toBe(true);
  expect(run.reports.every(({ substeps }) => substeps === 1)).toBe(true);
});

test("a solve that rounding leaves on the boundary of a cone is a failed attempt, not an error", () => {
  const contact = { frictionCoefficient: 0.5 };
  const bodies = {
    a: box({ size: [0.2, 0.15, 0.1], mass: 1, contact }),
    b: capsule({ radius: 0.05, length: 0.2, mass: 0.5, contact }),
    c: cylinder({ radius: 0.06, length: 0.12, mass: 0.5, contact }),
    d: ellipsoid({ radii: [0.1, 0.06, 0.05], mass: 0.6, contact }),
  };
  const joints = Object.fromEntries(Object.keys(bodies).map((child) => [child, floating({ parent: "world", child })]));
  const shapes = [{ kind: "halfSpace", name: "floor", contact }] as const;
  const simulation = new Simulation(compile({ timestep: 0.02, bodies, joints, shapes }));
  // in the middle of a throw, to the bit
  const state = Float64Array.of(
    ...[
      -0.12446988979083518, -0.04299579640922206, 0.15569442408687673, 0.2780830431736199, -0.4692959342072437,
      0.5676292066339607, -0.6166264923046606, -1.9842514134922575, -0.7956406015149078, -2.905852839905548,
      -16.326997005207808, 17.570743475707612, -23.242805155512038,
    ],
    ...[
      0.08991805271934125, 0.0361167499424048, 0.11320504962110646, 0.7479261450854993, -0.26715527150097196,
      -0.5133421170438274, -0.32513752978662463, 0.9569101525926687, 0.4005601015257539, -4.324963987967164,
      -3.0942123933701464, -11.890358269819062, 8.645830952909128,
    ],
    ...[
      -0.0675689253753494, 0.022681484247391755, 0.27261468813801504, -0.6488188244510864, 0.144767316275514,
      -0.0019957480866219924, 0.7470425517772534, -0.5133100324161258, 0.07248315228598835, -4.717645905118706,
      -21.22917036182949, -24.157772454618414, 23.259523262812607,
    ],
    ...[
      0.008791736310914842, 0.003034239953722901, 0.392053029183914, -0.07406678865622106, 0.13126999290331098,
      -0.4002224259960242, -0.9039382221762594, 0.6869963320839171, 0.2698621380548481, -4.851095612164029,
      -8.67567299063628, -4.7803036129205765, -21.944307863824513,
    ],
  );
  expect(simulation.step(state).status).toBe("solved");
});
