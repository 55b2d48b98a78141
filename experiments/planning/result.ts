/** What the planning experiment measures, as result.json holds it. */
import type { FeetReport, Picture } from "./gait.ts";

/** One iteration of a plan. */
export interface Progress {
  readonly iteration: number;
  readonly cost: number;
  readonly violation: number;
}

export interface PlanRow {
  readonly task: string;
  readonly timestep: number;
  readonly iterations: number;
  readonly rounds: number;
  readonly cost: number;
  readonly violation: number;
  readonly seconds: number;
  readonly solved: boolean;
  readonly progress: readonly Progress[];
}

/** The largest figures of a task over disturbed starts, as `dojo plan --seed` makes them. */
export interface SeedsRow {
  readonly task: string;
  readonly seeds: number;
  readonly solved: number;
  readonly iterations: number;
  readonly cost: number;
  readonly violation: number;
}

export interface MujocoRow {
  readonly task: string;
  readonly setting: string;
  /** Half that of the finite differences. */
  readonly width: number;
  readonly iterations: number;
  readonly cost: number;
  readonly violation: number;
  readonly seconds: number;
  readonly end: string;
  /** The first iteration that meets the paper's tolerance, and its cost. */
  readonly atPaperTolerance: Progress | null;
  /** How high the cube is in the end, and how far it went, m. */
  readonly height: number;
  readonly distance: number;
  /** How much the finite differences change, relatively and at most, where they are ten times narrower or wider. */
  readonly changeWithWidth: { readonly narrower: number; readonly wider: number };
  readonly progress: readonly Progress[];
}

export interface Result {
  readonly rows: readonly PlanRow[];
  readonly mujoco: readonly MujocoRow[];
  readonly seeds: readonly SeedsRow[];
  /** Feet of the gait from the kinematic reference, and of that from zero inputs, where it was planned. */
  readonly feet: FeetReport;
  readonly coldFeet: FeetReport | null;
  readonly strip: readonly Picture[];
}

/** What the published planner counts as solved. */
export const paperTolerance = 5e-3;
/** MuJoCo's own time step is 0.01 s here, ten in one knot. */
export const stepsPerKnot = 10;
