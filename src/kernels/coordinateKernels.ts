/**
 * Kernels between joint coordinates and body states, generated from equations/coordinateSensitivity.ts.
 *
 * Operands: `globals`, `frame` (a joint's first parameters); to minimal `pose.k`, `velocity.k` of parent (0) and child (1), `values`,
 * `rates`, `byParent`, `byChild` (rows: values, then rates); to maximal `values`, `rates`, `near`, `nearBefore`, `far`, `farBefore` and
 * the blocks by name; of a body `pose`, `velocity`, `before`, `spinByNow`, `spinByBefore`.
 */
import {
  type CoordinateSpecies,
  type JointType,
  previousPose,
  spinBlocks,
  toMaximalBlocks,
  toMaximalSymbols,
  toMinimal,
  toMinimalSymbols,
  velocitySymbols,
} from "../equations/index.ts";
import { type Expr, Graph, type Scalar } from "../symbolic/index.ts";
import { stride } from "./nodeKernels.ts";
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

/** Row-major with even rows. */
function matrixOutput(operand: string, matrix: readonly (readonly Scalar[])[]): Placed[] {
  return matrix.flatMap((row, i) =>
    row.map((value, j) => ({ operand, index: i * stride(row.length) + j, value, accumulate: false })),
  );
}

export function toMinimalKernel(type: JointType, parentMoves: boolean, name: string): Kernel {
  const s = toMinimalSymbols();
  const { values, rates, byParent, byChild } = toMinimal(type, parentMoves, s);
  const map = places(
    [[s.h], "globals"],
    [s.frame, "frame"],
    [s.parent.slice(0, 7), "pose.0"],
    [s.parent.slice(7), "velocity.0"],
    [s.child.slice(0, 7), "pose.1"],
    [s.child.slice(7), "velocity.1"],
  );
  return kernel(name, map, [
    ...vectorOutput("values", values),
    ...vectorOutput("rates", rates),
    ...matrixOutput("byParent", byParent),
    ...matrixOutput("byChild", byChild),
  ]);
}

export function toMaximalKernel(species: CoordinateSpecies, name: string): Kernel {
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
  return kernel(name, map, [
    ...matrixOutput("nearBlock", blocks.near),
    ...matrixOutput("nearBeforeBlock", blocks.nearBefore),
    ...matrixOutput("valuesBlock", blocks.values),
    ...matrixOutput("beforeByValues", blocks.beforeByValues),
    ...matrixOutput("beforeByRates", blocks.beforeByRates),
  ]);
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
