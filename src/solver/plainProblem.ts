/**
 * The vector work of a cone problem in plain TypeScript, for problems that only know their equations. Mechanisms have generated
 * kernels for the same (kernels/cones/coneKernels.ts), which are tested against this.
 *
 * DEPARTURE(scaled-violation): the paper compares every row with one number in SI; here each row and cone brings its unit.
 * DEPARTURE(gap-rows): a positive slack proves a positive distance only when the row joining them is satisfied to less than the slack.
 */
import {
  coneDegree,
  coneIdentityInto,
  coneLargestStep,
  coneProductInto,
  coneSmallestEigenvalue,
} from "../math/index.ts";
import { type Cone, type ConeProblem, type Direction, type Measures, newMeasures } from "./problem.ts";

/** Rounding of b∘c: each entry is a sum of a few terms no larger than b₁c₁, and b and c are themselves rounded sums. */
export const ROUNDING = 8 * Number.EPSILON;

/** The equations, and a linear solver for them. */
export interface Equations {
  readonly cones: readonly Cone[];
  readonly b: Float64Array;
  readonly c: Float64Array;
  /** Unit of each cone, at the places of its variables. */
  readonly weight: Float64Array;
  /** E at the current point, after `evaluate`. */
  readonly residual: Float64Array;
  /** |residual[i]| ≤ tolerance[i] is what solved means; it contains the row's unit and its rounding. */
  readonly tolerance: Float64Array;
  /** Rows of E that say c[k] = distance. */
  readonly gapRows: Int32Array;
  readonly gapSlacks: Int32Array;
  newDirection(): Direction;
  evaluate(): void;
  factor(): boolean;
  /** Solves for the direction with   dE·Δ = −E   and   b∘Δc + c∘Δb = coneRhs. */
  solve(coneRhs: Float64Array, out: Direction): void;
  save(): void;
  /** Goes to saved point + alpha·direction; false when that is outside the domain of E. */
  advance(alpha: number, direction: Direction): boolean;
}

export class PlainProblem implements ConeProblem {
  readonly cones: readonly Cone[];
  readonly b: Float64Array;
  readonly c: Float64Array;
  readonly weight: Float64Array;
  readonly measures: Measures = newMeasures();
  readonly eigenvalues: Float64Array;
  readonly eigenvaluesBefore: Float64Array;

  readonly degree: number;
  private readonly equations: Equations;
  /** weightᵢ·e⁽ⁱ⁾, and 1/weightᵢ at every entry of cone i. */
  private readonly unit: Float64Array;
  private readonly scale: Float64Array;
  /** b∘c at the current point, and Δb∘Δc of the last uncorrected direction. */
  private readonly product: Float64Array;
  private readonly second: Float64Array;
  private readonly rhs: Float64Array;
  private centre = 0;

  constructor(equations: Equations) {
    const { weight, b } = equations;
    if (weight.length !== b.length) throw new RangeError(`${weight.length} weights for ${b.length} cone variables`);
    this.equations = equations;
    this.cones = equations.cones;
    this.b = equations.b;
    this.c = equations.c;
    this.weight = equations.weight;
    this.degree = equations.cones.reduce((sum, cone) => sum + coneDegree(cone), 0);
    const vector = (): Float64Array => new Float64Array(equations.b.length);
    [this.eigenvalues, this.eigenvaluesBefore] = [vector(), vector()];
    [this.unit, this.scale] = [vector(), vector()];
    [this.product, this.second, this.rhs] = [vector(), vector(), vector()];
  }

  newDirection(): Direction {
    return this.equations.newDirection();
  }

  takeWeights(): void {
    const { cones, weight, unit, scale } = this;
    for (let i = 0; i < cones.length; i++) {
      const { offset, size } = cones[i];
      coneIdentityInto(unit, weight[offset], cones[i]);
      scale.fill(1 / weight[offset], offset, offset + size);
    }
  }

  evaluate(): void {
    const { measures } = this;
    this.equations.evaluate();
    const { residual, tolerance, gapRows, gapSlacks, c } = this.equations;
    measures.residual = measures.residualViolation = measures.gapViolation = 0;
    for (let i = 0; i < residual.length; i++) {
      const size = Math.abs(residual[i]);
      measures.residual = Math.max(measures.residual, size);
      measures.residualViolation = Math.max(measures.residualViolation, size / tolerance[i]);
    }
    for (let j = 0; j < gapRows.length; j++) {
      const violation = (2 * Math.abs(residual[gapRows[j]])) / c[gapSlacks[j]];
      measures.gapViolation = Math.max(measures.gapViolation, violation);
    }
  }

  measure(centre: number): void {
    const { b, c, cones, unit, scale, eigenvalues, product, measures } = this;
    this.centre = centre;
    measures.mu = measures.complementarityViolation = measures.pathDistance = 0;
    measures.smallestEigenvalue = Infinity;
    for (const cone of cones) {
      const { kind, offset, size } = cone;
      coneProductInto(product, b, c, cone);
      for (let k = offset; k < offset + size; k++) {
        const distance = Math.abs(product[k] - centre * unit[k]) * scale[k];
        // the largest term of a second-order product is b₁c₁
        const head = kind === "orthant" ? k : offset;
        const rounding = ROUNDING * b[head] * c[head] * scale[k];
        measures.complementarityViolation = Math.max(measures.complementarityViolation, distance);
        measures.pathDistance = Math.max(measures.pathDistance, distance - rounding);
        measures.mu += (b[k] * c[k] * scale[k]) / this.degree;
      }
      eigenvalues[offset] = coneSmallestEigenvalue(b, c, cone) * scale[offset];
      measures.smallestEigenvalue = Math.min(measures.smallestEigenvalue, eigenvalues[offset]);
    }
  }

  factor(): boolean {
    this.remember();
    return this.equations.factor();
  }

  keepFactors(): void {
    this.remember();
  }

  private remember(): void {
    this.equations.save();
    this.eigenvaluesBefore.set(this.eigenvalues);
  }

  solve(kappa: number, corrected: boolean, out: Direction): void {
    const { cones, b, c, unit, scale, product, second, rhs, measures, degree } = this;
    for (let k = 0; k < rhs.length; k++) rhs[k] = kappa * unit[k] - product[k] - (corrected ? second[k] : 0);
    this.equations.solve(rhs, out);
    measures.boundary = Infinity;
    for (const cone of cones) {
      const largest = Math.min(coneLargestStep(b, out.b, cone), coneLargestStep(c, out.c, cone));
      measures.boundary = Math.min(measures.boundary, largest);
    }
    measures.slope = measures.curvature = 0;
    for (let k = 0; k < rhs.length; k++) {
      measures.slope += ((b[k] * out.c[k] + c[k] * out.b[k]) * scale[k]) / degree;
      measures.curvature += (out.b[k] * out.c[k] * scale[k]) / degree;
    }
    if (corrected) return;
    for (const cone of cones) coneProductInto(second, out.b, out.c, cone);
    measures.secondOrder = 0;
    for (let k = 0; k < second.length; k++)
      measures.secondOrder = Math.max(measures.secondOrder, Math.abs(second[k]) * scale[k]);
  }

  advance(alpha: number, direction: Direction): boolean {
    const exists = this.equations.advance(alpha, direction);
    this.measure(this.centre);
    return exists;
  }
}
