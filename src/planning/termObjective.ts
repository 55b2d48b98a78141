/**
 * Terms (terms.ts) as the functions that the planner is handed. Terms that count at the same knots share one kernel. States are those of
 * simulationDynamics.ts, the minimal state followed by the state of the bodies, so both kinds of derivatives meet here:
 *   J = ∂r/∂x + ∂r/∂z S,      S = dz/dx, by rows:  Sᵀ (∂r/∂z)ᵀ
 */
import type { CoordinateMaps } from "../coordinates/index.ts";
import { bodyTangentSize } from "../math/index.ts";
import { ArgumentError, type Mechanism } from "../mechanism/index.ts";
import { type Quantities, QuantityFunction } from "../quantities/index.ts";
import { type Scalar, symbolsOf } from "../symbolic/index.ts";
import { addSymmetricProductInto, addTransposedProductInto } from "./dense.ts";
import type { ConstraintKind, Constraints, Expansion, Objective } from "./problem.ts";
import { type ConstraintTerm, type CostTerm, knotsOf } from "./terms.ts";

/** What terms need to know of the problem that they belong to. */
export interface TermContext {
  readonly quantities: Quantities;
  readonly steps: number;
  readonly timestep: number;
  /** Values of the quantities' parameters at each knot. Default none. */
  readonly parameters?: (knot: number) => ArrayLike<number>;
  /** dz/dx at a state. */
  readonly maps: CoordinateMaps;
}

/** Rows that count at the same knots, with their Jacobian in minimal coordinates. */
class RowGroup {
  readonly size: number;
  readonly Jx: Float64Array;
  readonly Ju: Float64Array;
  private readonly made: QuantityFunction;
  private readonly context: TermContext;
  private readonly mechanism: Mechanism;
  private readonly n: number;
  private readonly m: number;
  /** Stands in the place of the input that the last knot does not have; nothing there reads it. */
  private readonly noInput: Float64Array;
  private readonly bodyRow: Float64Array;
  private readonly pulled: Float64Array;

  constructor(rows: readonly Scalar[], context: TermContext) {
    const { mechanism } = context.quantities;
    this.context = context;
    this.mechanism = mechanism;
    this.size = rows.length;
    this.made = new QuantityFunction(context.quantities, rows);
    this.n = 2 * mechanism.coordinateCount;
    this.m = mechanism.inputSize;
    this.Jx = new Float64Array(rows.length * this.n);
    this.Ju = new Float64Array(rows.length * this.m);
    this.noInput = new Float64Array(this.m);
    this.bodyRow = new Float64Array(bodyTangentSize * mechanism.bodies.length);
    this.pulled = new Float64Array(this.n);
  }

  values(k: number, x: Float64Array, u: Float64Array): Float64Array {
    this.made.evaluate(this.point(k, x, u));
    return this.made.values;
  }

  /** Values; Jx and Ju are rewritten. */
  linearized(k: number, x: Float64Array, u: Float64Array): Float64Array {
    const { made, n, m, Jx, Ju } = this;
    made.linearize(this.point(k, x, u));
    Jx.fill(0);
    Ju.fill(0);
    const { byMinimal, byState, byInput } = made;
    for (let i = 0; i < byMinimal.entries.length; i++)
      Jx[byMinimal.rows[i] * n + byMinimal.columns[i]] += byMinimal.entries[i];
    for (let i = 0; i < byInput.entries.length; i++) Ju[byInput.rows[i] * m + byInput.columns[i]] += byInput.entries[i];
    if (byState.entries.length > 0) this.addBodies(x);
    return made.values;
  }

  private addBodies(x: Float64Array): void {
    const { n, bodyRow, pulled, Jx, mechanism } = this;
    const { rows, columns, entries } = this.made.byState;
    const { maps, timestep } = this.context;
    maps.update(x.subarray(n, n + mechanism.stateSize), timestep);
    for (let row = 0; row < this.size; row++) {
      let any = false;
      bodyRow.fill(0);
      for (let i = 0; i < entries.length; i++) {
        if (rows[i] !== row) continue;
        bodyRow[columns[i]] += entries[i];
        any = true;
      }
      if (!any) continue;
      pulled.fill(0);
      maps.pullMaximalInto(pulled, bodyRow);
      for (let j = 0; j < n; j++) Jx[row * n + j] += pulled[j];
    }
  }

