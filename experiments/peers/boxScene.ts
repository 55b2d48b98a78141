/** A box on a floor, in any engine. */
import type { Quaternion, Vector3 } from "dojo-sim";

export interface BoxScene {
  readonly size: Vector3;
  readonly mass: number;
  readonly frictionCoefficient: number;
  /** Gravity along −z, m/s². */
  readonly gravity: number;
  readonly timestep: number;
  /** Position of the box's centre; its axes are the world's. */
  readonly position: Vector3;
  readonly velocity: Vector3;
}

/** Call `delete` when done: memory of WebAssembly is not collected. */
export interface BoxRun {
  step(): void;
  readonly position: Vector3;
  readonly orientation: Quaternion;
  delete(): void;
}

/** Half edge of the floors of engines that have no infinite plane, metres. */
export const floorReach = 100;
