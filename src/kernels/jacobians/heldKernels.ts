/**
 * Kernels of the step's answers at held next poses (equations/heldNext.ts), for Jacobians in minimal coordinates.
 *
 * Operand names besides those of nodeSpecies.ts: `answers` of a body, `answers.k` of a node's bodies (rows × pose, 6 × 6 where others
 * add to it); `before` of a body, `before.k` of a node's bodies, the pose one step ago; `held`, what a node leaves for the panels;
 * `step.k.r`, the panel row of a joint's r-th rate; `byValue`, `valueByRate` of turning coordinates.
 */
import {
  bodySensitivitySymbols,
  coordinates,
  framesFrom,
  type HeldJoint,
  heldBody,
  heldForces,
  heldJoint,
  type JointFrames,
  type JointType,
  type NodeEquations,
  type Pose,
  poseBefore,
  poseOf,
  ratesByStep,
  relativePose,
  treeMotion,
  turningCoordinates,
  turningRates,
  worldPose,
} from "../../equations/index.ts";
import { poseSize } from "../../math/index.ts";
import { type Expr, neg, type Scalar } from "../../symbolic/index.ts";
import { type Kernel, kernel } from "../species/staging.ts";
import { dataLayout, placeBody, placeNode } from "./sensitivityKernels.ts";
import { type SparseEntry, SparseOutput } from "./sparseOutput.ts";

/** The balance of a body by its pose and by its pose one step earlier, and that pose. */
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
  const before = poseBefore(s.state, s.globals[0]);
  const pose = [...before.position, ...before.orientation].map((value, index) => ({
    operand: "before",
    index,
    value,
    accumulate: false,
  }));
  return { kernel: kernel(name, placeBody(s).map, [...out.outputs, ...pose]), byPose, byBefore, size: out.size };
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
  /** Numbers in memory. */
  readonly size: number;
}

/** A joint of the tree with what its coordinates do to its far body (equations/jointMotion.ts). */
export interface TreeJointKernel extends HeldJointKernel {
  readonly coordinates: number;
  readonly inputs: number;
  readonly near: readonly SparseEntry[];
  readonly nearBefore: readonly SparseEntry[];
  readonly values: readonly SparseEntry[];
  readonly beforeByValues: readonly SparseEntry[];
  /** Of turning coordinates alone. For the others it is −h times the one by positions, and −h is the only entry of `minusStep`. */
  readonly beforeByRates: readonly SparseEntry[];
  readonly minusStep: readonly SparseEntry[];
  readonly turning: readonly number[];
}

export interface HeldSpecies {
  readonly name: string;
  readonly equations: NodeEquations;
  readonly type: JointType;
  readonly reversed: boolean;
}

/** The node between its bodies: `frames` is the group of parameters that begins with the joint's frames. */
function placedJoint({ equations: node, type, reversed }: HeldSpecies, frames: readonly Expr[]) {
  const place = placeNode(node);
  const h = node.globals.timestep;
  const before = node.bodies.map(({ moves }, k): Pose => {
    if (!moves) return worldPose;
    const pose = node.graph.symbols(`before${k}.`, poseSize);
    place.at(pose, `before.${k}`);
    return poseOf(pose);
  });
  const joint = { node, type, reversed, frames: framesFrom(frames) };
  const now = node.bodies.map(({ poseSymbols }) => poseSymbols);
  const nearMoves = node.bodies[reversed ? 1 : 0].moves;
  const motion = treeMotion({ ...joint, now, before, nearMoves, h });
  return { place, joint, now, motion, held: heldJoint(joint, motion) };
}

function addHeld(out: SparseOutput, held: HeldJoint) {
  return {
    byValues: out.add(held.byValues),
    byRates: out.add(held.byRates),
    turnedForce: out.add(held.turnedForce),
  };
}

/** `driven`: of each input, the own row whose force it adds to, if there is one (equations/heldNext.ts). */
export function treeJointKernel(species: HeldSpecies, driven: readonly (number | undefined)[]): TreeJointKernel {
  const { name, equations: node, type } = species;
  const h = node.globals.timestep;
  const { place, joint, now, motion, held } = placedJoint(species, node.parameterGroups[0]);
  const turning = turningCoordinates(type);
  const out = new SparseOutput("held");
  const byInputs = held.byInputs.map((row, i) =>
    row.map((value, u) => {
      const own = driven[u];
      if (own === undefined) return value;
      return i === dataLayout.ownRow + own ? neg(node.globals.duration) : 0;
    }),
  );
  const entries = {
    near: out.add(motion.near),
    nearBefore: out.add(motion.nearBefore),
    values: out.add(motion.values),
    beforeByValues: out.add(motion.beforeByValues),
    beforeByRates: out.add(motion.beforeByRates.map((row) => row.map((value, j) => (turning.includes(j) ? value : 0)))),
    ...addHeld(out, held),
    byInputs: out.add(byInputs),
    minusStep: out.add([[neg(h)]]),
  };
  // with a minus sign: then cotangents of data are μᵀ D̃'
  const rows = ratesByStep(joint).flatMap((matrix, k) =>
    matrix.flatMap((line, r) =>
      line.map((value, i) => ({ operand: `step.${k}.${r}`, index: 2 * i, value: neg(value), accumulate: false })),
    ),
  );
  return {
    ...entries,
    kernel: kernel(name, place.map, [...out.outputs, ...rows, ...turningOutputs(species, joint.frames, now)]),
    coordinates: coordinates(type).length,
    inputs: node.inputs.length,
    turning,
    size: out.size,
  };
}

function turningOutputs({ equations: node, type }: HeldSpecies, frames: JointFrames, now: readonly Pose[]) {
  const [rotation, next] = [now, node.bodies.map(({ nextSymbols }) => nextSymbols)].map(
    ([parent, child]) => relativePose(frames, parent, child).rotation,
  );
  const { byValue, valueByRate } = turningRates(type, rotation, next, node.globals.timestep);
  const written = (operand: string, matrix: Scalar[][]) =>
    matrix.flat().map((value, index) => ({ operand, index, value, accumulate: false }));
  return [...written("byValue", byValue), ...written("valueByRate", valueByRate)];
}

export function gearTermKernel(species: HeldSpecies): HeldJointKernel {
  const { place, held } = placedJoint(species, species.equations.parameterGroups[1]);
  const out = new SparseOutput("held");
  const entries = { ...addHeld(out, held), byInputs: [] };
  return { ...entries, kernel: kernel(species.name, place.map, out.outputs), size: out.size };
}
