/**
 * Costs written by name: Σ weight · quantity, with the quantities of quantities.ts, such as { "bodies.torso.position.z": 1 }. Their
 * cotangents are generated with the quantities; what reads joint coordinates is a cotangent of the minimal state, all else of the
 * bodies' states in attitude errors, and what reads inputs is one of the input.
 */
import { minimalState } from "../coordinates/index.ts";
import { bodyTangentSize } from "../math/index.ts";
import { ArgumentError, type Mechanism } from "../mechanism/index.ts";
import { Quantities, QuantityFunction, type SparseJacobian } from "../quantities/index.ts";

/** Weights of named quantities: `quantityNames` lists the names, and columns of CSV files that are of states or inputs are among them. */
export type NamedWeights = Readonly<Record<string, number>>;

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

  /** `input` is that of the step that begins at the state; the last state of a rollout has none. `path` is for messages. */
  cotangents(
    weights: NamedWeights,
    path: string,
    point: { readonly state: Float64Array; readonly input: Float64Array | undefined; readonly interval: number },
  ): CostCotangents {
    const names = Object.keys(weights);
    names.forEach((name) => {
      if (Number.isFinite(weights[name])) return;
      throw new ArgumentError("not-finite", `${path}["${name}"]`, `${weights[name]}; give a finite weight`);
    });
    const made = this.functionOf(names, path);
    if (!point.input && made.byInput.rows.length > 0) {
      const message = "no step begins at the last state of a rollout, so it has no input; name those of earlier ones";
      throw new ArgumentError("no-input", path, message);
    }
    const { state } = point;
    const minimal = minimalState(this.mechanism, state, point.interval);
    made.linearize({ state, minimal, ...(point.input && { input: point.input }) });
    const pulled = (jacobian: SparseJacobian, size: number): Float64Array | undefined => {
      const { rows, columns, entries } = jacobian;
      if (rows.length === 0) return undefined;
      const out = new Float64Array(size);
      for (let i = 0; i < rows.length; i++) out[columns[i]] += weights[names[rows[i]]] * entries[i];
      return out;
    };
    return {
      state: pulled(made.byState, bodyTangentSize * this.mechanism.bodies.length),
      minimal: pulled(made.byMinimal, minimal.length),
      input: pulled(made.byInput, this.mechanism.inputSize),
    };
  }

  private functionOf(names: readonly string[], path: string): QuantityFunction {
    const key = JSON.stringify(names);
    const known = this.made.get(key);
    if (known) return known;
    if (names.length === 0) {
      throw new ArgumentError(
        "empty",
        path,
        'names nothing; write weights by name, such as { "bodies.torso.position.z": 1 }',
      );
    }
    const quantities = new Quantities(this.mechanism);
    const made = new QuantityFunction(
      quantities,
      names.map((name) => quantities.named(name)),
    );
    this.made.set(key, made);
    return made;
  }
}

/** A cotangent given by names, and not as an array. */
export function isNamed(given: Float64Array | NamedWeights): given is NamedWeights {
  return !ArrayBuffer.isView(given);
}
