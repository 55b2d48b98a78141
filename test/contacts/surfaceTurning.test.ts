/** Torsional and rolling friction of surfaces are parameters: they can be set, and have gradients through the rule that combines two surfaces. */
import { expect, test } from "vitest";
import {
  checkGradients,
  compile,
  floating,
  type MechanismDescription,
  maximalState,
  pullback,
  Simulation,
  sphere,
} from "../../src/index.ts";

const [g, radius, mass, timestep] = [9.81, 0.1, 2, 0.01];
const inertia = 0.4 * mass * radius ** 2;
const path = {
  spin: "surfaces.ball.shape0.torsionalFriction",
  floorSpin: "surfaces.world.floor.torsionalFriction",
  roll: "surfaces.world.floor.rollingFriction",
};

function scene(
  ball: object = { torsionalFriction: 0.01 },
  floor: object = { torsionalFriction: 0.004, rollingFriction: 0.002 },
  collisions: MechanismDescription["collisions"] = {},
): Simulation {
  return new Simulation(
    compile({
      timestep,
      bodies: { ball: sphere({ radius, mass, contact: ball }) },
      joints: { base: floating({ parent: "world", child: "ball" }) },
      shapes: [{ kind: "halfSpace", name: "floor", contact: floor }],
      collisions,
    }),
  );
}

/** A ball that rolls at 1 m/s and spins about the normal. */
const startOf = ({ mechanism }: Simulation): Float64Array =>
  maximalState(mechanism, { base: { position: [0, 0, radius, 0, 0, 0], velocity: [1, 0, 0, 0, 1 / radius, 10] } });

const steps = 10;

test("only surfaces that have it list it, and another value acts as if the surface were made so", () => {
  const simulation = scene();
  const names = simulation.parameterNames.filter((name) => /(torsional|rolling)Friction$/.test(name));
  expect(names.sort()).toEqual(Object.values(path).sort());
  simulation.setParameters({ [path.spin]: 0.02, [path.roll]: 0.003 });
  const made = scene({ torsionalFriction: 0.02 }, { torsionalFriction: 0.004, rollingFriction: 0.003 });
  const start = startOf(made);
  const end = simulation.rollout(start, { steps }).final;
  expect(end).toEqual(made.rollout(start, { steps }).final);
  expect(end).not.toEqual(scene().rollout(start, { steps }).final);
  // 0 is none: the ball rolls on
  const free = scene({}, { rollingFriction: 0.002 });
  free.setParameter(path.roll, 0);
  expect(free.rollout(start, { steps }).final).toEqual(scene({}, {}).rollout(start, { steps }).final);
  expect(() => simulation.setParameter(path.roll, -1)).toThrow(path.roll);
});

test("a ball that spins slows down by c_s m g/I, whatever c_s is set to", () => {
  const simulation = scene({ torsionalFriction: 0.01 }, {});
  const start = maximalState(simulation.mechanism, {
    base: { position: [0, 0, radius, 0, 0, 0], velocity: [0, 0, 0, 0, 0, 10] },
  });
  // momentum of an interval, in which a step turns by 2 asin(h ω/2)
  const momentum = (rate: number): number => rate * Math.sqrt(1 - ((timestep / 2) * rate) ** 2);
  for (const friction of [0.005, 0.02]) {
    simulation.setParameter(path.spin, friction);
    const { final } = simulation.rollout(start, { steps });
    expect(momentum(final[12])).toBeCloseTo(momentum(10) - (friction * mass * g * steps * timestep) / inertia, 6);
  }
});

test.each([
  ["the larger one counts", undefined, undefined, path.spin],
  ["a priority decides", undefined, { torsionalFriction: 0.004, rollingFriction: 0.002, priority: 1 }, path.floorSpin],
] as const)("gradients of a step and of a run equal central differences: %s", (_, ball, floor, decides) => {
  const simulation = scene(ball, floor);
  const start = startOf(simulation);
  const parameters = [...Object.values(path), "surfaces.*.*.torsionalFriction"];
  // contacts are 1e5 times as stiff at the end, and differences of it drown sooner
  for (const [smoothing, error] of [
    [0.1, 1e-7],
    [0, 1e-6],
  ]) {
    const { worst, entry } = checkGradients(simulation, start, undefined, { parameters, smoothing });
    expect(worst, entry).toBeLessThan(error);
  }

  // how fast it spins and rolls in the end
  const weights = Float64Array.from({ length: 12 }, (_, k) => (k === 11 ? 1 : k === 6 ? 3 : 0));
  const cost = (state: Float64Array): number => state[12] + 3 * state[7];
  const run = simulation.rollout(start, { steps, gradients: { relativeKappa: 1e-6 } });
  const found = pullback(run, [...new Array(steps).fill(undefined), weights], { parameters: Object.values(path) });
  for (const name of Object.values(path)) {
    const change = 1e-5;
    const [more, less] = [change, -change].map((amount) => {
      const other = scene(ball, floor);
      other.setParameter(name, other.parameter(name) + amount);
      return cost(other.rollout(start, { steps }).final);
    });
    const difference = (more - less) / (2 * change);
    expect(Math.abs(found.parameters[name] - difference)).toBeLessThan(1e-3 * Math.max(1, Math.abs(difference)));
    expect(Math.abs(difference) > 1).toBe(name === decides || name === path.roll);
  }
});

test("what is said of a pair is no matter of its surfaces", () => {
  const pair = { bodies: ["ball", "world"], shapes: ["shape0", "floor"], torsionalFriction: 0.01 } as const;
  const simulation = scene(undefined, undefined, { pairs: [pair] });
  const run = simulation.rollout(startOf(simulation), { steps: 2, gradients: true });
  const weights = Float64Array.from({ length: 12 }, () => 1);
  const { parameters } = pullback(run, [undefined, undefined, weights], { parameters: Object.values(path) });
  expect(parameters[path.spin]).toBe(0);
  expect(parameters[path.floorSpin]).toBe(0);
  expect(parameters[path.roll]).not.toBe(0);
});
