/**
 * Kernels of the step's answers at held next poses (equations/heldNext.ts), for Jacobians in minimal coordinates. Rows of bodies are
 * wrenches (equations/twist.ts), and poses vary in the axes of these, the world's: bodies that move as one turn by the same numbers. A body on
 * its own (treeLimbs.ts) keeps its own axes.
 *
 * Operand names besides those of nodeSpecies.ts: `answers` of a body, `answers.k` of a node's bodies (rows × pose, 6 × 6 where others
 * add to it); `before` of a body, `before.k` of a node's bodies, the pose one step ago; `held`, what a node leaves for the panels;
 * `step.k.r`, the panel row of a joint's r-th rate; `basis` of a body, `basis.k` of a node's bodies; `byValue`, `valueByRate` of turning coordinates.
 */
import {
  basisLayout,
  basisSymbols,
  bodySensitivitySymbols,
  carriedBy,
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
  ratesByTwist,
  relativePose,
  treeMotion,
  turningCoordinates,
  turningRates,
  worldPose,
} from "../../equations/index.ts";
import { poseSize } from "../../math/index.ts";
import { type Expr, identity, matMul, matVec, neg, rotationMatrix, type Scalar, vsub } from "../../symbolic/index.ts";
import { type Kernel, kernel } from "../species/staging.ts";
import { dataLayout, placeBody, placeNode } from "./sensitivityKernels.ts";
import { type SparseEntry, SparseOutput } from "./sparseOutput.ts";

/** The balance of a body by its pose and by its pose one step earlier, and that pose. */
export interface HeldBodyKernel {
  readonly kernel: Kernel;
  /** What brings answers by the pose into the world's axes once forces have added to them, where they do. */
  readonly turned: Kernel | undefined;
  readonly byPose: readonly SparseEntry[];
  readonly byBefore: readonly SparseEntry[];
  readonly size: number;
}

/** `shared` where forces add to the answers by the pose: these are then kept with their zeros. */
export function heldBodyKernel(shared: boolean, isLoose: boolean): HeldBodyKernel {
  const s = bodySensitivitySymbols();
  const blocks = heldBody(s);
  const out = new SparseOutput("answers");
  const before = poseBefore(s.state, s.globals[0]);
  const { rotation } = basisSymbols(s.graph, "body");
  const turned = (block: Matrix, by: Matrix): Matrix => (isLoose ? block : byAxes(asWrenches(block, [rotation]), by));
  const byPose = shared ? out.addAll(blocks.byPose) : out.add(turned(blocks.byPose, rotation));
  const byBefore = out.add(turned(blocks.byBefore, rotationMatrix(before.orientation)));
  const name = `body.held${shared ? "Shared" : ""}${isLoose ? ".loose" : ""}`;
  const pose = [...before.position, ...before.orientation].map((value, index) => ({
    operand: "before",
    index,
    value,
    accumulate: false,
  }));
  const place = placeBody(s);
  place.at(rotation.flat(), "basis", basisLayout.rotation);
  const gathered = s.graph.symbols("gathered", 36);
  place.at(gathered, "answers");
  const rows = [0, 1, 2, 3, 4, 5].map((i) => gathered.slice(6 * i, 6 * i + 6));
  const inWorld = turned(rows, rotation)
    .flat()
    .map((value, index) => ({ operand: "answers", index, value, accumulate: false }))
    .filter(({ value }) => !gathered.includes(value as Expr));
  return {
    kernel: kernel(name, place.map, [...out.outputs, ...pose]),
    turned: shared && !isLoose ? kernel(`${name}.turned`, place.map, inWorld) : undefined,
    byPose,
    byBefore,
    size: out.size,
  };
}

type Matrix = readonly (readonly Scalar[])[];

/** Rows of balances, six per body, as wrenches: by R of each body's basis, none for the world. Rows beyond stay as they are. */
function asWrenches(rows: Matrix, rotations: readonly Matrix[]): Matrix {
  return [
    ...rotations.flatMap((rotation, k) => {
      const own = rows.slice(6 * k, 6 * k + 6);
      const turning = own.slice(3);
      return [...own.slice(0, 3), ...(rotation.length > 0 && own.length > 0 ? matMul(rotation, turning) : turning)];
    }),
    ...rows.slice(6 * rotations.length),
  ];
}

