/**
 * The elimination by limbs against the equations themselves: along Newton's step from any point the residual falls to zero, by central
 * differences, and solves with the transposed matrix are adjoint to solves with the matrix.
 */
import { describe, expect, it } from "vitest";
import { webassembly } from "../../src/codegen/index.ts";
import {
  compile,
  floating,
  type MechanismDescription,
  maximalFromMinimal,
  maximalState,
  models,
  Random,
  serial,
} from "../../src/index.ts";
import { buildSystem, type Extension, type System, vectorSensitivities } from "../../src/kernels/index.ts";
import { impactMechanism } from "../../src/simulation/bounce/impact.ts";
import { axes, link, mechanisms } from "./treeMechanisms.ts";

/** Two ways through the same factors, at condition numbers up to 1e6. */
const TOLERANCE = 1e-9;

/** By how much the unknowns are moved for a central difference, and its error in units of the largest residual: 6e-8 at most. */
const DISPLACEMENT = 1e-5;
const DIFFERENCES = 2e-7;

/** Any point inside the cones. */
function setPoint(system: System, positions: Readonly<Record<number, number>> = {}): void {
  const { mechanism, places, unknowns, coneSize, cones, f64 } = system;
  const random = new Random(3);
  const x = Float64Array.from({ length: 2 * mechanism.coordinateCount }, () => random.uniform(-0.3, 0.3));
  for (const [index, position] of Object.entries(positions)) x[Number(index)] = position;
  const set = (start: number, values: ArrayLike<number>): void => f64.set(values, start);
  const draw = (length: number, low: number, high: number): number[] =>
    Array.from({ length }, () => random.uniform(low, high));
  set(places.state, maximalFromMinimal(mechanism, x));
  set(places.input, draw(mechanism.inputSize, -1, 1));
  set(places.unknown, draw(unknowns, -0.5, 0.5));
  set(places.coneB, draw(coneSize, 0, 0.01));
  set(places.coneC, draw(coneSize, 0, 0.01));
  for (const { size, offset } of cones) {
    if (size === 3) for (const start of [places.coneB, places.coneC]) set(start + offset, [0.1]);
  }
  set(places.coneRhs, draw(coneSize, 0, 1e-3));
}

interface NewtonStep {
  readonly residual: Float64Array;
  /** How the residual changes along the step, by central differences. */
  readonly change: Float64Array;
  /** d(b ∘ c) along the step. */
  readonly products: number[];
}

/** Newton's step from the point in memory. */
function newtonStep(system: System): NewtonStep {
  const { f64, places, unknowns, equalities, coneSize, cones } = system;
  for (const list of ["prepare", "evaluate", "linearise", "factor"]) system.run(list);
  const part = (start: number, length: number): Float64Array => f64.slice(start, start + length);
  const residual = part(places.residual, unknowns + equalities);
  f64.set(
    residual.subarray(0, unknowns).map((value) => -value),
    places.step,
  );
  for (const list of ["rhs", "solve", "recover"]) system.run(list);
  const moved = [
    [places.unknown, part(places.unknown, unknowns), part(places.step, unknowns)],
    [places.coneB, part(places.coneB, coneSize), part(places.stepB, coneSize)],
    [places.coneC, part(places.coneC, coneSize), part(places.stepC, coneSize)],
  ] as const;
  const largest = moved.reduce((most, [, , step]) => step.reduce((m, value) => Math.max(m, Math.abs(value)), most), 0);
  const size = DISPLACEMENT / largest;
  const at = (length: number): Float64Array => {
    for (const [start, from, step] of moved)
      f64.set(
        from.map((value, i) => value + length * step[i]),
        start,
      );
    system.run("evaluate");
    return part(places.residual, unknowns + equalities);
  };
  const [ahead, behind] = [at(size), at(-size)];
  const [, [, b, stepB], [, c, stepC]] = moved;
  return {
    residual,
    change: ahead.map((value, i) => (value - behind[i]) / (2 * size)),
    products: cones.flatMap(({ kind, offset, size: length }) => {
      const dot = (x: Float64Array, y: Float64Array): number =>
        x.subarray(offset, offset + length).reduce((sum, value, i) => sum + value * y[offset + i], 0);
      if (kind === "orthant") return [dot(b, stepC) + dot(c, stepB)];
      const entry = (i: number): number =>
        b[offset] * stepC[i] + stepB[offset] * c[i] + c[offset] * stepB[i] + stepC[offset] * b[i];
      return [dot(b, stepC) + dot(c, stepB), entry(offset + 1), entry(offset + 2)];
    }),
  };
}

