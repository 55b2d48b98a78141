/** What is computed in a section (mapKernels.ts): calls of formulas and kernels, joint by joint and body by body. */
import {
  attitudeError,
  type CoordinateSpecies,
  childPose,
  coordinates,
  earlierTransform,
  framesFrom,
  type JointType,
  jointTransform,
  type Pose,
  parentPose,
  poseBefore,
  poseOf,
  spinBlocks,
  toMaximalBlocks,
  toMaximalByParameters,
  toMaximalSymbols,
  toMinimal,
  toMinimalBlocks,
  toMinimalSymbols,
  velocitySymbols,
  worldPose,
} from "../equations/index.ts";
import { bodyStateSize, bodyTangentSize, poseSize } from "../math/index.ts";
import { type Mechanism, type MechanismJoint, type TreeEdge, worldIndex } from "../mechanism/index.ts";
import { div, jacobian, type Scalar, vsub } from "../symbolic/index.ts";
import { type Call, type Formula, type Kernel, kernelOf, kernelOfFormula, keyOf } from "./callLists.ts";
import { bodyBlocks, frameSize, type InputPlaces, type SectionName } from "./sectionLayout.ts";

/** The calls of a section, level by level; `blocksAt` says where the blocks of a joint begin. */
type CallsOf = (
  mechanism: Mechanism,
  inputs: InputPlaces,
  out: number,
  blocksAt: (joint: number) => number,
) => (readonly Call[])[];

const timestepAt = 0;
const stateAt = ({ states }: InputPlaces, body: number): number => states + bodyStateSize * Math.max(0, body);

/** Calls per joint: operands h, frame, parent, child, and what is written. */
function jointCalls(
  { joints }: Mechanism,
  inputs: InputPlaces,
  kind: string,
  make: (type: JointType, parentMoves: boolean) => Call["make"],
  outputs: (joint: MechanismJoint) => readonly number[],
): Call[] {
  return joints.map((joint) => {
    const { shape, parent, child, index } = joint;
    const parentMoves = parent !== worldIndex;
    const own = outputs(joint);
    return {
      species: `${kind}.${keyOf(shape)}${parentMoves ? "" : "w"}`,
      make: make(shape, parentMoves),
      operands: [
        timestepAt,
        inputs.frames + frameSize * index,
        stateAt(inputs, parent),
        stateAt(inputs, child),
        ...own,
      ],
      outputs: own.length,
    };
  });
}

const minimalValues = (type: JointType, parentMoves: boolean): Formula => ({
  sizes: [1, frameSize, bodyStateSize, bodyStateSize],
  values: ([[h], frame, parent, child]) => {
    const { values, rates } = toMinimal(type, parentMoves, { h, frame, parent, child });
    return [values, rates];
  },
});

function minimalKernel(isByParameters: boolean) {
  return (type: JointType, parentMoves: boolean) => (): Kernel => {
    const s = toMinimalSymbols();
    const symbols = [[s.h], s.frame, s.parent, s.child];
    const { values, rates } = toMinimal(type, parentMoves, s);
    const rows = [...values, ...rates];
    if (isByParameters)
      return kernelOf(symbols, [[...jacobian(rows, s.frame).flat(), ...jacobian(rows, [s.h]).flat()]]);
    const { byParent, byChild } = toMinimalBlocks(type, parentMoves, s);
    const none = new Array<number>(bodyTangentSize * rows.length).fill(0);
    return kernelOf(symbols, [[...(parentMoves ? byParent.flat() : none), ...byChild.flat()]]);
  };
}

/** A joint of the tree: the bodies that it leads from and to, its species, and the operands of all its calls: h, frame, values, rates. */
function edgeOf({ joints, coordinateCount }: Mechanism, inputs: InputPlaces, { joint, reversed }: TreeEdge) {
  const { shape, parent, child, coordinateOffset } = joints[joint];
  const [near, far] = reversed ? [child, parent] : [parent, child];
  const species: CoordinateSpecies = { type: shape, nearMoves: near !== worldIndex, reversed };
  const values = inputs.minimal + coordinateOffset;
  return {
    near,
    far,
    species,
    key: `${keyOf(shape)}${species.nearMoves ? "" : "w"}${reversed ? "r" : ""}`,
    operands: [timestepAt, inputs.frames + frameSize * joint, values, values + coordinateCount],
  };
}

/** Calls of all bodies, then of the joints of the tree. */
function treeCalls(
  mechanism: Mechanism,
  inputs: InputPlaces,
  out: number,
  kind: string,
  kernel: (species: CoordinateSpecies) => Kernel,
  blocksAt: (joint: number) => number,
): (readonly Call[])[] {
  const { bodies, tree } = mechanism;
  const bodyAt = (body: number): number => out + bodyBlocks.size * Math.max(0, body);
  const previous = bodies.map(
    (_, i): Call => ({
      species: "map.previous",
      make: previousKernel,
      operands: [timestepAt, stateAt(inputs, i), bodyAt(i) + bodyBlocks.previous],
      outputs: 1,
    }),
  );
  const spins = bodies.map(
    (_, i): Call => ({
      species: "map.spin",
      make: spinKernel,
      operands: [
        timestepAt,
        stateAt(inputs, i) + 3,
        bodyAt(i) + bodyBlocks.previous + 3,
        bodyAt(i) + bodyBlocks.spinByNow,
      ],
      outputs: 1,
    }),
  );
  const edges = tree.map((edge): Call => {
    const { near, far, species, key, operands } = edgeOf(mechanism, inputs, edge);
    return {
      species: `${kind}.${key}`,
      make: () => kernel(species),
      operands: [
        ...operands,
        stateAt(inputs, near),
        bodyAt(near),
        stateAt(inputs, far),
        bodyAt(far),
        blocksAt(edge.joint),
      ],
      outputs: 1,
    };
  });
  return [previous, [...spins, ...edges]];
}

