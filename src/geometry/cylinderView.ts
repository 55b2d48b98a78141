/** A cylinder in a's frame: its axis, its rims and what of it faces a direction. */
import type { Run } from "./addFeature.ts";
import { RoundPart } from "./addRound.ts";
import type { CylinderShape } from "./shape.ts";

/** Sine from which on the rim, or an edge, crosses something so that the crossing runs no faster than it can be followed. */
const CROSSED = 0.02;
/** Sine of the lean from which on the lowest point of a rim does. */
const LEANT = 1e-4;

/** Numbers of a cylinder's parts, for the identity of features; ends are numbered 0 (z < 0) and 1. */
export const RIM = 0;
export const END = 2;
export const SIDE = 4;
export const LOWEST = 6;
/** Four per end, at quarters of the rim. */
export const HELD = 8;
/** Points where the rim crosses something: two per end. */
export const CROSSING = 16;

/** How a point runs along `out.along` that lies in a surface of the other shape, of unit normal s: it stays in it. Whether it does so slowly. */
export function crossingRun(out: Run, s: Float64Array): boolean {
  const { along, shift } = out;
  const sine = s[0] * along[0] + s[1] * along[1] + s[2] * along[2];
  if (Math.abs(sine) < CROSSED) return false;
  for (let k = 0; k < 3; k++) shift[k] = s[k] / sine;
  out.turn = 0;
  return true;
}

export class CylinderView {
  /** 0 where the cylinder is shape a, 1 where it is b. */
  side = 0;
  radius = 0;
  halfLength = 0;
  readonly centre = new Float64Array(3);
  readonly x = new Float64Array(3);
  readonly y = new Float64Array(3);
  readonly axis = new Float64Array(3);
  private readonly rims = [new RoundPart(), new RoundPart()];

  set(shape: CylinderShape, side: number, m: Float64Array): this {
    this.side = side;
    this.radius = shape.radius;
    this.halfLength = shape.halfLength;
    for (let k = 0; k < 3; k++) {
      this.centre[k] = side === 1 ? m[k] : 0;
      this.x[k] = side === 1 ? m[3 + 3 * k] : k === 0 ? 1 : 0;
      this.y[k] = side === 1 ? m[4 + 3 * k] : k === 1 ? 1 : 0;
      this.axis[k] = side === 1 ? m[5 + 3 * k] : k === 2 ? 1 : 0;
    }
    return this;
  }

  /** The rim of an end as a round set. */
  rim(end: number): RoundPart {
    return this.rims[end].setRim(this.side, this.radius, end === 0 ? -this.halfLength : this.halfLength);
  }

  endInto(out: Float64Array, end: number): void {
    const z = end === 0 ? -this.halfLength : this.halfLength;
    for (let k = 0; k < 3; k++) out[k] = this.centre[k] + z * this.axis[k];
  }

  /** A point of a rim, at cosine and sine of its angle from x. */
  rimPointInto(out: Float64Array, end: number, cosine: number, sine: number): void {
    this.endInto(out, end);
    for (let k = 0; k < 3; k++) out[k] += this.radius * (cosine * this.x[k] + sine * this.y[k]);
  }

  /** n·axis. */
  along(n: Float64Array): number {
    return n[0] * this.axis[0] + n[1] * this.axis[1] + n[2] * this.axis[2];
  }

  /** |n × axis|, from n's parts along x and y, which are exact where it is small. */
  across(n: Float64Array): number {
    const x = n[0] * this.x[0] + n[1] * this.x[1] + n[2] * this.x[2];
    const y = n[0] * this.y[0] + n[1] * this.y[1] + n[2] * this.y[2];
    return Math.sqrt(x * x + y * y);
  }

  /** The end that lies lower along n: where n points to the cylinder, the one that faces what it comes from. */
  lowerEnd(n: Float64Array): number {
    return this.along(n) > 0 ? 0 : 1;
  }

  /** The point of a rim that is lowest along n; the middle of the end where n is along the axis. */
  lowestInto(out: Float64Array, end: number, n: Float64Array): void {
    const x = n[0] * this.x[0] + n[1] * this.x[1] + n[2] * this.x[2];
    const y = n[0] * this.y[0] + n[1] * this.y[1] + n[2] * this.y[2];
    const length = Math.sqrt(x * x + y * y);
    if (length > 0) this.rimPointInto(out, end, -x / length, -y / length);
    else this.endInto(out, end);
  }

  /** How the lowest point p of a rim runs as n turns: along the rim's tangent t by −r (t·δn)/|n × axis|. Whether it does so slowly. */
  lowestRunInto(out: Run, p: Float64Array, end: number, n: Float64Array): boolean {
    const sine = this.across(n);
    if (sine < LEANT) return false;
    this.tangentInto(out.along, p, end);
    out.shift.fill(0);
    out.turn = -this.radius / sine;
    return true;
  }

  /** How point p of a rim runs that lies in a surface of the other shape, of normal s. Whether it does so slowly. */
  crossingRunInto(out: Run, p: Float64Array, end: number, s: Float64Array): boolean {
    this.tangentInto(out.along, p, end);
    return crossingRun(out, s);
  }

  /** Unit tangent of the rim of an end at p. */
  private tangentInto(out: Float64Array, p: Float64Array, end: number): void {
    const { axis: u, centre } = this;
    const z = end === 0 ? -this.halfLength : this.halfLength;
    const x = (p[0] - centre[0] - z * u[0]) / this.radius;
    const y = (p[1] - centre[1] - z * u[1]) / this.radius;
    const w = (p[2] - centre[2] - z * u[2]) / this.radius;
    out[0] = u[1] * w - u[2] * y;
    out[1] = u[2] * x - u[0] * w;
    out[2] = u[0] * y - u[1] * x;
  }

  /** How far along the axis from the middle a point lies. */
  heightOf(p: Float64Array): number {
    const { axis, centre } = this;
    return axis[0] * (p[0] - centre[0]) + axis[1] * (p[1] - centre[1]) + axis[2] * (p[2] - centre[2]);
  }

  /** Square of a point's distance from the axis. */
  squareFromAxis(p: Float64Array): number {
    const height = this.heightOf(p);
    let square = 0;
    for (let k = 0; k < 3; k++) square += (p[k] - this.centre[k] - height * this.axis[k]) ** 2;
    return square;
  }
}
