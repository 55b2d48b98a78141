/** The planner on linear-quadratic problems, against solutions that were computed in another way: one dense system for all inputs at once. */
import { describe, expect, it } from "vitest";
import { Random } from "../math/index.ts";
import { optimize } from "./optimize.ts";
import { type Constraints, type Dynamics, type Objective, type TrajectoryProblem, vectorSpace } from "./problem.ts";

const steps = 12;
const [n, m] = [4, 2];

interface LinearQuadratic {
  readonly problem: TrajectoryProblem;
  readonly A: number[][];
  readonly B: number[][];
  readonly Q: number[];
  readonly R: number[];
  readonly goal: number[];
}

function linearQuadratic(seed: number, more: Partial<TrajectoryProblem> = {}): LinearQuadratic {
  const random = new Random(seed);
  const matrix = (rows: number, columns: number, scale: number): number[][] =>
    Array.from({ length: rows }, () => Array.from({ length: columns }, () => scale * random.normal()));
  const A = matrix(n, n, 0.3).map((row, i) => row.map((entry, j) => entry + (i === j ? 0.8 : 0)));
  const B = matrix(n, m, 0.5);
  const Q = Array.from({ length: n }, () => random.uniform(0.1, 2));
  const R = Array.from({ length: m }, () => random.uniform(0.1, 1));
  const goal = Array.from({ length: n }, () => random.normal());
  const dynamics: Dynamics = {
    stateSize: n,
    tangentSize: n,
    inputSize: m,
    step(next, x, u) {
      for (let i = 0; i < n; i++) {
        next[i] = 0.1;
        for (let j = 0; j < n; j++) next[i] += A[i][j] * x[j];
        for (let j = 0; j < m; j++) next[i] += B[i][j] * u[j];
      }
      return true;
    },
    linearize(outA, outB) {
      outA.set(A.flat());
      outB.set(B.flat());
      return true;
    },
    ...vectorSpace,
  };
  const objective: Objective = {
    value(_, x, u) {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += 0.5 * Q[i] * (x[i] - goal[i]) ** 2;
      for (let i = 0; i < u.length; i++) sum += 0.5 * R[i] * u[i] ** 2;
      return sum;
    },
    expandInto(out, _, x, u) {
      for (let i = 0; i < n; i++) {
        out.lx[i] += Q[i] * (x[i] - goal[i]);
        out.lxx[i * n + i] += Q[i];
      }
      for (let i = 0; i < u.length; i++) {
        out.lu[i] += R[i] * u[i];
        out.luu[i * m + i] += R[i];
      }
    },
  };
  const start = Float64Array.from({ length: n }, () => random.normal());
  return { problem: { dynamics, steps, start, objective, ...more }, A, B, Q, R, goal };
}

/** States as a linear function of all inputs, x_k = free_k + Σ G u, by running the recursion on unit inputs. */
function responses({ problem }: LinearQuadratic): { free: number[][]; G: number[][][] } {
  const run = (inputs: number[]): number[][] => {
    const states = [Array.from(problem.start)];
    for (let k = 0; k < steps; k++) {
      const next = new Float64Array(n);
      problem.dynamics.step(next, Float64Array.from(states[k]), Float64Array.from(inputs.slice(k * m, k * m + m)), k);
      states.push(Array.from(next));
    }
    return states;
  };
  const free = run(new Array(steps * m).fill(0));
  const columns = Array.from({ length: steps * m }, (_, a) =>
    run(Array.from({ length: steps * m }, (_, b) => (a === b ? 1 : 0))).map((x, k) => x.map((v, i) => v - free[k][i])),
  );
  return { free, G: free.map((x, k) => x.map((_, i) => columns.map((column) => column[k][i]))) };
}

