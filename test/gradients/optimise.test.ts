/** Gradients of rollouts at work: a throw that comes to rest on a mark, a hopper that lands where it is asked to. */
import { expect, test } from "vitest";
import {
  box,
  boxCorners,
  compile,
  floating,
  frictionContact,
  maximalState,
  prismaticOrbital,
  pullback,
  Simulation,
  sphere,
  type Trajectory,
} from "../../src/index.ts";

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, entry, i) => sum + entry * b[i], 0);

test("a box is thrown so that it comes to rest on a mark", () => {
  const crate = box({ size: [0.4, 0.3, 0.2], mass: 1 });
  const mechanism = compile({
    timestep: 0.02,
    bodies: { crate },
    joints: { base: floating({ parent: "world", child: "crate" }) },
    contacts: boxCorners(crate).map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.4 })),
  });
  const simulation = new Simulation(mechanism);
  const [steps, mark] = [100, [1.5, 0.6]];
  const thrown = (velocity: Float64Array) => {
    const start = maximalState(mechanism, {
      base: { position: [0, 0, 0.3, 0, 0, 0], velocity: [...velocity, 1, 0.5, -1] },
    });
    const trajectory = simulation.rollout(start, { steps, gradients: true });
    const miss = mark.map((at, k) => trajectory.final[k] - at);
    return { trajectory, miss, cost: miss[0] ** 2 + miss[1] ** 2 };
  };
  let velocity = Float64Array.of(1, 0, 1);
  let now = thrown(velocity);
  expect(now.cost).toBeGreaterThan(0.5);
  // steepest descent, with the step that would bring a linear cost to zero, halved until the cost falls
  for (let round = 0; round < 20 && now.cost > 1e-8; round++) {
    const raw = Float64Array.from({ length: 13 }, (_, i) => (i < 2 ? 2 * now.miss[i] : 0));
    const gradient = pullback(now.trajectory, (k) => (k === steps ? raw : undefined)).state.slice(6, 9);
    let length = (2 * now.cost) / dot(gradient, gradient);
    for (let halvings = 0; halvings < 12; halvings++, length /= 2) {
      const tried = velocity.map((entry, i) => entry - length * gradient[i]);
      const next = thrown(tried);
      if (next.cost >= now.cost) continue;
      [velocity, now] = [tried, next];
      break;
    }
  }
  expect(Math.sqrt(now.cost)).toBeLessThan(1e-4);
  expect(Math.hypot(...now.trajectory.final.subarray(7))).toBeLessThan(1e-6);
});

test("a hopper leaves the ground, lands, and is where it should be after 100 inputs", () => {
  const mechanism = compile({
    name: "hopper",
    timestep: 0.01,
    bodies: { body: box({ size: [0.2, 0.2, 0.2], mass: 4.18 }), foot: sphere({ radius: 0.05, mass: 0.52 }) },
    joints: {
      base: floating({ parent: "world", child: "body" }),
      leg: prismaticOrbital({
        parent: "body",
        child: "foot",
        axis: [0, 0, 1],
        actuated: true,
        damping: 1,
        limits: [[-0.7, -0.3], null, null],
      }),
    },
    contacts: [frictionContact({ body: "foot", point: [0, 0, 0], radius: 0.05, frictionCoefficient: 0.8 })],
  });
  const simulation = new Simulation(mechanism);
  const start = maximalState(mechanism, {
    base: { position: [0, 0, 0.551, 0, 0, 0] },
    leg: { position: [-0.5, 0, 0] },
  });
  const [steps, forward, height] = [100, 0.3, 0.8];
  const watched = [0, 1, 2, 4, 5, 6];
  const run = (inputs: Float64Array) => {
    const trajectory = simulation.rollout(start, {
      steps,
      controller: (_, k) => inputs.subarray(3 * k, 3 * k + 3),
      // sharp: nearly the gradient of what is simulated
      gradients: { kappa: 1e-5 },
    });
    const misses = Float64Array.from(watched, (i) => trajectory.final[i] - (i === 0 ? forward : i === 2 ? height : 0));
    const isWhole = trajectory.solved && trajectory.steps === steps;
    return { trajectory, misses, cost: isWhole ? dot(misses, misses) : Number.POSITIVE_INFINITY };
  };

  // Levenberg and Marquardt: one pullback a row of the Jacobian
  let inputs = Float64Array.from({ length: 3 * steps }, (_, i) => (i % 3 > 0 ? 0 : i < 75 ? -75 : i < 210 ? -5 : -45));
  let now = run(inputs);
  let damping = 1e-3;
  for (let round = 0; round < 40 && now.cost > 1e-10; round++) {
    const rows = watched.map((i) => rowOf(now.trajectory, i));
    for (let tries = 0; tries < 10; tries++) {
      const weights = solve(
        rows.map((a, i) => rows.map((b, j) => dot(a, b) + (i === j ? damping : 0))),
        now.misses,
      );
      const tried = inputs.map((entry, i) => entry - rows.reduce((sum, row, k) => sum + row[i] * weights[k], 0));
      const next = run(tried);
      if (next.cost < now.cost) {
        [inputs, now, damping] = [tried, next, damping / 4];
        break;
      }
      damping *= 6;
    }
  }
  expect(now.cost).toBeLessThan(1e-10);
  const heights = now.trajectory.positions("foot").map(([, , z]) => z - 0.05);
  const top = heights.indexOf(Math.max(...heights.slice(0, 60)));
  expect(heights[top]).toBeGreaterThan(0.05);
  expect(Math.min(...heights.slice(top))).toBeLessThan(1e-6);

  function rowOf(trajectory: Trajectory, i: number): Float64Array {
    const raw = new Float64Array(mechanism.stateSize);
    raw[i] = 1;
    const { inputs: rows } = pullback(trajectory, (k) => (k === steps ? raw : undefined));
    return Float64Array.from(rows.flatMap((row) => [...row]));
  }
});

/** A⁻¹ b of a small symmetric matrix. */
function solve(A: number[][], b: Float64Array): number[] {
  const x = Array.from(b);
  for (let i = 0; i < x.length; i++) {
    for (let j = i + 1; j < x.length; j++) {
      const factor = A[j][i] / A[i][i];
      for (let k = i; k < x.length; k++) A[j][k] -= factor * A[i][k];
      x[j] -= factor * x[i];
    }
  }
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = i + 1; j < x.length; j++) x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
  }
  return x;
}
