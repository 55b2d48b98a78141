/** The numbers that joint coordinates are defined by: where joints sit in their bodies, what gears tie, the time step. */
import type { Mechanism, MechanismJoint } from "../mechanism/index.ts";

export interface GeometryValues {
  /** The 16 frame parameters of a joint: parentAnchor, parentFrame, childAnchor, childFrame, skew, axisOffset. */
  frame(joint: number): ArrayLike<number>;
  ratio(gear: number, term: number): number;
  /** Turns of a joint's coordinate (angles.ts); none where it is left out. */
  turns?(joint: number, coordinate: number): number;
  /** The mass of a body, then xx, yy, zz, xy, xz, yz of its inertia. They weigh what a projection moves. */
  inertia(body: number): ArrayLike<number>;
}

/** A tangent or cotangent of them, as views that are read or added to. */
export interface GeometryVector {
  frame(joint: number): Float64Array;
  ratio(gear: number, term: number): Float64Array;
  offset(gear: number): Float64Array;
  readonly timestep: Float64Array;
}

/** The values that a mechanism was compiled with. */
export function valuesOfMechanism(mechanism: Mechanism): GeometryValues {
  return {
    frame: (joint) => frameNumbers(mechanism.joints[joint].frames),
    ratio: (gear, term) => mechanism.gears[gear].terms[term].ratio,
    inertia: (body) => {
      const { mass, inertia } = mechanism.bodies[body];
      const [[xx, xy, xz], [, yy, yz], [, , zz]] = inertia;
      return [mass, xx, yy, zz, xy, xz, yz];
    },
  };
}

/** The frame parameters of a joint, in memory order. */
export function frameNumbers(frames: MechanismJoint["frames"]): number[] {
  const { parentAnchor, parentFrame, childAnchor, childFrame, skew, axisOffset } = frames;
  return [...parentAnchor, ...parentFrame, ...childAnchor, ...childFrame, skew, axisOffset];
}
