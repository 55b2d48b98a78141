/**
 * Kernels of the gradients, generated from the same node equations as the step's: blocks D̃, tangents D̃θ̇ and cotangents μᵀD̃.
 *
 * Operand names besides those of nodeSpecies.ts: `errorByAttitude.k` of a body, `data` (D̃ without its zeros); `dot.*` and `bar.*`
 * for tangents and cotangents of state, next pose, inputs, parameters, globals.
 */
import {
  type BodySensitivity,
  bodyBlocks,
  bodyCotangentSymbols,
  bodyCotangents,
  bodySensitivitySymbols,
  bodyTangentSymbols,
  bodyTangents,
  cotangents,
  dataBlocks,
  globalList,
  impulseAmounts,
  impulseCotangents,
  impulseTangents,
  type KeptRows,
  motionCotangents,
  type NodeCotangents,
  type NodeEquations,
  type NodeTangents,
  nodeTangents,
  type Physics,
  tangentRows,
} from "../../equations/index.ts";
import { type Expr, neg, type Scalar, substitute } from "../../symbolic/index.ts";
import { nextLayout } from "../memory/placement.ts";
import { type Kernel, kernel, type Place } from "../species/staging.ts";
import { type SparseEntry, SparseOutput } from "./sparseOutput.ts";

type PlacedOutput = Place & { readonly value: Scalar; readonly accumulate: boolean };

export class Placement {
  readonly map = new Map<Expr, Place>();

  at(symbols: readonly Scalar[], operand: string, start = 0): void {
    symbols.forEach((symbol, i) => {
      this.map.set(symbol as Expr, { operand, index: start + i });
    });
  }
}

function outputs(operand: string, values: readonly Scalar[], accumulate: boolean): PlacedOutput[] {
  return values
    .map((value, index): PlacedOutput => ({ operand, index, value, accumulate }))
    .filter((output) => !(accumulate && output.value === 0));
}

export function placeNode(node: NodeEquations): Placement {
  const place = new Placement();
  place.at(globalList(node.globals), "globals");
  node.parameterGroups.forEach((group, i) => {
    place.at(group, `parameters.${i}`);
  });
  place.at(node.inputs, "inputs");
  node.bodies.forEach(({ moves, poseSymbols: pose, velocity, nextSymbols: next, nextVelocity, turn, basis }, k) => {
    if (!moves) return;
    place.at([...basis.rotation.flat(), ...basis.tilt.flat(), ...basis.spin.flat()], `basis.${k}`);
    place.at([...pose.position, ...pose.orientation, ...velocity.linear, ...velocity.angular], `state.${k}`);
    place.at([...next.position, ...next.orientation], `next.${k}`, nextLayout.position);
    place.at(next.rotation?.flat() ?? [], `next.${k}`, nextLayout.rotation);
    place.at(turn.flat(), `next.${k}`, nextLayout.turn);
    place.at([...nextVelocity.linear, ...nextVelocity.angular], `unknown.${k}`);
  });
  place.at(node.multipliers, "unknown.own");
  place.at(
    node.cones.flatMap((cone) => cone.b),
    "coneB",
  );
  place.at(
    node.cones.flatMap((cone) => cone.c),
    "coneC",
  );
  return place;
}

/** Rows and columns of D̃ of a node: those of body k start here, those of its multipliers and its inputs after both bodies. */
export const dataLayout = { rows: 6, ownRow: 12, columns: 12, inputColumn: 24 } as const;

export interface DataKernel {
  readonly kernel: Kernel;
  /** Entries of D̃, without its zeros; numbered by `dataLayout`. */
  readonly entries: readonly SparseEntry[];
  /** Numbers in memory. */
  readonly size: number;
}

