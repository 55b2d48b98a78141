/**
 * Links that spin faster than √2/h: the states between are written in parts of the time step, and the chain of gradients goes
 * through the changes of interval.
 */
import { describe, expect, test } from "vitest";
import {
  box,
  compile,
  floating,
  jointRates,
  type MechanismDescription,
  maximalState,
  pullback,
  pushforward,
  Random,
  revolute,
  Simulation,
  seriesOf,
  type Trajectory,
} from "../../src/index.ts";

const h = 0.1;
const steps = 8;

/** A whip: three links that get lighter, let go from the side. */
function whip(gravity: number): MechanismDescription {
  const lengths = [0.6, 0.4, 0.25];
  const names = ["handle", "middle", "tip"];
  return {
    timestep: h,
    gravity: [0, 0, -gravity],
    bodies: Object.fromEntries(
      lengths.map((length, i) => [names[i], box({ size: [0.04, 0.06, length], mass: 2 / 8 ** i })]),
    ),
    joints: Object.fromEntries(
      lengths.map((length, i) => [
        `hinge${i}`,
        revolute({
          parent: i === 0 ? "world" : names[i - 1],
          child: names[i],
          axis: i === 1 ? [0.28, 0.96, 0] : [0, 1, 0],
          parentAnchor: i === 0 ? [0, 0, 0] : [0, 0, -lengths[i - 1] / 2],
          childAnchor: [0, 0, length / 2],
        }),
      ]),
    ),
  };
}

const mechanism = compile(whip(9.81));
const start = maximalState(mechanism, {
  hinge0: { position: [-2.2], velocity: [-6] },
  hinge1: { position: [1.1], velocity: [3] },
  hinge2: { position: [-0.4], velocity: [-9] },
});

function intervals({ reports }: Trajectory): number[] {
  return reports.map(({ interval }) => Math.round(h / interval));
}

