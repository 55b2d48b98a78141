/** Where the numbers of a section (mapKernels.ts) lie: its inputs, and the blocks of joints and bodies among its outputs. */
import { frameParameters } from "../equations/index.ts";
import { bodyStateSize, bodyTangentSize, poseSize } from "../math/index.ts";
import type { Mechanism } from "../mechanism/index.ts";

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
