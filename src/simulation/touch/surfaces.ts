/**
 * What the surfaces of two shapes have together: what is said of the pair, or else what the one with the higher priority has; of equals
 * friction by the mechanism's rule, and of all else the larger one.
 */
import { combinedFriction, type FrictionRule, largerRule } from "../../equations/index.ts";
import type { System } from "../../kernels/index.ts";
import {
  type MechanismTouch,
  type SurfaceParameter,
  surfaceParameters,
  type TouchPair,
} from "../../mechanism/index.ts";
import { firstBouncing } from "./foundFeatures.ts";

export class PairSurfaces {
  /** What all friction coefficients are multiplied by. */
  scale = 1;

  private readonly touch: MechanismTouch;
  private readonly pairs: ReadonlyMap<number, TouchPair>;
  /** Each parameter of all shapes, 0 where one has none, in the memory of what steps are taken with. */
  private values: Readonly<Record<SurfaceParameter, Float64Array>>;
  /** Whether any surface may bounce, or has friction against turning. */
  readonly mayBounce: boolean;
  private readonly resistsTurning: boolean;

  constructor(touch: MechanismTouch) {
    this.touch = touch;
    this.pairs = new Map(touch.pairs.map((pair) => [keyOf(...pair.shapes), pair]));
    this.values = eachParameter((name) => Float64Array.from(touch.shapes, ({ surface }) => surface[name] ?? 0));
    this.mayBounce = touch.shapes.some(({ surface }) => surface.restitution !== null);
    const turning = [...touch.shapes.map(({ surface }) => surface), ...touch.pairs];
    this.resistsTurning = turning.some(
      ({ torsionalFriction, rollingFriction }) => (torsionalFriction ?? 0) > 0 || (rollingFriction ?? 0) > 0,
    );
  }

  /** They are read from this memory from now on: they are parameters. */
  readFrom({ f64, surfaces }: Pick<System, "f64" | "surfaces">): void {
    const { length } = this.touch.shapes;
    this.values = eachParameter((_, k) => f64.subarray(surfaces + k * length, surfaces + (k + 1) * length));
  }

  friction(a: number, b: number): number {
    const given = this.pairOf(a, b)?.frictionCoefficient;
    return this.scale * (given ?? this.combined(this.touch.combine, this.values.frictionCoefficient, a, b));
  }

  /** What is said of the two in particular. */
  private pairOf(a: number, b: number): TouchPair | undefined {
    return this.pairs.size > 0 ? this.pairs.get(keyOf(a, b)) : undefined;
  }

  private combined(rule: FrictionRule, values: Float64Array, a: number, b: number): number {
    return combinedFriction(rule, values[a], values[b], priorityOf(this.touch, a, b));
  }

  restitution(a: number, b: number): number {
    return this.combined(largerRule, this.values.restitution, a, b);
  }

  torsionalFriction(a: number, b: number): number {
    return this.turningFriction("torsionalFriction", a, b);
  }

  rollingFriction(a: number, b: number): number {
    return this.turningFriction("rollingFriction", a, b);
  }

  private turningFriction(name: "torsionalFriction" | "rollingFriction", a: number, b: number): number {
    return this.scale * (this.pairOf(a, b)?.[name] ?? this.combined(largerRule, this.values[name], a, b));
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

function eachParameter<T>(of: (name: SurfaceParameter, k: number) => T): Record<SurfaceParameter, T> {
  return Object.fromEntries(surfaceParameters.map((name, k) => [name, of(name, k)])) as Record<SurfaceParameter, T>;
}

/** Priority of one shape's surface over another's. */
function priorityOf({ shapes }: MechanismTouch, a: number, b: number): number {
  return shapes[a].surface.priority - shapes[b].surface.priority;
}

/** One number for two shapes, up to 2²⁶ of them. */
function keyOf(a: number, b: number): number {
  return Math.min(a, b) * 2 ** 26 + Math.max(a, b);
}