describe("a whip at 10 Hz", () => {
  const simulation = new Simulation(mechanism);
  const run = simulation.rollout(start, { steps, gradients: true });

  test("is simulated in parts where it is too fast for the time step, and as a whole elsewhere", () => {
    expect(run.solved).toBe(true);
    expect(run.steps).toBe(steps);
    const parts = intervals(run);
    expect(Math.max(...parts)).toBeGreaterThan(1);
    expect(Math.min(...parts)).toBe(1);
    run.reports.forEach(({ interval, substeps }, k) => {
      expect(substeps).toBeGreaterThanOrEqual(Math.round(h / interval));
      for (const { index } of mechanism.bodies) {
        const spin = Math.hypot(...run.states[k + 1].subarray(13 * index + 10, 13 * index + 13));
        expect(spin * interval).toBeLessThan(Math.SQRT2);
      }
    });
  });

  test("its rates and energies are those of each state's own interval", () => {
    const speeds = run.states.map((state, k) => jointRates(mechanism, state, run.interval(k)));
    expect(speeds.every((rates) => rates.every(Number.isFinite))).toBe(true);
    const energies = run.states.map((state, k) => simulation.energy(state, run.interval(k)).total);
    // nothing damps it: what is left is what a step of 0.1 s makes of a whip
    for (const energy of energies) expect(Math.abs(energy / energies[0] - 1)).toBeLessThan(0.35);
    const rates = seriesOf(run).find(({ name }) => name === "rates");
    expect(speeds.map((_, k) => rates?.row(k))).toEqual(speeds);
  });

  test("goes on from where a rollout ended, bit by bit", () => {
    const middle = intervals(run).findIndex((parts) => parts > 1) + 1;
    const { interval } = run.reports[middle - 1];
    const later = new Simulation(mechanism).rollout(run.states[middle], { steps: steps - middle, interval });
    expect(later.final).toEqual(run.final);
    expect(() => simulation.step(run.states[middle], undefined, { interval: h / 3 })).toThrow(/interval/);
  });

  test("each of its states may be handed on with its interval, and is checked in it", () => {
    run.states.forEach((state, k) => {
      expect(simulation.rollout(state, { steps: 1, interval: run.interval(k) }).steps).toBe(1);
    });
    const spins = run.states.map((state) => Math.hypot(...state.subarray(13 * 2 + 10, 13 * 3)));
    const fastest = run.states[spins.indexOf(Math.max(...spins))];
    expect(h * Math.max(...spins)).toBeGreaterThan(Math.SQRT2);
    expect(() => simulation.rollout(fastest, { steps: 1 })).toThrow(/too-fast/);
  });

  test("a caller that does not say the interval is told so", () => {
    const fast = intervals(run).findIndex((parts) => parts > 1);
    const { status, interval } = simulation.step(run.states[fast]);
    expect([status, interval]).toEqual(["tooFast", h]);
  });

  test("its tangents are those of finite differences", () => {
    const names = ["bodies.tip.mass", "bodies.tip.inertia.yy", "gravity.z", "joints.hinge1.childAnchor.z"];
    const parameters = Object.fromEntries(names.map((name, i) => [name, 0.3 + 0.1 * i]));
    const tangents = pushforward(run, { parameters });
    const shifted = (amount: number): Trajectory => {
      const moved = new Simulation(mechanism);
      for (const [name, rate] of Object.entries(parameters))
        moved.setParameter(name, moved.parameter(name) + amount * rate);
      return moved.rollout(start, { steps, check: false });
    };
    const epsilon = 1e-6;
    const compared = 6;
    const [two, one, less, least] = [2, 1, -1, -2].map((factor) => shifted(factor * epsilon));
    for (const side of [two, one, less, least])
      expect(intervals(side).slice(0, compared)).toEqual(intervals(run).slice(0, compared));
    for (let k = 1; k <= compared; k++) {
      for (let body = 0; body < 3; body++) {
        // positions and velocities
        for (const [raw, error] of [0, 1, 2, 7, 8, 9, 10, 11, 12].map((i) => [i, i < 7 ? i : i - 1])) {
          const at = (side: Trajectory): number => side.states[k][13 * body + raw];
          const difference = (8 * (at(one) - at(less)) - (at(two) - at(least))) / (12 * epsilon);
          const found = tangents[k][12 * body + error];
          expect(Math.abs(found - difference)).toBeLessThan(1e-6 * Math.max(1, Math.abs(difference)));
        }
      }
    }
  });

  test.each([
    ["all points kept", {}],
    ["checkpoints", { checkpointEvery: 3 }],
  ])("pullback is the transpose of pushforward, %s", (_, options) => {
    const random = new Random(3);
    const kept = new Simulation(mechanism).rollout(start, { steps, gradients: options });
    for (const [coordinates, size] of [
      ["maximal", 36],
      ["minimal", 6],
    ] as const) {
      const numbers = (): Float64Array => new Float64Array(size).map(() => random.uniform(-1, 1));
      const cotangents = Array.from({ length: steps + 1 }, numbers);
      const parameters = { timestep: 0.2, "bodies.tip.inertia.yy": 0.01, "bodies.middle.mass": -0.3 };
      const tangent = numbers();
      const pulled = pullback(kept, cotangents, { parameters: Object.keys(parameters), coordinates });
      const from = coordinates === "minimal" ? pulled.minimal() : pulled;
      const pushed = pushforward(kept, { state: tangent, parameters }, { coordinates });
      const forwards = pushed.reduce((sum, states, k) => sum + inner(states, cotangents[k]), 0);
      const backwards =
        inner(tangent, from.state) +
        Object.entries(parameters).reduce((sum, [name, rate]) => sum + rate * from.parameters[name], 0);
      expect(Math.abs(forwards - backwards)).toBeLessThan(1e-9 * Math.max(1, Math.abs(forwards)));
    }
  });
});

test("bodies on a hinge in space keep their momentum, however short the interval", () => {
  const link = box({ size: [0.04, 0.06, 0.4], mass: 1 });
  const pair = compile({
    timestep: h,
    gravity: [0, 0, 0],
    bodies: { link, tip: box({ size: [0.05, 0.04, 0.1], mass: 0.02 }) },
    joints: {
      base: floating({ parent: "world", child: "link" }),
      hinge: revolute({
        parent: "link",
        child: "tip",
        axis: [0, 1, 0],
        parentAnchor: [0, 0, -0.2],
        childAnchor: [0, 0, 0.05],
      }),
    },
  });
  const simulation = new Simulation(pair);
  const begin = maximalState(pair, { base: { velocity: [0, 0, 0, 1, 6, 2] }, hinge: { velocity: [-20] } }, h / 4);
  const run = simulation.rollout(begin, { steps: 60, interval: h / 4, check: false });
  expect(run.solved).toBe(true);
  expect(Math.max(...intervals(run))).toBeGreaterThan(1);
  const before = simulation.momentum(begin, h / 4).angular;
  run.states.slice(1).forEach((state, k) => {
    const now = simulation.momentum(state, run.reports[k].interval).angular;
    now.forEach((entry, i) => {
      expect(Math.abs(entry - before[i])).toBeLessThan(1e-9);
    });
  });
});

