/**
 * A run of many steps that can be watched and interrupted: the library's `rollout`, with a pause now and then in which Ctrl-C is
 * heard and the progress bar is drawn. It times the steps alone, and adds up what the summary says.
 */
import { setImmediate } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import {
  type Controller,
  dumpStep,
  type Energy,
  type Simulation,
  type SmallBody,
  StateError,
  type StepDump,
  type StepResult,
  type StretchedBody,
  type SunkenBody,
  smallBodies,
  sunkenBodies,
  Trajectory,
} from "../index.ts";
import type { Interruption } from "./interruption.ts";
import { MomentumBalance } from "./momentumBalance.ts";
import { StretchTally } from "./stretchTally.ts";
import { ProgressBar } from "./terminal.ts";

export interface RunOptions {
  readonly steps: number;
  readonly controller: Controller;
  /** Keep states, inputs and impulses for writers. */
  readonly record: boolean;
  /** Go on after a step that was not solved. */
  readonly goOn: boolean;
  /** Ends the run when it is asked for. */
  readonly interruption: Interruption;
}

export interface Run {
  readonly simulation: Simulation;
  /** Taken, solved or not. */
  readonly steps: number;
  readonly solvedSteps: number;
  readonly iterations: { readonly mean: number; readonly max: number; readonly total: number };
  readonly retries: number;
  /** Steps that were solved in parts. */
  readonly substeppedSteps: number;
  /** Smallest distance of all contacts after all steps; null without contacts. */
  readonly minimumDistance: number | null;
  /** Steps that were solved to less precision than is usual. */
  readonly lessPreciseSteps: number;
  /** Where shapes touch: the deepest overlap that a step left, and steps that were solved with less friction. */
  readonly touching: { readonly overlap: number; readonly lessFriction: number } | undefined;
  /** Bodies that ended below every floor there is. */
  readonly sunken: readonly SunkenBody[];
  /** Bodies that joints pulled beyond what the time step can follow, in much of the run. */
  readonly stretched: readonly StretchedBody[];
  /** Bodies that are too small for the time step. */
  readonly small: readonly SmallBody[];
  readonly energy: { readonly start: Energy; readonly end: Energy };
  readonly momentum: MomentumBalance;
  /** The state that it ended in, and the interval of its velocities. */
  readonly final: { readonly state: Float64Array; readonly interval: number };
  /** Time spent in steps alone. */
  readonly wallSeconds: number;
  readonly trajectory: Trajectory | undefined;
  /** The exit code of the signal that ended the run early. */
  readonly interrupted: number | undefined;
  /** Ended because the record filled the memory. */
  readonly outOfMemory: boolean;
  /** The first step that was not solved. */
  readonly failure:
    | { readonly step: number; readonly status: string; readonly lockedJoint?: string; readonly dump: StepDump }
    | undefined;
}

/** Time between pauses, milliseconds. */
const pauseEvery = 50;
/** Part of the memory that a record may fill, so that it can still be written. */
const fullAt = 0.4;

export async function run(simulation: Simulation, start: Float64Array, options: RunOptions): Promise<Run> {
  const { steps, controller, goOn, interruption } = options;
  const trajectory = options.record ? new Trajectory(simulation, simulation.timestep, start) : undefined;
  const momentum = new MomentumBalance(simulation, start);
  const stretch = new StretchTally(simulation);
  const state = Float64Array.from(start);
  const input = new Float64Array(simulation.inputSize);
  const progress = new ProgressBar(steps);
  const sums = { steps: 0, solved: 0, iterations: 0, most: 0, retries: 0, substepped: 0, milliseconds: 0 };
  const touching = { overlap: 0, lessFriction: 0 };
  let lessPreciseSteps = 0;
  let minimumDistance = Number.POSITIVE_INFINITY;
  let failure: Run["failure"];
  let outOfMemory = false;
  let lastPause = performance.now();
  // bodies may come to spin faster than the time step can express: the steps then go on in parts
  const stepOptions = { interval: simulation.timestep };

  for (let k = 0; k < steps && !interruption.requested; k++) {
    const seen = simulation.readable(state, stepOptions.interval);
    const given = controller(seen.state, k, input, seen.interval) ?? input;
    const begin = performance.now();
    let result: StepResult;
    try {
      result = simulation.step(state, given, stepOptions);
    } catch (error) {
      // a body that has become too fast for the time step
      if (!(error instanceof StateError) || k === 0) throw error;
      failure ??= { step: k, status: error.faults[0].code, dump: dumpStep(simulation, state, given, stepOptions) };
      break;
    }
    sums.milliseconds += performance.now() - begin;

    const { status, iterations, retries, substeps, next } = result;
    sums.steps++;
    sums.iterations += iterations;
    sums.most = Math.max(sums.most, iterations);
    sums.retries += retries;
    if (substeps > 1) sums.substepped++;
    if (status === "solved") sums.solved++;
    else {
      const { lockedJoint } = result;
      const dump = dumpStep(simulation, state, given, stepOptions);
      failure ??= { step: k, status, ...(lockedJoint !== undefined && { lockedJoint }), dump };
    }
    const { overlap = 0, frictionScale = 1, precision } = result;
    touching.overlap = Math.max(touching.overlap, overlap);
    if (frictionScale < 1) touching.lessFriction++;
    if (precision === "fast") lessPreciseSteps++;
    const moves = status === "solved" || goOn;
    trajectory?.record(given, result, next, moves);
    if (!moves) break;
    minimumDistance = Math.min(minimumDistance, simulation.smallestDistance);
    momentum.add(state, given, next, substeps);
    stretch.add(state, k);
    state.set(next);
    stepOptions.interval = result.interval;

    if (performance.now() - lastPause > pauseEvery) {
      progress.update(k + 1);
      outOfMemory = trajectory !== undefined && isMemoryFull();
      if (outOfMemory) break;
      await setImmediate();
      lastPause = performance.now();
    }
  }
  // a Ctrl-C of the last moments is heard too
  await setImmediate();
  progress.clear();
  return {
    simulation,
    steps: sums.steps,
    solvedSteps: sums.solved,
    iterations: { mean: sums.steps > 0 ? sums.iterations / sums.steps : 0, max: sums.most, total: sums.iterations },
    retries: sums.retries,
    substeppedSteps: sums.substepped,
    minimumDistance: Number.isFinite(minimumDistance) ? minimumDistance : null,
    lessPreciseSteps,
    touching: simulation.mechanism.touch && touching,
    sunken: sunkenBodies(simulation, state),
    stretched: stretch.bodies,
    small: smallBodies(simulation),
    energy: { start: simulation.energy(start), end: simulation.energy(state, stepOptions.interval) },
    momentum,
    final: { state, interval: stepOptions.interval },
    wallSeconds: sums.milliseconds / 1000,
    trajectory,
    interrupted: interruption.requested && sums.steps < steps ? interruption.exitCode : undefined,
    outOfMemory,
    failure,
  };
}

/** Objects of the heap, and the arrays beside it, which may take as much again. */
function isMemoryFull(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > fullAt * limit || process.memoryUsage().arrayBuffers > fullAt * limit;
}
