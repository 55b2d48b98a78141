/**
 * Plans for simulations: a task says where the mechanism starts, what its motion costs and what must hold; a plan is the inputs that do it.
 *
 *   const plan = planTrajectory({
 *     name: "reach", simulation, start, steps: 40,
 *     cost: (q) => [track(q, { "joints.hinge.angle": 1 }, 1), effort(q, 1e-3)],
 *     constraints: (q) => [reach(q, { "joints.hinge.angle": 1, "joints.hinge.angle.rate": 0 })],
 *   });
 *
 * Cost and violation of a plan are those of a fresh, sharp, open-loop rollout of its inputs.
 */
import { CoordinateMaps } from "../coordinates/index.ts";
import { ArgumentError, optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import { Quantities } from "../quantities/index.ts";
import { basicFaults, checkState, type Simulation, StateError } from "../simulation/index.ts";
import { AugmentedObjective } from "./augmentedObjective.ts";
import { optimization, type PlanEnd } from "./optimize.ts";
import type { OptimizeOptions, PlanProgress } from "./optimizeOptions.ts";
import type { Bounds, TrajectoryProblem } from "./problem.ts";
import { SimulationDynamics } from "./simulationDynamics.ts";
import { termConstraints, termObjective } from "./termObjective.ts";
import type { ConstraintTerm, CostTerm } from "./terms.ts";
import { constraintTerms, costTerms, type WrittenConstraint, type WrittenCost } from "./writtenTerms.ts";

export interface PlanningTask {
  readonly name: string;
  readonly simulation: Simulation;
  /** State of the bodies at the first knot. */
  readonly start: Float64Array;
  readonly steps: number;
  /** Terms over named quantities, or sums of squares as text: `["(torso.z - 0.4)^2", "final: |torso.velocity|^2"]`. */
  readonly cost: ((q: Quantities) => readonly CostTerm[]) | readonly WrittenCost[];
  /** Terms, or equations and inequalities as text: `["foot.z >= 0.02", "final: torso.velocity = 0"]`. */
  readonly constraints?: ((q: Quantities) => readonly ConstraintTerm[]) | readonly WrittenConstraint[];
  /** Numbers that change from knot to knot, by the names under which the terms read them: `q.parameter(name)`. */
  readonly parameters?: Readonly<Record<string, (knot: number) => number>>;
  /** Limits of the inputs, held exactly. Default none. */
  readonly inputBounds?: Bounds;
  /** Where the planner starts: inputs of every step (default zero), and states of the bodies at every knot (default those that the inputs lead to). */
  readonly guess?: { readonly inputs?: readonly ArrayLike<number>[]; readonly states?: readonly Float64Array[] };
  /** Settings that suit this task. */
  readonly options?: Omit<OptimizeOptions, "inputs" | "states" | "onIteration">;
}

const taskNames = optionNamesOf<PlanningTask>()(
  "name simulation start steps cost constraints parameters inputBounds guess options",
);

export interface Plan {
  readonly task: string;
  readonly timestep: number;
  readonly start: Float64Array;
  readonly inputs: readonly Float64Array[];
  /** States of the bodies at every knot, of the open-loop rollout. */
  readonly states: readonly Float64Array[];
  /** K of every step, inputs × 2 coordinates: u + K (x − x_plan) keeps to the plan, x being minimal states. */
  readonly gains: readonly Float64Array[];
  readonly cost: number;
  readonly violation: number;
  /** Passes of gradients, those of the projection included. */
  readonly iterations: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly solved: boolean;
  readonly end: PlanEnd;
  /** What ended the plan, in a sentence, where it is not solved. */
  readonly reason?: string;
}

export type PlanOptions = Omit<OptimizeOptions, "inputs" | "states">;

/** A task as the functions that the planner works with. */
export interface CompiledTask {
  readonly problem: TrajectoryProblem;
  readonly dynamics: SimulationDynamics;
  readonly quantities: Quantities;
  /** Reads the task's parameters again, after what they depend on has changed. */
  readonly refreshParameters: () => void;
}

/**
 * A divided step begins with the velocities of the last part of the step before, which the planner's states do not tell: taken out of turn,
 * it would be another step than the rollout's.
 */
function requireWholeSteps({ options: { errorTolerance } }: Simulation): void {
  if (errorTolerance === undefined) return;
  throw new ArgumentError(
    "unsupported",
    "simulation.errorTolerance",
    `${errorTolerance}: plans take whole steps; plan without it, and roll the inputs out with it to see what it changes`,
  );
}

export function compileTask(task: PlanningTask): CompiledTask {
  requireOptionNames("task", task, taskNames);
  const { simulation, steps, inputBounds } = task;
  const { currentMechanism: mechanism, timestep } = simulation;
  requireWholeSteps(simulation);
  const faults = checkState(simulation, task.start);
  if (faults.length > 0) throw new StateError(faults, `the start of the plan "${task.name}" is not valid:`);
  const quantities = new Quantities(mechanism);
  const dynamics = new SimulationDynamics(simulation);
  const { cost, constraints = [] } = task;
  const costs = typeof cost === "function" ? cost(quantities) : costTerms(cost, quantities, "cost");
  const rows =
    typeof constraints === "function"
      ? constraints(quantities)
      : constraintTerms(constraints, quantities, "constraints");
  const names = quantities.parameterNames;
  const missing = names.find((name) => task.parameters?.[name] === undefined);
  if (missing !== undefined) {
    throw new ArgumentError(
      "missing",
      `parameters.${missing}`,
      "is read by a term and not given; add it to the task's parameters",
    );
  }
  const table = Array.from({ length: steps + 1 }, () => new Float64Array(names.length));
  const refreshParameters = (): void => {
    table.forEach((row, k) => {
      names.forEach((name, i) => {
        row[i] = task.parameters?.[name](k) as number;
        if (Number.isFinite(row[i])) return;
        throw new ArgumentError("not-finite", `parameters.${name}`, `is ${row[i]} at knot ${k}; give a finite number`);
      });
    });
  };
  refreshParameters();
  const maps = new CoordinateMaps(mechanism);
  const context = { quantities, steps, timestep, parameters: (k: number) => table[k], maps };
  const problem: TrajectoryProblem = {
    dynamics,
    steps,
    start: dynamics.stateOf(task.start),
    objective: termObjective(costs, context),
    ...(rows.length > 0 && { constraints: termConstraints(rows, context) }),
    ...(inputBounds && { inputBounds }),
  };
  return { problem, dynamics, quantities, refreshParameters };
}

/** States of the bodies as those of the planner, whose angles go on from one to the next. */
function inTurn(
  { simulation }: PlanningTask,
  dynamics: SimulationDynamics,
  states: readonly Float64Array[],
  start: Float64Array,
): Float64Array[] {
  let before = start;
  return states.map((state, k) => {
    const faults = basicFaults(simulation.mechanism, state, simulation.timestep);
    if (faults.length > 0) throw new StateError(faults, `guess.states[${k}] is no state:`);
    before = dynamics.stateOf(state, before);
    return before;
  });
}

/** Plans to the end. */
export function planTrajectory(task: PlanningTask, options: PlanOptions = {}): Plan {
  const run = planning(task, options);
  for (;;) {
    const { done, value } = run.next();
    if (done) return value;
  }
}

/** The same, pausing after every iteration: `next(false)` ends it with what it has. */
export function* planning(
  task: PlanningTask,
  options: PlanOptions = {},
): Generator<PlanProgress, Plan, boolean | undefined> {
  const begin = performance.now();
  const { problem, dynamics } = compileTask(task);
  const { inputs, states } = task.guess ?? {};
  const found = yield* optimization(problem, {
    ...task.options,
    ...options,
    ...(inputs && { inputs }),
    ...(states && { states: inTurn(task, dynamics, states, problem.start) }),
  });
  const { states: reached, cost, violation } = openLoop(problem, found.inputs);
  const tolerance = options.tolerance ?? task.options?.tolerance ?? 1e-6;
  const solved = found.end === "solved" && violation <= tolerance;
  return {
    task: task.name,
    timestep: task.simulation.timestep,
    start: task.start.slice(),
    inputs: found.inputs,
    states: reached.map((state) => dynamics.bodiesOf(state).slice()),
    gains: found.gains,
    cost,
    violation,
    iterations: found.iterations,
    rounds: found.rounds,
    seconds: (performance.now() - begin) / 1000,
    solved,
    end: solved ? "solved" : found.end === "solved" ? "noProgress" : found.end,
    ...(!solved && { reason: found.fault ?? reasonOf(found.end, violation, tolerance, found.failedStep) }),
  };
}

/** What the inputs do by themselves, from the start. */
function openLoop(
  problem: TrajectoryProblem,
  inputs: readonly Float64Array[],
): { readonly states: Float64Array[]; readonly cost: number; readonly violation: number } {
  const { dynamics, objective, steps } = problem;
  const states = [problem.start.slice()];
  for (let k = 0; k < steps; k++) {
    const next = new Float64Array(dynamics.stateSize);
    if (!dynamics.step(next, states[k], inputs[k], k)) {
      // the planner saw this step solved in a run that went another way
      return { states, cost: Number.POSITIVE_INFINITY, violation: Number.POSITIVE_INFINITY };
    }
    states.push(next);
  }
  const none = new Float64Array(0);
  const cost = states.reduce((sum, x, k) => sum + objective.value(k, x, inputs[k] ?? none), 0);
  return { states, cost, violation: new AugmentedObjective(problem).violation(states, inputs) };
}

function reasonOf(end: PlanEnd, violation: number, tolerance: number, failedStep: number | undefined): string {
  const left = `the constraints are off by ${violation.toExponential(1)}, more than ${tolerance.toExponential(1)}`;
  switch (end) {
    case "iterationLimit":
      return `the limit of iterations was reached; ${left}; allow more (maxIterations), or start nearer`;
    case "noGradients":
      return `step ${failedStep} has no gradients at this κ, nor from 10 times as much to a hundredth of it; take another, or bounds on the inputs`;
    case "stopped":
      return `it was stopped; ${left}`;
    default:
      return `no step lowers the cost any more; ${left}; the goal may be out of reach, or want another start or κ`;
  }
}
