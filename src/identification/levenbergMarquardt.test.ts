/** The driver on toy problems whose answers are known. */
import { describe, expect, it } from "vitest";
import { directSearch } from "./directSearch.ts";
import { type LeastSquaresProblem, levenbergMarquardt, type NormalEquations } from "./levenbergMarquardt.ts";

/** Equations of residuals and their Jacobian by rows. */
function equationsOf(residuals: readonly number[], jacobian: readonly (readonly number[])[]): NormalEquations {
  const n = jacobian[0].length;
  const gradient = new Float64Array(n);
  const hessian = new Float64Array(n * n);
  let cost = 0;
  residuals.forEach((r, k) => {
    cost += r * r;
    for (let i = 0; i < n; i++) {
      gradient[i] += jacobian[k][i] * r;
      for (let j = 0; j < n; j++) hessian[i * n + j] += jacobian[k][i] * jacobian[k][j];
    }
  });
  return { cost, gradient, hessian, local: [] };
}

/** Rosenbrock's valley: least at (1, 1). */
const rosenbrock = (theta: Float64Array): NormalEquations => {
  const [x, y] = theta;
  return equationsOf(
    [10 * (y - x * x), 1 - x],
    [
      [-20 * x, 10],
      [-1, 0],
    ],
  );
};

function problemOf(
  of: (theta: Float64Array) => NormalEquations,
  start: readonly number[],
  upper = start.map(() => Infinity),
): LeastSquaresProblem {
  return {
    start: Float64Array.from(start),
    lower: new Float64Array(start.length).fill(-Infinity),
    upper: Float64Array.from(upper),
    cost: async (theta) => of(theta).cost,
    equations: async (theta) => of(theta),
  };
}

