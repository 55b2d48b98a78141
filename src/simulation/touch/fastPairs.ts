/**
 * Pairs of shapes that go so far in a step, seen from each other, that they could pass through each other within it and be apart again at
 * its end. A pair's *thickness* t is the radius of the largest ball that the thinner of both holds.
 *   passed    on the straight way from state to state, two shapes have been in each other by more than t/2
 *   a cut     the time in a step at which a pair first meets at the velocities of now; if it meets at once, the time by which it would be
 *             t/2 deep, and if it slides along, the time by which it would have gone in by t/4
 * Nothing can be passed that a step does not enter by t. Half-spaces have no other side.
 */
import type { TouchShape as PreparedShape } from "../../geometry/index.ts";
import type { Flight } from "./flight.ts";
import { innerRadius } from "./innerRadius.ts";
import { directionSize } from "./keptSeparation.ts";
import type { NearPairs } from "./nearPairs.ts";
import { GRAZE, type PairScan } from "./pairScan.ts";
import type { ShapeMotion } from "./shapeMotion.ts";

/** Parts of the thickness: how near shapes are where they meet, how deep an impact may go. */
const NEAR = 0.02;
const IMPACT = 0.5;
/** Parts of a step that are too short to be taken by themselves. */
const SHORTEST = 1e-6;

export class FastPairs {
  private readonly flight: Flight;
  private readonly near: NearPairs;
  private readonly motion: ShapeMotion;
  private readonly scan: PairScan;
  private readonly thickness: Float64Array;
  private readonly way: Float64Array;

  constructor(flight: Flight, thickness: Float64Array, near: NearPairs, motion: ShapeMotion, scan: PairScan) {
    this.flight = flight;
    this.near = near;
    this.motion = motion;
    this.scan = scan;
    this.thickness = thickness;
    this.way = new Float64Array(thickness.length);
  }

  /** Whether a pair that moves so far, seen from each other, can pass through itself. */
  isFast(a: number, b: number, way: number): boolean {
    return way > Math.min(this.thickness[a], this.thickness[b]);
  }

  /**
   * How deep the deepest has been of the pairs that the scan at `to` suspects, on the way there, m; 0 where none has passed. With L and L₊
   * lower bounds of its distance at both ends, and w its way, a pair is never nearer than (L + L₊ − w)/2.
   */
  depthPassed(from: Float64Array, to: Float64Array): number {
    const { flight, near, scan, thickness } = this;
    const { travelled, lastWay } = this.motion;
    let deepest = 0;
    flight.goBetween(from, to);
    for (let k = 0; k < scan.suspects; k++) {
      const i = scan.suspected[k];
      const a = near.first[i];
      const b = near.second[i];
      const graze = GRAZE * Math.min(thickness[a], thickness[b]);
      const apart = scan.before[k] + near.bound[i] - travelled[a] - travelled[b] + 2 * graze;
      if (apart > lastWay[a] + lastWay[b] || apart > flight.relativeWay(a, b)) continue;
      if (flight.staysClear(a, b, -graze, near.direction, directionSize * i)) continue;
      const s = flight.meeting(a, b, -graze, graze / 4);
      // what was in each other before has not passed
      if (s > 0 && s < 1) deepest = Math.max(deepest, -flight.distanceAt(a, b, s), graze);
    }
    return deepest;
  }

  /** Where to cut a time from the state that was last gone to; 0 where nothing fast is met in it. */
  firstCut(state: Float64Array, h: number): number {
    const { flight, near, way, thickness } = this;
    const { travelled } = this.motion;
    flight.fly(state, h);
    for (let i = 0; i < way.length; i++) way[i] = flight.wayOf(i);
    let first = 1;
    for (let i = 0; i < near.count; i++) {
      const a = near.first[i];
      const b = near.second[i];
      const thick = Math.min(thickness[a], thickness[b]);
      const apart = near.bound[i] - travelled[a] - travelled[b] - NEAR * thick;
      if (apart > way[a] + way[b] || !(way[a] + way[b] > thick)) continue;
      const relative = flight.relativeWay(a, b);
      if (apart > relative || !(relative > thick)) continue;
      if (flight.staysClear(a, b, NEAR * thick, near.direction, directionSize * i)) continue;
      const s = flight.meeting(a, b, NEAR * thick, (NEAR * thick) / 2);
      if (!(s < 1)) continue;
      const { approach } = flight;
      if (approach > IMPACT * thick) {
        const impact = (IMPACT * thick) / approach;
        first = Math.min(first, s > impact / 2 ? s : s + impact);
        continue;
      }
      // what slides along is cut where it would have gone in
      const sunk = (GRAZE / 2) * thick;
      first = Math.min(first, flight.meeting(a, b, -sunk, sunk / 4));
    }
    return first > SHORTEST && first < 1 - SHORTEST ? first * h : 0;
  }
}

/**
 * Radius of a ball that a shape holds, the largest but for hulls; terrain goes down for ever, and half-spaces, NaN, have no other side.
 */
export function thicknessOf(shape: PreparedShape): number {
  if (shape.kind === "halfSpace") return Number.NaN;
  if (shape.kind === "heightField") return Number.POSITIVE_INFINITY;
  if (shape.kind !== "hull") return innerRadius(shape);
  const { normals, offsets, faceCount, centre } = shape.polyhedron;
  let least = Number.POSITIVE_INFINITY;
  for (let f = 0; f < faceCount; f++) {
    const height = normals[3 * f] * centre[0] + normals[3 * f + 1] * centre[1] + normals[3 * f + 2] * centre[2];
    least = Math.min(least, offsets[f] - height);
  }
  return least;
}