test("a falling body lags by half the change of interval times the velocity gained since, as docs/solver.md says", () => {
  const plate = compile({
    timestep: 0.05,
    bodies: { plate: box({ size: [0.3, 0.3, 0.1], mass: 1 }) },
    joints: { base: floating({ parent: "world", child: "plate" }) },
  });
  const fall = (spin: number, torque: number): Trajectory => {
    const simulation = new Simulation(plate);
    const begin = maximalState(plate, { base: { position: [0, 0, 20, 0, 0, 0] } });
    begin[12] = spin;
    simulation.setWrench("plate", { torque: [0, 0, torque] });
    return simulation.rollout(begin, { steps: 40, onStep: (_, k) => k < 8 || void simulation.setWrench("plate", {}) });
  };
  const [still, spun] = [fall(0, 0), fall(19, 0.15)];
  const parts = spun.reports.map(({ interval }) => Math.round(0.05 / interval));
  const changed = parts.indexOf(2);
  expect(changed).toBeGreaterThan(0);
  expect(new Set(parts.slice(changed))).toEqual(new Set([2]));
  const gained = still.final[9] - still.states[changed][9];
  expect(spun.final[2] - still.final[2]).toBeCloseTo((-0.05 / 4) * gained, 9);
  // the momentum is as if nothing had changed
  expect(spun.final[9]).toBeCloseTo(still.final[9], 12);
});

describe("a rotor that friction brakes until the time step can express it", () => {
  const whole = 0.05;
  /** From this spin of half the time step, and with so little braking at κ that the point there is too fast for the whole one. */
  const [spin, path] = [20.85, { relativeKappa: 100 }];
  const rotor = (timestep: number) =>
    compile({
      timestep,
      gravity: [0, 0, 0],
      bodies: { rotor: box({ size: [0.3, 0.3, 0.1], mass: 5 }) },
      joints: { axle: revolute({ parent: "world", child: "rotor", axis: [0, 0, 1], friction: 0.3, actuated: true }) },
    });
  const begin = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, spin);
  const bySpin = Float64Array.from({ length: 12 }, (_, i) => (i === 11 ? 1 : 0));
  const run = new Simulation(rotor(whole)).rollout(begin, {
    steps: 1,
    interval: whole / 2,
    check: false,
    gradients: path,
  });

  test("it ends in the whole time step", () => {
    expect(run.solved).toBe(true);
    expect([run.reports[0].substeps, run.reports[0].interval]).toEqual([2, whole]);
  });

  test("its gradient is that of two steps of half the size, times the change of interval", () => {
    const halves = new Simulation(rotor(whole / 2)).rollout(begin, { steps: 2, check: false, gradients: path });
    const { inputs, state } = pullback(halves, [undefined, undefined, bySpin]);
    // ω √(1 − (hω/2)²) is the same before and after the change
    const slope = (w: number, interval: number): number => {
      const square = (interval * w) ** 2 / 4;
      return (1 - 2 * square) / Math.sqrt(1 - square);
    };
    const change = slope(halves.final[12], whole / 2) / slope(run.final[12], whole);
    const pulled = pullback(run, [undefined, bySpin]);
    expect(pulled.inputs[0][0]).toBeCloseTo(change * (inputs[0][0] + inputs[1][0]), 9);
    expect(pulled.state[11]).toBeCloseTo(change * state[11], 9);
    const pushed = pushforward(run, { state: bySpin });
    expect(pushed[1][11]).toBeCloseTo(pulled.state[11], 12);
  });

  test("what is not finite is refused, with its place", () => {
    const bad = bySpin.map((entry) => entry / 0);
    expect(() => pullback(run, [undefined, bad])).toThrow(/not-finite at cotangents\[1\]\[0\]/);
    expect(() => pushforward(run, { state: bad })).toThrow(/not-finite at state\[0\]/);
  });
});

function inner(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, entry, i) => sum + entry * b[i], 0);
}
