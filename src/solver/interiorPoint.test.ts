import { expect, test } from "vitest";
import {
  type BlockScene,
  block,
  linearComplementarity,
  pointMass,
  projection,
  randomBlock,
  ToyProblem,
} from "../../test/toys/coneProblems.ts";
import { coneProductInto, Random } from "../math/index.ts";
import { InteriorPoint, PlainProblem } from "./index.ts";

/** Largest |b∘c − κe| over κ, by hand. */
function pathDeviation(problem: ToyProblem, kappa: number): number {
  const product = new Float64Array(problem.b.length);
  let worst = 0;
  for (const cone of problem.cones) {
    coneProductInto(product, problem.b, problem.c, cone);
    for (let k = cone.offset; k < cone.offset + cone.size; k++) {
      const e = cone.kind === "orthant" || k === cone.offset ? 1 : 0;
      worst = Math.max(worst, Math.abs(product[k] - kappa * e) / kappa);
    }
  }
  return worst;
}

const onSlope = (slope: number, friction: number): BlockScene => ({
  ...pointMass,
  velocity: [0, 0, 0],
  height: 0,
  slope,
  friction,
});

test("a linear complementarity problem gets its known solution", () => {
  // by hand: γ₁ = 2 carries the load, γ₂ = 0 is off with slack 3
  const problem = linearComplementarity(
    [
      [2, 1],
      [1, 2],
    ],
    [-4, 1],
  );
  const { status, iterations } = new InteriorPoint(new PlainProblem(problem)).solve({ kappa: 1e-10 });
  expect(status).toBe("solved");
  expect(iterations).toBeLessThanOrEqual(8);
  expect(problem.b[0]).toBeCloseTo(2, 8);
  expect(problem.b[1]).toBeLessThan(1e-9);
  expect(problem.c[1]).toBeCloseTo(3, 8);
});

test.each([
  { point: [1, 3, 4], nearest: [3, 1.8, 2.4] },
  { point: [-1, 0, 2], nearest: [0.5, 0, 0.5] },
  { point: [1, 1, 2, 2], nearest: [2, 2 / 3, 4 / 3, 4 / 3] },
])("the point of the cone nearest to $point is found", ({ point, nearest }) => {
  const problem = projection(point);
  expect(new InteriorPoint(new PlainProblem(problem)).solve({ kappa: 1e-12 }).status).toBe("solved");
  // by hand: b = ½(p₁ + ‖p_v‖)(1, p_v/‖p_v‖)
  for (let i = 0; i < point.length; i++) expect(problem.b[i]).toBeCloseTo(nearest[i], 6);
});

test("a sticking point mass creeps κb/((c_f γ)² − b²) and hovers κ/γ", () => {
  for (const kappa of [1e-3, 1e-6, 1e-9]) {
    const scene = onSlope((10 * Math.PI) / 180, 1);
    const problem = block(scene, 1e-14);
    expect(new InteriorPoint(new PlainProblem(problem)).solve({ kappa, exact: true, pathTolerance: 1e-8 }).status).toBe(
      "solved",
    );
    const gamma = problem.b[0];
    const b = -problem.b[2];
    const creep = (kappa * b) / ((scene.friction * gamma) ** 2 - b * b);
    expect(Math.abs(problem.a[0] / creep - 1)).toBeLessThan(1e-6);
    expect(Math.abs((problem.c[0] * gamma) / kappa - 1)).toBeLessThan(1e-6);
    expect(Math.abs(gamma / Math.cos(scene.slope) - 1)).toBeLessThan(2 * kappa);
  }
});

test("a sliding point mass is slowed by c_f γ, opposite to its slip", () => {
  const scene = { ...onSlope(0, 0.5), velocity: [3, 4, 0] };
  const problem = block(scene);
  expect(new InteriorPoint(new PlainProblem(problem)).solve({ kappa: 1e-10 }).status).toBe("solved");
  // speed 5 less c_f·g·h = 0.5, direction kept
  expect(problem.a[0]).toBeCloseTo(2.7, 7);
  expect(problem.a[1]).toBeCloseTo(3.6, 7);
});

test("weights scale the target of each cone", () => {
  const problem = block({ ...onSlope(0.1, 1), velocity: [0.3, 0, 0] });
  problem.weight.set([2, 0.01, 0.01, 0.01]);
  const result = new InteriorPoint(new PlainProblem(problem)).solve({ kappa: 1e-4, exact: true, pathTolerance: 1e-8 });
  expect(result.status).toBe("solved");
  expect(problem.b[0] * problem.c[0]).toBeCloseTo(2e-4, 11);
  const dot = problem.b[1] * problem.c[1] + problem.b[2] * problem.c[2] + problem.b[3] * problem.c[3];
  expect(dot).toBeCloseTo(1e-6, 12);
  expect(result.mu).toBeCloseTo(1e-4, 11);
});

