/**
 * What a state and an input must be before a step is tried: finite, of the right size, with quaternions that are rotations, and slower
 * than a quarter turn per step, |ω| < √2/h, beyond which the rotational balance has no root. Quick when all is well; the words are made
 * only for what is not.
 */

import { angularVelocityAt, orientationAt } from "../../math/index.ts";
import { ArgumentError, type Mechanism } from "../../mechanism/index.ts";
import { basicFaults, StateError } from "./stateFaults.ts";

/** Smallest squared length of a quaternion that counts as a rotation. */
const smallestSquare = 1e-12;

export function requireSteppable(mechanism: Mechanism, state: Float64Array, h: number, step?: number): void {
  if (isSteppable(mechanism, state, h)) return;
  // a quaternion that is a little long or short is taken as it is
  const isRotation = mechanism.bodies.every(({ index }) => hasRotation(state, index));
  const faults = basicFaults(mechanism, state, h).filter(({ code }) => code !== "not-unit" || !isRotation);
  throw new StateError(faults, `no step can be taken from this state${when(step)}:`);
}

export function requireInput(mechanism: Mechanism, input: Float64Array, step?: number): void {
  if (input.length !== mechanism.inputSize) {
    const names = mechanism.inputNames.join(", ") || "it has no actuators";
    const wayOut = `give new Float64Array(${mechanism.inputSize}): ${names}`;
    throw new ArgumentError("wrong-size", "input", `has ${input.length} numbers${when(step)}; ${wayOut}`);
  }
  for (let i = 0; i < input.length; i++) {
    if (Number.isFinite(input[i])) continue;
    const message = `${input[i]} for ${mechanism.inputNames[i]}${when(step)}; give a finite force or torque`;
    throw new ArgumentError("not-finite", `input[${i}]`, message);
  }
}

export function isSteppable(mechanism: Mechanism, state: Float64Array, h: number): boolean {
  if (state.length !== mechanism.stateSize) return false;
  for (let i = 0; i < state.length; i++) if (!Number.isFinite(state[i])) return false;
  for (let body = 0; body < mechanism.bodies.length; body++) {
    const at = angularVelocityAt(body);
    const square = state[at] ** 2 + state[at + 1] ** 2 + state[at + 2] ** 2;
    if (h * h * square >= 2 || !hasRotation(state, body)) return false;
  }
  return true;
}

/** Whether the last step failed and ended in this state, and no step can be taken from it: each further one has the status of that. */
export function isStuck(
  mechanism: Mechanism,
  last: { readonly status: string; readonly next: Float64Array },
  state: Float64Array,
  h: number,
): boolean {
  const { status, next } = last;
  if (status === "solved" || state.length !== next.length || !state.every((entry, i) => Object.is(entry, next[i])))
    return false;
  return !isSteppable(mechanism, state, h);
}

/** Whether a body's quaternion has a direction at all. */
function hasRotation(state: Float64Array, body: number): boolean {
  const at = orientationAt(body);
  return state[at] ** 2 + state[at + 1] ** 2 + state[at + 2] ** 2 + state[at + 3] ** 2 > smallestSquare;
}

const when = (step?: number): string => (step === undefined ? "" : ` at step ${step}`);
