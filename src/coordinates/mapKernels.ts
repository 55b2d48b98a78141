/**
 * Joint coordinates ⇄ body states and their derivatives as kernels: what is computed together is a section, which has inputs, a call list
 * and outputs of its own, and is compiled when it is first asked for.
 *   values        joint values and rates from the states of the bodies
 *   bodies        the states of the bodies from joint values and rates, then their poses one step earlier: along the spanning tree, level
 *                 by level, each body's pose now and earlier from the body before it, and then v = (x − x₋)/h, ω = 2 vec(q₋⁻¹ q)/h
 *   minimal       per joint: values and rates by the states of its bodies
 *   maximal       per body: its pose one step earlier, its spin by both poses; per joint of the tree: the far body by the near one and
 *                 the coordinates, now and one step earlier
 *   …Parameters   the same by the joint's frame and the time step
 *
 * Inputs: h │ frames 16 per joint │ states 13 per body │ values │ rates
 */
import { chooseTarget, type Target } from "../codegen/index.ts";
import {
  attitudeError,
  type CoordinateSpecies,
  childPose,
  coordinates,
  earlierTransform,
  frameParameters,
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
import { bodyStateSize, bodyTangentSize, cached, poseSize } from "../math/index.ts";
import { type Mechanism, type MechanismJoint, worldIndex } from "../mechanism/index.ts";
import { div, jacobian, type Scalar, vsub } from "../symbolic/index.ts";
import {
  type Call,
  CallList,
  evaluateCalls,
  type Formula,
  type Kernel,
  kernelOf,
  kernelOfFormula,
  keyOf,
} from "./callLists.ts";

export const frameSize = frameParameters.length;

export type SectionName = "values" | "bodies" | "minimal" | "maximal" | "minimalParameters" | "maximalParameters";

/** Where inputs lie, in every section. */
export interface InputPlaces {
  readonly frames: number;
  readonly states: number;
  /** Joint values, then rates. */
  readonly minimal: number;
  readonly size: number;
}

export function inputPlaces({ joints, bodies, coordinateCount }: Mechanism): InputPlaces {
  const frames = 1;
  const states = frames + frameSize * joints.length;
  const minimal = states + bodyStateSize * bodies.length;
  return { frames, states, minimal, size: minimal + 2 * coordinateCount };
}

/** Where the blocks of a joint with `size` coordinates lie among those of a section. All are row-major. */
export const minimalBlocks = (size: number) => ({ byParent: 0, byChild: 24 * size, size: 48 * size });
export const minimalParameterBlocks = (size: number) => ({
  byFrame: 0,
  byTimestep: 2 * size * frameSize,
  size: 2 * size * (frameSize + 1),
});
export const maximalBlocks = (size: number) => ({
  near: 0,
  nearBefore: 36,
  values: 72,
  beforeByValues: 72 + 6 * size,
  beforeByRates: 72 + bodyTangentSize * size,
  size: 72 + 18 * size,
});
export const maximalParameterBlocks = {
  byFrame: 0,
  beforeByFrame: 6 * frameSize,
  beforeByTimestep: 12 * frameSize,
  size: 12 * frameSize + 6,
};
/** The blocks of a body in section "maximal": its pose one step earlier, 7 numbers, then dω/dδθ and dω/dδθ₋. */
export const bodyBlocks = { previous: 0, spinByNow: 7, spinByBefore: 16, size: 25 };

/** Where each joint's blocks begin among the outputs of a section, and the number of all outputs. */
export function sectionLayout(
  { joints, bodies, coordinateCount }: Mechanism,
  section: SectionName,
): { readonly joints: Int32Array; readonly size: number } {
  const none = (): number => 0;
  const ofBodies = bodyBlocks.size * bodies.length;
  const [begin, sizeOf]: readonly [number, (size: number) => number] = (
    {
      values: [2 * coordinateCount, none],
      bodies: [(bodyStateSize + poseSize) * bodies.length, none],
      minimal: [0, (size) => minimalBlocks(size).size],
      maximal: [ofBodies, (size) => maximalBlocks(size).size],
      minimalParameters: [0, (size) => minimalParameterBlocks(size).size],
      maximalParameters: [ofBodies, () => maximalParameterBlocks.size],
    } as const satisfies Record<SectionName, readonly [number, (size: number) => number]>
  )[section];
  let at = begin;
  const starts = joints.map(({ coordinates: own }) => {
    const start = at;
    at += sizeOf(own.length);
    return start;
  });
  return { joints: Int32Array.from(starts), size: at };
}

/** Runs at plain numbers before formulas are compiled: set-up code converts some states, and compiling takes milliseconds. */
const runsAtNumbers = 8;

/** A section of one mechanism, ready to run. What consists of formulas is compiled once that pays, which changes no bit. */
export class Section {
  /** Views of its memory, which is another one after the run in which the section is compiled. */
  inputs: Float64Array;
  outputs: Float64Array;
  private readonly calls: readonly (readonly Call[])[];
  private readonly target: Target | undefined;
  private memory: Float64Array;
  private runs = 0;
  private list: CallList | undefined;

  /** A section that is given its target is compiled at once. */
  constructor(mechanism: Mechanism, name: SectionName, target?: Target) {
    const inputs = inputPlaces(mechanism);
    const { joints, size } = sectionLayout(mechanism, name);
    const out = inputs.size;
    this.calls = callsOf[name](mechanism, inputs, out, (joint) => out + joints[joint]);
    this.target = target;
    this.memory = new Float64Array(out + size);
    this.inputs = this.memory.subarray(0, out);
    this.outputs = this.memory.subarray(out);
  }

  run(): void {
    if (!this.target && this.runs++ < runsAtNumbers && evaluateCalls(this.memory, this.calls)) return;
    this.list ??= this.compiled();
    this.list.run();
  }

  private compiled(): CallList {
    const { inputs, memory } = this;
    const [out, sink] = [inputs.length, memory.length];
    const list = new CallList(this.target ?? chooseTarget(), sink + largestOutput, sink, this.calls);
    this.memory = list.f64;
    this.inputs = list.f64.subarray(0, out);
    this.outputs = list.f64.subarray(out, sink);
    this.inputs.set(inputs);
    return list;
  }

  /** The same with inputs and outputs that the caller keeps. */
  runInto(out: Float64Array, inputs: Float64Array): void {
    this.inputs.set(inputs);
    this.run();
    out.set(this.outputs);
  }
}

/** Blocks of six coordinates. */
const largestOutput = Math.max(
  minimalBlocks(6).size,
  maximalBlocks(6).size,
  minimalParameterBlocks(6).size,
  maximalParameterBlocks.size,
);

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

/** Calls of all bodies, then of the joints of the tree. */
function treeCalls(
  mechanism: Mechanism,
  inputs: InputPlaces,
  out: number,
  kind: string,
  kernel: (species: CoordinateSpecies) => Kernel,
  blocksAt: (joint: number) => number,
): (readonly Call[])[] {
  const { bodies, joints, tree, coordinateCount } = mechanism;
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
  const edges = tree.map(({ joint: j, reversed }): Call => {
    const { shape, parent, child, coordinateOffset } = joints[j];
    const [near, far] = reversed ? [child, parent] : [parent, child];
    const species = { type: shape, nearMoves: near !== worldIndex, reversed };
    return {
      species: `${kind}.${keyOf(shape)}${species.nearMoves ? "" : "w"}${reversed ? "r" : ""}`,
      make: () => kernel(species),
      operands: [
        timestepAt,
        inputs.frames + frameSize * j,
        inputs.minimal + coordinateOffset,
        inputs.minimal + coordinateCount + coordinateOffset,
        stateAt(inputs, near),
        bodyAt(near),
        stateAt(inputs, far),
        bodyAt(far),
        blocksAt(j),
      ],
      outputs: 1,
    };
  });
  return [previous, [...spins, ...edges]];
}

/** Poses along the tree, level by level, then velocities of all bodies. */
function bodyCalls(mechanism: Mechanism, inputs: InputPlaces, out: number): Call[][] {
  const { bodies, joints, tree, coordinateCount } = mechanism;
  const bodyAt = (body: number): number => out + bodyStateSize * Math.max(0, body);
  const earlierAt = (body: number): number => bodyAt(bodies.length) + poseSize * Math.max(0, body);
  const depths = new Map<number, number>([[worldIndex, 0]]);
  const levels: Call[][] = [];
  for (const { joint: j, reversed } of tree) {
    const { shape, parent, child, coordinateOffset } = joints[j];
    const [near, far] = reversed ? [child, parent] : [parent, child];
    const depth = depths.get(near) as number;
    depths.set(far, depth + 1);
    const species = { type: shape, nearMoves: near !== worldIndex, reversed };
    levels[depth] ??= [];
    levels[depth].push({
      species: `poses.${keyOf(shape)}${species.nearMoves ? "" : "w"}${reversed ? "r" : ""}`,
      make: poses(species),
      operands: [
        timestepAt,
        inputs.frames + frameSize * j,
        inputs.minimal + coordinateOffset,
        inputs.minimal + coordinateCount + coordinateOffset,
        bodyAt(near),
        earlierAt(near),
        bodyAt(far),
        earlierAt(far),
      ],
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

const callsOf: Readonly<Record<SectionName, CallsOf>> = {
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

const known = new WeakMap<object, Map<SectionName, Section>>();

/** A section of a mechanism, shared by all copies of it whose frames or masses differ. */
export function sectionOf(mechanism: Mechanism, name: SectionName): Section {
  const sections = cached(known, mechanism.tree, () => new Map());
  return cached(sections, name, () => new Section(mechanism, name));
}
