/**
 * Shapes thrown at each other with up to 100 m/s, many times their own size per step: every step is solved, nothing passes through anything,
 * nothing is deep in anything where a step ends, momentum stays, and energy is not gained.
 */
import { afterAll, describe, expect, test } from "vitest";
import {
  box,
  capsule,
  compile,
  cylinder,
  ellipsoid,
  floating,
  type MechanismDescription,
  maximalState,
  Random,
  type Shape,
  ShapeDistances,
  Simulation,
  type SurfaceDescription,
  sphere,
} from "../../src/index.ts";
import type { TouchSteps } from "../../src/simulation/touch/touchSteps.ts";
import { printTable, type Row, short } from "./contactScenes.ts";

const kinds = ["sphere", "capsule", "box", "hull", "cylinder", "ellipsoid"] as const;
type Kind = (typeof kinds)[number] | "heightField";

/** Part of a thrown shape's size that it may be in another where a step ends: 1% is promised, rounding is the rule. */
const deepest = 1e-2;
/** Momentum, relative to that of the throw: residuals of 1e-8 per solve. */
const momentumTolerance = 1e-8;
/** Energy above that of the throw, relative; parts are right to second order, and some of it is always lost. */
const energyTolerance = 1e-9;
/** Most iterations of a step: before, steps that failed took up to 4,300. */
const mostIterations = 1500;

/** A shape between a third and all of `size`, plates and rods among them, and the radius of a ball that it holds. */
function shapeOf(random: Random, kind: Kind, size: number, bounce: SurfaceDescription): readonly [Shape, number] {
  const part = (least: number, most = 1): number => size * random.uniform(least, most);
  const contact = { frictionCoefficient: random.uniform(0, 1), ...bounce };
  switch (kind) {
    case "sphere": {
      const radius = part(0.3) / 2;
      return [{ kind, radius, contact }, radius];
    }
    case "capsule": {
      const radius = part(0.1, 0.4) / 2;
      return [{ kind, radius, length: part(0.3), contact }, radius];
    }
    case "box": {
      const sides = [part(0.05), part(0.3), part(0.3)] as const;
      return [{ kind, size: sides, contact }, Math.min(...sides) / 2];
    }
    case "hull": {
      // the corners of an octahedron, each somewhere along its axis
      const points = [0, 1, 2].flatMap((k) =>
        [-1, 1].map((sign) => [0, 1, 2].map((i) => (i === k ? sign * part(0.25, 0.5) : 0)) as [number, number, number]),
      );
      return [{ kind, points, contact }, (0.25 / Math.sqrt(3)) * size];
    }
    case "cylinder": {
      const [radius, length] = [part(0.3) / 2, part(0.1)];
      return [{ kind, radius, length, contact }, Math.min(radius, length / 2)];
    }
    case "ellipsoid": {
      const radii = [part(0.3) / 2, part(0.3) / 2, part(0.3) / 2] as const;
      return [{ kind, radii, contact }, Math.min(...radii)];
    }
    case "heightField": {
      const heights = Array.from({ length: 9 }, () =>
        Array.from({ length: 9 }, () => size * random.uniform(-0.3, 0.3)),
      );
      return [{ kind, size: [8 * size, 8 * size], heights, contact }, Number.POSITIVE_INFINITY];
    }
  }
}

interface Throw {
  readonly simulation: Simulation;
  readonly start: Float64Array;
  /** Steps until the two have met. */
  readonly steps: number;
  readonly size: number;
  readonly thickness: number;
  readonly isFixed: boolean;
}

/** A shape that flies downwards at another, which is at rest but for its spin, or at terrain. */
function thrown(kind: Kind, other: Kind, speed: number, h: number, seed: number, bounce = {}): Throw {
  const random = new Random(
    1e4 * seed + 100 * [...kinds, "heightField"].indexOf(other) + kinds.indexOf(kind as "box") + speed + h,
  );
  const [size, otherSize] = [random.uniform(0.08, 0.4), random.uniform(0.08, 0.4)];
  const [shape, thin] = shapeOf(random, kind, size, bounce);
  const [target, otherThin] = shapeOf(random, other, otherSize, bounce);
  const isFixed = other === "heightField";
  const body = (one: Shape, extent: number): MechanismDescription["bodies"][string] => {
    const mass = 300 * extent ** 3;
    const inertia = (mass * extent ** 2) / 12;
    return {
      mass,
      inertia: [
        [inertia, 0, 0],
        [0, 1.2 * inertia, 0],
        [0, 0, 0.8 * inertia],
      ],
      shapes: [one],
    };
  };
  const mechanism = compile({
    timestep: h,
    gravity: [0, 0, 0],
    bodies: { a: body(shape, size), ...(!isFixed && { b: body(target, otherSize) }) },
    joints: {
      a: floating({ parent: "world", child: "a" }),
      ...(!isFixed && { b: floating({ parent: "world", child: "b" }) }),
    },
    ...(isFixed && { shapes: [target] }),
  });
  const away = 1.2 * (size + (isFixed ? 0.3 : 1) * otherSize) + speed * h * random.uniform(0, 1);
  const aside = isFixed ? 2 * otherSize : 0.3 * Math.min(size, otherSize);
  const spins = (): number[] => [0, 0, 0].map(() => random.uniform(-5, 5));
  const turn = (): number[] => [0, 0, 0].map(() => random.uniform(-3, 3));
  const start = maximalState(mechanism, {
    a: {
      position: [random.uniform(-aside, aside), random.uniform(-aside, aside), away, ...turn()],
      velocity: [0, 0, -speed, ...spins()],
    },
    ...(!isFixed && { b: { position: [0, 0, 0, ...turn()], velocity: [0, 0, 0, ...spins()] } }),
  });
  const steps = Math.ceil(away / (speed * h)) + 3;
  return { simulation: new Simulation(mechanism), start, steps, size, thickness: Math.min(thin, otherThin), isFixed };
}

