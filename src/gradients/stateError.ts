/**
 * States as vectors: 12 numbers per body about a reference, (x, 2 vec(q̄⁻¹ q), v, ω). Tangents and cotangents of states are of
 * this kind everywhere in this folder.
 */
import {
  attitudeAt,
  bodyAt,
  bodyStateSize,
  bodyTangentSize,
  orientationAt,
  type Quaternion,
  quaternion,
  tangentAt,
  tangentVelocityAt,
  velocityAt,
} from "../math/index.ts";

const orientation = (state: Float64Array, body: number): Quaternion => {
  const at = orientationAt(body);
  return [state[at], state[at + 1], state[at + 2], state[at + 3]];
};

/** state ⊖ reference, 12 per body. */
export function stateError(reference: Float64Array, state: Float64Array): Float64Array {
  const count = state.length / bodyStateSize;
  const error = new Float64Array(bodyTangentSize * count);
  for (let i = 0; i < count; i++) {
    const turn = quaternion.multiply(quaternion.conjugate(orientation(reference, i)), orientation(state, i));
    for (let k = 0; k < 3; k++) {
      error[tangentAt(i) + k] = state[bodyAt(i) + k] - reference[bodyAt(i) + k];
      error[attitudeAt(i) + k] = 2 * turn[1 + k];
    }
    for (let k = 0; k < 6; k++)
      error[tangentVelocityAt(i) + k] = state[velocityAt(i) + k] - reference[velocityAt(i) + k];
  }
  return error;
}

/** state ⊕ error: the state whose error about `state` this is. */
export function addError(state: Float64Array, error: Float64Array): Float64Array {
  const moved = Float64Array.from(state);
  for (let i = 0; bodyAt(i) < state.length; i++) {
    for (let k = 0; k < 3; k++) moved[bodyAt(i) + k] += error[tangentAt(i) + k];
    for (let k = 0; k < 6; k++) moved[velocityAt(i) + k] += error[tangentVelocityAt(i) + k];
    const [x, y, z] = [0, 1, 2].map((k) => error[attitudeAt(i) + k] / 2);
    const turn: Quaternion = [Math.sqrt(1 - x * x - y * y - z * z), x, y, z];
    moved.set(quaternion.multiply(orientation(state, i), turn), orientationAt(i));
  }
  return moved;
}

/** Gradient with respect to the raw numbers of a state (13 per body) → cotangent (12 per body): dq = q · (0, δ/2). */
export function cotangentOfRaw(state: Float64Array, raw: Float64Array): Float64Array {
  const count = state.length / bodyStateSize;
  const cotangent = new Float64Array(bodyTangentSize * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) cotangent[tangentAt(i) + k] = raw[bodyAt(i) + k];
    for (let k = 0; k < 6; k++) cotangent[tangentVelocityAt(i) + k] = raw[velocityAt(i) + k];
    // the transpose of δ ↦ q · (0, δ/2)
    const turned = quaternion.multiply(quaternion.conjugate(orientation(state, i)), orientation(raw, i));
    for (let k = 0; k < 3; k++) cotangent[attitudeAt(i) + k] = turned[1 + k] / 2;
  }
  return cotangent;
}

/** Cotangent (12 per body) → the smallest gradient with respect to the raw numbers of a state (13 per body) that it is the cotangent of. */
export function rawOfCotangent(state: Float64Array, cotangent: Float64Array): Float64Array {
  const count = state.length / bodyStateSize;
  const raw = new Float64Array(bodyStateSize * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) raw[bodyAt(i) + k] = cotangent[tangentAt(i) + k];
    for (let k = 0; k < 6; k++) raw[velocityAt(i) + k] = cotangent[tangentVelocityAt(i) + k];
    // the inverse of vec(q̄ r)/2 among those without a part along q
    const [x, y, z] = [0, 1, 2].map((k) => 2 * cotangent[attitudeAt(i) + k]);
    raw.set(quaternion.multiply(orientation(state, i), [0, x, y, z]), orientationAt(i));
  }
  return raw;
}
