/** A planning task for any mechanism, from a goal that is data: what a command line, a file or another language can say. */
import { gravityCompensation } from "../control/index.ts";
import { minimalState } from "../coordinates/index.ts";
import { allFinite } from "../gradients/index.ts";
import { ArgumentError, type Mechanism, optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import { Quantities, QuantityFunction, quantityNamed } from "../quantities/index.ts";
import type { Simulation } from "../simulation/index.ts";
import { type Scalar, sub } from "../symbolic/index.ts";
import type { PlanningTask } from "./plan.ts";
import type { Bounds } from "./problem.ts";
import { type ConstraintTerm, type CostTerm, cost, effort, equals } from "./terms.ts";
import { constraintTerms, costTerms, type WrittenConstraint, type WrittenCost } from "./writtenTerms.ts";

export interface Goal {
  /** The plan's name. Default "goal". */
  readonly name?: string;
  /** Duration of the motion, s, rounded to whole steps. */
  readonly seconds: number;
  /** Values of named quantities at the end, held to the tolerance of constraints: `{ "torso.z": 1.15 }`. */
  readonly reach?: Readonly<Record<string, number>>;
  /** Quantities that cost what they leave their values at the start by; a body stands for its position, "feet" for all contacts that touch then. */
  readonly keep?: readonly string[];
  /** Weight of (what is kept − its value at the start)². Default 10. */
  readonly keepWeight?: number;
  /** Weight of (input − first guess)². Default 1e-4. */
  readonly effort?: number;
  /** Sums of squares: `"(torso.z - 0.4)^2"`, `"final: |torso.velocity|^2"`. */
  readonly cost?: WrittenCost | readonly WrittenCost[];
  /** Equations and inequalities: `"foot.z >= 0.02"`, `"final: torso.velocity = 0"`. */
  readonly constraints?: readonly WrittenConstraint[];
  /** Limits of the inputs. Default: effort limits of joints and limits of thrusters; none for servos. */
  readonly inputBounds?: Bounds;
  /** Inputs of the first guess. Default: those that hold the start, where they are known. */
  readonly input?: Float64Array;
}

const goalNames = optionNamesOf<Goal>()("name seconds reach keep keepWeight effort cost constraints inputBounds input");

/** Largest gap of a foot that stands, m. */
const footDistance = 2e-3;

/**
 * The task that takes a mechanism from a state to a goal.
 *   planTrajectory(goalTask(simulation, start, { seconds: 0.5, reach: { "torso.z": 0.5 }, keep: ["feet"] }))
 */
export function goalTask(simulation: Simulation, start: Float64Array, goal: Goal): PlanningTask {
  requireOptionNames("goal", goal, goalNames);
  const { currentMechanism: mechanism, timestep } = simulation;
  const { name = "goal", seconds, reach = {}, keep = [], keepWeight = 10, effort: effortWeight = 1e-4 } = goal;
  if (mechanism.inputSize === 0) {
    throw new ArgumentError(
      "no-inputs",
      "goal",
      `${mechanism.name || "the mechanism"} has no motor, servo or thruster to plan for`,
    );
  }
  for (const [path, value] of Object.entries({ seconds, keepWeight, effort: effortWeight })) {
    const isGood = Number.isFinite(value) && (path === "seconds" ? value > 0 : value >= 0);
    if (!isGood)
      throw new ArgumentError(
        "out-of-range",
        `goal.${path}`,
        `${value}: give a number that is ${path === "seconds" ? "positive" : "0 or more"}`,
      );
  }
  const steps = Math.max(1, Math.round(seconds / timestep));
  const held = goal.input ?? holdingInput(simulation, start);
  const bounds = goal.inputBounds ?? inputLimits(mechanism);
  const written = goal.cost === undefined ? [] : Array.isArray(goal.cost) ? goal.cost : [goal.cost];
  const terms = (q: Quantities): CostTerm[] => [
    effort(q, effortWeight, Array.from(held)),
    ...keptTerms(q, keep, start, keepWeight),
    ...costTerms(written, q, "goal.cost"),
  ];
  const constraints = (q: Quantities): ConstraintTerm[] => [
    ...reachTerms(q, reach),
    ...constraintTerms(goal.constraints ?? [], q, "goal.constraints"),
  ];
  return {
    name,
    simulation,
    start,
    steps,
    cost: terms,
    ...(constraints(new Quantities(mechanism)).length > 0 && { constraints }),
    ...(bounds && { inputBounds: bounds }),
    guess: { inputs: Array.from({ length: steps }, () => held) },
  };
}

function reachTerms(q: Quantities, reach: Readonly<Record<string, number>>): ConstraintTerm[] {
  const rows = Object.entries(reach).flatMap(([name, value]) => {
    if (!Number.isFinite(value)) throw new ArgumentError("not-finite", `goal.reach.${name}`, `${value}; give a number`);
    return [quantityNamed(q, name, `goal.reach.${name}`)].flat().map((entry) => sub(entry, value));
  });
  return rows.length === 0 ? [] : [equals(rows, "final")];
}

/** Costs of leaving the values at the start. */
function keptTerms(q: Quantities, keep: readonly string[], start: Float64Array, weight: number): CostTerm[] {
  const entries = keep.flatMap((name): Scalar[] => {
    if (name === "feet") return footPlaces(q, start);
    if (q.mechanism.bodies.some((body) => body.name === name)) return [...q.body(name).position];
    return [quantityNamed(q, name, "goal.keep")].flat();
  });
  if (entries.length === 0) return [];
  const values = valuesAt(q, entries, start);
  return [
    cost(
      entries.map((entry, i) => sub(entry, values[i])),
      weight,
    ),
  ];
}

/** Places of the explicit contacts that touch something at the start. */
function footPlaces(q: Quantities, start: Float64Array): Scalar[] {
  const { contacts, bodies } = q.mechanism;
  const distances = valuesAt(
    q,
    contacts.map(({ name }) => q.contact(name).distance),
    start,
  );
  const standing = contacts.filter((_, i) => distances[i] < footDistance);
  if (standing.length === 0) {
    throw new ArgumentError(
      "out-of-range",
      "goal.keep",
      "no explicit contact touches anything at the start, so there are no feet to keep; put the robot on the ground (onGround), or name bodies if shapes make its contacts",
    );
  }
  return standing.flatMap(({ body, point }) => [...q.body(bodies[body].name).point(point).position]);
}

function valuesAt(q: Quantities, rows: readonly Scalar[], state: Float64Array): Float64Array {
  const made = new QuantityFunction(q, rows);
  made.evaluate({
    state,
    minimal: minimalState(q.mechanism, state),
    time: 0,
    input: new Float64Array(q.mechanism.inputSize),
  });
  return made.values.slice();
}

/** Inputs that balance gravity at a state; zero where a mechanism cannot hold it. */
function holdingInput(simulation: Simulation, start: Float64Array): Float64Array {
  const { input } = gravityCompensation(simulation, start);
  return allFinite(input) ? input : new Float64Array(simulation.inputSize);
}

/** Effort limits of joints and limits of thrusters. */
function inputLimits({ joints, thrusters, inputSize }: Mechanism): Bounds | undefined {
  const lower = new Float64Array(inputSize).fill(Number.NEGATIVE_INFINITY);
  const upper = new Float64Array(inputSize).fill(Number.POSITIVE_INFINITY);
  for (const { input, servo, effortLimit, effortCenter } of joints.flatMap(({ coordinates }) => coordinates)) {
    if (input < 0 || servo || effortLimit === null) continue;
    lower[input] = effortCenter - effortLimit;
    upper[input] = effortCenter + effortLimit;
  }
  for (const thruster of thrusters) {
    lower[thruster.input] = thruster.lower ?? lower[thruster.input];
    upper[thruster.input] = thruster.upper ?? upper[thruster.input];
  }
  return [...lower, ...upper].some(Number.isFinite) ? { lower, upper } : undefined;
}
