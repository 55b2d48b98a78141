/**
 * A whole plan: rounds of iLQR on an augmented Lagrangian, then Newton steps onto the constraints.
 *   for each round: iLQR until the merit hardly falls; λ ← λ + ρ c and ρ ← 10 ρ
 *   projection, where the constraints nearly hold: until they hold to `tolerance`, with gradients of their own, sharper κ; where it comes
 *   to an end before, rounds go on
 * Where all rounds leave the constraints violated, a second attempt begins anew, in which the regularisation holds back the states in place
 * of the inputs: small inputs may move a swinging chain far beyond what its linearisation says. Without constraints it goes on from where
 * the first is stuck.
 * An iteration is a pass of gradients, whatever it was for.
 */
import { ArgumentError } from "../mechanism/index.ts";
import type { PathParameter } from "../simulation/index.ts";
import { AugmentedObjective } from "./augmentedObjective.ts";
import { Ilqr } from "./ilqr.ts";
import { type OptimizeOptions, type PlanProgress, requireOptions, requireSizes } from "./optimizeOptions.ts";
import type { TrajectoryProblem } from "./problem.ts";
import { projectionStep } from "./projection.ts";

export type PlanEnd = "solved" | "iterationLimit" | "noProgress" | "noGradients" | "stopped";

export interface OptimizedTrajectory {
  readonly states: readonly Float64Array[];
  readonly inputs: readonly Float64Array[];
  /** K of every step, inputs × tangents: δu = K δx keeps to the plan. */
  readonly gains: readonly Float64Array[];
  readonly cost: number;
  readonly violation: number;
  readonly iterations: number;
  readonly rounds: number;
  readonly end: PlanEnd;
  /** The step without gradients, where that ended it. */
  readonly failedStep?: number;
  /** The entry of the cost or the constraints that became no number, with its knot, where that ended it. */
  readonly fault?: string;
}

type Reporting = Generator<PlanProgress, boolean, boolean | undefined>;

const falling = [0.1, 0.03, 0.01] as const;
const mostProjections = 20;
const shortStep = 0.1;
/** Regularisation that short steps are answered with: beyond, gains vanish, and what closes gaps or keeps to a contact with them. */
const mostForShortSteps = 10;
/** Smallest step length along the regularised directions that are searched where the first led nowhere: they are short themselves. */
const smallestInSearch = 0.05;
/**
 * Newton steps onto a double root leave half of the way, and a quarter of the violation (a hopper whose foot, height and leg are given has
 * only its tilt left, and that squared): twice the step then leaves nothing to first order. This far from a quarter counts as one.
 */
const nearQuarter = 0.1;
/** Rounds go on after a projection that came to an end, until the violation is this part of what is left. */
const nearer = 0.1;

/** Plans to the end. */
export function optimize(problem: TrajectoryProblem, options: OptimizeOptions = {}): OptimizedTrajectory {
  const run = optimization(problem, options);
  for (;;) {
    const { done, value } = run.next();
    if (done) return value;
  }
}

