/** What the surfaces of two shapes have together: friction by the mechanism's rule; of all else, the larger one. */
import { combinedFriction, type MechanismTouch } from "../../mechanism/index.ts";

export class PairSurfaces {
  /** By what all friction coefficients are multiplied. */
  scale = 1;

  private readonly touch: MechanismTouch;
  /** Whether any surface may bounce. */
  readonly mayBounce: boolean;

  constructor(touch: MechanismTouch) {
    this.touch = touch;
    this.mayBounce = touch.shapes.some(({ surface }) => surface.restitution !== null);
  }

  friction(a: number, b: number): number {
    const { shapes, combine } = this.touch;
    const [own, other] = [shapes[a].surface.frictionCoefficient, shapes[b].surface.frictionCoefficient];
    return this.scale * combinedFriction(combine, own, other);
  }

  restitution(a: number, b: number): number {
    const { shapes } = this.touch;
    return Math.max(shapes[a].surface.restitution ?? 0, shapes[b].surface.restitution ?? 0);
  }

  torsionalFriction(a: number, b: number): number {
    const { shapes } = this.touch;
    return this.scale * Math.max(shapes[a].surface.torsionalFriction, shapes[b].surface.torsionalFriction);
  }

  rollingFriction(a: number, b: number): number {
    const { shapes } = this.touch;
    return this.scale * Math.max(shapes[a].surface.rollingFriction, shapes[b].surface.rollingFriction);
  }

  /** The number of the rule that they follow (touchRules). */
  rule(a: number, b: number): number {
    if (this.friction(a, b) === 0) return 0;
    return 1 + (this.torsionalFriction(a, b) > 0 ? 1 : 0) + (this.rollingFriction(a, b) > 0 ? 2 : 0);
  }

  /** Whether shapes of two bodies may bounce. */
  readonly bounces = (body: number, other: number): boolean =>
    this.mayBounce &&
    this.touch.shapes.some(({ body: of, surface }) => (of === body || of === other) && surface.restitution !== null);
}
