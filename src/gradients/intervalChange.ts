/**
 * A change of the time step from h to h' keeps the interval momentum of a body (simulation/timestepChange.ts):
 *   Π(ω', h'; J) = Π(ω, h; J)          Π of equations/pose.ts
 * and so, differentiating both sides,
 *   ω̇' = (∂Π'/∂ω')⁻¹ [ Π_ω ω̇ + Π_h ḣ − Π'_h ḣ' + (Π_J − Π'_J) J̇ ].
 */
import { type NumericFunction, numericFunction } from "../coordinates/index.ts";
import { angularMomentum, symmetric } from "../equations/index.ts";
import { type Matrix3, matrix3, type Vector3, vector } from "../math/index.ts";
import { Graph, jacobian } from "../symbolic/index.ts";

/** ω' by ω (3 × 3), by h and by h' (3), by xx … yz (3 × 6). */
export interface IntervalBlocks {
  readonly spin: Vector3;
  readonly bySpin: Matrix3;
  readonly byFrom: Vector3;
  readonly byTo: Vector3;
  readonly byInertia: readonly number[][];
}

/** Newton's method on a function that is all but linear. */
const mostRounds = 20;

export class IntervalChange {
  private readonly momentum: NumericFunction;

  constructor() {
    const graph = new Graph();
    const h = graph.symbol("timestep");
    const spin = graph.symbols("spin", 3);
    const inertia = graph.symbols("inertia", 6);
    const momentum = angularMomentum(symmetric(inertia), spin, h, -1);
    this.momentum = numericFunction(
      "intervalMomentum",
      [h, ...spin, ...inertia],
      [
        ...momentum,
        ...jacobian(momentum, spin).flat(),
        ...jacobian(momentum, [h]).flat(),
        ...jacobian(momentum, inertia).flat(),
      ],
    );
  }

  /** About a spin of an interval `from`. */
  blocks(spin: Vector3, inertia: ArrayLike<number>, from: number, to: number): IntervalBlocks {
    const old = this.evaluate(spin, inertia, from);
    let guess = spin;
    let now = this.evaluate(guess, inertia, to);
    for (let round = 0; round < mostRounds; round++) {
      const gap = vector.sub(old.momentum, now.momentum);
      const change = matrix3.transform(matrix3.inverse(now.bySpin), gap);
      guess = vector.add(guess, change);
      now = this.evaluate(guess, inertia, to);
      if (vector.norm(change) <= 4e-16 * vector.norm(guess)) break;
    }
    const inverse = matrix3.inverse(now.bySpin);
    const columns = old.byInertia.map((column, k) => matrix3.transform(inverse, vector.sub(column, now.byInertia[k])));
    return {
      spin: guess,
      bySpin: matrix3.multiply(inverse, old.bySpin),
      byFrom: matrix3.transform(inverse, old.byTimestep),
      byTo: vector.scale(matrix3.transform(inverse, now.byTimestep), -1),
      byInertia: [0, 1, 2].map((row) => columns.map((column) => column[row])),
    };
  }

  private evaluate(
    spin: Vector3,
    inertia: ArrayLike<number>,
    h: number,
  ): { momentum: Vector3; bySpin: Matrix3; byTimestep: Vector3; byInertia: Vector3[] } {
    const { input, output } = this.momentum;
    input[0] = h;
    input.set(spin, 1);
    for (let k = 0; k < 6; k++) input[4 + k] = inertia[k];
    this.momentum.run();
    const triple = (at: number, stride = 1): Vector3 => [output[at], output[at + stride], output[at + 2 * stride]];
    return {
      momentum: triple(0),
      bySpin: [triple(3), triple(6), triple(9)],
      byTimestep: triple(12),
      byInertia: Array.from({ length: 6 }, (_, k) => triple(15 + k, 6)),
    };
  }
}
