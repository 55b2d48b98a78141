/** What the surfaces of two shapes have together: friction by the mechanism's rule, the larger restitution. */
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

  /** 0 without friction, 1 with it: the places of touchModels. */
  model(a: number, b: number): 0 | 1 {
    return this.friction(a, b) === 0 ? 0 : 1;
  }

  /** Whether shapes of two bodies may bounce. */
  readonly bounces = (body: number, other: number): boolean =>
    this.mayBounce &&
    this.touch.shapes.some(({ body: of, surface }) => (of === body || of === other) && surface.restitution !== null);
}
