/**
 * What the surfaces of two shapes have together: what is said of the pair, or else what the one with the higher priority has; of equals
 * friction by the mechanism's rule, and of all else the larger one.
 */
import { combinedFriction, restitutionRule } from "../../equations/index.ts";
import type { System } from "../../kernels/index.ts";
import type { MechanismTouch, TouchPair, TouchSurface } from "../../mechanism/index.ts";
import { firstBouncing } from "./foundFeatures.ts";

export class PairSurfaces {
  /** By what all friction coefficients are multiplied. */
  scale = 1;

  private readonly touch: MechanismTouch;
  private readonly pairs: ReadonlyMap<number, TouchPair>;
  /** Friction coefficients of all shapes, and their restitution, in the memory of what steps are taken with. */
  private coefficients: Float64Array;
  private restitutions: Float64Array;
  /** Whether any surface may bounce, or has friction against turning. */
  readonly mayBounce: boolean;
  private readonly resistsTurning: boolean;

  constructor(touch: MechanismTouch) {
    this.touch = touch;
    this.pairs = new Map(touch.pairs.map((pair) => [keyOf(...pair.shapes), pair]));
    this.coefficients = Float64Array.from(touch.shapes, ({ surface }) => surface.frictionCoefficient);
    this.restitutions = Float64Array.from(touch.shapes, ({ surface }) => surface.restitution ?? 0);
    this.mayBounce = touch.shapes.some(({ surface }) => surface.restitution !== null);
    const turning = [...touch.shapes.map(({ surface }) => surface), ...touch.pairs];
    this.resistsTurning = turning.some(
      ({ torsionalFriction, rollingFriction }) => (torsionalFriction ?? 0) > 0 || (rollingFriction ?? 0) > 0,
    );
  }

  /** Friction coefficients and restitution are read from this memory from now on: they are parameters. */
  readFrom({ f64, surfaces }: Pick<System, "f64" | "surfaces">): void {
    const { length } = this.coefficients;
    this.coefficients = f64.subarray(surfaces, surfaces + length);
    this.restitutions = f64.subarray(surfaces + length, surfaces + 2 * length);
  }

  friction(a: number, b: number): number {
    const { coefficients, touch } = this;
    const given = this.pairOf(a, b)?.frictionCoefficient;
    return (
      this.scale * (given ?? combinedFriction(touch.combine, coefficients[a], coefficients[b], priorityOf(touch, a, b)))
    );
  }

  /** What is said of the two in particular. */
  private pairOf(a: number, b: number): TouchPair | undefined {
    return this.pairs.size > 0 ? this.pairs.get(keyOf(a, b)) : undefined;
  }

  /** That of the surface with the higher priority, or the larger one. */
  private larger(a: number, b: number, of: (surface: TouchSurface) => number): number {
    const { shapes } = this.touch;
    const priority = priorityOf(this.touch, a, b);
    if (priority !== 0) return of(shapes[priority > 0 ? a : b].surface);
    return Math.max(of(shapes[a].surface), of(shapes[b].surface));
  }

  restitution(a: number, b: number): number {
    const { restitutions, touch } = this;
    return combinedFriction(restitutionRule, restitutions[a], restitutions[b], priorityOf(touch, a, b));
  }

  torsionalFriction(a: number, b: number): number {
    return this.scale * (this.pairOf(a, b)?.torsionalFriction ?? this.larger(a, b, torsionalOf));
  }

  rollingFriction(a: number, b: number): number {
    return this.scale * (this.pairOf(a, b)?.rollingFriction ?? this.larger(a, b, rollingOf));
  }

  /** The number of the rule that they follow (touchRules). */
  rule(a: number, b: number): number {
    const first = this.mayBounce && this.bounces(a, b) ? firstBouncing : 0;
    if (this.friction(a, b) === 0) return first;
    if (!this.resistsTurning) return first + 1;
    return first + 1 + (this.torsionalFriction(a, b) > 0 ? 1 : 0) + (this.rollingFriction(a, b) > 0 ? 2 : 0);
  }

  /** Whether one of the two has restitution. */
  private bounces(a: number, b: number): boolean {
    const { shapes } = this.touch;
    return shapes[a].surface.restitution !== null || shapes[b].surface.restitution !== null;
  }
}

const torsionalOf = ({ torsionalFriction }: TouchSurface): number => torsionalFriction;
const rollingOf = ({ rollingFriction }: TouchSurface): number => rollingFriction;

/** Priority of one shape's surface over another's. */
function priorityOf({ shapes }: MechanismTouch, a: number, b: number): number {
  return shapes[a].surface.priority - shapes[b].surface.priority;
}

/** One number for two shapes, up to 2²⁶ of them. */
function keyOf(a: number, b: number): number {
  return Math.min(a, b) * 2 ** 26 + Math.max(a, b);
}