  /** The first of the rows that is no number there, or that has a derivative which is none. */
  fault(
    k: number,
    x: Float64Array,
    u: Float64Array,
  ): { readonly row: number; readonly what: "value" | "derivative" } | undefined {
    const values = this.linearized(k, x, u);
    for (let row = 0; row < this.size; row++) {
      if (!Number.isFinite(values[row])) return { row, what: "value" };
      const entries = [
        this.Jx.subarray(row * this.n, (row + 1) * this.n),
        this.Ju.subarray(row * this.m, (row + 1) * this.m),
      ];
      if (!entries.every((part) => part.every(Number.isFinite))) return { row, what: "derivative" };
    }
    return undefined;
  }

  private point(k: number, x: Float64Array, u: Float64Array) {
    const { timestep, parameters } = this.context;
    return {
      minimal: x.subarray(0, this.n),
      state: x.subarray(this.n),
      input: u.length > 0 ? u : this.noInput,
      time: k * timestep,
      parameters: parameters?.(k) ?? none,
    };
  }
}

const none: readonly number[] = [];
/** Terms by the knots at which they count. */
function grouped<T>(terms: readonly T[], knots: (term: T) => readonly boolean[]): { knots: boolean[]; terms: T[] }[] {
  const groups = new Map<string, { knots: boolean[]; terms: T[] }>();
  for (const term of terms) {
    const at = [...knots(term)];
    const key = at.map(Number).join("");
    const group = groups.get(key) ?? { knots: at, terms: [] };
    group.terms.push(term);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function readsInputs(quantities: Quantities, rows: readonly Scalar[]): boolean {
  return symbolsOf(rows).some((symbol) => quantities.places.get(symbol)?.section === "input");
}

/** Terms that read inputs cannot count at the last knot, which has none. */
function countingKnots(
  context: TermContext,
  at: CostTerm["at"],
  rows: readonly Scalar[],
  path: string,
): readonly boolean[] {
  const { steps, quantities } = context;
  const knots = knotsOf(at ?? "always", steps, path);
  if (!knots[steps] || !readsInputs(quantities, rows)) return knots;
  if (at !== undefined && at !== "always") {
    throw new ArgumentError(
      "out-of-range",
      `${path}.at`,
      "reads an input, and the last knot has none; leave it out there",
    );
  }
  return knots.map((counts, k) => counts && k < steps);
}

export function termObjective(terms: readonly CostTerm[], context: TermContext): Objective {
  const { mechanism } = context.quantities;
  const [n, m] = [2 * mechanism.coordinateCount, mechanism.inputSize];
  const groups = grouped(
    terms.map((term, i) => ({ ...term, path: `cost[${i}]` })),
    ({ at, residuals, path }) => countingKnots(context, at, residuals, path),
  ).map(({ knots, terms: own }) => ({
    knots,
    rows: new RowGroup(
      own.flatMap(({ residuals }) => residuals),
      context,
    ),
    weights: Float64Array.from(own.flatMap(weightsOf)),
    paths: own.flatMap(({ residuals, path }) => residuals.map((_, i) => `${path}.residuals[${i}]`)),
  }));
  const largest = Math.max(1, ...groups.map(({ rows }) => rows.size));
  const [WJx, WJu] = [new Float64Array(largest * n), new Float64Array(largest * m)];
  const [Hxx, Huu] = [new Float64Array(n * n), new Float64Array(m * m)];
  return {
    faultAt: (k, x, u) => faultIn(groups, k, x, u),
    value(k, x, u) {
      let sum = 0;
      for (const { knots, rows, weights } of groups) {
        if (!knots[k]) continue;
        const r = rows.values(k, x, u);
        for (let i = 0; i < r.length; i++) sum += weights[i] * r[i] * r[i];
      }
      return sum;
    },
    expandInto(out: Expansion, k, x, u) {
      for (const { knots, rows, weights } of groups) {
        if (!knots[k]) continue;
        const r = rows.linearized(k, x, u);
        const { Jx, Ju, size } = rows;
        for (let i = 0; i < size; i++) {
          const push = 2 * weights[i] * r[i];
          for (let j = 0; j < n; j++) {
            out.lx[j] += push * Jx[i * n + j];
            WJx[i * n + j] = 2 * weights[i] * Jx[i * n + j];
          }
          for (let j = 0; j < u.length; j++) {
            out.lu[j] += push * Ju[i * m + j];
            WJu[i * m + j] = 2 * weights[i] * Ju[i * m + j];
          }
        }
        addSymmetricProductInto(out.lxx, Hxx, Jx, WJx, size, n);
        if (u.length === 0) continue;
        addTransposedProductInto(out.lux, Ju, WJx, size, m, n);
        addSymmetricProductInto(out.luu, Huu, Ju, WJu, size, m);
      }
    },
  };
}

export function termConstraints(terms: readonly ConstraintTerm[], context: TermContext): Constraints {
  const { mechanism } = context.quantities;
  const [n, m] = [2 * mechanism.coordinateCount, mechanism.inputSize];
  const groups = grouped(
    terms.map((term, i) => ({ ...term, path: `constraints[${i}]` })),
    ({ at, rows, path }) => countingKnots(context, at, rows, path),
  ).map(({ knots, terms: own }) => ({
    knots,
    kinds: own.flatMap(({ kind, rows }): ConstraintKind[] => rows.map(() => kind)),
    paths: own.flatMap(({ rows, path }) => rows.map((_, i) => `${path}.rows[${i}]`)),
    rows: new RowGroup(
      own.flatMap(({ rows }) => rows),
      context,
    ),
  }));
  return {
    faultAt: (k, x, u) => faultIn(groups, k, x, u),
    kinds: (k) => groups.flatMap(({ knots, kinds }) => (knots[k] ? kinds : [])),
    valuesInto(out, k, x, u) {
      let at = 0;
      for (const { knots, rows } of groups) {
        if (!knots[k]) continue;
        out.set(rows.values(k, x, u), at);
        at += rows.size;
      }
    },
    jacobiansInto(cx, cu, k, x, u) {
      let at = 0;
      for (const { knots, rows } of groups) {
        if (!knots[k]) continue;
        rows.linearized(k, x, u);
        cx.set(rows.Jx, at * n);
        if (u.length > 0) cu.set(rows.Ju, at * m);
        at += rows.size;
      }
    },
  };
}

function faultIn(
  groups: readonly { readonly knots: readonly boolean[]; readonly rows: RowGroup; readonly paths: readonly string[] }[],
  k: number,
  x: Float64Array,
  u: Float64Array,
): string | undefined {
  for (const { knots, rows, paths } of groups) {
    const fault = knots[k] ? rows.fault(k, x, u) : undefined;
    if (!fault) continue;
    return fault.what === "value" ? paths[fault.row] : `the derivative of ${paths[fault.row]}`;
  }
  return undefined;
}

function weightsOf({ residuals, weights = 1, path }: CostTerm & { readonly path: string }): readonly number[] {
  const list = typeof weights === "number" ? residuals.map(() => weights) : weights;
  if (list.length !== residuals.length) {
    const message = `has ${list.length} weights for ${residuals.length} residuals; give one for each, or one for all`;
    throw new ArgumentError("wrong-length", `${path}.weights`, message);
  }
  const bad = list.findIndex((weight) => !(weight >= 0 && weight < Number.POSITIVE_INFINITY));
  if (bad >= 0) throw new ArgumentError("out-of-range", `${path}.weights[${bad}]`, `${list[bad]}: give 0 or more`);
  return list;
}
