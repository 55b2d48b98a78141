/**
 * The features of a step: with which parts shapes can touch while it is taken, in the frames of their bodies. Flat arrays that grow when
 * they are short and never otherwise.
 */
import { featureStride } from "../../geometry/index.ts";

/** Which rule of contact a pair of surfaces follows: no friction, or the exact cone, with or without friction against turning; whether it bounces. */
export interface TouchRule {
  readonly model: "impact" | "cone";
  readonly torsional?: boolean;
  readonly rolling?: boolean;
  readonly bounces?: boolean;
}

const frictionRules: readonly TouchRule[] = [
  { model: "impact" },
  { model: "cone" },
  { model: "cone", torsional: true },
  { model: "cone", rolling: true },
  { model: "cone", torsional: true, rolling: true },
];
/** All of them, in the order of their numbers: those that bounce come after the others. */
export const firstBouncing = frictionRules.length;
export const touchRules: readonly TouchRule[] = [
  ...frictionRules,
  ...frictionRules.map((rule) => ({ ...rule, bounces: true })),
];

export function ruleNumber({ model, torsional = false, rolling = false, bounces = false }: TouchRule): number {
  const friction = model === "impact" ? 0 : 1 + (torsional ? 1 : 0) + (rolling ? 2 : 0);
  return friction + (bounces ? firstBouncing : 0);
}

export class FoundFeatures {
  count = 0;
  /** Number of the feature's kind (featureKinds). */
  kind = new Uint8Array(32);
  /** Shapes, and their bodies (the world is −1): `body` carries the core, and one of the two moves. */
  bodyShape = new Int32Array(32);
  otherShape = new Int32Array(32);
  body = new Int32Array(32);
  other = new Int32Array(32);
  /** Identity within the pair of shapes, stable from step to step; and how often the step had been solved when it was found. */
  key = new Float64Array(32);
  round = new Uint8Array(32);
  /** Gap where it was found. */
  distance = new Float64Array(32);
  /** featureStride numbers each. */
  values = new Float64Array(32 * featureStride);

  clear(): void {
    this.count = 0;
  }

  /** Whether any is of these two shapes. */
  holds(a: number, b: number): boolean {
    const { bodyShape, otherShape } = this;
    for (let i = 0; i < this.count; i++)
      if ((bodyShape[i] === a && otherShape[i] === b) || (bodyShape[i] === b && otherShape[i] === a)) return true;
    return false;
  }

  /** A copy of the features as they are now. */
  copy(): FoundFeatures {
    const { count } = this;
    const copied = new FoundFeatures();
    copied.count = count;
    copied.kind = this.kind.slice(0, count);
    copied.bodyShape = this.bodyShape.slice(0, count);
    copied.otherShape = this.otherShape.slice(0, count);
    copied.body = this.body.slice(0, count);
    copied.other = this.other.slice(0, count);
    copied.key = this.key.slice(0, count);
    copied.round = this.round.slice(0, count);
    copied.distance = this.distance.slice(0, count);
    copied.values = this.values.slice(0, count * featureStride);
    return copied;
  }

  /** Room for one more; returns its number. */
  add(): number {
    if (this.count === this.kind.length) this.grow();
    return this.count++;
  }

  private grow(): void {
    const size = 2 * this.kind.length;
    const longer = <T extends Uint8Array | Int32Array | Float64Array>(list: T, next: T): T => {
      next.set(list);
      return next;
    };
    this.kind = longer(this.kind, new Uint8Array(size));
    this.round = longer(this.round, new Uint8Array(size));
    this.bodyShape = longer(this.bodyShape, new Int32Array(size));
    this.otherShape = longer(this.otherShape, new Int32Array(size));
    this.body = longer(this.body, new Int32Array(size));
    this.other = longer(this.other, new Int32Array(size));
    this.key = longer(this.key, new Float64Array(size));
    this.distance = longer(this.distance, new Float64Array(size));
    this.values = longer(this.values, new Float64Array(size * featureStride));
  }
}
