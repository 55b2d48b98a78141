/**
 * Kernels of the step's answers at held next poses (equations/heldNext.ts), for Jacobians in minimal coordinates.
 *
 * Operand names besides those of nodeKernels.ts: `answers` of a body, `answers.k` of a node's bodies (rows × pose, 6 × 6 where others
 * add to it); `held`, what a node leaves for the panels; `motion`, what a joint's coordinates do to its far body (coordinateKernels.ts);
 * `step.k.r`, the panel row of a joint's r-th rate.
 */
import {
  bodySensitivitySymbols,
  type FarMotion,
  framesFrom,
  heldBody,
  heldForces,
  heldJoint,
  type JointType,
  type NodeEquations,
  ratesByStep,
} from "../equations/index.ts";
import { type Graph, neg, type Scalar } from "../symbolic/index.ts";
import type { ToMaximalKernel } from "./coordinateKernels.ts";
import { dataLayout, type Placement, placeBody, placeNode } from "./sensitivityKernels.ts";
import { type SparseEntry, SparseOutput } from "./sparseOutput.ts";
import { type Kernel, kernel } from "./staging.ts";

/** The balance of a body by its pose and by its pose one step earlier. */
export interface HeldBodyKernel {
  readonly kernel: Kernel;
  readonly byPose: readonly SparseEntry[];
  readonly byBefore: readonly SparseEntry[];
  readonly size: number;
}

/** `shared` where forces add to the answers by the pose: these are then kept with their zeros. */
export function heldBodyKernel(shared: boolean): HeldBodyKernel {
  const s = bodySensitivitySymbols();
  const blocks = heldBody(s);
  const out = new SparseOutput("answers");
  const byPose = shared ? out.addAll(blocks.byPose) : out.add(blocks.byPose);
  const byBefore = out.add(blocks.byBefore);
  const name = shared ? "body.heldShared" : "body.held";
  return { kernel: kernel(name, placeBody(s).map, out.outputs), byPose, byBefore, size: out.size };
}

/** A contact, drag or thruster. */
export interface HeldForceKernel {
  readonly kernel: Kernel;
  /** Between two moving bodies: rows and columns are those of the bodies, six each. Otherwise none: they add to the body's answers. */
  readonly entries: readonly SparseEntry[];
  readonly byInputs: readonly SparseEntry[];
  readonly size: number;
}

export function heldForceKernel(name: string, node: NodeEquations): HeldForceKernel {
  const place = placeNode(node);
  const out = new SparseOutput("held");
  const held = heldForces(node);
  const isPair = node.bodies.every(({ moves }) => moves);
  const entries = isPair
    ? held.byPose.flatMap((row, k) => row.flatMap((block, l) => (block ? out.add(block, 6 * k, 6 * l) : [])))
    : [];
  const added = held.byPose.flatMap((row, k) =>
    (isPair ? [] : (row[k] ?? [])).flatMap((line, i) =>
      line.flatMap((value, j) =>
        value === 0 ? [] : [{ operand: `answers.${k}`, index: 6 * i + j, value, accumulate: true }],
      ),
    ),
  );
  const byInputs = held.byInputs.flatMap((rows, k) => out.add(rows, 6 * k));
  return {
    kernel: kernel(`${name}.held`, place.map, [...out.outputs, ...added]),
    entries,
    byInputs,
    size: out.size,
  };
}

/** A joint or a gear's term. Rows are numbered by `dataLayout`. */
export interface HeldJointKernel {
  readonly kernel: Kernel;
  readonly byValues: readonly SparseEntry[];
  readonly byRates: readonly SparseEntry[];
  readonly byInputs: readonly SparseEntry[];
  /** 3 × 3, none where the near body is the world. */
  readonly turnedForce: readonly SparseEntry[];
  readonly size: number;
}

export interface HeldSpecies {
  readonly name: string;
  readonly equations: NodeEquations;
  readonly type: JointType;
  readonly reversed: boolean;
  /** Joints have rates, gears' terms have none. */
  readonly isJoint: boolean;
}

export function heldJointKernel(species: HeldSpecies, toMaximal: ToMaximalKernel): HeldJointKernel {
  const { name, equations: node, type, reversed, isJoint } = species;
  const place = placeNode(node);
  const motion = motionSymbols(node.graph, toMaximal, place);
  const joint = { node, type, reversed, frames: framesFrom(node.parameterGroups[isJoint ? 0 : 1]) };
  const held = heldJoint(joint, motion);
  const out = new SparseOutput("held");
  const entries = {
    byValues: out.add(held.byValues),
    byRates: out.add(held.byRates),
    byInputs: out.add(held.byInputs),
    turnedForce: out.add(held.turnedForce),
  };
  // with a minus sign: then cotangents of data are μᵀ D̃'
  const rates = isJoint ? ratesByStep(joint) : [];
  const rows = rates.flatMap((matrix, k) =>
    matrix.flatMap((line, r) =>
      line.map((value, i) => ({ operand: `step.${k}.${r}`, index: 2 * i, value: neg(value), accumulate: false })),
    ),
  );
  return { ...entries, kernel: kernel(name, place.map, [...out.outputs, ...rows]), size: out.size };
}

/** The blocks that a ToMaximalKernel has left in memory, as symbols. */
function motionSymbols(
  graph: Graph,
  { values, beforeByValues, beforeByRates, ...rest }: ToMaximalKernel,
  place: Placement,
): FarMotion {
  const matrix = (entries: readonly SparseEntry[]): Scalar[][] => {
    const rows: Scalar[][] = [0, 1, 2, 3, 4, 5].map(() => new Array<Scalar>(rest.coordinates).fill(0));
    for (const { row, column, value } of entries) {
      if ("constant" in value) rows[row][column] = value.constant;
      else {
        const symbol = graph.symbol(`motion.${value.index}`);
        place.at([symbol], "motion", value.index);
        rows[row][column] = symbol;
      }
    }
    return rows;
  };
  return {
    values: matrix(values),
    beforeByValues: matrix(beforeByValues),
    beforeByRates: matrix(beforeByRates),
  };
}

/** Whether a row of a HeldJointKernel is one of the joint's own, and which. */
export const ownRowOf = (row: number): number => row - dataLayout.ownRow;
