/**
 * A change of the time step from h to h' keeps the interval momentum of a body (simulation/states/timestepChange.ts):
 *   Π(ω', h'; J) = Π(ω, h; J)          Π of equations/pose.ts
 * and so, differentiating both sides,
 *   ω̇' = (∂Π'/∂ω')⁻¹ [ Π_ω ω̇ + Π_h ḣ − Π'_h ḣ' + (Π_J − Π'_J) J̇ ].
 */
import { type NumericFunction, numericFunction } from "../coordinates/index.ts";
import { angularMomentum, symmetric } from "../equations/index.ts";
import { type Matrix3, matrix3, type Vector3, vector } from "../math/index.ts";
import { Graph, jacobian } from "../symbolic/index.ts";

/** Derivatives of ω' with respect to ω (3 × 3), h and h' (3), xx … yz (3 × 6). */
export interface IntervalBlocks {
  readonly bySpin: Matrix3;
  readonly byFrom: Vector3;
  readonly byTo: Vector3;
  readonly byInertia: readonly number[][];
}

/** A spin and the interval over which it is a mean. */
export interface IntervalSpin {
  readonly spin: Vector3;
  readonly interval: number;
}

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
      [...jacobian(momentum, spin).flat(), ...jacobian(momentum, [h]).flat(), ...jacobian(momentum, inertia).flat()],
    );
  }

  /** Makes the change linear about one that was made: both spins have the same interval momentum. */
  blocks(from: IntervalSpin, to: IntervalSpin, inertia: ArrayLike<number>): IntervalBlocks {
    const old = this.evaluate(from.spin, inertia, from.interval);
    const now = this.evaluate(to.spin, inertia, to.interval);
    const inverse = matrix3.inverse(now.bySpin);
    const columns = old.byInertia.map((column, k) => matrix3.transform(inverse, vector.sub(column, now.byInertia[k])));
    return {
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
  ): { bySpin: Matrix3; byTimestep: Vector3; byInertia: Vector3[] } {
    const { input, output } = this.momentum;
    input[0] = h;
    input.set(spin, 1);
    for (let k = 0; k < 6; k++) input[4 + k] = inertia[k];
    this.momentum.run();
    const triple = (at: number, stride = 1): Vector3 => [output[at], output[at + stride], output[at + 2 * stride]];
    return {
      bySpin: [triple(0), triple(3), triple(6)],
      byTimestep: triple(9),
      byInertia: Array.from({ length: 6 }, (_, k) => triple(12 + k, 6)),
    };
  }
}
