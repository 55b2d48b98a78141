/**
 * How far a simulated frame is from the recorded one, over the noise of the sensors: rows of residuals as expressions, their derivatives
 * generated. A recorded pose (y, q̂) of the point p of a body, lengths scaled by s, gives six rows,
 *   (s (x + R p) − y) / σ_position      ± 2 vec(q̂⁻¹ q) / σ_rotation
 * (the sign makes the turn shorter than half a turn), a joint coordinate one, (c − y)/σ.
 */

import { poseSize } from "../math/index.ts";
import { ArgumentError, type Mechanism, nearestName } from "../mechanism/index.ts";
import { Quantities, QuantityFunction } from "../quantities/index.ts";
import { div, ifLess, mul, neg, quaternionConjugate, quaternionMultiply, type Scalar, sub } from "../symbolic/index.ts";
import { measuredSize } from "./parameterSet.ts";
import type { Recording } from "./recording.ts";

/** Standard deviations of what sensors read. */
export interface Noise {
  /** Metres. Default 0.001. */
  readonly position?: number;
  /** Radians. Default 0.01. */
  readonly rotation?: number;
  /** Noise of joint coordinates: one for all, or by name. Default 0.001. */
  readonly coordinates?: number | Readonly<Record<string, number>>;
}

/** What is recorded, the same in all recordings of a data set. */
export interface Channels {
  readonly bodies: readonly string[];
  readonly coordinates: readonly string[];
}

export function channelsOf(recordings: readonly Recording[]): Channels {
  const [first] = recordings;
  if (!first) throw new ArgumentError("no-recordings", "recordings", "none is given");
  const channels = { bodies: Object.keys(first.poses), coordinates: Object.keys(first.coordinates) };
  for (const recording of recordings) {
    const [bodies, coordinates] = [Object.keys(recording.poses), Object.keys(recording.coordinates)];
    if (`${bodies}` === `${channels.bodies}` && `${coordinates}` === `${channels.coordinates}`) continue;
    const message = `records ${[...bodies, ...coordinates].join(", ")}, but ${first.name} ${[...channels.bodies, ...channels.coordinates].join(", ")}`;
    throw new ArgumentError("other-columns", recording.name, message);
  }
  return channels;
}

export class Measurement {
  readonly channels: Channels;
  /** Numbers that stand for one recorded frame. */
  readonly dataSize: number;
  readonly rows: number;
  readonly made: QuantityFunction;
  /** `measuredSize` numbers per body, then the frame's data. */
  readonly parameters: Float64Array;

  constructor(mechanism: Mechanism, channels: Channels, noise: Noise = {}) {
    const { position = 0.001, rotation = 0.01 } = noise;
    const { bodies, coordinates } = channels;
    requireNoise("noise.position", position);
    requireNoise("noise.rotation", rotation);
    this.channels = channels;
    const q = new Quantities(mechanism);
    // numbers of how it was measured come first
    const outside = bodies.map((body) => range(measuredSize).map((i) => q.parameter(`${body}.measured.${i}`)));
    const data = bodies.map((body) => range(poseSize).map((i) => q.parameter(`${body}.recorded.${i}`)));
    const rows: Scalar[] = bodies.flatMap((body, b) => {
      const [point, scale] = [outside[b].slice(0, 3), outside[b][3]];
      const seen = q.body(body).point(point).position;
      const places = seen.map((entry, i) => div(sub(mul(scale, entry), data[b][i]), position));
      const turn = quaternionMultiply(quaternionConjugate(data[b].slice(3)), q.body(body).orientation);
      const turns = turn.slice(1).map((entry) => div(mul(2, ifLess(turn[0], 0, neg(entry), entry)), rotation));
      return [...places, ...turns];
    });
    for (const name of coordinates) {
      const sigma = noiseOf(noise, name, coordinates);
      rows.push(div(sub(q.coordinate(name), q.parameter(`${name}.recorded`)), sigma));
    }
    this.rows = rows.length;
    this.dataSize = poseSize * bodies.length + coordinates.length;
    const varied = bodies.flatMap((body) => range(measuredSize).map((i) => `${body}.measured.${i}`));
    this.made = new QuantityFunction(q, rows, undefined, varied);
    this.parameters = new Float64Array(measuredSize * bodies.length + this.dataSize);
  }

  /** Makes `parameters` those of a frame; `near` are simulated coordinates, whose turns the recorded angles follow. */
  load(recording: Recording, frame: number, outside: Float64Array): void {
    const { bodies, coordinates } = this.channels;
    const { parameters } = this;
    let at = measuredSize * bodies.length;
    for (let i = 0; i < at; i++) parameters[i] = outside[i];
    for (const body of bodies) {
      const poses = recording.poses[body];
      for (let i = 0; i < poseSize; i++) parameters[at++] = poses[poseSize * frame + i];
    }
    for (const name of coordinates) parameters[at++] = recording.coordinates[name][frame];
  }
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

function noiseOf({ coordinates: given = 0.001 }: Noise, name: string, known: readonly string[]): number {
  if (typeof given === "number") {
    requireNoise("noise.coordinates", given);
    return given;
  }
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const nearest = nearestName(key, known);
    const hint = nearest === undefined ? `have: ${known.join(", ")}` : `did you mean "${nearest}"?`;
    throw new ArgumentError("unknown-coordinate", `noise.coordinates.${key}`, `was not recorded; ${hint}`);
  }
  const sigma = given[name] ?? 0.001;
  requireNoise(`noise.coordinates.${name}`, sigma);
  return sigma;
}

function requireNoise(path: string, value: number): void {
  if (value > 0 && Number.isFinite(value)) return;
  throw new ArgumentError("non-positive", path, `${value} must be above 0`);
}