/** Poses along the tree, level by level, then velocities of all bodies. */
function bodyCalls(mechanism: Mechanism, inputs: InputPlaces, out: number): Call[][] {
  const { bodies, tree } = mechanism;
  const bodyAt = (body: number): number => out + bodyStateSize * Math.max(0, body);
  const earlierAt = (body: number): number => bodyAt(bodies.length) + poseSize * Math.max(0, body);
  const depths = new Map<number, number>([[worldIndex, 0]]);
  const levels: Call[][] = [];
  for (const edge of tree) {
    const { near, far, species, key, operands } = edgeOf(mechanism, inputs, edge);
    const depth = depths.get(near) as number;
    depths.set(far, depth + 1);
    levels[depth] ??= [];
    levels[depth].push({
      species: `poses.${key}`,
      make: poses(species),
      operands: [...operands, bodyAt(near), earlierAt(near), bodyAt(far), earlierAt(far)],
      outputs: 2,
    });
  }
  const ofBodies = bodies.map(
    (_, i): Call => ({
      species: "velocities",
      make: velocities,
      operands: [timestepAt, bodyAt(i), earlierAt(i), bodyAt(i) + poseSize],
      outputs: 1,
    }),
  );
  return [...levels, ofBodies];
}

const poseEntries = ({ position, orientation }: Pose): Scalar[] => [...position, ...orientation];

/** The pose of a far body now and one step earlier. */
function poses({ type, nearMoves, reversed }: CoordinateSpecies): Formula {
  const count = coordinates(type).length;
  const place = reversed ? parentPose : childPose;
  return {
    sizes: [1, frameSize, count, count, poseSize, poseSize],
    values: ([[h], frame, values, rates, near, nearBefore]) => {
      const frames = framesFrom(frame);
      const now = place(frames, jointTransform(type, frames, values), nearMoves ? poseOf(near) : worldPose);
      const transform = earlierTransform(type, frames, values, rates, h);
      const before = place(frames, transform, nearMoves ? poseOf(nearBefore) : worldPose);
      return [poseEntries(now), poseEntries(before)];
    },
  };
}

const velocities: Formula = {
  sizes: [1, poseSize, poseSize],
  values: ([[h], now, before]) => {
    const linear = vsub(now.slice(0, 3), before.slice(0, 3));
    const angular = attitudeError(before.slice(3), now.slice(3));
    return [[...linear, ...angular].map((entry) => div(entry, h))];
  },
};

function previousKernel(): Kernel {
  return kernelOfFormula({
    sizes: [1, bodyStateSize],
    values: ([[h], state]) => [poseEntries(poseBefore(state, h))],
  });
}

function spinKernel(): Kernel {
  const s = velocitySymbols();
  const { byNow, byBefore } = spinBlocks(s);
  return kernelOf([[s.h], s.now, s.before], [[...byNow.flat(), ...byBefore.flat()]]);
}

function maximalKernel(isByParameters: boolean) {
  return (species: CoordinateSpecies): Kernel => {
    const s = toMaximalSymbols(species);
    const symbols = [[s.h], s.frame, s.values, s.rates, s.near, s.nearBefore, s.far, s.farBefore];
    if (isByParameters) {
      const { byFrame, beforeByFrame, beforeByTimestep } = toMaximalByParameters(species, s);
      return kernelOf(symbols, [[byFrame, beforeByFrame, beforeByTimestep].flat(2)]);
    }
    const { near, nearBefore, values, beforeByValues, beforeByRates } = toMaximalBlocks(species, s);
    const carried = species.nearMoves ? [...near.flat(), ...nearBefore.flat()] : new Array<number>(72).fill(0);
    return kernelOf(symbols, [[...carried, ...[values, beforeByValues, beforeByRates].flat(2)]]);
  };
}

export const callsOf: Readonly<Record<SectionName, CallsOf>> = {
  values: (mechanism, inputs, out) => [
    jointCalls(mechanism, inputs, "map.values", minimalValues, ({ coordinateOffset }) => [
      out + coordinateOffset,
      out + mechanism.coordinateCount + coordinateOffset,
    ]),
  ],
  bodies: bodyCalls,
  minimal: (mechanism, inputs, _, blocksAt) => [
    jointCalls(mechanism, inputs, "map.minimal", minimalKernel(false), ({ index }) => [blocksAt(index)]),
  ],
  minimalParameters: (mechanism, inputs, _, blocksAt) => [
    jointCalls(mechanism, inputs, "map.minimalParameters", minimalKernel(true), ({ index }) => [blocksAt(index)]),
  ],
  maximal: (mechanism, inputs, out, blocksAt) =>
    treeCalls(mechanism, inputs, out, "map.maximal", maximalKernel(false), blocksAt),
  maximalParameters: (mechanism, inputs, out, blocksAt) =>
    treeCalls(mechanism, inputs, out, "map.maximalParameters", maximalKernel(true), blocksAt),
};