/** Derivatives with respect to (δx, δθ), δθ in a body's own axes, as ones with δθ in axes that R turns these to. */
function byAxes(rows: Matrix, rotation: Matrix): Matrix {
  return rows.map((row) => [...row.slice(0, 3), ...matVec(rotation, row.slice(3))]);
}

/** Motions (δx, δθ) by columns, with δθ in other axes instead of the body's own. */
function inAxes(columns: Matrix, rotation: Matrix): Matrix {
  return columns[0].length === 0 ? columns : [...columns.slice(0, 3), ...matMul(rotation, columns.slice(3))];
}

/** How a body moves that another carries along, both in the world's axes. */
function carriedAlong(near: Pose, far: Pose): Matrix {
  const d = vsub(far.position, near.position);
  // (w + θ × d, θ): a row over it is one over the other's by `carriedBy`
  return identity(6).map((row) => carriedBy(row, d));
}

/** A contact, drag or thruster. */
export interface HeldForceKernel {
  readonly kernel: Kernel;
  /**
   * Entries between two moving bodies: rows and columns are those of the bodies, six each. Otherwise none: they add to the body's answers, in its own
   * axes.
   */
  readonly entries: readonly SparseEntry[];
  readonly byInputs: readonly SparseEntry[];
  readonly size: number;
}

export function heldForceKernel(name: string, node: NodeEquations, isLoose: boolean): HeldForceKernel {
  const place = placeNode(node);
  const out = new SparseOutput("held");
  const given = heldForces(node);
  const rotations = node.bodies.map(({ basis }) => basis.rotation);
  const isPair = node.bodies.every(({ moves }) => moves);
  const turned = (block: Matrix, k: number, l: number): Matrix =>
    byAxes(asWrenches(block, [rotations[k]]), rotations[l]);
  const entries = isPair
    ? given.byPose.flatMap((row, k) =>
        row.flatMap((block, l) => (block ? out.add(turned(block, k, l), 6 * k, 6 * l) : [])),
      )
    : [];
  const added = given.byPose.flatMap((row, k) =>
    (isPair ? [] : (row[k] ?? [])).flatMap((line, i) =>
      line.flatMap((value, j) =>
        value === 0 ? [] : [{ operand: `answers.${k}`, index: 6 * i + j, value, accumulate: true }],
      ),
    ),
  );
  const byInputs = given.byInputs.flatMap((rows, k) =>
    out.add(isLoose ? rows : asWrenches(rows, [rotations[k]]), 6 * k),
  );
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
  /** Entries of turning coordinates alone. For the others this is −h times the one by positions, and −h is the only entry of `minusStep`. */
  readonly beforeByRates: readonly SparseEntry[];
  readonly minusStep: readonly SparseEntry[];
  readonly turning: readonly number[];
}

export interface HeldSpecies {
  readonly name: string;
  readonly equations: NodeEquations;
  readonly type: JointType;
  readonly reversed: boolean;
  readonly isLoose: boolean;
}

/** The node between its bodies: `frames` is the group of parameters that begins with the joint's frames. */
function placedJoint({ equations: node, type, reversed, isLoose }: HeldSpecies, frames: readonly Expr[]) {
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
  const inBody = treeMotion({ ...joint, now, before, nearMoves, h });
  const held = heldJoint(joint, inBody);
  const [near, far] = reversed ? [1, 0] : [0, 1];
  const along = (poses: readonly Pose[]): Matrix => (nearMoves ? carriedAlong(poses[near], poses[far]) : []);
  const rotations = node.bodies.map(({ basis }) => basis.rotation);
  const earlier = rotationMatrix(before[far].orientation);
  const motion = {
    near: along(now),
    nearBefore: along(before),
    values: isLoose ? inBody.values : inAxes(inBody.values, rotations[far]),
    beforeByValues: isLoose ? inBody.beforeByValues : inAxes(inBody.beforeByValues, earlier),
    beforeByRates: isLoose ? inBody.beforeByRates : inAxes(inBody.beforeByRates, earlier),
  };
  if (isLoose) return { place, joint, now, motion, held };
  const wrenches = {
    byValues: asWrenches(held.byValues, rotations),
    byRates: asWrenches(held.byRates, rotations),
    byInputs: asWrenches(held.byInputs, rotations),
    turnedForce: held.turnedForce,
  };
  return { place, joint, now, motion, held: wrenches };
}

function addHeld(out: SparseOutput, held: Readonly<Record<keyof HeldJoint, Matrix>>) {
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
  const rows = ratesByTwist(joint).flatMap((matrix, k) =>
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