/** Hessian and gradient of the cost as a function of all inputs. */
function condensed(lq: LinearQuadratic): { H: number[][]; g: number[]; free: number[][]; G: number[][][] } {
  const { free, G } = responses(lq);
  const size = steps * m;
  const H = Array.from({ length: size }, (_, a) => Array.from({ length: size }, (_, b) => (a === b ? lq.R[a % m] : 0)));
  const g = new Array(size).fill(0);
  for (let k = 0; k <= steps; k++) {
    for (let i = 0; i < n; i++) {
      for (let a = 0; a < size; a++) {
        g[a] += lq.Q[i] * G[k][i][a] * (free[k][i] - lq.goal[i]);
        for (let b = 0; b < size; b++) H[a][b] += lq.Q[i] * G[k][i][a] * G[k][i][b];
      }
    }
  }
  return { H, g, free, G };
}

/** Gaussian elimination with pivoting. */
function solved(matrix: number[][], rhs: number[]): number[] {
  const rows = matrix.map((row, i) => [...row, rhs[i]]);
  const size = rhs.length;
  for (let p = 0; p < size; p++) {
    const best = rows.findIndex(
      (row, i) => i >= p && Math.abs(row[p]) === Math.max(...rows.slice(p).map((r) => Math.abs(r[p]))),
    );
    [rows[p], rows[best]] = [rows[best], rows[p]];
    for (let i = p + 1; i < size; i++) {
      const factor = rows[i][p] / rows[p][p];
      for (let j = p; j <= size; j++) rows[i][j] -= factor * rows[p][j];
    }
  }
  const x = new Array(size).fill(0);
  for (let i = size - 1; i >= 0; i--) {
    x[i] = rows[i][size];
    for (let j = i + 1; j < size; j++) x[i] -= rows[i][j] * x[j];
    x[i] /= rows[i][i];
  }
  return x;
}

const flat = (inputs: readonly Float64Array[]): number[] => inputs.flatMap((u) => Array.from(u));
const largestError = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, i) => Math.abs(value - b[i])));

