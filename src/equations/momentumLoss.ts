/**
 * Angular momentum that a step with a bounce would lose where its last stage pushes poses apart (docs/decisions/0016-bounce.md). A push d moves a
 * body by d/m and leaves its momentum, so bodies that push each other lose Σ d × v₊ about any point. They get it back as a turn Ω of them all
 * about their common centre c, the least change of their velocities that has it, in which no two of them move against each other:
 *   ΔΠ = Σ m x × v_f + R Π_f − m x₊ × v₊ − R₊ J ω₊,   I = Σ R₊ J R₊ᵀ + m [x₊ − c]ᵀ[x₊ − c],   Ω = I⁻¹ ΔΠ
 *   v₊ += Ω × (x₊ − c),   ω₊ += R₊ᵀ Ω
 */
import {
  cross,
  div,
  dot,
  Graph,
  matMul,
  matVec,
  mul,
  rotationMatrix,
  type Scalar,
  sub,
  transpose,
  vadd,
  vscale,
  vsub,
} from "../symbolic/index.ts";
import { angularMomentum, symmetric, turnedBack } from "./pose.ts";
import {
  inertiaInputs,
  inverse,
  poseInputs,
  type SmoothFunction,
  type Variable,
  vectorOf,
  velocityInputs,
} from "./smoothFunction.ts";

/** m x × v_f + R Π_f − m x₊ × v₊ − R₊ J ω₊ of a body; and m, m x₊, R₊ J R₊ᵀ + m [x₊]ᵀ[x₊] as six numbers. ω₊ is that of an instant. */
export function momentumLossFunction(): SmoothFunction {
  const graph = new Graph();
  const inputs: Variable[] = [];
  const start = poseInputs(graph, inputs, "body");
  const free = velocityInputs(graph, inputs, "body.free");
  const next = poseInputs(graph, inputs, "next");
  const after = velocityInputs(graph, inputs, "after");
  const inertia = symmetric(inertiaInputs(graph, inputs));
  const [mass, h] = ["mass", "timestep"].map((name) => graph.symbol(name));
  inputs.push(vectorOf("mass", [mass]), vectorOf("timestep", [h]));
  const [from, to] = [start, next].map(({ orientation }) => rotationMatrix(orientation));
  const before = vadd(
    vscale(cross(start.position, free.linear), mass),
    matVec(from, angularMomentum(inertia, free.angular, h, 1)),
  );
  const now = vadd(vscale(cross(next.position, after.linear), mass), matVec(to, matVec(inertia, after.angular)));
  const about = matMul(matMul(to, inertia), transpose(to)).map((row, i) =>
    vadd(row, pointInertia(next.position, mass)[i]),
  );
  return {
    inputs,
    outputs: [
      vectorOf("loss", vsub(before, now)),
      vectorOf("moments", [mass, ...vscale(next.position, mass), ...entriesOf(about)]),
    ],
  };
}

/** Ω, and −Ω × c, from sums over the bodies. */
export function commonTurnFunction(): SmoothFunction {
  const graph = new Graph();
  const loss = graph.symbols("loss", 3);
  const moments = graph.symbols("moment", 10);
  const [mass, ...others] = moments;
  const centre = others.slice(0, 3).map((entry) => div(entry, mass));
  const about = symmetric(others.slice(3)).map((row, i) => vsub(row, pointInertia(centre, mass)[i]));
  const turn = matVec(inverse(about), loss);
  return {
    inputs: [vectorOf("loss", loss), vectorOf("moments", moments)],
    outputs: [vectorOf("turn", [...turn, ...cross(centre, turn)])],
  };
}

/** Velocities of a body that turns with the others. */
export function turnedVelocityFunction(): SmoothFunction {
  const graph = new Graph();
  const inputs: Variable[] = [];
  const next = poseInputs(graph, inputs, "next");
  const after = velocityInputs(graph, inputs, "after");
  const turn = graph.symbols("turn", 6);
  inputs.push(vectorOf("turn", turn));
  const [spin, slide] = [turn.slice(0, 3), turn.slice(3)];
  const linear = vadd(after.linear, vadd(cross(spin, next.position), slide));
  return { inputs, outputs: [vectorOf("velocity", [...linear, ...vadd(after.angular, turnedBack(next, spin))])] };
}

/** m (|x|² 1 − x xᵀ). */
function pointInertia(x: readonly Scalar[], mass: Scalar): Scalar[][] {
  const square = dot(x, x);
  return x.map((xi, i) => x.map((xj, j) => mul(mass, i === j ? sub(square, mul(xi, xj)) : sub(0, mul(xi, xj)))));
}

/** xx, yy, zz, xy, xz, yz. */
function entriesOf(m: readonly (readonly Scalar[])[]): Scalar[] {
  return [m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]];
}
