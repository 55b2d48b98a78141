/** Many steps of a simulation, one after another: what each of them is given, what is kept of it, and at which the run ends. */
import { requireOptionNames } from "../../mechanism/index.ts";
import { type RolloutOptions, rolloutOptionNames, type StepResult } from "../simulationOptions.ts";
import { requireValidStart } from "../states/checkState.ts";
import { isSteppable } from "../states/stateChecks.ts";
import { requireStepOptions } from "../step/stepOptionRules.ts";
import type { TouchSteps } from "../touch/touchSteps.ts";
import { type Continuation, namedAngles, type RunMemory } from "./continuation.ts";
import { GradientRecord } from "./gradientRecord.ts";
import { inputsOf } from "./rolloutInputs.ts";
import { type DumpSource, dumpStep } from "./stepDump.ts";
import { StepsWithPoints, type StepTaker } from "./stepsWithPoints.ts";
import { type Stepped, Trajectory } from "./trajectory.ts";

/** What takes the steps: a simulation. */
type RolloutTaker = Stepped &
  DumpSource &
  StepTaker<StepResult> & {
    readonly timestep: number;
    readonly parameterChanges: number;
    readonly touching: Pick<TouchSteps, "active" | "combined" | "pieces" | "isInPieces"> | undefined;
    memory: RunMemory | undefined;
    memoryFrom(continuation: Continuation): RunMemory;
    requireSteppable(state: Float64Array, input: Float64Array, interval: number, step: number): void;
    readable(state: Float64Array, interval: number): { readonly state: Float64Array; readonly interval: number };
  };

export function runRollout(simulation: RolloutTaker, start: Float64Array, options: RolloutOptions): Trajectory {
  requireOptionNames("options", options, rolloutOptionNames);
  const { continuation, onStep, continueOnFailure = false, check = true, gradients = false } = options;
  const { steps, inputAt } = inputsOf(simulation.mechanism, options);
  const begun = continuation ? simulation.memoryFrom(continuation) : simulation.memoryOf(start);
  const interval = options.interval ?? continuation?.interval ?? carriedInterval(begun, simulation.timestep);
  if (check) {
    const continuation = begun && { angles: namedAngles(simulation.system, begun.angles) };
    requireValidStart(simulation, start, { timestep: interval, ...(continuation && { continuation }) });
  }
  if (continuation) simulation.memory = begun;
  const recorded = gradients === true ? {} : gradients;
  const record = recorded ? new GradientRecord(simulation, simulation.system, recorded) : undefined;
  const stepOptions = { ...simulation.options, interval };
  const pointed = record && new StepsWithPoints<StepResult>(simulation, [record.path], stepOptions);
  let checkedTimestep = Number.NaN;
  const trajectory = new Trajectory(simulation, simulation.timestep, start, record, interval, begun);
  for (let k = 0; k < steps; k++) {
    const seen = options.controller && simulation.readable(trajectory.final, stepOptions.interval);
    const given = inputAt(seen?.state ?? trajectory.final, k, seen?.interval ?? stepOptions.interval);
    simulation.requireSteppable(trajectory.final, given, stepOptions.interval, k);
    const { timestep } = simulation;
    if (timestep !== checkedTimestep) requireStepOptions(stepOptions, timestep);
    checkedTimestep = timestep;
    if (record && !record.keepsPoints && k % record.every === 0)
      record.memories.push(simulation.memoryOf(trajectory.final));
    const result =
      pointed?.take(trajectory.final, given, stepOptions.interval) ??
      simulation.take(trajectory.final, given, stepOptions);
    const isSolved = result.status === "solved";
    if (!isSolved)
      trajectory.failure ??= dumpStep(simulation, trajectory.final, given, { interval: stepOptions.interval });
    // the best point of a step that failed may be one from which none can be taken
    const goesOn = isSolved || (continueOnFailure && isSteppable(simulation.mechanism, result.next, result.interval));
    trajectory.record(given, result, result.next, goesOn);
    if (pointed && goesOn) {
      const [from, to] = [Math.round(timestep / stepOptions.interval), Math.round(timestep / result.interval)];
      record.keep(pointed.found[0], pointed.division, from, to, simulation.parameterChanges, simulation.touching);
    }
    stepOptions.interval = result.interval;
    if (onStep?.(result, k) === false || !goesOn) break;
  }
  trajectory.end(simulation.memoryOf(trajectory.final));
  return trajectory;
}

/** The interval of a state that the last step led to, if it is a half, a fourth, an eighth … of the time step; else the time step. */
function carriedInterval(memory: RunMemory | undefined, timestep: number): number {
  const interval = memory?.interval ?? timestep;
  const halvings = Math.log2(timestep / interval);
  return halvings > 0 && Number.isInteger(halvings) ? interval : timestep;
}
