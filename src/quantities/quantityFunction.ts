/**
 * A vector of expressions over the quantities of a mechanism as a function of numbers, with its Jacobian:
 *   r(x, z, u, λ, t, p)    x the minimal state, z the state of the bodies, u the input, λ impulses of contacts, t the time, p the parameters
 *   ∂r/∂x, ∂r/∂z in attitude errors (12 numbers per body), ∂r/∂u, ∂r/∂λ, and ∂r/∂p of those parameters that are asked for
 * x and z are two descriptions of one state: what a change of the state does is ∂r/∂x δx + ∂r/∂z δz with δz = S δx.
 * One kernel gives the values, another one values and derivatives. The Jacobian is sparse and its pattern is known beforehand: each entry
 * that is not zero by itself has its row, its column and a place in `entries`.
 */
import { chooseTarget, type Executable, headerWords, kernelProgram, type Target } from "../codegen/index.ts";
import { attitudeJacobian } from "../equations/index.ts";
import { impulseSize } from "../kernels/index.ts";
import { attitudeAt, bodyStateSize, stateOffsets, tangentAt, tangentOffsets } from "../math/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import { type Expr, jacobian, matMul, type Scalar, symbolsOf } from "../symbolic/index.ts";
import type { Quantities, Section } from "./quantities.ts";

/** The nonzero entries of one Jacobian. */
export interface SparseJacobian {
  readonly rows: Int32Array;
  readonly columns: Int32Array;
  /** Rewritten by `linearize`. */
  readonly entries: Float64Array;
}

const sections = ["minimal", "state", "input", "impulse", "time", "parameter"] as const;

/** What a function is evaluated at. What the expressions do not use may be left out. */
export interface QuantityPoint {
  readonly minimal?: Float64Array;
  readonly state?: Float64Array;
  readonly input?: Float64Array;
  /** Three numbers per contact: the normal impulse, and friction along the two tangents. */
  readonly impulse?: Float64Array;
  readonly time?: number;
  readonly parameters?: ArrayLike<number>;
}

export class QuantityFunction {
  /** r, rewritten by each call. */
  readonly values: Float64Array;
  readonly byMinimal: SparseJacobian;
  readonly byState: SparseJacobian;
  readonly byInput: SparseJacobian;
  readonly byImpulse: SparseJacobian;
  readonly byParameter: SparseJacobian;

  private readonly executable: Executable;
  private readonly inputs: Readonly<Record<Section, Float64Array>>;
  private readonly used: Readonly<Record<Section, boolean>>;
  private readonly lists: { readonly values: number; readonly all: number };

  /** `varied` names the parameters of the quantities that `byParameter` has columns of; columns count in the order of all of them. */
  constructor(
    quantities: Quantities,
    rows: readonly Scalar[],
    target: Target = chooseTarget(),
    varied: readonly string[] = [],
  ) {
    const { mechanism, places, parameterNames } = quantities;
    const symbols = [...symbolsOf(rows)];
    const stranger = symbols.find((symbol) => !places.has(symbol));
    if (stranger) throw new ArgumentError("unknown-symbol", stranger.name, "belongs to other quantities than these");
    const of = (section: Section): Expr[] => symbols.filter((symbol) => places.get(symbol)?.section === section);
    this.used = Object.fromEntries(sections.map((section) => [section, of(section).length > 0])) as Record<
      Section,
      boolean
    >;
    const sizes: Record<Section, number> = {
      minimal: 2 * mechanism.coordinateCount,
      state: mechanism.stateSize,
      input: mechanism.inputSize,
      impulse: impulseSize * mechanism.contacts.length,
      time: 1,
      parameter: parameterNames.length,
    };

    // derivatives, and which of them are not zero by themselves
    const index = (symbol: Expr): number => places.get(symbol)?.index as number;
    const direct = (section: Section): Column[] => {
      const list = of(section);
      const matrix = jacobian(rows, list);
      return list.map((symbol, j) => ({ column: index(symbol), entries: matrix.map((row) => row[j]) }));
    };
    const orientationOf = (body: number): readonly Expr[] => quantities.body(mechanism.bodies[body].name).orientation;
    const isVaried = ({ column }: Column): boolean => varied.includes(parameterNames[column]);
    const jacobians = [
      direct("minimal"),
      stateColumns(rows, of("state"), index, orientationOf),
      direct("input"),
      direct("impulse"),
      varied.length === 0 ? [] : direct("parameter").filter(isVaried),
    ].map(nonzero);

    // memory: the sections, the values, the entries, two call lists
    let end = 0;
    const region = (size: number): number => {
      const at = end;
      end += size;
      return at;
    };
    const starts = sections.map((section) => region(sizes[section]));
    const valuesAt = region(rows.length);
    const entriesAt = jacobians.map(({ entries }) => region(entries.length));
    const inputs = new Map(
      [...places].map(
        ([symbol, { section, index: i }]) => [symbol, { operand: sections.indexOf(section), index: i }] as const,
      ),
    );
    const first = sections.length;
    const valueOutputs = rows.map((value, i) => ({ operand: first, index: i, value }));
    const entryOutputs = jacobians.flatMap(({ entries }, j) =>
      entries.map((value, i) => ({ operand: first + 1 + j, index: i, value })),
    );
    const operands = first + 1 + jacobians.length;
    const programs = [
      kernelProgram({ name: "quantities", operands, inputs, outputs: valueOutputs, lanes: 1 }),
      kernelProgram({
        name: "quantityGradients",
        operands,
        inputs,
        outputs: [...valueOutputs, ...entryOutputs],
        lanes: 1,
      }),
    ];
    const addresses = [...starts, valuesAt, ...entriesAt].map((at) => 8 * at);
    const words = headerWords + addresses.length;
    const listAt = 8 * end;
    this.lists = { values: listAt, all: listAt + 4 * words };
    this.executable = target.load(programs, listAt + 8 * words + 8);
    const { memory } = this.executable;
    new Int32Array(memory).set([0, words, 1, ...addresses, 1, words, 1, ...addresses], listAt / 4);

    const view = (at: number, size: number): Float64Array => new Float64Array(memory, 8 * at, size);
    this.inputs = Object.fromEntries(
      sections.map((section, i) => [section, view(starts[i], sizes[section])]),
    ) as Record<Section, Float64Array>;
    this.values = view(valuesAt, rows.length);
    [this.byMinimal, this.byState, this.byInput, this.byImpulse, this.byParameter] = jacobians.map(
      ({ rows: r, columns, entries }, j) => ({
        rows: r,
        columns,
        entries: view(entriesAt[j], entries.length),
      }),
    );
  }

