/**
 * The blocks of coordinateMaps.ts as kernels: what is computed together is a section, which has inputs, a call list and outputs of its
 * own, and is compiled when it is first asked for.
 *   values        joint values and rates
 *   minimal       per joint: values and rates by the states of its bodies
 *   maximal       per body: its pose one step earlier, its spin by both poses; per joint of the tree: the far body by the near one and
 *                 the coordinates, now and one step earlier
 *   …Parameters   the same by the joint's frame and the time step
 *
 * Inputs: h │ frames 16 per joint │ states 13 per body │ values │ rates
 */
import { chooseTarget } from "../codegen/index.ts";
import {
  type CoordinateSpecies,
  frameParameters,
  type JointType,
  poseBefore,
  spinBlocks,
  toMaximalBlocks,
  toMaximalByParameters,
  toMaximalSymbols,
  toMinimal,
  toMinimalBlocks,
  toMinimalSymbols,
  velocitySymbols,
} from "../equations/index.ts";
import { bodyStateSize, bodyTangentSize, cached } from "../math/index.ts";
import { type Mechanism, type MechanismJoint, worldIndex } from "../mechanism/index.ts";
import { jacobian } from "../symbolic/index.ts";
import { type Call, CallLists, type Kernel, kernelOf, keyOf, symbolOperands } from "./callLists.ts";

export const frameSize = frameParameters.length;

const sectionNames = ["values", "minimal", "maximal", "minimalParameters", "maximalParameters"] as const;
export type SectionName = (typeof sectionNames)[number];

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
  const sizeOf = {
    values: () => 0,
    minimal: (size: number) => minimalBlocks(size).size,
    maximal: (size: number) => maximalBlocks(size).size,
    minimalParameters: (size: number) => minimalParameterBlocks(size).size,
    maximalParameters: () => maximalParameterBlocks.size,
  }[section];
  const begin = section === "maximal" || section === "maximalParameters" ? bodyBlocks.size * bodies.length : 0;
  let at = section === "values" ? 2 * coordinateCount : begin;
  const starts = joints.map(({ coordinates: own }) => {
    const start = at;
    at += sizeOf(own.length);
    return start;
  });
  return { joints: Int32Array.from(starts), size: at };
}

/** A section of one mechanism, ready to run. */
export class Section {
  private readonly lists: CallLists;
  private readonly outputs: Float64Array;

  constructor(mechanism: Mechanism, name: SectionName) {
    const inputs = inputPlaces(mechanism);
    const { joints, size } = sectionLayout(mechanism, name);
    const out = inputs.size;
    const calls = callsOf[name](mechanism, inputs, out, (joint) => out + joints[joint]);
    const sink = out + size;
    this.lists = new CallLists(chooseTarget(), sink + largestOutput, sink, [calls]);
    this.outputs = this.lists.f64.subarray(out, sink);
  }

  run(out: Float64Array, inputs: Float64Array): void {
    this.lists.f64.set(inputs);
    this.lists.run(0);
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
  kernel: (type: JointType, parentMoves: boolean) => Kernel,
  outputs: (joint: MechanismJoint) => readonly number[],
): Call[] {
  return joints.map((joint) => {
    const { shape, parent, child, index } = joint;
    const parentMoves = parent !== worldIndex;
    const own = outputs(joint);
    return {
      species: `${kind}.${keyOf(shape)}${parentMoves ? "" : "w"}`,
      make: () => kernel(shape, parentMoves),
      operands: [
        timestepAt,
        inputs.frames + frameSize * index,
        stateAt(inputs, parent),
        stateAt(inputs, child),
        ...own,
      ],
      outputs: own.length,
      keepsConstants: true,
    };
  });
}

function minimalKernel(outputs: "values" | "blocks" | "parameters") {
  return (type: JointType, parentMoves: boolean): Kernel => {
    const s = toMinimalSymbols();
    const { values, rates } = toMinimal(type, parentMoves, s);
    const rows = [...values, ...rates];
    const written = {
      values: () => [values, rates],
      blocks: () => {
        const { byParent, byChild } = toMinimalBlocks(type, parentMoves, s);
        const none = new Array<number>(bodyTangentSize * rows.length).fill(0);
        return [[...(parentMoves ? byParent.flat() : none), ...byChild.flat()]];
      },
      parameters: () => [[...jacobian(rows, s.frame).flat(), ...jacobian(rows, [s.h]).flat()]],
    }[outputs]();
    return kernelOf([[s.h], s.frame, s.parent, s.child], written);
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
  const keepsConstants = true;
  const previous = bodies.map(
    (_, i): Call => ({
      species: "map.previous",
      make: previousKernel,
      operands: [timestepAt, stateAt(inputs, i), bodyAt(i) + bodyBlocks.previous],
      outputs: 1,
      keepsConstants,
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
      keepsConstants,
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
      keepsConstants,
    };
  });
  return [previous, [...spins, ...edges]];
}

function previousKernel(): Kernel {
  const s = symbolOperands({ h: 1, state: bodyStateSize });
  const { state, h } = s.of;
  const { position, orientation } = poseBefore(state, h[0]);
  return s.kernel([[...position, ...orientation]]);
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
    jointCalls(mechanism, inputs, "map.values", minimalKernel("values"), ({ coordinateOffset }) => [
      out + coordinateOffset,
      out + mechanism.coordinateCount + coordinateOffset,
    ]),
  ],
  minimal: (mechanism, inputs, _, blocksAt) => [
    jointCalls(mechanism, inputs, "map.minimal", minimalKernel("blocks"), ({ index }) => [blocksAt(index)]),
  ],
  minimalParameters: (mechanism, inputs, _, blocksAt) => [
    jointCalls(mechanism, inputs, "map.minimalParameters", minimalKernel("parameters"), ({ index }) => [
      blocksAt(index),
    ]),
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
