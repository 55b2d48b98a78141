/**
 * What joints hold, and their values, as functions of numbers, one of a kind of joint, made when first asked for: a cache of pure functions. Each names the views of its output; all matrices are row-major.
 */
import {
  attitudeJacobian,
  constraintRows,
  coordinates,
  frameParameters,
  framesFrom,
  type JointFrames,
  type JointType,
  poseOf,
  type RelativePose,
  relativePose,
  worldPose,
} from "../equations/index.ts";
import { cached, poseSize } from "../math/index.ts";
import { type Expr, Graph, jacobian, matMul, type Scalar } from "../symbolic/index.ts";
import { keyOf } from "./callLists.ts";
import { type NumericFunction, numericFunction } from "./numericFunction.ts";

const cache = new Map<string, unknown>();
const once = <T>(key: string, make: () => T): T => cached(cache, key, make) as T;

/** A numeric function whose output falls into named parts. */
type Parts<K extends string> = NumericFunction & { readonly parts: Readonly<Record<K, Float64Array>> };

function functionOf<K extends string>(
  name: string,
  inputs: readonly Expr[],
  parts: Readonly<Record<K, readonly Scalar[]>>,
): Parts<K> {
  const lists = Object.values(parts) as (readonly Scalar[])[];
  const made = numericFunction(name, inputs, lists.flat());
  const views = {} as Record<K, Float64Array>;
  let at = 0;
  for (const key of Object.keys(parts) as K[]) {
    views[key] = made.output.subarray(at, at + parts[key].length);
    at += parts[key].length;
  }
  return { ...made, parts: views };
}

/** Input: frame, parent 7, child 7. Rows by (δx, δθ) of the joint's bodies and by its frame. */
export type PoseFunction = Parts<"rows" | "byParent" | "byChild" | "byFrame">;

/** What the joint holds at zero. */
export function constraintFunction(type: JointType, parentMoves: boolean): PoseFunction {
  return poseFunction("constraints", type, parentMoves, (frames, relative) => constraintRows(type, frames, relative));
}

/** The values of its coordinates. */
export function valueFunction(type: JointType, parentMoves: boolean): PoseFunction {
  return poseFunction("values", type, parentMoves, (_, relative) =>
    coordinates(type).map((coordinate) => coordinate.value(relative)),
  );
}

function poseFunction(
  what: string,
  type: JointType,
  parentMoves: boolean,
  rowsOf: (frames: JointFrames, relative: RelativePose) => Scalar[],
): PoseFunction {
  const name = `${what}.${keyOf(type)}${parentMoves ? "" : "w"}`;
  return once(name, () => {
    const graph = new Graph();
    const frame = frameParameters.map((entry) => graph.symbol(entry));
    const parent = graph.symbols("parent", poseSize);
    const child = graph.symbols("child", poseSize);
    const frames = framesFrom(frame);
    const rows = rowsOf(frames, relativePose(frames, parentMoves ? poseOf(parent) : worldPose, poseOf(child)));
    return functionOf(name, [...frame, ...parent, ...child], {
      rows,
      byParent: parentMoves ? byPose(rows, parent).flat() : [],
      byChild: byPose(rows, child).flat(),
      byFrame: jacobian(rows, frame).flat(),
    });
  });
}

/** d(rows)/d(δx, δθ) of a pose made of symbols. */
function byPose(rows: readonly Scalar[], pose: readonly Expr[]): Scalar[][] {
  const attitude = matMul(jacobian(rows, pose.slice(3)), attitudeJacobian(pose.slice(3)));
  return jacobian(rows, pose.slice(0, 3)).map((row, i) => [...row, ...attitude[i]]);
}