/** D̃ of a node. */
export function dataKernel(name: string, node: NodeEquations): DataKernel {
  const place = placeNode(node);
  const carry = node.bodies.map((body, k) => (body.moves ? node.graph.symbols(`carry${k}.`, 9) : []));
  carry.forEach((symbols, k) => {
    place.at(symbols, `errorByAttitude.${k}`);
  });
  const carried = carry.map((symbols) => [0, 1, 2].map((row) => symbols.slice(3 * row, 3 * row + 3)));
  const { byState, byInput } = dataBlocks(node, carried);
  const data = new SparseOutput("data");
  const entriesOf = (rows: KeptRows<readonly Scalar[]>, column: number): SparseEntry[] => [
    ...rows.bodies.flatMap((matrix, k) => data.add(matrix, dataLayout.rows * k, column)),
    ...data.add(rows.own, dataLayout.ownRow, column),
  ];
  const entries = [
    ...byState.flatMap((rows, k) => (rows ? entriesOf(rows, dataLayout.columns * k) : [])),
    ...entriesOf(byInput, dataLayout.inputColumn),
  ];
  return { kernel: kernel(`${name}.data`, place.map, data.outputs), entries, size: data.size };
}

/** step ← step − D̃ θ̇. */
export function tangentKernel(name: string, node: NodeEquations): Kernel {
  const place = placeNode(node);
  const tangents = placeTangents(node, place);
  const rows = tangentRows(node, tangents);
  return kernel(`${name}.tangent`, place.map, [
    ...rows.bodies.flatMap((entries, k) => outputs(`step.${k}`, entries.map(neg), true)),
    ...outputs("step.own", rows.own.map(neg), true),
  ]);
}

function placeTangents(node: NodeEquations, place: Placement): NodeTangents {
  const tangents = nodeTangents(node);
  node.bodies.forEach((_, k) => {
    place.at(tangents.state[k], `dot.state.${k}`);
    place.at(tangents.next[k], `dot.next.${k}`);
  });
  place.at(tangents.inputs, "dot.inputs");
  tangents.parameters.forEach((group, i) => {
    place.at(group, `dot.parameters.${i}`);
  });
  place.at(tangents.globals, "dot.globals");
  return tangents;
}

/** Adds μᵀD̃ to the cotangents of the node's data. */
export function cotangentKernel(name: string, node: NodeEquations): Kernel {
  const place = placeNode(node);
  const bars = cotangents(node, placeMultipliers(node, place));
  return kernel(`${name}.cotangent`, place.map, cotangentOutputs(bars));
}

function cotangentOutputs(bars: NodeCotangents): PlacedOutput[] {
  return [
    ...bars.state.flatMap((entries, k) => outputs(`bar.state.${k}`, entries, true)),
    ...bars.next.flatMap((entries, k) => outputs(`bar.next.${k}`, entries, true)),
    ...outputs("bar.inputs", bars.inputs, true),
    ...bars.parameters.flatMap((entries, i) => outputs(`bar.parameters.${i}`, entries, true)),
    ...outputs("bar.globals", bars.globals, true),
  ];
}

/** Cotangents of a contact's impulses: what they add to the right-hand side of the transposed solve, and to the cotangents of its data. */
export function impulseKernels(name: string, node: NodeEquations): { readonly start: Kernel; readonly end: Kernel } {
  const place = placeNode(node);
  const bar = node.graph.symbols("bar.impulse", impulseAmounts(node).length);
  place.at(bar, "bar.impulse");
  const { steps, data } = impulseCotangents(node, bar);
  return {
    start: kernel(
      `${name}.impulseStart`,
      place.map,
      steps.flatMap((entries, k) => outputs(`step.${k}`, entries.map(neg), true)),
    ),
    end: kernel(`${name}.impulseEnd`, place.map, cotangentOutputs(data)),
  };
}

/** Tangents of a contact's impulses, after the solve of a tangent. */
export function impulseTangentKernel(name: string, node: NodeEquations): Kernel {
  const place = placeNode(node);
  const { steps, changes } = impulseTangents(node, placeTangents(node, place));
  steps.forEach((symbols, k) => {
    place.at(symbols, `step.${k}`);
  });
  return kernel(`${name}.impulseTangent`, place.map, outputs("dot.impulse", changes, false));
}

