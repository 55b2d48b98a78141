/**
 * Plans as JSON, with the mechanism they are for:
 *   { format: "dojo-sim plan", version: 1, task, cost, violation, …, description, timestep, start, inputs, gains, states }
 * and a controller that replays one: the plan's inputs, with its feedback gains where the motion has left the plan,
 *   u = u_k + K_k (x − x_k),      x the minimal state.
 */
import { anglesOf, minimalStateInto } from "../coordinates/index.ts";
import { ArgumentError, type Mechanism, type MechanismDescription } from "../mechanism/index.ts";
import type { Controller, Simulation } from "../simulation/index.ts";
import type { Plan } from "./plan.ts";

const format = "dojo-sim plan";
const version = 1;

/** A plan that was read from a file. */
export interface SavedPlan extends Plan {
  readonly description: MechanismDescription;
}

export function planJson(plan: Plan, { mechanism, timestep }: Simulation): string {
  const rows = (list: readonly Float64Array[]): number[][] => list.map((row) => Array.from(row));
  const { task, cost, violation, iterations, rounds, seconds, solved, end, reason } = plan;
  const value = {
    format,
    version,
    task,
    cost,
    violation,
    iterations,
    rounds,
    seconds,
    solved,
    end,
    ...(reason !== undefined && { reason }),
    description: mechanism.description,
    timestep,
    inputNames: mechanism.inputNames,
    start: Array.from(plan.start),
    inputs: rows(plan.inputs),
    gains: rows(plan.gains),
    states: rows(plan.states),
  };
  return `${JSON.stringify(value)}\n`;
}

/** Reads what `planJson` wrote; throws an `ArgumentError` that says what is wrong with it. */
export function planFromJson(text: string): SavedPlan {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ArgumentError("no-json", "plan", `is no JSON: ${(error as Error).message}`);
  }
  if (value?.format !== format) {
    throw new ArgumentError(
      "wrong-format",
      "format",
      `${JSON.stringify(value?.format)?.slice(0, 50) ?? "is missing"}; a plan says "${format}"`,
    );
  }
  if (value.version !== version) {
    throw new ArgumentError(
      "wrong-version",
      "version",
      `${JSON.stringify(value.version)?.slice(0, 50) ?? "is missing"}; this program reads version ${version}`,
    );
  }
  const { start, inputs, gains, states } = value;
  for (const name of ["task", "end", ...(value.reason === undefined ? [] : ["reason"])]) {
    if (typeof value[name] !== "string") throw new ArgumentError("wrong-type", name, "is no text");
  }
  return {
    ...(value as unknown as SavedPlan),
    start: numbers(start, "start"),
    inputs: lists(inputs, "inputs"),
    gains: lists(gains, "gains"),
    states: lists(states, "states"),
  };
}

function lists(value: unknown, path: string): Float64Array[] {
  if (!Array.isArray(value)) throw new ArgumentError("wrong-type", path, "is no list of lists of numbers");
  return value.map((row, k) => numbers(row, `${path}[${k}]`));
}

function numbers(value: unknown, path: string): Float64Array {
  if (!Array.isArray(value)) throw new ArgumentError("wrong-type", path, "is no list of numbers");
  const bad = value.findIndex((entry) => typeof entry !== "number" || !Number.isFinite(entry));
  if (bad >= 0)
    throw new ArgumentError(
      "wrong-type",
      `${path}[${bad}]`,
      `${JSON.stringify(value[bad]).slice(0, 50)} is no finite number`,
    );
  return Float64Array.from(value);
}

/** Throws where a plan is for another mechanism. */
function requireFitting(plan: Plan, { stateSize, inputSize, coordinateCount }: Mechanism): void {
  const { start, inputs, gains, states } = plan;
  const steps = inputs.length;
  const require = (path: string, size: number, wanted: number, why = "the mechanism wants"): void => {
    if (size !== wanted) throw new ArgumentError("wrong-size", path, `has ${size} entries; ${why} ${wanted}`);
  };
  if (steps === 0) throw new ArgumentError("wrong-size", "inputs", "the plan has no step");
  require("start", start.length, stateSize);
  require("gains", gains.length, steps, `${steps} inputs want`);
  require("states", states.length, steps + 1, `${steps} inputs want`);
  for (const [k, input] of inputs.entries()) require(`inputs[${k}]`, input.length, inputSize);
  for (const [k, gain] of gains.entries()) require(`gains[${k}]`, gain.length, 2 * coordinateCount * inputSize);
  for (const [k, state] of states.entries()) require(`states[${k}]`, state.length, stateSize);
}

/** Replays a plan; after its end the last input is held. */
export function planController(plan: Plan, mechanism: Mechanism, feedback = true): Controller {
  requireFitting(plan, mechanism);
  const size = 2 * mechanism.coordinateCount;
  const [x, planned] = [new Float64Array(size), new Float64Array(size)];
  const { inputs, states, gains, timestep } = plan;
  return (state, step, out) => {
    const k = Math.min(step, inputs.length - 1);
    out.set(inputs[k]);
    if (!feedback || step >= inputs.length) return undefined;
    minimalStateInto(planned, mechanism, states[k], timestep);
    // a joint that is a little past the plan is not a turn behind it
    minimalStateInto(x, mechanism, state, timestep, { angles: anglesOf(mechanism, planned) });
    for (let i = 0; i < out.length; i++) {
      for (let j = 0; j < size; j++) out[i] += gains[k][i * size + j] * (x[j] - planned[j]);
    }
    return undefined;
  };
}