/** How deep the two would be in each other if nothing stopped them: straight flight, seen at 300 moments. */
function depthOfFlight({ simulation, start, steps }: Throw): number {
  const { mechanism, timestep } = simulation;
  const distances = new ShapeDistances(mechanism);
  const [state, moments] = [Float64Array.from(start), 300];
  let depth = 0;
  for (let k = 0; k < moments; k++) {
    for (let at = 0; at < state.length; at += 13) {
      const dt = (steps * timestep) / moments;
      for (let i = 0; i < 3; i++) state[at + i] += dt * start[at + 7 + i];
      // q ⊗ (√(1 − ψᵀψ), ψ), ψ = ω dt/2
      const [w, x, y, z] = state.subarray(at + 3, at + 7);
      const [a, b, c] = [0, 1, 2].map((i) => (dt / 2) * start[at + 10 + i]);
      const r = Math.sqrt(1 - a * a - b * b - c * c);
      state.set(
        [
          w * r - x * a - y * b - z * c,
          w * a + x * r + y * c - z * b,
          w * b - x * c + y * r + z * a,
          w * c + x * b - y * a + z * r,
        ],
        at + 3,
      );
    }
    for (const { distance } of distances.at(state)) depth = Math.max(depth, -distance);
  }
  return depth;
}

describe("throws of every shape at every other", () => {
  const rows: Row[] = [];
  const cases: { h: number; speed: number; bounce?: SurfaceDescription }[] = [
    { h: 0.01, speed: 3 },
    { h: 0.01, speed: 30 },
    ...[1, 11, 100].map((speed) => ({ h: 0.03, speed })),
    { h: 0.01, speed: 30, bounce: { restitution: 0.5 } },
    { h: 0.03, speed: 100, bounce: { restitution: 0.5 } },
  ];
  test.each(cases)("at $speed m/s, h = $h, $bounce", ({ h, speed, bounce }) => {
    const row = { throws: 0, met: 0, deepest: 0, gain: Number.NEGATIVE_INFINITY, momentum: 0, iterations: 0, parts: 1 };
    for (const kind of kinds) {
      for (const other of [...kinds.slice(kinds.indexOf(kind)), "heightField" as const]) {
        const scene = thrown(kind, other, speed, h, 1, bounce);
        const { simulation, start, steps, size, isFixed } = scene;
        const label = `${kind} at ${other}`;
        const before = { energy: simulation.energy(start).kinetic, momentum: simulation.momentum(start) };
        let most = 0;
        const run = simulation.rollout(start, {
          steps,
          onStep: ({ iterations, substeps, overlap = 0 }) => {
            most = Math.max(most, iterations);
            row.parts = Math.max(row.parts, substeps);
            expect(overlap, label).toBeLessThan(deepest * size);
            return true;
          },
        });
        expect(run.solved, label).toBe(true);
        expect(most, label).toBeLessThan(mostIterations);
        // true distances, by another search
        const distances = new ShapeDistances(simulation.mechanism);
        const depth = Math.max(
          0,
          ...run.states.flatMap((state) => distances.at(state).map(({ distance }) => -distance)),
        );
        expect(depth, label).toBeLessThan(deepest * size);
        // what would have been deep in the other has met it
        const hasMet = Math.abs(run.final[9] + speed) > 1e-6 * speed;
        if (speed > 3 && depthOfFlight(scene) > 0.6 * Math.min(scene.thickness, size)) expect(hasMet, label).toBe(true);
        const interval = run.reports[run.reports.length - 1].interval;
        const gain = simulation.energy(run.final, interval).kinetic / before.energy - 1;
        expect(gain, label).toBeLessThan(energyTolerance);
        const after = simulation.momentum(run.final);
        const lost = Math.hypot(...after.linear.map((value, k) => value - before.momentum.linear[k]));
        const scale = Math.hypot(...before.momentum.linear);
        if (!isFixed) expect(lost / scale, label).toBeLessThan(momentumTolerance);
        row.throws++;
        row.met += hasMet ? 1 : 0;
        row.deepest = Math.max(row.deepest, depth);
        row.gain = Math.max(row.gain, gain);
        if (!isFixed) row.momentum = Math.max(row.momentum, lost / scale);
        row.iterations = Math.max(row.iterations, most);
      }
    }
    const { throws, met, parts, iterations } = row;
    rows.push({
      "m/s": speed,
      h,
      e: bounce?.restitution ?? 0,
      throws,
      met,
      deepest: short(row.deepest),
      gain: short(row.gain),
      momentum: short(row.momentum),
      iterations,
      parts,
    });
    // some of them came down
    expect(met).toBeGreaterThan(20);
  });
  afterAll(() =>
    printTable(
      "throws: deepest overlap (m), gain of energy, change of momentum, most iterations and parts of a step",
      rows,
    ),
  );
});

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
  const ground: Shape = { kind: "heightField", size: [1, 1], heights: [0, 1, 2].map(() => [0.05, 0, 0.05]), contact };
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
