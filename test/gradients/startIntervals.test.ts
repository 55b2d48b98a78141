/**
 * Starts whose velocities are means over a part of the time step, as the end of a fast rollout is: gradients in minimal coordinates
 * are those of central differences, whose starts are written in the same interval.
 */
import { describe, expect, test } from "vitest";
import {
  box,
  checkGradients,
  compile,
  floating,
  linearize,
  type Mechanism,
  maximalState,
  minimalFromState,
  projectState,
  pullback,
  pushforward,
  Random,
  revolute,
  Simulation,
  spherical,
  stateFromMinimal,
} from "../../src/index.ts";
import { crankRocker, fourBar } from "../toys/loops.ts";
import { difference, relativeError } from "./differences.ts";

const h = 0.05;
/** Fourth-order differences with ε = 1e-5 of states of size 10 leave 1e-9 or so; 200 random chains stayed below 2e-8. */
const tolerance = 1e-7;

/** Boxes that hang on each other. */
function chain(kinds: readonly ("floating" | "revolute" | "spherical")[]): Mechanism {
  const makers = { floating, revolute, spherical };
  const lengths = kinds.map((_, i) => 0.5 * 0.7 ** i);
  const joint = (i: number) => ({
    parent: i === 0 ? "world" : `link${i - 1}`,
    child: `link${i}`,
    axis: [0.6, 0, 0.8] as const,
    parentAnchor: [0.05, 0, i === 0 ? 0 : -lengths[i - 1] / 2] as const,
    childAnchor: [0, 0.02, lengths[i] / 2] as const,
  });
  return compile({
    timestep: h,
    bodies: Object.fromEntries(lengths.map((z, i) => [`link${i}`, box({ size: [0.1, 0.15, z], mass: 1 / 2 ** i })])),
    joints: Object.fromEntries(kinds.map((kind, i) => [`joint${i}`, makers[kind](joint(i))])),
  });
}

/** Joint velocities of up to 0.3 rad per interval, too fast for the time step. */
function fastState(mechanism: Mechanism, parts: number): Float64Array {
  const random = new Random(parts);
  const joints = Object.fromEntries(
    mechanism.joints.map(({ name, coordinates }) => [
      name,
      {
        position: coordinates.map(() => random.uniform(-0.5, 0.5)),
        velocity: coordinates.map(() => (random.uniform(-0.3, 0.3) * parts) / h),
      },
    ]),
  );
  return maximalState(mechanism, joints, h / parts);
}

const names = ["timestep", "gravity.z", "bodies.link0.mass", "bodies.link0.inertia.xx", "joints.joint0.parentAnchor.x"];

describe.each([
  ["a floating body with a hinge, halves", ["floating", "revolute"], 2],
  ["a hinge and a ball, quarters", ["revolute", "spherical"], 4],
] as const)("%s", (_, kinds, parts) => {
  const mechanism = chain(kinds);
  const simulation = new Simulation(mechanism);
  const start = fastState(mechanism, parts);
  const trajectory = simulation.rollout(start, { steps: 2, interval: h / parts, gradients: true });
  const random = new Random(5);
  const x = minimalFromState(simulation, start, h / parts);
  const tangent = x.map(() => random.uniform(-1, 1));
  const rates = [0.3 * h, 0.5, 0.2, 1e-4, -0.1];
  const parameters = Object.fromEntries(names.map((name, i) => [name, rates[i]]));
  const pushed = pushforward(trajectory, { state: tangent, parameters }, { coordinates: "minimal" });

  test("a rollout's tangents are differences of rollouts", () => {
    const ends = difference((amount) => {
      const other = new Simulation(mechanism);
      for (const name of names) other.setParameter(name, other.parameter(name) + amount * parameters[name]);
      const interval = other.timestep / parts;
      const moved = stateFromMinimal(
        other,
        x.map((entry, i) => entry + amount * tangent[i]),
        interval,
      );
      const run = other.rollout(moved, { steps: 2, interval });
      const partsOf = (reports: typeof run.reports, timestep: number): number[] =>
        reports.map((report) => Math.round(timestep / report.interval));
      expect(partsOf(run.reports, other.timestep)).toEqual(partsOf(trajectory.reports, h));
      return Float64Array.from(run.states.flatMap((state, k) => [...minimalFromState(other, state, run.interval(k))]));
    }, 1e-5);
    expect(relativeError(pushed.flatMap((state) => [...state]) as number[], ends)).toBeLessThan(tolerance);
  });

  test("pullback is the transpose", () => {
    const cotangents = pushed.map((state) => state.map(() => random.uniform(-1, 1)));
    const { state, parameters: bars } = pullback(trajectory, cotangents, {
      coordinates: "minimal",
      parameters: names,
    }).minimal();
    const inner = (a: Float64Array, b: Float64Array): number => a.reduce((sum, entry, i) => sum + entry * b[i], 0);
    const forwards = pushed.reduce((sum, entry, k) => sum + inner(entry, cotangents[k]), 0);
    const backwards = inner(tangent, state) + names.reduce((sum, name) => sum + parameters[name] * bars[name], 0);
    expect(Math.abs(forwards - backwards)).toBeLessThan(1e-9 * Math.max(1, Math.abs(forwards)));
  });

  test.each(["maximal", "minimal"] as const)(
    "a step's Jacobians in %s coordinates are differences of it",
    (coordinates) => {
      const check = checkGradients(simulation, start, new Float64Array(0), {
        coordinates,
        interval: h / parts,
        parameters: names,
      });
      expect(check.worst, check.format()).toBeLessThan(tolerance);
    },
  );

  test("linearize measures both states in their own intervals", () => {
    const { c } = linearize(simulation, start, new Float64Array(0), { interval: h / parts });
    const { next, interval } = simulation.step(start, undefined, { interval: h / parts });
    const moved = minimalFromState(simulation, next, interval).map((entry, i) => entry - x[i]);
    expect(relativeError(c, moved)).toBeLessThan(1e-7);
  });
});

test("a loop whose state is written in half the time step", () => {
  const simulation = new Simulation(compile({ ...fourBar(crankRocker), timestep: 0.02 }));
  const guess = maximalState(simulation.mechanism, {
    ground: { position: [0.6] },
    elbow: { position: [-1.4] },
    wrist: { position: [-1.7] },
  });
  const still = projectState(simulation, guess);
  const x = minimalFromState(simulation, still);
  x[simulation.mechanism.coordinateCount] = 3;
  const start = stateFromMinimal(simulation, x, 0.01);
  const options = { coordinates: "minimal", interval: 0.01, parameters: ["timestep", "gravity.z"] } as const;
  const check = checkGradients(simulation, start, new Float64Array(0), options);
  expect(check.worst, check.format()).toBeLessThan(tolerance);
});
