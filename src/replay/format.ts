/**
 * A replay: what a viewer needs of a trajectory, as JSON-safe data. Rows of numbers are texts of 32-bit floats (`decodeFloats`).
 * SI units; quaternions are scalar-first and map body to world.
 */
import type { Shape, Vector3 } from "../mechanism/index.ts";

export const replayFormat = "dojo-replay";
export const replayVersion = 1;

export interface ReplayData {
  readonly format: typeof replayFormat;
  readonly version: typeof replayVersion;
  readonly title: string;
  /** Seconds from one frame to the next. */
  readonly interval: number;
  readonly frames: number;
  readonly bodies: readonly ReplayBody[];
  /** Shapes fixed in the world. Left out: none. */
  readonly world?: readonly Shape[];
  /** Frame by frame, body by body: position 3, quaternion 4. */
  readonly poses: string;
  readonly contacts: readonly ReplayContact[];
  /** Frame by frame, contact by contact: force on the body in the world, 3, in the interval before the frame; zero in the first. */
  readonly forces: string;
  /** Where shapes touch, which comes and goes. Left out: nowhere. */
  readonly touches?: ReplayTouches;
  /** Weight of everything, N, the measure of the forces. */
  readonly weight: number;
  readonly plots: readonly ReplayPlot[];
  readonly summary: ReplaySummary;
  /** What else is to be said, beside the summary. */
  readonly notes: readonly ReplayNote[];
  /** Other motions of the same bodies, drawn translucent. Left out: none. */
  readonly ghosts?: readonly ReplayGhost[];
}

export interface ReplayTouches {
  /** How many there are, frame by frame. */
  readonly counts: string;
  /** One after another: point 3 and force 3 on the one of the two bodies, in the world, in the interval before the frame. */
  readonly rows: string;
}

export interface ReplayGhost {
  readonly name: string;
  /** Poses as those of the replay. */
  readonly poses: string;
}

export interface ReplayBody {
  readonly name: string;
  /** Never empty: a body without shapes is drawn as the ellipsoid of its inertia. */
  readonly shapes: readonly Shape[];
}

export interface ReplayContact {
  readonly name: string;
  /** Index of a body. */
  readonly body: number;
  /** Body that carries the half-space; −1 is the world. */
  readonly other: number;
  /** Centre of the sphere in the body's frame. */
  readonly point: Vector3;
  readonly radius: number;
  /** Half-space {p : normal·p ≥ offset} in the other body's frame. */
  readonly normal: Vector3;
  readonly offset: number;
}

export interface ReplayPlot {
  readonly title: string;
  readonly unit: string;
  /** Values that are not positive have no place on a logarithmic scale, and are left out. */
  readonly scale: "linear" | "logarithmic";
  /** A number per frame; NaN for none. */
  readonly series: readonly { readonly name: string; readonly values: string }[];
}

export interface ReplaySummary {
  readonly model: string;
  readonly steps: number;
  /** Seconds. */
  readonly timestep: number;
  /** Steps that were solved. */
  readonly solved: number;
  readonly iterationsMean: number;
  readonly iterationsMax: number;
  readonly retries: number;
  /** Steps that were taken in smaller parts. */
  readonly substepped: number;
  /** Metres, of all contacts after all frames; null without contacts. */
  readonly smallestDistance: number | null;
}

export interface ReplayNote {
  readonly label: string;
  readonly text: string;
}