/** Adds μᵀD̃ to the cotangents of states and inputs alone; what goes to next poses is added to the cotangents of their errors. */
export function motionCotangentKernel(name: string, node: NodeEquations): Kernel {
  const place = placeNode(node);
  const bars = motionCotangents(node, placeMultipliers(node, place));
  return kernel(`${name}.motionCotangent`, place.map, [
    ...bars.state.flatMap((entries, k) => outputs(`bar.state.${k}`, entries, true)),
    ...bars.next.flatMap((entries, k) => outputs(`bar.error.${k}`, entries, true)),
    ...outputs("bar.inputs", bars.inputs, true),
  ]);
}

/** μ of the node's rows. */
function placeMultipliers(node: NodeEquations, place: Placement): KeptRows<Expr> {
  const mu = {
    bodies: node.bodyRows.map((rows, k) => node.graph.symbols(`mu${k}.`, rows.length)),
    own: node.graph.symbols("mu.own", node.rows.length),
  };
  mu.bodies.forEach((symbols, k) => {
    place.at(symbols, `step.${k}`);
  });
  place.at(mu.own, "step.own");
  return mu;
}

export interface BodySensitivityKernels {
  /** Writes `byVelocity` (6 × 6, without its zeros), `errorByAttitude` and `errorBySpin` (3 × 3). */
  readonly blocks: Kernel;
  readonly byVelocity: readonly SparseEntry[];
  /** What comes before and after the solve of a tangent. */
  readonly tangentStart: Kernel;
  readonly tangentEnd: Kernel;
  /** What comes before and after the transposed solve of a cotangent. */
  readonly cotangentStart: Kernel;
  readonly cotangentEnd: Kernel;
  /** Cotangents of the state alone, from those of the next state's error, to which those of the next pose have been added. */
  readonly motionCotangentEnd: Kernel;
}

export function bodySensitivityKernels(physics: Physics): BodySensitivityKernels {
  const s = bodySensitivitySymbols(physics);
  const prefix = physics === "step" ? "" : `${physics}.`;
  const place = placeBody(s);
  const blocks = bodyBlocks(s);
  const dots = bodyTangentSymbols(s);
  place.at(dots.state, "dot.state");
  place.at(dots.parameters, "dot.parameters");
  place.at(dots.wrench, "dot.wrench");
  place.at(dots.globals, "dot.globals");
  place.at(dots.step, "step");
  const tangents = bodyTangents(s, dots);
  const bars = bodyCotangentSymbols(s);
  place.at(bars.error, "bar.error");
  place.at(bars.next, "bar.next");
  place.at(bars.mu, "step");
  const back = bodyCotangents(s, bars);
  const velocity = new SparseOutput("byVelocity");
  const byVelocity = velocity.add(blocks.byVelocity);
  const motion = substitute(back.state, new Map(bars.next.map((symbol) => [symbol, 0])));
  return {
    byVelocity,
    blocks: kernel(`${prefix}body.blocks`, place.map, [
      ...velocity.outputs,
      ...outputs("errorByAttitude", blocks.errorByAttitude.flat(), false),
      ...outputs("errorBySpin", blocks.errorBySpin.flat(), false),
    ]),
    tangentStart: kernel(`${prefix}body.tangentStart`, place.map, [
      ...outputs("dot.next", tangents.next, false),
      ...outputs("step", tangents.rhs, false),
    ]),
    tangentEnd: kernel(`${prefix}body.tangentEnd`, place.map, outputs("dot.error", tangents.error, false)),
    cotangentStart: kernel(`${prefix}body.cotangentStart`, place.map, outputs("step", back.rhs, false)),
    cotangentEnd: kernel(`${prefix}body.cotangentEnd`, place.map, [
      ...outputs("bar.state", back.state, true),
      ...outputs("bar.parameters", back.parameters, true),
      ...outputs("bar.wrench", back.wrench, true),
      ...outputs("bar.globals", back.globals, true),
    ]),
    motionCotangentEnd: kernel(`${prefix}body.motionCotangentEnd`, place.map, outputs("bar.state", motion, true)),
  };
}

export function placeBody(s: BodySensitivity): Placement {
  const place = new Placement();
  place.at(s.globals, "globals");
  place.at(s.parameters, "parameters");
  place.at(s.state, "state");
  place.at(s.wrench, "wrench");
  place.at(s.unknown, "unknown");
  place.at(s.solved, "next", nextLayout.orientation);
  return place;
}