describe("Levenberg–Marquardt", () => {
  it("follows Rosenbrock's valley to its end", async () => {
    const { theta, end } = await levenbergMarquardt(problemOf(rosenbrock, [-1.2, 1]));
    expect(end).toBe("converged");
    expect(Math.hypot(theta[0] - 1, theta[1] - 1)).toBeLessThan(1e-6);
  });

  it("compares costs with their like: equations whose cost is a little larger do not keep it going", async () => {
    // a residual that stays, and simulations with gradients that end in other last digits
    const of = (theta: Float64Array) => equationsOf([Math.sin(theta[0] - 1), 3], [[Math.cos(theta[0] - 1)], [0]]);
    const problem = problemOf(of, [0.2]);
    const equations = async (theta: Float64Array) => ({ ...of(theta), cost: of(theta).cost * (1 + 1e-6) });
    const { theta, end, iterations } = await levenbergMarquardt({ ...problem, equations });
    expect(end).toBe("converged");
    expect(iterations).toBeLessThan(10);
    expect(theta[0]).toBeCloseTo(1, 6);
  });

  it("ends on a bound where the least lies beyond it, at the least of what is left", async () => {
    // with x at 0.5 the valley's floor is at y = 0.25
    const { theta } = await levenbergMarquardt(problemOf(rosenbrock, [-1.2, 1], [0.5, Infinity]));
    expect(theta[0]).toBe(0.5);
    expect(theta[1]).toBeCloseTo(0.25, 6);
  });

  it("finds lines with a common slope and an offset of their own each", async () => {
    // y = a t + b_k, exactly
    const [slope, offsets, times] = [1.7, [0.3, -2, 5], [0, 1, 2, 3]];
    const equations = (theta: Float64Array, locals: readonly Float64Array[]): NormalEquations => {
      const total = { cost: 0, gradient: new Float64Array(1), hessian: new Float64Array(1) };
      const local = offsets.map((offset, k) => {
        const own = { hessian: new Float64Array(1), cross: new Float64Array(1), gradient: new Float64Array(1) };
        for (const t of times) {
          const r = theta[0] * t + locals[k][0] - (slope * t + offset);
          total.cost += r * r;
          total.gradient[0] += t * r;
          total.hessian[0] += t * t;
          own.gradient[0] += r;
          own.hessian[0] += 1;
          own.cross[0] += t;
        }
        return own;
      });
      return { ...total, local };
    };
    const found = await levenbergMarquardt({
      ...problemOf(rosenbrock, [0]),
      groups: [1, 1, 1],
      cost: async (theta, locals) => equations(theta, locals).cost,
      equations: async (theta, locals) => equations(theta, locals),
    });
    expect(found.theta[0]).toBeCloseTo(slope, 8);
    found.locals.forEach((own, k) => {
      expect(own[0]).toBeCloseTo(offsets[k], 8);
    });
  });

  it("crosses a valley with a kink at its bottom no more than a few times", async () => {
    // r = (1 + 3|x|, y − x): each side's slope leads past the kink, to where the other side's leads back
    const kinked = (theta: Float64Array): NormalEquations => {
      const [x, y] = theta;
      const rows = [
        { r: 1 + 3 * Math.abs(x), J: [3 * Math.sign(x), 0] },
        { r: y - x, J: [-1, 1] },
      ];
      const sum = (read: (row: (typeof rows)[number]) => number): number =>
        rows.reduce((total, row) => total + read(row), 0);
      return {
        cost: sum(({ r }) => r * r),
        gradient: Float64Array.from([0, 1], (i) => sum(({ r, J }) => J[i] * r)),
        hessian: Float64Array.from([0, 1, 2, 3], (at) => sum(({ J }) => J[at >> 1] * J[at & 1])),
        local: [],
      };
    };
    const found = await levenbergMarquardt(problemOf(kinked, [2, -1]), { tolerance: 1e-4 });
    // a slope is left on either side
    expect(found.end).toBe("stalled");
    expect(found.cost).toBeLessThan(1.001);
    // by damping alone it takes more than 30
    expect(found.iterations).toBeLessThan(12);
  });

  it("does not call itself converged where derivatives are not those of the cost", async () => {
    const backwards = (theta: Float64Array): NormalEquations => {
      const right = rosenbrock(theta);
      return { ...right, gradient: right.gradient.map((each) => -each) };
    };
    const { end, theta } = await levenbergMarquardt(problemOf(backwards, [-1.2, 1]));
    expect(end).toBe("stalled");
    expect([...theta]).toEqual([-1.2, 1]);
  });

  it("ends where no more than rounding is left", async () => {
    const { end, cost } = await levenbergMarquardt({
      ...problemOf(rosenbrock, [-1.2, 1]),
      isNothing: (equations) => equations.cost < 1e-3,
    });
    expect(end).toBe("converged");
    expect(cost).toBeLessThan(1e-3);
  });

  it("keeps the best point when it is told to end", async () => {
    const { end, iterations, cost } = await levenbergMarquardt(problemOf(rosenbrock, [-1.2, 1]), {
      onIteration: ({ iteration }) => iteration < 3,
    });
    expect([end, iterations]).toEqual(["ended", 3]);
    expect(cost).toBeLessThan(rosenbrock(Float64Array.of(-1.2, 1)).cost);
  });
});

describe("direct search", () => {
  it("finds the least of a cost with jumps, inside its bounds", async () => {
    // a bowl around (0.3, −0.2) in steps of 0.01, with y ≥ 0
    const cost = async ([x, y]: Float64Array): Promise<number> =>
      Math.floor(100 * (x - 0.3) ** 2) + Math.abs(x - 0.3) + (y + 0.2) ** 2;
    const found = await directSearch(
      {
        start: Float64Array.of(2, 1.5),
        lower: Float64Array.of(-5, 0),
        upper: Float64Array.of(5, 5),
        steps: Float64Array.of(0.5, 0.5),
        cost,
      },
      { maxEvaluations: 200 },
    );
    expect(Math.abs(found.theta[0] - 0.3)).toBeLessThan(0.01);
    expect(found.theta[1]).toBe(0);
    expect(found.evaluations).toBeLessThanOrEqual(200);
  });
});
