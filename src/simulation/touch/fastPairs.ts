/**
 * Pairs of shapes that go so far in a step, seen from each other, that they could pass through each other within it and be apart again at
 * its end. A pair's *thickness* t is the radius of the largest ball that the thinner of both holds.
 *   passed    on the straight way from state to state, two shapes have been in each other by more than t/2
 *   a cut     the time in a step at which a pair first meets at the velocities of now; if it meets at once, the time by which it would be
 *             t/2 deep, and if it slides along, the time by which it would have gone in by t/4
 * Nothing can be passed that a step does not enter by t. Half-spaces have no other side.
 */
import type { TouchShape as PreparedShape } from "../../geometry/index.ts";
import { bodyStateSize, poseSize } from "../../math/index.ts";
import { Flight, type FlyingShapes } from "./flight.ts";
import { innerRadius } from "./innerRadius.ts";
import type { NearPairs } from "./nearPairs.ts";

/** Parts of the thickness: how deep shapes may graze each other on their way, how near they are where they meet, how deep an impact may go. */
const GRAZE = 0.5;
const NEAR = 0.02;
const IMPACT = 0.5;
/** Parts of a step that are too short to be taken by themselves. */
const SHORTEST = 1e-6;

export class FastPairs {
  private readonly flight: Flight;
  private readonly near: NearPairs;
  private readonly thickness: Float64Array;
  private readonly isHalfSpace: (shape: number) => boolean;
  private readonly body: Int32Array;
  private readonly way: Float64Array;
  /** Pairs that may have passed, by their numbers in a listing, their shapes, and lower bounds of their distances where their way begins. */
  private suspects = 0;
  private listing = 0;
  private suspected = new Int32Array(64);
  private first = new Int32Array(64);
  private second = new Int32Array(64);
  private apart = new Float64Array(64);
  /** Least thickness of any shape. */
  private readonly thinnest: number;
  /** Farthest point of any shape of each body. */
  private readonly reachOfBody: Float64Array;

  constructor(bodies: number, all: FlyingShapes, near: NearPairs) {
    this.flight = new Flight(bodies, all);
    this.near = near;
    this.body = all.body;
    this.isHalfSpace = (i) => all.shapes[i].kind === "halfSpace";
    this.thickness = Float64Array.from(all.shapes, thicknessOf);
    this.thinnest = this.thickness.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
    this.way = new Float64Array(all.shapes.length);
    this.reachOfBody = new Float64Array(bodies);
    all.body.forEach((body, i) => {
      if (body >= 0) this.reachOfBody[body] = Math.max(this.reachOfBody[body], Math.min(all.reach[i], 1e3));
    });
  }

  /** Of a pair. */
  thicknessOf(a: number, b: number): number {
    return Math.min(this.thickness[a], this.thickness[b]);
  }

  /** Whether a pair that moves so far, seen from each other, can pass through itself. */
  isFast(a: number, b: number, way: number): boolean {
    return way > this.thicknessOf(a, b) && !this.isHalfSpace(a) && !this.isHalfSpace(b);
  }

  /**
   * Finds the pairs that may have passed through themselves on the way between two states: with L a lower bound of their distance at the first
   * of them, w their ways and g the depth to which they may graze, where L + g < w. `travelled`: the ways that shapes had gone there, by which
   * bounds of distances go (nearPairs.ts).
   */
  suspect(from: Float64Array, to: Float64Array, travelled: Float64Array): void {
    const { flight, near } = this;
    this.suspects = 0;
    if (!this.goesFar(from, to)) return;
    flight.goBetween(from, to);
    if (!this.measureWays()) return;
    if (this.suspected.length < near.count) this.grow(near.first.length);
    this.listing = near.listing;
    for (let i = 0; i < near.count; i++) {
      const a = near.first[i];
      const b = near.second[i];
      const way = this.way[a] + this.way[b];
      const graze = GRAZE * this.thicknessOf(a, b);
      const known = near.bound[i] - travelled[a] - travelled[b];
      if (known + graze > way || !this.isFast(a, b, way)) continue;
      this.apart[this.suspects] = known;
      this.first[this.suspects] = a;
      this.second[this.suspects] = b;
      this.suspected[this.suspects++] = i;
    }
  }