describe("on linear-quadratic problems", () => {
  it("one iteration gives the solution of the normal equations to 1e-10", () => {
    for (let seed = 1; seed <= 10; seed++) {
      const lq = linearQuadratic(seed);
      const { H, g } = condensed(lq);
      const exact = solved(
        H,
        g.map((entry) => -entry),
      );
      const plan = optimize(lq.problem, { maxIterations: 1 });
      expect(largestError(flat(plan.inputs), exact), `seed ${seed}`).toBeLessThan(1e-10);
    }
  });

  it("a guess of the states that the inputs do not lead to ends at the same solution", () => {
    const lq = linearQuadratic(3);
    const random = new Random(7);
    const states = Array.from({ length: steps + 1 }, () => Float64Array.from({ length: n }, () => random.normal()));
    const { H, g } = condensed(lq);
    const exact = solved(
      H,
      g.map((entry) => -entry),
    );
    const plan = optimize(lq.problem, { states, maxIterations: 1 });
    expect(largestError(flat(plan.inputs), exact)).toBeLessThan(1e-10);
    // and its states follow from its inputs
    const next = new Float64Array(n);
    lq.problem.dynamics.step(next, plan.states[4], plan.inputs[4], 4);
    expect(largestError(Array.from(next), Array.from(plan.states[5]))).toBe(0);
  });

  it("bounded inputs satisfy the conditions that a convex quadratic program has only at its minimum", () => {
    let atBound = 0;
    for (let seed = 1; seed <= 10; seed++) {
      const bound = 0.3;
      const inputBounds = { lower: [-bound, -bound], upper: [bound, bound] };
      const lq = linearQuadratic(seed, { inputBounds });
      const { H, g } = condensed(lq);
      const u = flat(optimize(lq.problem, { maxIterations: 60, roundTolerance: 0 }).inputs);
      atBound += u.filter((value) => Math.abs(value) === bound).length;
      // a step down the slope, brought back into the box, must lead nowhere
      const moves = u.map((value, a) => {
        const slope = g[a] + H[a].reduce((sum, entry, b) => sum + entry * u[b], 0);
        return value - Math.min(bound, Math.max(-bound, value - slope));
      });
      expect(Math.max(...moves.map(Math.abs)), `seed ${seed}`).toBeLessThan(1e-11);
    }
    expect(atBound).toBeGreaterThan(20);
  });

  it("a goal that must be reached is reached, at the least cost of all that reach it", () => {
    const lq = linearQuadratic(2);
    const goal = [0.5, -0.2, 0.1, 0.3];
    const constraints: Constraints = {
      kinds: (k) => (k === steps ? goal.map(() => "equality") : []),
      valuesInto(out, _, x) {
        for (let i = 0; i < n; i++) out[i] = x[i] - goal[i];
      },
      jacobiansInto(cx) {
        cx.fill(0);
        for (let i = 0; i < n; i++) cx[i * n + i] = 1;
      },
    };
    const { H, g, free, G } = condensed(lq);
    // the conditions of optimality with multipliers, all at once
    const size = steps * m;
    const kkt = [
      ...H.map((row, a) => [...row, ...goal.map((_, i) => G[steps][i][a])]),
      ...goal.map((_, i) => [...G[steps][i], ...goal.map(() => 0)]),
    ];
    const exact = solved(kkt, [...g.map((entry) => -entry), ...goal.map((value, i) => value - free[steps][i])]);
    const plan = optimize({ ...lq.problem, constraints }, { handOver: 1e-6, tolerance: 1e-12, roundTolerance: 1e-12 });
    expect(plan.end).toBe("solved");
    expect(plan.violation).toBeLessThan(1e-12);
    expect(largestError(flat(plan.inputs), exact.slice(0, size))).toBeLessThan(1e-6);
  });

  it("a goal that is the root of a square takes one step and one of twice its length, where Newton's would halve the way", () => {
    const lq = linearQuadratic(2);
    const constraints: Constraints = {
      kinds: (k) => (k === steps ? ["equality"] : []),
      valuesInto(out, _, x) {
        out[0] = (x[0] - 0.5) ** 2;
      },
      jacobiansInto(cx, _, __, x) {
        cx.fill(0);
        cx[0] = 2 * (x[0] - 0.5);
      },
    };
    const projected: number[] = [];
    const plan = optimize(
      { ...lq.problem, constraints },
      {
        tolerance: 1e-12,
        onIteration: ({ phase, stepLength }) => {
          if (phase === "project") projected.push(stepLength);
          return true;
        },
      },
    );
    expect(plan.end).toBe("solved");
    expect(projected).toEqual([1, 2]);
  });

  it("an inequality on the way holds, and binds where it would be crossed", () => {
    const lq = linearQuadratic(4);
    const unbounded = optimize(lq.problem);
    const highest = Math.max(...unbounded.states.slice(1).map((x) => x[0]));
    const roof = highest - 0.1;
    const constraints: Constraints = {
      kinds: (k) => (k > 0 ? ["inequality"] : []),
      valuesInto(out, _, x) {
        out[0] = x[0] - roof;
      },
      jacobiansInto(cx, cu) {
        cx.fill(0);
        cu.fill(0);
        cx[0] = 1;
      },
    };
    const plan = optimize({ ...lq.problem, constraints });
    expect(plan.end).toBe("solved");
    expect(plan.violation).toBeLessThan(1e-6);
    expect(Math.max(...plan.states.slice(1).map((x) => x[0]))).toBeGreaterThan(roof - 1e-6);
    expect(plan.cost).toBeGreaterThan(unbounded.cost);
  });
});

describe("bad input", () => {
  const { problem } = linearQuadratic(1);
  it("names the entry that does not fit", () => {
    expect(() => optimize(problem, { inputs: [[0, 0]] })).toThrow(/wrong-size at inputs: has 1 entries; give 12/);
    const inputs = Array.from({ length: steps }, () => [0, 0]);
    inputs[3][1] = Number.NaN;
    expect(() => optimize(problem, { inputs })).toThrow(/not-finite at inputs\[3\]\[1\]/);
    const inputBounds = { lower: [1, 0], upper: [0, 0] };
    expect(() => optimize({ ...problem, inputBounds })).toThrow(/inputBounds.lower\[0\]/);
  });
  it("a cost that is no number is refused at the start", () => {
    const objective: Objective = { ...problem.objective, value: () => Number.NaN };
    expect(() => optimize({ ...problem, objective })).toThrow(/no number/);
  });
});
