/**
 * Starts of simulations from recorded frames: the weights of startFunction.ts, and the same for orientations and joint coordinates.
 *
 * Of two frames, the velocity is their difference: exactly what a state has, whose velocities are means over the last interval. Of more,
 * all in free flight, a line is laid through yᵢ − ½ g tᵢ² by least squares, x + v t; the state's velocity is the mean over the interval h
 * that ends at the start, v − ½ g h. Rotation vectors φᵢ of the frames as seen from the start, exp φᵢ = q⁻¹ qᵢ, get a line φ + ω t, and
 * the angular velocity of a state is the one whose step of h turns that far: (2/h) sin(|ω| h/2) along ω.
 */
import { poseSize, type Quaternion, quaternion, type Vector3, vector } from "../math/index.ts";

import { startOffsets, startSize } from "./startFunction.ts";

/** Weights by which values at times t give value and slope at time 0 of the line of least squares. */
export function lineWeights(times: readonly number[]): { readonly value: Float64Array; readonly slope: Float64Array } {
  const n = times.length;
  const mean = times.reduce((total, t) => total + t, 0) / n;
  const spread = times.reduce((total, t) => total + (t - mean) ** 2, 0);
  const slope = Float64Array.from(times, (t) => (t - mean) / spread);
  return { slope, value: slope.map((weight) => 1 / n - mean * weight) };
}

/**
 * The record of a start at frame `at`, from the frames `from` … `at` in steps of `stride`. `interval` is the time step of the
 * simulation, `spacing` the time from one of these frames to the next.
 */
export function startRecord(
  poses: Float64Array,
  from: number,
  at: number,
  stride: number,
  spacing: number,
  interval: number,
): Float64Array {
  const frames: number[] = [];
  for (let k = at; k >= from; k -= stride) frames.unshift(k);
  const times = frames.map((k) => ((k - at) / stride) * spacing);
  const { value, slope } = lineWeights(times);
  const record = new Float64Array(startSize);
  // two frames a step apart are what a state says; more are a flight
  const isPair = frames.length === 2;
  const weights = isPair ? [Float64Array.of(0, 1), Float64Array.of(-1 / spacing, 1 / spacing)] : [value, slope];
  weights.forEach((weight, i) => {
    const at0 = i === 0 ? startOffsets.position : startOffsets.velocity;
    frames.forEach((k, j) => {
      const pose = poses.subarray(poseSize * k, poseSize * (k + 1));
      for (let r = 0; r < 3; r++) record[at0 + r] += weight[j] * pose[r];
      const R = quaternion.toMatrix([pose[3], pose[4], pose[5], pose[6]]);
      for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) record[at0 + 3 + 3 * r + c] += weight[j] * R[r][c];
      if (!isPair) record[at0 + 12] -= 0.5 * weight[j] * times[j] ** 2;
    });
  });
  if (!isPair) record[startOffsets.velocity + 12] -= 0.5 * interval;

  const orientations = frames.map((k) => orientationAt(poses, k));
  const { orientation, spin } = turnThrough(orientations, weights[0], weights[1], interval);
  record.set(orientation, startOffsets.orientation);
  record.set(spin, startOffsets.angularVelocity);
  return record;
}

/** Where the line through orientations ends, the last of which is the start, and the angular velocity of a state there, in its own frame. */
function turnThrough(
  orientations: readonly Quaternion[],
  value: Float64Array,
  slope: Float64Array,
  interval: number,
): { readonly orientation: Quaternion; readonly spin: Vector3 } {
  const reference = orientations[orientations.length - 1];
  const back = quaternion.conjugate(reference);
  const turns = orientations.map((one) => quaternion.toRotationVector(quaternion.multiply(back, one)));
  const weighted = (weight: Float64Array): Vector3 => {
    const total: [number, number, number] = [0, 0, 0];
    turns.forEach((turn, j) => {
      for (let r = 0; r < 3; r++) total[r] += weight[j] * turn[r];
    });
    return total;
  };
  const orientation = quaternion.multiply(reference, quaternion.fromRotationVector(weighted(value)));
  const spin = weighted(slope);
  const size = vector.norm(spin);
  const factor = size * interval < 1e-12 ? 1 : (2 * Math.sin((size * interval) / 2)) / (size * interval);
  return { orientation, spin: vector.scale(spin, factor) };
}

/**
 * The same of rotation vectors, with two entries or three: the rates of a joint's coordinates are the entries of its angular velocity, which
 * are no slopes of the vector.
 */
export function rotationVectorStart(
  vectors: readonly (readonly number[])[],
  { value, slope }: ReturnType<typeof lineWeights>,
  interval: number,
): { readonly vector: readonly number[]; readonly rates: readonly number[] } {
  const last = vectors[vectors.length - 1];
  const whole = ([x, y, z = 0]: readonly number[]): Vector3 => [x, y, z];
  const orientations = vectors.map((one) => quaternion.fromRotationVector(whole(one)));
  const { orientation, spin } = turnThrough(orientations, value, slope, interval);
  // of all vectors of this orientation the nearest to the recorded one, which may be longer than half a turn
  const shortest = quaternion.toRotationVector(orientation);
  const length = vector.norm(shortest);
  const near = [-1, 0, 1].map((turns) => vector.scale(shortest, length > 0 ? 1 + (2 * Math.PI * turns) / length : 1));
  const far = near.map((one) => vector.norm(vector.sub(one, whole(last))));
  const nearest = near[far.indexOf(Math.min(...far))];
  return { vector: nearest.slice(0, last.length), rates: spin.slice(0, last.length) };
}

function orientationAt(poses: Float64Array, k: number): Quaternion {
  const at = poseSize * k + 3;
  return [poses[at], poses[at + 1], poses[at + 2], poses[at + 3]];
}
