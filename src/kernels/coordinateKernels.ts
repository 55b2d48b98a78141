/**
 * Kernels between joint coordinates and body states, generated from equations/coordinateSensitivity.ts.
 *
 * Operands: `globals`, `frame` (a joint's first parameters); of readings `earlier.k`, `now.k` of parent (0) and child (1), `values`,
 * `rates`, `byValue`, `valueByRate`; to maximal `values`, `rates`, `near`, `nearBefore`, `far`, `farBefore`, `blocks`; of a body `pose`,
 * `velocity`, `before`.
 */
import {
  type CoordinateSpecies,
  coordinates,
  framesFrom,
  type JointType,
  previousPose,
  type ReadingSymbols,
  readingSymbols,
  readings,
  toMaximalBlocks,
  toMaximalSymbols,
  turningRates,
} from "../equations/index.ts";
import { type Expr, Graph, type Scalar, substitute } from "../symbolic/index.ts";
import { type SparseEntry, SparseOutput } from "./sparseOutput.ts";
import { type Kernel, kernel, type Place } from "./staging.ts";

type Placed = Place & { readonly value: Scalar; readonly accumulate: boolean };

function places(...groups: readonly (readonly [readonly Expr[], string, number?])[]): Map<Expr, Place> {
  const map = new Map<Expr, Place>();
  for (const [symbols, operand, start = 0] of groups) {
    symbols.forEach((symbol, i) => {
      map.set(symbol, { operand, index: start + i });
    });
  }
  return map;
}

function vectorOutput(operand: string, values: readonly Scalar[]): Placed[] {
  return values.map((value, index) => ({ operand, index, value, accumulate: false }));
}

function placeReadings(s: ReadingSymbols): Map<Expr, Place> {
  const ofBoth = (name: string, symbols: readonly (readonly Expr[])[]) =>
    symbols.map((list, k) => [list, `${name}.${k}`] as const);
  return places([[s.h], "globals"], [s.frame, "frame"], ...ofBoth("earlier", s.earlier), ...ofBoth("now", s.now));
}

/** Values and rates of a joint's coordinates. */
export function readingKernel(type: JointType, parentMoves: boolean, name: string): Kernel {
  const s = readingSymbols();
  const { values, rates } = readings(type, parentMoves, s);
  return kernel(name, placeReadings(s), [...vectorOutput("values", values), ...vectorOutput("rates", rates)]);
}

/** Of coordinates that do not simply follow from their rates: d rate/d value and d next value/d rate (equations/heldNext.ts). */
export function turningKernel(type: JointType, parentMoves: boolean, name: string): Kernel {
  const s = readingSymbols();
  const next = s.graph.symbols("nextValue", coordinates(type).length);
  const values = s.graph.symbols("value", next.length);
  const { byValue, valueByRate } = turningRates(type, framesFrom(s.frame), values, next, s.h);
  const read = new Map(readings(type, parentMoves, s).values.map((value, i): [Expr, Scalar] => [next[i], value]));
  const written = (operand: string, matrix: Scalar[][]): Placed[] =>
    vectorOutput(operand, substitute(matrix.flat(), read));
  const map = placeReadings(s);
  values.forEach((symbol, index) => {
    map.set(symbol, { operand: "values", index });
  });
  return kernel(name, map, [...written("byValue", byValue), ...written("valueByRate", valueByRate)]);
}

/** What a tree's joint does to the body that it carries: the blocks A, A₋ (by the near body), B, B₋, B₋ by rates. */
export interface ToMaximalKernel {
  readonly kernel: Kernel;
  readonly near: readonly SparseEntry[];
  readonly nearBefore: readonly SparseEntry[];
  readonly values: readonly SparseEntry[];
  readonly beforeByValues: readonly SparseEntry[];
  readonly beforeByRates: readonly SparseEntry[];
  readonly coordinates: number;
  /** Numbers in memory. */
  readonly size: number;
}

export function toMaximalKernel(species: CoordinateSpecies, name: string): ToMaximalKernel {
  const s = toMaximalSymbols(species);
  const blocks = toMaximalBlocks(species, s);
  const map = places(
    [[s.h], "globals"],
    [s.frame, "frame"],
    [s.values, "values"],
    [s.rates, "rates"],
    [s.near, "near"],
    [s.nearBefore, "nearBefore"],
    [s.far, "far"],
    [s.farBefore, "farBefore"],
  );
  const out = new SparseOutput("blocks");
  const entries = {
    near: out.add(blocks.near),
    nearBefore: out.add(blocks.nearBefore),
    values: out.add(blocks.values),
    beforeByValues: out.add(blocks.beforeByValues),
    beforeByRates: out.add(blocks.beforeByRates),
  };
  return { ...entries, coordinates: s.values.length, kernel: kernel(name, map, out.outputs), size: out.size };
}

/** Where a body was one step ago. */
export function beforeKernel(): Kernel {
  const graph = new Graph();
  const h = graph.symbol("timestep");
  const pose = graph.symbols("pose", 7);
  const velocity = graph.symbols("velocity", 6);
  const before = previousPose(
    { position: pose.slice(0, 3), orientation: pose.slice(3) },
    { linear: velocity.slice(0, 3), angular: velocity.slice(3) },
    h,
  );
  return kernel(
    "body.before",
    places([[h], "globals"], [pose, "pose"], [velocity, "velocity"]),
    vectorOutput("before", [...before.position, ...before.orientation]),
  );
}
