/**
 * Kernels between joint coordinates and body states, generated from equations/coordinateSensitivity.ts.
 *
 * Operands: `globals`, `frame` (a joint's first parameters); of readings `earlier.k`, `now.k`, `byAttitude.k`, `bySpin.k` of parent (0)
 * and child (1), `values`, `rates`, and `pose.k.r`, `step.k.r` for reading r, which are rows of panels; to maximal `values`, `rates`,
 * `near`, `nearBefore`, `far`, `farBefore`, `blocks`; of a body `pose`, `velocity`, `before`, `spinByNow`, `spinByBefore`.
 */
import {
  type CoordinateSpecies,
  type JointType,
  previousPose,
  type ReadingSymbols,
  readingBlocks,
  readingSymbols,
  readings,
  spinBlocks,
  toMaximalBlocks,
  toMaximalSymbols,
  velocitySymbols,
} from "../equations/index.ts";
import { type Expr, Graph, type Scalar } from "../symbolic/index.ts";
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
  return places(
    [[s.h], "globals"],
    [s.frame, "frame"],
    ...ofBoth("earlier", s.earlier),
    ...ofBoth("now", s.now),
    ...ofBoth("byAttitude", s.byAttitude),
    ...ofBoth("bySpin", s.bySpin),
  );
}

/** Values and rates of a joint's coordinates. */
export function readingKernel(type: JointType, parentMoves: boolean, name: string): Kernel {
  const s = readingSymbols();
  const { values, rates } = readings(type, parentMoves, s);
  return kernel(name, placeReadings(s), [...vectorOutput("values", values), ...vectorOutput("rates", rates)]);
}

/**
 * Their derivatives by (δx, δθ) and by the step (v, ω) of both bodies: the rates of all coordinates, then the values of those listed.
 * Every row goes to a vector of its own in panels, so its entries are two apart.
 */
export function readingRowsKernel(
  type: JointType,
  parentMoves: boolean,
  valuesOf: readonly number[],
  name: string,
): Kernel {
  const s = readingSymbols();
  const { values, rates } = readings(type, parentMoves, s);
  const rows = [...rates, ...valuesOf.map((i) => values[i])];
  const outputs = ([0, 1] as const).flatMap((body) => {
    if (body === 0 && !parentMoves) return [];
    const { byPose, byStep } = readingBlocks(rows, s, body);
    const rowOutputs = (operand: string, matrix: readonly (readonly Scalar[])[]): Placed[] =>
      matrix.flatMap((row, r) =>
        row.map((value, i) => ({ operand: `${operand}.${body}.${r}`, index: 2 * i, value, accumulate: false })),
      );
    return [...rowOutputs("pose", byPose), ...rowOutputs("step", byStep)];
  });
  return kernel(name, placeReadings(s), outputs);
}

/** What a tree's joint does to the body that it carries: the blocks A, A₋ (by the near body), B, B₋, B₋ by rates. */
export interface ToMaximalKernel {
  readonly kernel: Kernel;
  readonly near: readonly SparseEntry[];
  readonly nearBefore: readonly SparseEntry[];
  readonly values: readonly SparseEntry[];
  readonly beforeByValues: readonly SparseEntry[];
  readonly beforeByRates: readonly SparseEntry[];
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
  return { ...entries, kernel: kernel(name, map, out.outputs), size: out.size };
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

/** dω/dδθ and dω/dδθ₋. */
export function spinKernel(): Kernel {
  const s = velocitySymbols();
  const { byNow, byBefore } = spinBlocks(s);
  const map = places([[s.h], "globals"], [s.now, "pose", 3], [s.before, "before", 3]);
  return kernel("body.spin", map, [
    ...vectorOutput("spinByNow", byNow.flat()),
    ...vectorOutput("spinByBefore", byBefore.flat()),
  ]);
}