/** The same, pausing after every iteration, for callers that have other things to do: `next(false)` ends it with what it has. */
export function* optimization(
  problem: TrajectoryProblem,
  options: OptimizeOptions = {},
): Generator<PlanProgress, OptimizedTrajectory, boolean | undefined> {
  const { steps, start, dynamics } = problem;
  const {
    inputs = Array.from({ length: steps }, () => new Float64Array(dynamics.inputSize)),
    states,
    path = (round) => (states ? { kappa: 3e-4 } : { relativeKappa: falling[Math.min(round, falling.length - 1)] }),
    projectionPath = { relativeKappa: 1e-4 },
    tolerance = 1e-6,
    handOver = 1e-2,
    maxIterations = 200,
    maxRounds = 10,
    penalty: { initial: initialPenalty = 10, factor = 10 } = {},
    smallestStep = 1e-4,
    onIteration,
  } = options;
  requireOptions(options);
  requireSizes(problem, inputs, states);
  const augmented = new AugmentedObjective(problem);
  const ilqr = new Ilqr(problem, augmented);
  const lineSearch = { smallest: smallestStep, sufficient: 1e-4 };
  const shortSearch = { ...lineSearch, smallest: Math.max(smallestStep, smallestInSearch) };
  const { roundTolerance = augmented.isConstrained ? 3e-3 : 1e-9 } = options;
  augmented.penalty = initialPenalty;
  const began = ilqr.begin(start, inputs, states);
  requireNumbers(problem, ilqr);
  if (!began) {
    const step = ilqr.failedStep;
    const message =
      step < 0
        ? "the first inputs lead to a cost that is no number"
        : `the first inputs lead to step ${step}, which cannot be taken; start from others`;
    throw new ArgumentError("no-start", step < 0 ? "inputs" : `inputs[${step}]`, message);
  }

  let round = -1;
  let failedStep = -1;
  let fault: string | undefined;
  let end: PlanEnd | undefined;
  /** The last search has found nothing in any direction, where its model still promised something. */
  let isStuck = false;
  let current: PathParameter | undefined;

  /** Gradients where the trajectory or κ has changed; false where there are none, or no more are allowed. */
  const renew = (wanted: PathParameter): boolean => {
    if (current && current.kappa === wanted.kappa && current.relativeKappa === wanted.relativeKappa) return true;
    if (ilqr.iterations >= maxIterations) {
      end = "iterationLimit";
      return false;
    }
    failedStep = ilqr.linearize(wanted);
    if (failedStep >= 0) end = "noGradients";
    current = wanted;
    return failedStep < 0;
  };

  const report = function* (phase: PlanProgress["phase"], at: PathParameter): Reporting {
    const progress: PlanProgress = {
      phase,
      iteration: ilqr.iterations,
      round,
      cost: plainCost(problem, ilqr.states, ilqr.inputs),
      violation: augmented.violation(ilqr.states, ilqr.inputs),
      gaps: ilqr.gapNorm,
      stepLength: ilqr.stepLength,
      regularization: ilqr.regularization,
      path: at,
      states: ilqr.states,
      inputs: ilqr.inputs,
    };
    const goesOn = onIteration?.(progress) !== false && (yield progress) !== false;
    if (!goesOn) end = "stopped";
    return goesOn;
  };

  /** iLQR until the merit hardly falls. */
  const improve = function* (at: PathParameter): Generator<PlanProgress, void, boolean | undefined> {
    let isSearching = false;
    let wasShort = false;
    const begun = ilqr.gapNorm > 0 ? Number.POSITIVE_INFINITY : ilqr.cost;
    for (;;) {
      if (!renew(at)) return;
      if (!ilqr.backward()) {
        fault = faultOf(problem, ilqr);
        if (fault) end = "noProgress";
        return;
      }
      const before = ilqr.cost;
      const isOpen = ilqr.gapNorm > 0;
      const little = roundTolerance * Math.abs(before);
      if (!isOpen && -ilqr.expectedChange <= Math.min(little, 1e-12 + 1e-10 * Math.abs(before))) return;
      if (!ilqr.forward(isSearching ? shortSearch : lineSearch)) {
        isSearching = true;
        // a shorter, safer direction, from the same gradients
        if (ilqr.searchElsewhere()) continue;
        ilqr.regularization = 0;
        isStuck = true;
        return;
      }
      isSearching = false;
      current = undefined;
      const isShort = ilqr.stepLength < shortStep;
      if (ilqr.stepLength === 1) ilqr.regularizeLess();
      else if (isShort && ilqr.regularization < mostForShortSteps) ilqr.regularizeMore();
      if (!(yield* report("optimize", at))) return;
      // a short step gains little wherever it is: two of them end a round
      const isFirstShort = isShort && !wasShort;
      wasShort = isShort;
      if (isOpen || isFirstShort || before - ilqr.cost > little) continue;
      // what a round needed that led nowhere says nothing of the next
      if (begun - ilqr.cost <= little) ilqr.regularization = 0;
      return;
    }
  };

  /** Newton steps onto the constraints, as long as they come nearer. */
  const project = function* (): Generator<PlanProgress, void, boolean | undefined> {
    let before = Number.POSITIVE_INFINITY;
    for (let i = 0; i < mostProjections; i++) {
      const violation = augmented.violation(ilqr.states, ilqr.inputs);
      if (violation <= tolerance) return;
      const isDoubleRoot = ilqr.stepLength === 1 && Math.abs(violation / before - 0.25) < nearQuarter;
      before = violation;
      current = undefined;
      if (!renew(projectionPath) || !ilqr.backward()) return;
      const change = projectionStep(problem, ilqr);
      if (!change) return;
      let improved = false;
      for (let alpha = isDoubleRoot ? 2 : 1; alpha > 1e-3 && !improved; alpha *= 0.5) {
        const cost = ilqr.trial(alpha, change);
        if (!Number.isFinite(cost)) continue;
        const { states: triedStates, inputs: triedInputs } = ilqr.tried;
        // twice the step has to be worth more than the step itself, which leaves a quarter
        const enough = alpha > 1 ? 0.25 * violation : violation;
        if (!(augmented.violation(triedStates, triedInputs) < enough)) continue;
        ilqr.accept(1, cost);
        ilqr.stepLength = alpha;
        improved = true;
      }
      if (!(yield* report("project", projectionPath)) || !improved) return;
    }
  };

  const found = (): OptimizedTrajectory => {
    const violation = augmented.violation(ilqr.states, ilqr.inputs);
    const isSolved = violation <= tolerance && ilqr.gapNorm === 0;
    return {
      states: ilqr.states.map((x) => x.slice()),
      inputs: ilqr.inputs.map((u) => u.slice()),
      gains: ilqr.riccati.policies.map(({ gain }) => gain.slice()),
      cost: plainCost(problem, ilqr.states, ilqr.inputs),
      violation,
      iterations: ilqr.iterations,
      rounds: round + 1,
      end: end === undefined || end === "noProgress" ? (isSolved ? "solved" : "noProgress") : end,
      ...(failedStep >= 0 && { failedStep }),
      ...(fault !== undefined && { fault }),
    };
  };

  /** Rounds and projections until the constraints hold, or no more rounds are allowed. */
  const attempt = function* (): Generator<PlanProgress, void, boolean | undefined> {
    let near = handOver;
    for (let own = 0; own < maxRounds; own++) {
      round++;
      yield* improve(path(own));
      if (end || !augmented.isConstrained) return;
      let violation = augmented.violation(ilqr.states, ilqr.inputs);
      if (ilqr.gapNorm === 0 && (violation <= near || own === maxRounds - 1)) {
        yield* project();
        violation = augmented.violation(ilqr.states, ilqr.inputs);
        if (end || violation <= tolerance) return;
        // the steps of the projection have come to an end: nearer by further rounds, and again
        near = nearer * violation;
        current = undefined;
      }
      augmented.updateMultipliers(ilqr.states, ilqr.inputs);
      augmented.penalty *= factor;
      ilqr.refreshCost();
    }
  };

  yield* attempt();
  const first = found();
  if (end || (first.end === "solved" && (augmented.isConstrained || !isStuck))) return first;
  ilqr.holdsBack = "states";
  current = undefined;
  // without constraints the merit stays the same, so the search goes on from where it is stuck
  if (augmented.isConstrained) {
    augmented.forgetMultipliers();
    augmented.penalty = initialPenalty;
    ilqr.begin(start, inputs, states);
  }
  yield* attempt();
  const second = found();
  const { iterations, rounds, end: ending } = second;
  return second.violation <= first.violation ? second : { ...first, iterations, rounds, end: ending };
}

function plainCost(
  { objective }: TrajectoryProblem,
  states: readonly Float64Array[],
  inputs: readonly Float64Array[],
): number {
  return states.reduce((sum, x, k) => sum + objective.value(k, x, inputs[k] ?? new Float64Array(0)), 0);
}

/** The first entry along the trajectory that is no number, with its knot. */
function faultOf(
  { objective, constraints }: TrajectoryProblem,
  { states, inputs, failedStep }: Ilqr,
): string | undefined {
  const knots = failedStep < 0 ? states.length : failedStep + 1;
  for (let k = 0; k < knots; k++) {
    const u = inputs[k] ?? new Float64Array(0);
    const entry = objective.faultAt?.(k, states[k], u) ?? constraints?.faultAt?.(k, states[k], u);
    if (entry !== undefined) return `${entry} is no number at knot ${k}`;
  }
  return undefined;
}

function requireNumbers(problem: TrajectoryProblem, ilqr: Ilqr): void {
  const fault = faultOf(problem, ilqr);
  if (fault === undefined) return;
  const [, path] = /(\S+) is no number/.exec(fault) ?? [];
  const message = `${fault}; look for a division by zero, or a root of what may be zero or less`;
  throw new ArgumentError("not-finite", path, message);
}
