/** What can be wrong with the options and the sizes that a plan is asked for with, told before it begins. */
import { ArgumentError } from "../mechanism/index.ts";
import type { OptimizeOptions } from "./optimize.ts";
import type { TrajectoryProblem } from "./problem.ts";

/** Numbers with which a plan can end. */
export function requireOptions({
  tolerance,
  handOver,
  maxIterations,
  maxRounds,
  penalty,
  roundTolerance,
  smallestStep,
}: OptimizeOptions): void {
  const require = (
    path: string,
    value: number | undefined,
    isGood: (value: number) => boolean,
    wanted: string,
  ): void => {
    if (value === undefined || isGood(value)) return;
    throw new ArgumentError("out-of-range", `options.${path}`, `${value}: give ${wanted}, or leave it out`);
  };
  const isPositive = (value: number): boolean => value > 0 && value < Number.POSITIVE_INFINITY;
  const isCount = (value: number): boolean =>
    (Number.isInteger(value) && value >= 1) || value === Number.POSITIVE_INFINITY;
  require("tolerance", tolerance, isPositive, "a number above 0");
  require("handOver", handOver, isPositive, "a number above 0");
  require("maxIterations", maxIterations, isCount, "a whole number above 0");
  require("maxRounds", maxRounds, isCount, "a whole number above 0");
  require("penalty.initial", penalty?.initial, isPositive, "a number above 0");
  require("penalty.factor", penalty?.factor, (value) => isPositive(value) && value >= 1, "a number from 1 on");
  require("roundTolerance", roundTolerance, (value) => value >= 0, "0 or more");
  require("smallestStep", smallestStep, (value) => value > 0 && value <= 1, "a number above 0 and up to 1");
}

export function requireSizes(
  { steps, start, dynamics, inputBounds }: TrajectoryProblem,
  inputs: readonly ArrayLike<number>[],
  states: readonly Float64Array[] | undefined,
): void {
  const { stateSize, inputSize } = dynamics;
  const require = (path: string, size: number, expected: number): void => {
    if (size !== expected) throw new ArgumentError("wrong-size", path, `has ${size} entries; give ${expected}`);
  };
  if (!Number.isInteger(steps) || steps < 1)
    throw new ArgumentError("out-of-range", "steps", `${steps}: give a whole number above 0`);
  require("start", start.length, stateSize);
  require("inputs", inputs.length, steps);
  inputs.forEach((input, k) => {
    require(`inputs[${k}]`, input.length, inputSize);
    const bad = Array.from(input).findIndex((entry) => !Number.isFinite(entry));
    if (bad >= 0) throw new ArgumentError("not-finite", `inputs[${k}][${bad}]`, `${input[bad]}; give a finite number`);
  });
  if (states) {
    require("states", states.length, steps + 1);
    states.forEach((state, k) => {
      require(`states[${k}]`, state.length, stateSize);
    });
  }
  if (!inputBounds) return;
  for (const side of ["lower", "upper"] as const) require(`inputBounds.${side}`, inputBounds[side].length, inputSize);
  for (let i = 0; i < inputSize; i++) {
    if (inputBounds.lower[i] <= inputBounds.upper[i]) continue;
    const message = `${inputBounds.lower[i]} is not below ${inputBounds.upper[i]}`;
    throw new ArgumentError("out-of-range", `inputBounds.lower[${i}]`, message);
  }
}
