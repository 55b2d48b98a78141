/** What a plan is asked for with and what it reports, and what can be wrong with the former, told before it begins. */
import { ArgumentError, optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import type { PathParameter } from "../simulation/index.ts";
import type { TrajectoryProblem } from "./problem.ts";

export interface OptimizeOptions {
  /** First inputs, one array per step. Default zero. */
  readonly inputs?: readonly ArrayLike<number>[];
  /** A guess of all states, which the inputs need not lead to; the first is replaced by the start. Default none. */
  readonly states?: readonly Float64Array[];
  /** Where on the central path the gradients of a round are taken. Default κ = 3e-4 with a state guess, else relative κ 0.1, 0.03, 0.01 by round. */
  readonly path?: (round: number) => PathParameter;
  /** The same for the projection. Default relative κ 1e-4. */
  readonly projectionPath?: PathParameter;
  /** Largest violation of a constraint in a plan that counts as solved. Default 1e-6. */
  readonly tolerance?: number;
  /** Violation below which rounds end and the projection begins. Default 1e-2. */
  readonly handOver?: number;
  /** Most passes of gradients. Default 200. */
  readonly maxIterations?: number;
  /** Most rounds of the augmented Lagrangian. Default 10. */
  readonly maxRounds?: number;
  /** ρ of the first round, and its factor from round to round. Default 10 and 10. */
  readonly penalty?: { readonly initial?: number; readonly factor?: number };
  /** A round ends where an iteration lowers the cost by less than this part of it, and not by a short step. Default 3e-3; 1e-9 without constraints. */
  readonly roundTolerance?: number;
  /** Smallest step length of the search. Default 1e-4. */
  readonly smallestStep?: number;
  /** Called after every iteration; returning false ends the plan with what it has. */
  readonly onIteration?: (progress: PlanProgress) => boolean | undefined;
}

const optionNames = optionNamesOf<OptimizeOptions>()(
  "inputs states path projectionPath tolerance handOver maxIterations maxRounds penalty roundTolerance smallestStep",
  "onIteration",
);
const penaltyNames = optionNamesOf<NonNullable<OptimizeOptions["penalty"]>>()("initial factor");

export interface PlanProgress {
  readonly phase: "optimize" | "project";
  readonly iteration: number;
  readonly round: number;
  /** Cost without penalties. */
  readonly cost: number;
  readonly violation: number;
  /** Σ‖g‖₁: 0 where the states follow from the inputs. */
  readonly gaps: number;
  readonly stepLength: number;
  readonly regularization: number;
  readonly path: PathParameter;
  readonly states: readonly Float64Array[];
  readonly inputs: readonly Float64Array[];
}

/** Options that there are, with numbers with which a plan can end. */
export function requireOptions(options: OptimizeOptions): void {
  requireOptionNames("options", options, optionNames);
  const { tolerance, handOver, maxIterations, maxRounds, penalty, roundTolerance, smallestStep } = options;
  if (penalty) requireOptionNames("options.penalty", penalty, penaltyNames);
  if (options.path !== undefined && typeof options.path !== "function")
    throw new ArgumentError(
      "wrong-type",
      "options.path",
      "is no function; give one of the round: () => ({ kappa: 1e-3 })",
    );
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