  /** Writes `values`. */
  evaluate(point: QuantityPoint): void {
    this.load(point);
    this.executable.run(this.lists.values, 1);
  }

  /** Writes `values` and the entries of all Jacobians. */
  linearize(point: QuantityPoint): void {
    this.load(point);
    this.executable.run(this.lists.all, 1);
  }

  /** Whether it needs impulses of contacts. */
  get readsImpulses(): boolean {
    return this.used.impulse;
  }

  private load({ minimal, state, input, impulse, time = 0, parameters }: QuantityPoint): void {
    const { inputs, used } = this;
    if (used.minimal) fill(inputs.minimal, minimal, "minimal");
    if (used.state) fill(inputs.state, state, "state");
    if (used.input) fill(inputs.input, input, "input");
    if (used.impulse) fill(inputs.impulse, impulse, "impulse");
    if (used.parameter) fill(inputs.parameter, parameters, "parameters");
    inputs.time[0] = time;
  }
}

function fill(out: Float64Array, values: ArrayLike<number> | undefined, what: string): void {
  if (values?.length !== out.length) {
    const message = values
      ? `has ${values.length} numbers; give ${out.length}`
      : `is missing; give ${out.length} numbers`;
    throw new ArgumentError("wrong-size", what, message);
  }
  for (let i = 0; i < out.length; i++) out[i] = values[i];
}

interface Column {
  readonly column: number;
  readonly entries: readonly Scalar[];
}

/** Columns of the tangents of bodies: position, attitude, velocity, angular velocity. */
function stateColumns(
  rows: readonly Scalar[],
  used: readonly Expr[],
  index: (symbol: Expr) => number,
  orientationOf: (body: number) => readonly Expr[],
): Column[] {
  const bodies = new Map<number, Map<number, Expr>>();
  for (const symbol of used) {
    const body = Math.floor(index(symbol) / bodyStateSize);
    const own = bodies.get(body) ?? new Map<number, Expr>();
    own.set(index(symbol) % bodyStateSize, symbol);
    bodies.set(body, own);
  }
  return [...bodies].flatMap(([body, own]) => {
    const columns: Column[] = [];
    for (const part of ["position", "velocity", "angularVelocity"] as const) {
      for (let k = 0; k < 3; k++) {
        const symbol = own.get(stateOffsets[part] + k);
        if (!symbol) continue;
        const entries = jacobian(rows, [symbol]).map(([entry]) => entry);
        columns.push({ column: tangentAt(body) + tangentOffsets[part] + k, entries });
      }
    }
    if (![0, 1, 2, 3].some((k) => own.has(stateOffsets.orientation + k))) return columns;
    // a row that reads one number of a quaternion moves with all four
    const q = orientationOf(body);
    const byAttitude = matMul(jacobian(rows, q), attitudeJacobian(q));
    for (let k = 0; k < 3; k++) {
      columns.push({ column: attitudeAt(body) + k, entries: byAttitude.map((row) => row[k]) });
    }
    return columns;
  });
}

/** The entries that are not zero by themselves, column by column. */
function nonzero(columns: readonly Column[]): { rows: Int32Array; columns: Int32Array; entries: Scalar[] } {
  const found = columns.flatMap(({ column, entries }) =>
    entries.flatMap((entry, row) => (entry === 0 ? [] : [{ row, column, entry }])),
  );
  return {
    rows: Int32Array.from(found, ({ row }) => row),
    columns: Int32Array.from(found, ({ column }) => column),
    entries: found.map(({ entry }) => entry),
  };
}
