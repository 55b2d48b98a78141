/**
 * What readers see of runs whose steps an error tolerance divides. States are written in the time step; rates and energies are read of the part that led
 * to them, so that their errors fall with the tolerance, and gradients of closed loops go through that reading.
 */
import { describe, expect, test } from "vitest";
import {
  compile,
  minimalJacobian,
  minimalState,
  prismatic,
  pullback,
  pushforward,
  Random,
  revolute,
  Simulation,
  type StepDivision,
  sphere,
  stateAt,
} from "../../src/index.ts";
import { seriesOf } from "../../src/replay/series.ts";

const h = 0.05;
const bob = sphere({ radius: 0.05, mass: 1 });
const hinge = { axis: [0, 1, 0], childAnchor: [0, 0, 0.5] } as const;
const pendulum = compile({
  ...{ timestep: h, bodies: { bob } },
  joints: { hinge: revolute({ parent: "world", child: "bob", ...hinge, actuated: true }) },
});
const inertia = pendulum.bodies[0].inertia[1][1] + 0.25;
const speed = 10;
const energy = (inertia * speed ** 2) / 2 - 9.81 * 0.5;
const rateAt = (angle: number): number => Math.sqrt((2 * (energy + 9.81 * 0.5 * Math.cos(angle))) / inertia);

/** Largest relative errors of rates, as a controller and as a table of the run has them. */
function errorsOf(errorTolerance: number): { controller: number; table: number } {
  const simulation = new Simulation(pendulum, { errorTolerance });
  let controller = 0;
  const trajectory = simulation.rollout(stateAt(simulation, { hinge: { velocity: [speed] } }), {
    steps: 20,
    controller: (state, _, input, interval) => {
      const [angle, rate] = minimalState(pendulum, state, interval);
      controller = Math.max(controller, Math.abs(rate / rateAt(angle) - 1));
      return input.fill(0);
    },
  });
  const series = seriesOf(trajectory);
  const [angles, rates] = ["coordinates", "rates"].map((name) => series.find((one) => one.name === name));
  let table = 0;
  trajectory.states.forEach((_, k) => {
    table = Math.max(table, Math.abs((rates?.row(k)[0] ?? 0) / rateAt(angles?.row(k)[0] ?? 0) - 1));
  });
  return { controller, table };
}

test("rates that controllers and tables see come nearer to the closed form with the tolerance", () => {
  const errors = [1e-3, 1e-4, 1e-5, 1e-6].map(errorsOf);
  for (const name of ["controller", "table"] as const) {
    errors.slice(1).forEach((one, i) => {
      expect(one[name]).toBeLessThan(errors[i][name] / 1.6);
    });
    expect(errors[3][name]).toBeLessThan(4e-3);
  }
});

describe("a controller that reads rates", () => {
  const mechanism = compile({
    timestep: h,
    bodies: { cart: bob, bob },
    joints: {
      rail: prismatic({ parent: "world", child: "cart", axis: [1, 0, 0], actuated: true, damping: 0.2 }),
      hinge: revolute({ parent: "cart", child: "bob", ...hinge, actuated: true }),
    },
  });
  const steps = 6;
  const gains = [
    [-2, 1, -0.5, 0.3],
    [0.5, -1, 0.2, -0.4],
  ];
  const control = (state: Float64Array, interval: number): Float64Array => {
    const x = minimalState(mechanism, state, interval);
    return Float64Array.from(gains, (row) => row.reduce((sum, gain, i) => sum + gain * x[i], 0));
  };

  test("has gradients of the run that it closes", () => {
    const simulation = new Simulation(mechanism, { errorTolerance: 1e-4 });
    const start = stateAt(simulation, { rail: { velocity: [1] }, hinge: { position: [1], velocity: [7] } });
    const divisions: StepDivision[] = [];
    const intervals: number[] = [];
    const trajectory = simulation.rollout(start, {
      ...{ steps, gradients: true },
      controller: (state, _, __, interval) => {
        intervals.push(interval);
        return control(state, interval);
      },
      onStep: () => {
        divisions.push(simulation.division as StepDivision);
      },
    });
    expect(Math.min(...intervals)).toBeLessThan(h / 4);
    // inputs by the state, 12 numbers per body
    const feedback = (state: Float64Array, k: number): Float64Array[] => {
      const map = minimalJacobian(mechanism, state, intervals[k]);
      return gains.map((row) =>
        Float64Array.from({ length: 24 }, (_, j) => row.reduce((sum, gain, i) => sum + gain * map[24 * i + j], 0)),
      );
    };
    const random = new Random(2);
    const weights = Float64Array.from({ length: 24 }, () => random.normal());
    for (const body of [0, 1]) weights.fill(0, 12 * body + 3, 12 * body + 6);
    const direction = Float64Array.from({ length: 24 }, (_, i) => (i % 12 < 3 || i % 12 >= 6 ? random.normal() : 0));
    const product = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
      Array.from(a).reduce((sum, entry, i) => sum + entry * b[i], 0);
    const pulled = pullback(trajectory, [...new Array(steps).fill(undefined), weights], {
      controllerPullback: (k, state, byInput) => {
        const rows = feedback(state, k);
        return Float64Array.from({ length: 24 }, (_, j) => rows[0][j] * byInput[0] + rows[1][j] * byInput[1]);
      },
    });
    const pushed = pushforward(
      trajectory,
      { state: direction },
      {
        controllerPushforward: (k, state, tangent) =>
          Float64Array.from(feedback(state, k), (row) => product(row, tangent)),
      },
    );
    const backwards = product(pulled.state, direction);
    expect(product(pushed[steps], weights) / backwards).toBeCloseTo(1, 9);
    // and with differences of the same parts, in which the controller reads anew
    const weighed = (amount: number): number => {
      let state = start.slice();
      for (const [body, at] of [0, 1].map((one) => [one, 13 * one])) {
        for (let k = 0; k < 3; k++) {
          state[at + k] += amount * direction[12 * body + k];
          state[at + 7 + k] += amount * direction[12 * body + 6 + k];
          state[at + 10 + k] += amount * direction[12 * body + 9 + k];
        }
      }
      let last: Float64Array | undefined;
      for (const { parts, before, drive } of divisions) {
        const input = control(simulation.transferState(state, before * h, h), before * h);
        const division = { parts, before, drive: drive && last && [...last, ...drive.slice(2)] };
        const { next, status } = simulation.step(state, input, { division });
        expect(status).toBe("solved");
        state = next.slice();
        last = input;
      }
      return [0, 1].reduce((sum, body) => {
        const own = (at: number) => state.subarray(13 * body + at, 13 * body + at + 3);
        const of = (at: number) => weights.subarray(12 * body + at, 12 * body + at + 3);
        return sum + product(own(0), of(0)) + product(own(7), of(6)) + product(own(10), of(9));
      }, 0);
    };
    const e = 1e-4;
    const difference = (8 * (weighed(e) - weighed(-e)) - (weighed(2 * e) - weighed(-2 * e))) / (12 * e);
    expect(backwards / difference).toBeCloseTo(1, 6);
  });
});
