/**
 * Costs of states written by name: Σ weight · quantity, such as { "bodies.torso.position.z": 1 }, or an expression as text or data,
 * such as "(torso.z - 0.4)^2". Their cotangents are generated with the quantities; what reads joint coordinates is a cotangent of the minimal state, all else of the
 * bodies' states in attitude errors, and what reads inputs is one of the input.
 */
import { minimalState } from "../coordinates/index.ts";
import { bodyTangentSize, cached } from "../math/index.ts";
import { ArgumentError, type Mechanism } from "../mechanism/index.ts";
import {
  type ExpressionData,
  type ExpressionSource,
  namesOf,
  Quantities,
  QuantityFunction,
  readScalar,
  type SparseJacobian,
} from "../quantities/index.ts";

/** Weights of named quantities: `quantityNames` lists the names, and columns of CSV files that are of states or inputs are among them. */
export type NamedWeights = Readonly<Record<string, number>>;

/** A cost by name: weights of quantities, or an expression. */
export type NamedCost = NamedWeights | Exclude<ExpressionSource, number>;

/** A point of a rollout. */
export interface CostPoint {
  readonly state: Float64Array;
  /** That of the step that begins at the state; the last state of a rollout has none. */
  readonly input: Float64Array | undefined;
  /** Time step of the velocities, s. */
  readonly interval: number;
  /** Seconds since the start. */
  readonly time: number;
}

/** Cotangents of one point of a rollout; undefined where no quantity reads such numbers. */
export interface CostCotangents {
  /** 12 numbers per body. */
  readonly state: Float64Array | undefined;
  readonly minimal: Float64Array | undefined;
  readonly input: Float64Array | undefined;
}

export class NamedCosts {
  private readonly mechanism: Mechanism;
  /** Functions by the names that they read, since kernels are generated. */
  private readonly made = new Map<string, QuantityFunction>();

  constructor(mechanism: Mechanism) {
    this.mechanism = mechanism;
  }

  /** `path` is for messages. */
  cotangents(cost: NamedCost, path: string, point: CostPoint): CostCotangents {
    const { made, weights } = this.evaluable(cost, path, point);
    const at = this.at(point);
    made.linearize(at);
    const pulled = (jacobian: SparseJacobian, size: number): Float64Array | undefined => {
      const { rows, columns, entries } = jacobian;
      if (rows.length === 0) return undefined;
      const out = new Float64Array(size);
      for (let i = 0; i < rows.length; i++) out[columns[i]] += weights[rows[i]] * entries[i];
      return out;
    };
    return {
      state: pulled(made.byState, bodyTangentSize * this.mechanism.bodies.length),
      minimal: pulled(made.byMinimal, at.minimal.length),
      input: pulled(made.byInput, this.mechanism.inputSize),
    };
  }

  value(cost: NamedCost, path: string, point: CostPoint): number {
    const { made, weights } = this.evaluable(cost, path, point);
    made.evaluate(this.at(point));
    return made.values.reduce((sum, value, i) => sum + weights[i] * value, 0);
  }

  private at({ state, input, interval, time }: CostPoint) {
    return { state, minimal: minimalState(this.mechanism, state, interval), time, ...(input && { input }) };
  }

  /** The function of a cost and the weights of its rows; refused where it reads an input that there is not. */
  private evaluable(
    cost: NamedCost,
    path: string,
    { input }: CostPoint,
  ): { made: QuantityFunction; weights: number[] } {
    const isWritten = isExpression(cost);
    const names = isWritten ? [] : Object.keys(cost);
    const made = cached(this.made, JSON.stringify(isWritten ? cost : names), () => {
      const quantities = new Quantities(this.mechanism);
      if (isWritten) return new QuantityFunction(quantities, [readScalar(cost, namesOf(quantities), path)]);
      if (names.length > 0)
        return new QuantityFunction(
          quantities,
          names.map((name) => quantities.named(name)),
        );
      const message = 'names nothing; write weights by name, such as { "bodies.torso.position.z": 1 }';
      throw new ArgumentError("empty", path, message);
    });
    if (!input && made.byInput.rows.length > 0) {
      const message = "no step begins at the last state of a rollout, so it has no input; name those of earlier ones";
      throw new ArgumentError("no-input", path, message);
    }
    if (isWritten) return { made, weights: [1] };
    const bad = names.find((name) => !Number.isFinite(cost[name]));
    if (bad === undefined) return { made, weights: names.map((name) => cost[name]) };
    throw new ArgumentError("not-finite", `${path}["${bad}"]`, `${cost[bad]}; give a finite weight`);
  }
}

function isExpression(cost: NamedCost): cost is Exclude<ExpressionSource, number> {
  return typeof cost === "string" || Array.isArray((cost as ExpressionData).nodes);
}

/** Whether a cotangent is a cost by name, and not an array. */
export function isNamed(given: Float64Array | NamedCost): given is NamedCost {
  return !ArrayBuffer.isView(given);
}
