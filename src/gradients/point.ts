/** Moves a solved step into the memory of another system of the same mechanism, to be made linear there. */
import { leadOffset } from "../equations/index.ts";
import type { System } from "../kernels/index.ts";
import {
  type BounceRecord,
  copyInto,
  leadOf,
  meanDrive,
  type PieceWithPoints,
  type Simulation,
  type SlotSystem,
  type StepDivision,
  weightBefore,
} from "../simulation/index.ts";

/** A solved step, all that its gradients need. */
export interface SolvedStep {
  /** Memory up to `dataEnd`: parameters and wrenches (and whatever else lies there, which is not looked at). */
  readonly data: Float64Array;
  readonly input: Float64Array;
  /** One per substep: state, unknowns, b, c, turns (simulation/step/keptPoints.ts). */
  readonly points: readonly Float64Array[];
  /** Whether contacts are no stiffer there than factors can take (simulation/step/contactCap.ts). Default false. */
  readonly isCapped?: boolean;
  /** What is kept of bounces, one per substep; undefined where nothing bounced. Default none. */
  readonly bounces?: readonly (BounceRecord | undefined)[];
  /** The states before and after it, as simulated. */
  readonly state: Float64Array;
  readonly next: Float64Array;
  /** The time step over the intervals in which the states before and after it are written. Default 1. */
  readonly from?: number;
  readonly to?: number;
  /** What it was taken with where shapes touch, in whose memory `data` and `points` lie. Default none. */
  readonly taken?: SlotSystem | undefined;
  /** Which slots are bound at run time, and to which bodies (TouchSlots.bonds). Default none. */
  readonly bonds?: Int32Array | undefined;
  /** What surfaces have given its features where shapes touch (TouchSteps.combined). Default none. */
  readonly combined?: Int32Array | undefined;
  /** Its parts, if it was divided by a tolerance. Default: as many equal ones as there are points. */
  readonly division?: StepDivision | undefined;
  /** The pieces that it was taken as where shapes touch, with features and points of their own in place of its. Default none. */
  readonly pieces?: readonly PieceWithPoints[] | undefined;
  /** The length of such a piece over the time step. Default 1. */
  readonly size?: number;
}

/** The steps that it consists of: its pieces, each from where the one before has ended, in the interval of that; or itself. */
export function piecesOf(step: SolvedStep): readonly SolvedStep[] {
  const { pieces, isCapped, input, state, next, from = 1, to = 1 } = step;
  if (!pieces) return [step];
  return pieces.map((piece, k): SolvedStep => {
    const { size } = piece;
    const before = k === 0 ? 1 / from : pieces[k - 1].size;
    const begins = { state: k === 0 ? state : pieces[k - 1].next, from: size / before };
    const isLast = k === pieces.length - 1;
    return { ...piece, isCapped, input, ...begins, next: isLast ? next : piece.next, to: isLast ? size * to : 1 };
  });
}

/** Whether there is a point for all of it. */
export function hasPoints({ points, pieces }: Pick<SolvedStep, "points" | "pieces">): boolean {
  return pieces ? pieces.every((piece) => piece.points.length > 0) : points.length > 0;
}

/** A substep as fractions of the time step: its size, and its lead. */
export function partOf(
  { points, division }: SolvedStep,
  substep: number,
): { readonly size: number; readonly lead: number } {
  if (!division) return { size: 1 / points.length, lead: 0 };
  return { size: division.parts[substep], lead: leadOf(division, substep) };
}

/** Turns the input and the wrenches of a step into what drives a part of it: a mean with those of the step before where the two meet. */
export function driveInto(f64: Float64Array, system: System, step: SolvedStep, substep: number): void {
  const { places, mechanism } = system;
  const { division, input, data } = step;
  copyInto(f64, places.input, input, 0, mechanism.inputSize);
  copyInto(f64, places.wrench, data, places.wrench, 6 * mechanism.bodies.length);
  if (substep > 0 || !division?.drive) return;
  meanDrive(system, f64, division.drive, weightBefore(division.before, division.parts[0]));
}

/** The part before a step that a tolerance divides, as a fraction of it; undefined of any other step. */
export function partBeforeOf({ division, pieces }: SolvedStep): number | undefined {
  return (division ?? pieces?.[0].division)?.before;
}

/** The state of a step as controllers have read it (Simulation.readable), and the time step over the interval of its velocities: `parts` if it is read as it is. */
export function seenState(
  step: SolvedStep,
  parts: number,
  simulation: Simulation,
): { readonly state: Float64Array; readonly parts: number } {
  const before = partBeforeOf(step);
  if (before === undefined || before * parts >= 1) return { state: step.state, parts };
  const h = step.data[simulation.plainSystem.places.globals];
  return { state: simulation.transferState(step.state, h * before, h / parts), parts: 1 / before };
}

/** `loaded` is the data that the memory has already, as steps that follow each other mostly share theirs. */
export function loadPoint(system: System, step: SolvedStep, substep: number, loaded?: Float64Array): void {
  const { f64, places, unknowns, coneSize, mechanism, turns } = system;
  const { stateSize } = mechanism;
  const { data, points } = step;
  const point = points[substep];
  if (data !== loaded) f64.set(data);
  const h = data[places.globals];
  const { size, lead } = partOf(step, substep);
  f64[places.globals] = h * size;
  f64[places.globals + leadOffset] = step.division ? h * lead : data[places.globals + leadOffset];
  driveInto(f64, system, step, substep);
  copyInto(f64, places.state, point, 0, stateSize);
  copyInto(f64, places.unknown, point, stateSize, unknowns);
  copyInto(f64, places.coneB, point, stateSize + unknowns, coneSize);
  copyInto(f64, places.coneC, point, stateSize + unknowns + coneSize, coneSize);
  const kept = stateSize + unknowns + 2 * coneSize;
  for (let i = 0; i < turns.indices.length; i++) f64[turns.indices[i]] = point[kept + i];
}