test.each([1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10])("an exact solve lies on the central path at κ = %f", (kappa) => {
  const random = new Random(21);
  for (let sample = 0; sample < 30; sample++) {
    const problem = block({ ...randomBlock(random, 1), height: 0, velocity: [random.uniform(), random.uniform(), -1] });
    const { status, complementarityViolation } = new InteriorPoint(new PlainProblem(problem)).solve({
      kappa,
      exact: true,
      pathTolerance: 1e-5,
    });
    expect(status).toBe("solved");
    // entries of size 1 cancel to κ: their rounding shows at the smallest
    const rounding = 1e-14 / kappa;
    expect(pathDeviation(problem, kappa)).toBeLessThan(1e-5 + rounding);
    expect(Math.abs(complementarityViolation / kappa - pathDeviation(problem, kappa))).toBeLessThan(1e-9 + rounding);
  }
});

test("an inexact solve ends below κ and does not stop on the path", () => {
  const problem = block({ ...onSlope(0.2, 1), velocity: [1, 0, -1] });
  const result = new InteriorPoint(new PlainProblem(problem)).solve({ kappa: 1e-6 });
  expect(result.status).toBe("solved");
  expect(result.complementarityViolation).toBeLessThan(1e-6);
});

test("a hold is the same point as a direct exact solve at its κ", () => {
  const random = new Random(22);
  const holds = [1e-2, 1e-4];
  for (let sample = 0; sample < 20; sample++) {
    const scene = { ...randomBlock(random, 1), velocity: [random.uniform(), random.uniform(), -1], height: 0.5 };
    const problem = block(scene, 1e-10);
    const held: Float64Array[] = [];
    const result = new InteriorPoint(new PlainProblem(problem)).solve({
      holds,
      holdTolerance: 1e-9,
      onHold: (index) => (held[index] = Float64Array.of(...problem.a, ...problem.b, ...problem.c)),
    });
    expect(result.status).toBe("solved");
    expect(result.mu).toBeLessThan(1e-8);
    holds.forEach((kappa, index) => {
      const direct = block(scene, 1e-10);
      new InteriorPoint(new PlainProblem(direct)).solve({ kappa, exact: true, pathTolerance: 1e-9 });
      const expected = Float64Array.of(...direct.a, ...direct.b, ...direct.c);
      const gap = Math.max(...expected.map((v, k) => Math.abs(v - held[index][k])));
      expect(gap).toBeLessThan(1e-7);
    });
  }
});

test("a gap row is satisfied to half its slack, so that the distance is positive", () => {
  const random = new Random(23);
  for (let sample = 0; sample < 100; sample++) {
    const scene = randomBlock(random, 1);
    // a residual tolerance far above the hover distance
    const problem = block(scene, 1e-2);
    const { status, gapViolation } = new InteriorPoint(new PlainProblem(problem)).solve({ kappa: 1e-8 });
    expect(status).toBe("solved");
    expect(gapViolation).toBeLessThanOrEqual(1);
    expect(scene.height + problem.a[2]).toBeGreaterThan(0);
  }
});

test("without cones a nonlinear system converges quadratically, in one solve an iteration and one iteration to spare", () => {
  const problem = new ToyProblem({
    a: [2, 0.5],
    rows: 2,
    differenceStep: 1e-6,
    tolerance: 1e-6,
    residual(out, [x, y]) {
      out[0] = x * x + y * y - 4;
      out[1] = Math.exp(x) + y - 1;
    },
  });
  const residuals: number[] = [];
  const result = new InteriorPoint(new PlainProblem(problem)).solve({
    onIteration: ({ residual }) => residuals.push(residual),
  });
  expect(result.status).toBe("solved");
  expect(result.linearSolves).toBe(result.iterations);
  // the last iteration began within tolerance
  expect(residuals.at(-2)).toBeLessThan(1e-6);
  expect(result.residual).toBeLessThan(1e-12);
  const fast = residuals.filter((r) => r < 0.1 && r > 1e-7);
  expect(fast.length).toBeGreaterThanOrEqual(2);
  for (let k = 1; k < fast.length; k++) expect(fast[k]).toBeLessThan(10 * fast[k - 1] ** 2);
});

test("a Newton step that multiplies the residual is shortened", () => {
  const atan = new ToyProblem({
    a: [20],
    rows: 1,
    differenceStep: 1e-4,
    residual: (out, [x]) => {
      out[0] = Math.atan(x) * (1 + x * x) ** 0.4;
    },
  });
  const result = new InteriorPoint(new PlainProblem(atan)).solve();
  expect(result.status).toBe("solved");
  expect(atan.a[0]).toBeCloseTo(0, 8);
});

test("polishing stops at rounding and can be switched off", () => {
  const linear = (): ToyProblem =>
    new ToyProblem({
      a: [1],
      rows: 1,
      residual(out, [x]) {
        out[0] = 2 * x - 6;
      },
    });
  expect(new InteriorPoint(new PlainProblem(linear())).solve().iterations).toBe(1);
  const curved = (): ToyProblem =>
    new ToyProblem({
      a: [3],
      rows: 1,
      tolerance: 1e-3,
      differenceStep: 1e-4,
      residual(out, [x]) {
        out[0] = x * x - 2;
      },
    });
  const without = new InteriorPoint(new PlainProblem(curved())).solve({ polish: 0 }).iterations;
  expect(new InteriorPoint(new PlainProblem(curved())).solve().iterations).toBe(without + 1);
});