  /**
   * How deep the deepest of them has been, m; 0 where none has passed. With L₊ a lower bound of the distance at the second state, where
   * `travelled` is taken, a pair is never nearer than (L + L₊ − w)/2.
   */
  depthPassed(travelled: Float64Array): number {
    const { flight, near } = this;
    let deepest = 0;
    for (let k = 0; k < this.suspects; k++) {
      const a = this.first[k];
      const b = this.second[k];
      const graze = GRAZE * this.thicknessOf(a, b);
      // where pairs were listed anew, nothing is known by their old numbers
      const bound = near.listing === this.listing ? near.bound[this.suspected[k]] : Number.NEGATIVE_INFINITY;
      const known = bound - travelled[a] - travelled[b];
      if (this.apart[k] + known + 2 * graze > this.way[a] + this.way[b]) continue;
      const s = flight.meeting(a, b, -graze, graze / 4);
      // what was in each other before has not passed
      if (s > 0 && s < 1) deepest = Math.max(deepest, -flight.distanceAt(a, b, s), graze);
    }
    return deepest;
  }

  private grow(length: number): void {
    this.suspected = new Int32Array(length);
    this.first = new Int32Array(length);
    this.second = new Int32Array(length);
    this.apart = new Float64Array(length);
  }

  /** Where to cut a time from a state; 0 where nothing fast is met in it. `travelled`: as above, at that state. */
  firstCut(state: Float64Array, h: number, travelled: Float64Array): number {
    const { flight, near } = this;
    flight.fly(state, h);
    if (!this.measureWays()) return 0;
    let first = 1;
    for (let i = 0; i < near.count; i++) {
      const a = near.first[i];
      const b = near.second[i];
      const way = this.way[a] + this.way[b];
      const thickness = this.thicknessOf(a, b);
      const known = near.bound[i] - travelled[a] - travelled[b];
      if (known - NEAR * thickness > way || !this.isFast(a, b, way)) continue;
      const s = flight.meeting(a, b, NEAR * thickness, (NEAR * thickness) / 2);
      if (!(s < 1)) continue;
      const { approach } = flight;
      if (approach > IMPACT * thickness) {
        const impact = (IMPACT * thickness) / approach;
        first = Math.min(first, s > impact / 2 ? s : s + impact);
        continue;
      }
      // what slides along is cut where it would have gone in
      const sunk = (GRAZE / 2) * thickness;
      first = Math.min(first, flight.meeting(a, b, -sunk, sunk / 4));
    }
    return first > SHORTEST && first < 1 - SHORTEST ? first * h : 0;
  }

  /** Whether any body has gone farther between two states than the thinnest shape is thick; angles by their chords. */
  private goesFar(from: Float64Array, to: Float64Array): boolean {
    const { thinnest, reachOfBody } = this;
    for (let i = 0, at = 0; i < reachOfBody.length; i++, at += bodyStateSize) {
      let straight = 0;
      let chord = 0;
      for (let k = at; k < at + 3; k++) straight += (to[k] - from[k]) ** 2;
      let sum = 0;
      for (let k = at + 3; k < at + poseSize; k++) {
        chord += (to[k] - from[k]) ** 2;
        sum += (to[k] + from[k]) ** 2;
      }
      // quaternions q and −q are one; the chord is 2 sin(angle/4), with angles up to π
      const angle = Math.PI * Math.sqrt(Math.min(chord, sum));
      if (2 * (Math.sqrt(straight) + reachOfBody[i] * angle) > thinnest) return true;
    }
    return false;
  }

  /** Ways of all shapes; whether any is far enough for anything to be passed. */
  private measureWays(): boolean {
    const { way, flight, body } = this;
    let farthest = 0;
    for (let i = 0; i < way.length; i++) {
      way[i] = body[i] < 0 ? 0 : flight.wayOf(i);
      farthest = Math.max(farthest, way[i]);
    }
    return 2 * farthest > this.thinnest;
  }
}

/** Radius of a ball that a shape holds, the largest but for hulls; terrain goes down for ever. */
function thicknessOf(shape: PreparedShape): number {
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
