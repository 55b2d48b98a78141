/**
 * A task for model-predictive control as data: what is controlled (the plant), what the planner believes (a planning task on a mechanism
 * of its own, usually with a longer time step and fewer contacts), how the plant is disturbed, where it goes, and what counts as keeping
 * it up. Plant and plan have the same joints and inputs.
 */
import type { Random, Vector3 } from "../../math/index.ts";
import type { Simulation } from "../../simulation/index.ts";
import type { PlanningTask } from "../plan.ts";
import type { RecedingHorizonOptions } from "../recedingHorizon.ts";

/** Pushes: constant forces at the centre of mass of a body, for some time each. */
export interface PushSchedule {
  readonly body: string;
  /** When they begin, s. */
  readonly at: readonly number[];
  /** How long each lasts, s. */
  readonly duration: number;
  /** The direction of each, a unit vector; other seeds give others. */
  readonly direction: (random: Random) => Vector3;
  /** The impulse of each where none is asked for, N·s. */
  readonly impulse: number;
}

/** A place on the floor: x and y, m. */
export type Place = readonly [number, number];

/** Leads the plan to a place. The plan's parameters are read from it, so that the next plan knows of what has changed. */
export interface Guide {
  /** It goes anywhere on the floor, or along x alone: then y of its goal is passed over. */
  readonly dimensions: 1 | 2;
  /** Where the mechanism is to be. May be changed at any time. */
  goal: Place;
  /** Where it goes unless it is told otherwise. */
  readonly home: Place;
  /** A new run begins. */
  begin(): void;
  /** A plan follows, from a state of the plant, this many seconds after the last one. */
  follow(state: Float64Array, elapsed: number): void;
}

export interface ControlTask {
  readonly name: string;
  readonly plant: Simulation;
  readonly start: Float64Array;
  /** Simulated time, s. */
  readonly seconds: number;
  /** Steps of the plant from one plan to the next. */
  readonly every: number;
  readonly plan: PlanningTask;
  readonly options: RecedingHorizonOptions;
  readonly push: PushSchedule;
  /** Default none: the task goes nowhere. */
  readonly guide?: Guide;
  /** Whether all is lost: a run ends there. */
  readonly isLost: (state: Float64Array) => boolean;
  /** Whether a state of the plant at the end of the run is as it should be, at the guide's goal where it has one. */
  readonly isKept: (state: Float64Array) => boolean;
  /** What is the same in all runs, servos alone included, in a few words: dampers, limits. */
  readonly conditions?: string;
  /** The same plant without a planner, held by its servos: what plans are compared with. */
  readonly servos?: { readonly plant: Simulation; readonly targets: Float64Array };
}