test("an iteration beyond convergence that makes things worse is undone", () => {
  // differences over 1 see a tenth of the slope that there is near the root: a step from there goes ten times as far
  const steep = new ToyProblem({
    a: [1 + 1e-5],
    rows: 1,
    tolerance: 1e-3,
    differenceStep: 1,
    residual(out, [x]) {
      const [size, sign] = [Math.abs(x - 1), Math.sign(x - 1)];
      out[0] = sign * (size < 1e-3 ? size : 1e-3 + 0.1 * (size - 1e-3));
    },
  });
  const result = new InteriorPoint(new PlainProblem(steep)).solve({ leastIterations: 0 });
  expect(result.status).toBe("solved");
  expect(result.iterations).toBe(1);
  expect(steep.a[0]).toBe(1 + 1e-5);
  expect(result.residual).toBeCloseTo(1e-5, 12);
});

test("what has no solution ends where the residual stays, long before its iterations are spent", () => {
  const none = new ToyProblem({
    a: [0.7],
    rows: 1,
    differenceStep: 1e-6,
    residual(out, [x]) {
      out[0] = x * x + 1;
    },
  });
  const result = new InteriorPoint(new PlainProblem(none)).solve({ maxIterations: 500 });
  expect(result.status).toBe("noProgress");
  expect(result.stalled).toBe(true);
  expect(result.iterations).toBeLessThan(50);
});

test("steps that arrive with the factors of the last one take no others, and arrive as far down", () => {
  /** Counts factorisations, and steps without one. */
  class Counted extends PlainProblem {
    factored = 0;
    kept = 0;
    override factor(): boolean {
      this.factored++;
      return super.factor();
    }
    override keepFactors(): void {
      this.kept++;
      super.keepFactors();
    }
  }
  // x = cos x, from nearby
  const toy = new ToyProblem({
    a: [0.74],
    rows: 1,
    differenceStep: 1e-6,
    residual(out, [x]) {
      out[0] = x - Math.cos(x);
    },
  });
  const problem = new Counted(toy);
  const result = new InteriorPoint(problem).solve();
  expect(result.status).toBe("solved");
  expect(problem.factored).toBe(1);
  expect(problem.kept).toBe(result.iterations - 1);
  expect(problem.kept).toBeGreaterThan(0);
  expect(Math.abs(toy.a[0] - 0.7390851332151607)).toBeLessThan(1e-13);

  // a root of order two: steps halve the error, and none comes with kept factors
  const flat = new Counted(
    new ToyProblem({
      a: [1],
      rows: 1,
      differenceStep: 1e-9,
      residual(out, [x]) {
        out[0] = x * x;
      },
    }),
  );
  expect(new InteriorPoint(flat).solve({ polish: 0 }).status).toBe("solved");
  expect(flat.kept).toBe(0);
});

test("a singular matrix is a status", () => {
  const problem = new ToyProblem({
    a: [1, 1],
    rows: 2,
    residual(out, [x, y]) {
      out[0] = x + y - 1;
      out[1] = 2 * x + 2 * y - 5;
    },
  });
  expect(new InteriorPoint(new PlainProblem(problem)).solve().status).toBe("singular");
});

test("NaN is a status, and the next solve of the same solver is not spoilt by it", () => {
  let broken = true;
  const problem = new ToyProblem({
    cones: [{ kind: "orthant", offset: 0, size: 1 }],
    a: [],
    b: [1],
    c: [1],
    rows: 1,
    residual(out, _a, b, c) {
      out[0] = broken ? NaN : c[0] - b[0] + 1;
    },
  });
  const solver = new InteriorPoint(new PlainProblem(problem));
  expect(solver.solve().status).toBe("noProgress");
  broken = false;
  expect(solver.solve().status).toBe("solved");
});

test("a step that leaves the domain of E is halved, and given up when nothing helps", () => {
  const root = (least: number): ToyProblem =>
    new ToyProblem({
      a: [9],
      rows: 1,
      differenceStep: 1e-4,
      domain: ([x]) => x > least,
      residual(out, [x]) {
        out[0] = Math.log(x);
      },
    });
  const inside = root(0);
  expect(new InteriorPoint(new PlainProblem(inside)).solve().status).toBe("solved");
  expect(inside.a[0]).toBeCloseTo(1, 10);
  const outside = root(8.999999999999);
  expect(new InteriorPoint(new PlainProblem(outside)).solve().status).toBe("noProgress");
  expect(outside.a[0]).toBe(9);
});

test("maxIterations ends a solve with its status and an honest count", () => {
  const result = new InteriorPoint(new PlainProblem(block(onSlope(0.1, 1)))).solve({ maxIterations: 2 });
  expect(result.status).toBe("iterationLimit");
  expect(result.iterations).toBe(2);
});
