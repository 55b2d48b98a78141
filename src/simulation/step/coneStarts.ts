/**
 * Where every cone of a step starts: on the central path at a product that the step calls for (stepProblem.ts). c comes by the kind of cone,
 * b = product / c.
 */
import { type ConeStart, coneRoles, frictionPlace } from "../../equations/index.ts";
import type { NodePlace, System } from "../../kernels/index.ts";
import type { ConePoint } from "../runs/continuation.ts";

/** Smallest friction coefficient that ξ starts with, and slack with which joint limits start (radians, radii of gyration). */
const smallestCoefficient = 1e-3;
const limitSlack = 0.1;
const kinds = {
  ...{ normal: 0, limit: 1, box: 2 },
  ...{ friction: 3, linearFriction: 4, linearMargin: 5 },
} as const satisfies Readonly<Record<ConeStart, number>>;

export class ConeStarts {
  private readonly system: System;
  private readonly b: Float64Array;
  private readonly c: Float64Array;
  private readonly residual: Float64Array;
  // of each cone: its kind, its place, the row that knows its distance, the contact's normal impulse and coefficient
  private readonly kind: Int32Array;
  private readonly offset: Int32Array;
  private readonly row: Int32Array;
  private readonly normal: Int32Array;
  private readonly coefficient: Int32Array;
  private readonly length: Float64Array;
  /** Friction coefficients while others are in their place. */
  private readonly coefficients: Float64Array;

  /** Makes room for so many cones. b, c and the residual are those in memory. */
  constructor(system: System, { b, c }: ConePoint, residual: Float64Array, count: number) {
    this.system = system;
    this.b = b;
    this.c = c;
    this.residual = residual;
    this.kind = new Int32Array(count);
    this.offset = new Int32Array(count);
    this.row = new Int32Array(count);
    this.normal = new Int32Array(count);
    this.coefficient = new Int32Array(count);
    this.length = new Float64Array(count);
    this.coefficients = new Float64Array(count);
  }

  /** How the cones of a node start, the first of which has this number; returns the number of the next. */
  plan(node: NodePlace, first: number): number {
    const { unknowns, mechanism } = this.system;
    let cone = first;
    let at = node.cone;
    let row = unknowns + node.equality;
    let coordinate = 0;
    for (const role of node.roles) {
      this.kind[cone] = kinds[role.start];
      this.offset[cone] = at;
      this.row[cone] = row + role.startRow;
      this.normal[cone] = node.cone;
      if (node.kind === "contact") this.coefficient[cone] = this.coefficientOf(node);
      // slack of a sliding limit in units of its child: the cones of a node are in the order of its coordinates
      this.length[cone] = 1;
      if (role === coneRoles.limit && node.kind === "joint") {
        const limited = mechanism.joints[node.index].coordinates;
        const sides = limited.flatMap((c) => [c.lower, c.upper].filter((side) => side !== null).map(() => c));
        if (sides[coordinate++].motion === "translation") this.length[cone] = mechanism.bodies[node.bodies[1]].gyration;
      }
      at += role.size;
      row += role.rows.length;
      cone++;
    }
    return cone;
  }

  /** Puts a cone on the path, with distances no smaller than `length`; `growth` is that of lengths beyond the natural scale. */
  place(i: number, product: number, length: number, growth: number): void {
    const { residual, row } = this;
    const at = this.offset[i];
    let slack: number;
    switch (this.kind[i]) {
      case kinds.normal: // E = s − φ at s = 0
        slack = Math.max(-residual[row[i]], length);
        break;
      case kinds.limit:
        slack = Math.max(-residual[row[i]], limitSlack * growth * this.length[i]);
        break;
      case kinds.box: // F h + f and F h − f start at F h: E = −2 F h where both are zero
        slack = (-2 * product) / residual[row[i]];
        break;
      case kinds.friction:
        slack = product / this.frictionBound(i);
        break;
      case kinds.linearFriction:
        slack = (8 * product) / this.frictionBound(i);
        break;
      default:
        slack = this.frictionBound(i) / 2;
    }
    this.c[at] = slack;
    this.b[at] = product / slack;
  }

  /**
   * Friction is not monotone because its bound c_f γ follows the normal impulse. Relaxed, it follows by a part of c_f in the matrix; the
   * equations keep theirs. To be called with 1 after each other part, before anything is evaluated.
   */
  relax(count: number, part: number): void {
    const { kind, coefficient, coefficients } = this;
    const { f64 } = this.system;
    for (let i = 0; i < count; i++) {
      if (kind[i] !== kinds.friction && kind[i] !== kinds.linearMargin) continue;
      const at = coefficient[i];
      if (part === 1) f64[at] = coefficients[i];
      else {
        coefficients[i] = f64[at];
        f64[at] *= part;
      }
    }
  }

  /** c_f γ of a contact whose normal impulse has its start. */
  private frictionBound(i: number): number {
    return Math.max(this.system.f64[this.coefficient[i]], smallestCoefficient) * this.b[this.normal[i]];
  }

  /** Where a contact's friction coefficient lies. */
  private coefficientOf({ index, parameters }: NodePlace): number {
    const { mechanism, touch } = this.system;
    const { contacts } = mechanism;
    if (index >= contacts.length && touch) return touch.coefficients[index - contacts.length];
    return parameters + frictionPlace(contacts[index].feature);
  }
}
