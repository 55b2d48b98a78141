/**
 * A gear: a linear relation between joint coordinates, Σ ratioᵢ θᵢ(z₊) = offset, with one multiplier that acts on every
 * coordinate in proportion to its ratio. It serves mimic joints, joint equalities and fixed tendons. The row is shared:
 * the base sets it, and each term adds its coordinate.
 */
import { add, div, Graph, mul, neg } from "../symbolic/index.ts";
import { frameParameters, framesFrom } from "./joint.ts";
import { coordinates, type JointType, relativePose } from "./jointGeometry.ts";
import {
  bodySymbols,
  globalSymbols,
  impulseDirections,
  minusImpulses,
  type NodeEquations,
  type RotationSource,
  world,
} from "./node.ts";

export interface GearTermSpecies {
  readonly type: JointType;
  readonly parentMoves: boolean;
  /** Which free coordinate of the joint. */
  readonly coordinate: number;
}

/** `turns`: what whole turns of the angles, which a state does not count, add to the relation. */
export const gearParameterNames = ["offset", "regularization", "turns"] as const;

export function gearEquations(): NodeEquations {
  const graph = new Graph();
  const globals = globalSymbols(graph);
  const parameters = gearParameterNames.map((name) => graph.symbol(name));
  return {
    graph,
    bodies: [],
    globals,
    parameterGroups: [parameters],
    inputs: [],
    multipliers: [graph.symbol("impulse")],
    cones: [],
    bodyRows: [],
    rows: [neg(div(add(parameters[0], parameters[2]), globals.timestep))],
    eliminations: [],
    regularization: [parameters[1]],
    observations: [],
    sharesRows: false,
  };
}

export function gearTermEquations(species: GearTermSpecies, source: RotationSource = "shared"): NodeEquations {
  const graph = new Graph();
  const globals = globalSymbols(graph);
  const h = globals.timestep;
  const bodies = [
    species.parentMoves ? bodySymbols(graph, "parent", source) : world,
    bodySymbols(graph, "child", source),
  ];
  const ratio = graph.symbol("ratio");
  const frame = frameParameters.map((name) => graph.symbol(name));
  const frames = framesFrom(frame);
  const relative = relativePose(frames, bodies[0].pose, bodies[1].pose);
  const next = relativePose(frames, bodies[0].next, bodies[1].next);
  const coordinate = coordinates(species.type)[species.coordinate];
  const ahead = coordinate.increment(relative, next);
  const impulse = graph.symbol("impulse");
  const directions = impulseDirections([ahead], bodies, h);
  const bodyRows = bodies.map((body, k) => (body.moves ? minusImpulses(directions[k], [mul(ratio, impulse)]) : []));
  return {
    graph,
    bodies,
    globals,
    parameterGroups: [[ratio], frame],
    inputs: [],
    multipliers: [impulse],
    cones: [],
    bodyRows,
    rows: [div(mul(ratio, add(coordinate.value(relative), coordinate.change(relative, next))), h)],
    eliminations: [],
    regularization: [0],
    observations: [mul(ratio, coordinate.value(relative))],
    sharesRows: true,
  };
}
