/** Smooth functions of several variables, and what those of bodies take. */
import {
  cross,
  div,
  dot,
  type Expr,
  type Graph,
  jacobian,
  matMul,
  mul,
  quaternionConjugate,
  quaternionMultiply,
  type Scalar,
  transpose,
} from "../symbolic/index.ts";
import { attitudeJacobian, type Pose, type Velocity } from "./pose.ts";

/** Numbers that belong together; an attitude is a quaternion that varies by three. */
export interface Variable {
  readonly name: string;
  readonly kind: "vector" | "attitude";
  readonly values: readonly Scalar[];
}

/** A smooth function of several variables. */
export interface SmoothFunction {
  readonly inputs: readonly Variable[];
  readonly outputs: readonly Variable[];
}

export const vectorOf = (name: string, values: readonly Scalar[]): Variable => ({ name, kind: "vector", values });
export const attitudeOf = (name: string, values: readonly Scalar[]): Variable => ({ name, kind: "attitude", values });

/** Derivatives of a function: row by row of its outputs' variations, over the variations of its inputs. */
export function variations({ inputs, outputs }: SmoothFunction): Scalar[][] {
  const symbols = inputs.flatMap(({ values }) => values as readonly Scalar[] as readonly Expr[]);
  const all = outputs.flatMap(({ values }) => values);
  const matrix = jacobian(all, symbols);
  // attitudes of inputs: dq = q (0, δ/2)
  const columns = matrix.map((row) => {
    let at = 0;
    return inputs.flatMap(({ kind, values }) => {
      const own = row.slice(at, at + values.length);
      at += values.length;
      return kind === "vector" ? own : matMul([own], attitudeJacobian(values))[0];
    });
  });
  // and of outputs: 2 vec(q⁻¹ dq)
  let at = 0;
  return outputs.flatMap(({ kind, values }) => {
    const own = columns.slice(at, at + values.length);
    at += values.length;
    if (kind === "vector") return own;
    const lines = own[0].map((_, j) =>
      quaternionMultiply(
        quaternionConjugate(values),
        own.map((row) => row[j]),
      )
        .slice(1)
        .map((entry) => mul(2, entry)),
    );
    return [0, 1, 2].map((k) => lines.map((line) => line[k]));
  });
}

export function poseInputs(graph: Graph, inputs: Variable[], name: string): Pose {
  const pose = { position: graph.symbols(`${name}.x`, 3), orientation: graph.symbols(`${name}.q`, 4) };
  inputs.push(vectorOf(`${name}.position`, pose.position), attitudeOf(`${name}.orientation`, pose.orientation));
  return pose;
}

export function velocityInputs(graph: Graph, inputs: Variable[], name: string): Velocity {
  const velocity = { linear: graph.symbols(`${name}.v`, 3), angular: graph.symbols(`${name}.w`, 3) };
  inputs.push(vectorOf(`${name}.velocity`, [...velocity.linear, ...velocity.angular]));
  return velocity;
}

export function inertiaInputs(graph: Graph, inputs: Variable[]): Expr[] {
  const inertia = graph.symbols("inertia", 6);
  inputs.push(vectorOf("inertia", inertia));
  return inertia;
}

/** The inverse of a symmetric 3 × 3 matrix, by its adjugate. */
export function inverse(m: readonly (readonly Scalar[])[]): Scalar[][] {
  const rows = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
  const determinant = dot(m[0], rows[0]);
  return transpose(rows).map((row) => row.map((entry) => div(entry, determinant)));
}
