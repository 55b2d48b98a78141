/**
 * A drag node: a medium of density ρ and viscosity β resists a body as it would the box with the body's mass and inertia. With
 * half-sizes rᵢ, r = mean of rᵢ, and velocities relative to the medium in the box's axes:
 *   fᵢ = −6πβ r vᵢ − 2ρ rⱼ r_k |vᵢ| vᵢ,      gᵢ = −8πβ r³ ωᵢ − ½ρ rᵢ (rⱼ⁴ + r_k⁴) |ωᵢ| ωᵢ
 * It acts on the velocities of the step (v₊, ω₊), so that no time step makes it push.
 */
import {
  abs,
  add,
  Graph,
  matVec,
  mul,
  neg,
  rotationMatrix,
  type Scalar,
  square,
  sum,
  transpose,
  vsub,
} from "../symbolic/index.ts";
import { bodySymbols, type RotationSource, world } from "./bodySymbols.ts";
import { globalSymbols, type NodeEquations } from "./node.ts";
import { turned, turnedBack } from "./pose.ts";

export const dragParameterNames = [
  "density",
  "viscosity",
  ...["x", "y", "z"].map((axis) => `wind.${axis}`),
  ...["x", "y", "z"].map((axis) => `halfSize.${axis}`),
  ...["w", "x", "y", "z"].map((entry) => `boxFrame.${entry}`),
] as const;

export function dragEquations(source: RotationSource = "shared"): NodeEquations {
  const graph = new Graph();
  const globals = globalSymbols(graph);
  const body = bodySymbols(graph, "body", source);
  const parameters = dragParameterNames.map((name) => graph.symbol(name));
  const [density, viscosity] = parameters;
  const wind = parameters.slice(2, 5);
  const half = parameters.slice(5, 8);
  const box = rotationMatrix(parameters.slice(8, 12));
  const mean = mul(1 / 3, sum(half));

  // velocities in the box's axes
  const v = matVec(transpose(box), turnedBack(body.pose, vsub(body.nextVelocity.linear, wind)));
  const w = matVec(transpose(box), body.nextVelocity.angular);
  const force = [0, 1, 2].map((i) => {
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    const viscous = mul(mul(6 * Math.PI, viscosity), mul(mean, v[i]));
    return neg(add(viscous, mul(mul(mul(2, density), mul(half[j], half[k])), mul(abs(v[i]), v[i]))));
  });
  const torque = [0, 1, 2].map((i) => {
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    const viscous = mul(mul(8 * Math.PI, viscosity), mul(mul(mean, square(mean)), w[i]));
    const quartic = add(square(square(half[j])), square(square(half[k])));
    return neg(add(viscous, mul(mul(mul(0.5, density), mul(half[i], quartic)), mul(abs(w[i]), w[i]))));
  });
  const wrench = [...turned(body.pose, matVec(box, force)), ...matVec(box, torque)];
  return {
    graph,
    bodies: [world, body],
    globals,
    parameterGroups: [parameters],
    inputs: [],
    multipliers: [],
    cones: [],
    bodyRows: [[], wrench.map((entry): Scalar => neg(mul(globals.duration, entry)))],
    rows: [],
    eliminations: [],
    regularization: [],
    observations: [],
    sharesRows: false,
  };
}