describe.each(["step", "impact"] as const)("gradients of a %s", (physics) => {
  it.each(Object.entries(mechanisms))("%s: solves with the matrix and with its transpose are adjoint", (_, make) => {
    const whole = compile(make());
    const mechanism = physics === "step" ? whole : impactMechanism(whole);
    const extend: Extension = (plan, register) => vectorSensitivities(plan, register, "motion").lists;
    const system = buildSystem(mechanism, webassembly, extend, physics);
    setPoint(system);
    const { f64, places, unknowns } = system;
    const random = new Random(8);
    const draw = (length: number): number[] => Array.from({ length }, () => random.uniform(-1, 1));
    const [bodies, rows] = [draw(6 * mechanism.bodies.length), draw(unknowns)];
    const solved = (list: string, rhs: readonly number[]): Float64Array => {
      f64.fill(0, places.step, places.step + unknowns);
      f64.set(rhs, places.step);
      system.run(list);
      return f64.slice(places.step, places.step + unknowns);
    };
    for (const list of ["matrix", "factor"]) system.run(list);
    // gᵀ(R⁻¹ q) = (R⁻ᵀ g)ᵀ q, for any q, and any g on the velocities of bodies
    const sum = (a: ArrayLike<number>, b: readonly number[]): number =>
      b.reduce((total, value, i) => total + a[i] * value, 0);
    const [there, back] = [sum(solved("solve", rows), bodies), sum(solved("transposedSolve", bodies), rows)];
    expect(Math.abs(there - back) / Math.abs(there)).toBeLessThan(TOLERANCE);
  });
});

/** The residual and all b ∘ c − rhs are zero at the end of Newton's step, if equations were linear. */
function expectNewtonStep(system: System): void {
  const rhs = system.f64.slice(system.places.coneRhs, system.places.coneRhs + system.coneSize);
  const { residual, change, products } = newtonStep(system);
  const largest = Math.max(...residual.map(Math.abs));
  expect(largest).toBeGreaterThan(0.01);
  residual.forEach((value, i) => {
    expect(Math.abs(value + change[i])).toBeLessThan(DIFFERENCES * largest);
  });
  products.forEach((product, i) => {
    expect(Math.abs(product - rhs[i])).toBeLessThan(1e-14);
  });
}

describe("Newton's step", () => {
  it.each(Object.entries(mechanisms))("%s: the residual falls to zero along it", (_, make) => {
    const system = buildSystem(compile(make()), webassembly);
    setPoint(system);
    expectNewtonStep(system);
  });

  it("three hinges in a row that nothing acts on do not lock", () => {
    const description: MechanismDescription = {
      timestep: 0.01,
      bodies: { trunk: link, arm: link },
      joints: {
        base: floating({ parent: "world", child: "trunk" }),
        shoulder: serial({ parent: "trunk", child: "arm", axes, childAnchor: [0, 0, 0.25] }),
      },
    };
    const system = buildSystem(compile(description), webassembly);
    // the second angle, after the six coordinates of the trunk, brings the third axis onto the first
    setPoint(system, { 7: Math.PI / 2 });
    expectNewtonStep(system);
  });

  it("a four-bar linkage, three of whose rows say nothing new", () => {
    const system = buildSystem(compile(models.fourBar()), webassembly);
    const { f64, places, mechanism, unknowns } = system;
    f64.set(maximalState(mechanism, models.fourBar().states?.rest ?? {}), places.state);
    f64.fill(0, places.unknown, places.unknown + unknowns);
    expectNewtonStep(system);
  });
});
