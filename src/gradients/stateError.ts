/**
 * States as vectors: 12 numbers a body about a reference, (x, 2 vec(q̄⁻¹ q), v, ω). Tangents and cotangents of states are of
 * this kind everywhere in this folder.
 */
import { type Quaternion, quaternion } from "../math/index.ts";

const orientation = (state: Float64Array, body: number): Quaternion => {
  const at = 13 * body + 3;
  return [state[at], state[at + 1], state[at + 2], state[at + 3]];
};

/** state ⊖ reference, 12 a body. */
export function stateError(reference: Float64Array, state: Float64Array): Float64Array {
  const count = state.length / 13;
  const error = new Float64Array(12 * count);
  for (let i = 0; i < count; i++) {
    const turn = quaternion.multiply(quaternion.conjugate(orientation(reference, i)), orientation(state, i));
    for (let k = 0; k < 3; k++) {
      error[12 * i + k] = state[13 * i + k] - reference[13 * i + k];
      error[12 * i + 3 + k] = 2 * turn[1 + k];
    }
    for (let k = 0; k < 6; k++) error[12 * i + 6 + k] = state[13 * i + 7 + k] - reference[13 * i + 7 + k];
  }
  return error;
}

/** state ⊕ error: the state whose error about `state` this is. */
export function addError(state: Float64Array, error: Float64Array): Float64Array {
  const moved = Float64Array.from(state);
  for (let i = 0; 13 * i < state.length; i++) {
    for (let k = 0; k < 3; k++) moved[13 * i + k] += error[12 * i + k];
    for (let k = 0; k < 6; k++) moved[13 * i + 7 + k] += error[12 * i + 6 + k];
    const [x, y, z] = [error[12 * i + 3] / 2, error[12 * i + 4] / 2, error[12 * i + 5] / 2];
    const turn: Quaternion = [Math.sqrt(1 - x * x - y * y - z * z), x, y, z];
    moved.set(quaternion.multiply(orientation(state, i), turn), 13 * i + 3);
  }
  return moved;
}

/** Gradient by the raw numbers of a state (13 a body) → cotangent (12 a body): dq = q · (0, δ/2). */
export function cotangentOfRaw(state: Float64Array, raw: Float64Array): Float64Array {
  const count = state.length / 13;
  const cotangent = new Float64Array(12 * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) cotangent[12 * i + k] = raw[13 * i + k];
    for (let k = 0; k < 6; k++) cotangent[12 * i + 6 + k] = raw[13 * i + 7 + k];
    // the transpose of δ ↦ q · (0, δ/2)
    const turned = quaternion.multiply(quaternion.conjugate(orientation(state, i)), orientation(raw, i));
    for (let k = 0; k < 3; k++) cotangent[12 * i + 3 + k] = turned[1 + k] / 2;
  }
  return cotangent;
}

/** Cotangent (12 a body) → the smallest gradient with respect to the raw numbers of a state (13 a body) that it is the cotangent of. */
export function rawOfCotangent(state: Float64Array, cotangent: Float64Array): Float64Array {
  const count = state.length / 13;
  const raw = new Float64Array(13 * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) raw[13 * i + k] = cotangent[12 * i + k];
    for (let k = 0; k < 6; k++) raw[13 * i + 7 + k] = cotangent[12 * i + 6 + k];
    // the inverse of vec(q̄ r)/2 among those without a part along q
    const [x, y, z] = [3, 4, 5].map((k) => 2 * cotangent[12 * i + k]);
    raw.set(quaternion.multiply(orientation(state, i), [0, x, y, z]), 13 * i + 3);
  }
  return raw;
}
