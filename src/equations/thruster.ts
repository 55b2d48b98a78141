/**
 * A thruster node: an input u scales a wrench fixed in a body,
 *   impulse h u R f at the centre of mass,   h u (r × f + τ) about it,
 * at the current orientation. The input is clamped to its limits.
 */
import { cross, Graph, max, min, mul, neg, type Scalar, vadd } from "../symbolic/index.ts";
import { bodySymbols, type RotationSource, world } from "./bodySymbols.ts";
import { globalSymbols, type NodeEquations } from "./node.ts";
import { turned } from "./pose.ts";

export interface ThrusterSpecies {
  readonly lower: boolean;
  readonly upper: boolean;
}

export const thrusterParameterNames = [
  ...["position", "force", "torque"].flatMap((name) => ["x", "y", "z"].map((axis) => `${name}.${axis}`)),
  "lower",
  "upper",
] as const;

export function thrusterEquations(species: ThrusterSpecies, source: RotationSource = "shared"): NodeEquations {
  const graph = new Graph();
  const globals = globalSymbols(graph);
  const body = bodySymbols(graph, "body", source);
  const parameters = thrusterParameterNames.map((name) => graph.symbol(name));
  const [position, force, torque] = [0, 3, 6].map((at) => parameters.slice(at, at + 3));
  const input = graph.symbol("input");
  let level: Scalar = input;
  if (species.lower) level = max(parameters[9], level);
  if (species.upper) level = min(parameters[10], level);
  const impulse = mul(globals.duration, level);
  const wrench = [...turned(body.pose, force), ...vadd(cross(position, force), torque)];
  return {
    graph,
    bodies: [world, body],
    globals,
    parameterGroups: [parameters],
    inputs: [input],
    multipliers: [],
    cones: [],
    bodyRows: [[], wrench.map((entry) => neg(mul(impulse, entry)))],
    rows: [],
    eliminations: [],
    regularization: [],
    observations: [],
    sharesRows: false,
  };
}
