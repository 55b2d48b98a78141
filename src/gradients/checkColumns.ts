/** Columns of a Jacobian beside differences of the same step: how far they are apart, and whether the step bends where they are. */

/** Columns with entries above this are differenced with steps as much shorter. */
const steep = 100;
/** Part of the distance between one-sided differences by which a gradient at a corner may lie outside of them. */
const beside = 0.1;

/** The largest error of a column, over max(1, norm), and where it is. */
export interface ColumnError {
  readonly worst: number;
  /** Such as "d(crate.velocity.z)/d(gravity.x)". */
  readonly entry: string;
  readonly implicit: number;
  readonly difference: number;
}

/** An entry at which the step has no derivative: the differences to either side are not the same. */
export interface GradientCorner {
  readonly entry: string;
  readonly implicit: number;
  /** Differences to the lower and to the upper side. */
  readonly below: number;
  readonly above: number;
}

/** A block beside free differences, of steps that find the features of shapes anew. */
export interface FreeBlock extends ColumnError {
  /** Columns in which the step has no derivative. They do not count in `worst`. */
  readonly corners: readonly GradientCorner[];
}

/** A block beside differences with everything held that its gradients hold. */
export interface GradientBlock extends ColumnError {
  /** "state", "input", or a parameter's name. */
  readonly name: string;
  /** Largest entry. */
  readonly norm: number;
  readonly columns: number;
  /** There where shapes touch; not of parameters that the features of a step take from it, such as a centre of mass. */
  readonly free?: FreeBlock;
}

/** A column of a block: entry i is at i · width + j. */
export interface Column {
  readonly matrix: Float64Array;
  readonly width: number;
  readonly j: number;
  /** Largest entry of the block. */
  readonly norm: number;
  /** What varies, and what answers to it. */
  readonly name: string;
  readonly rows: readonly string[];
}

export type Difference = (length: number) => Float64Array | undefined;

/** The first of the largest errors. */
export function worstOf<T extends ColumnError>(found: readonly T[]): T {
  return found.reduce((most, one) => (one.worst > most.worst ? one : most));
}

/** The column beside the differences that come nearest to it; further lengths are tried until one is good enough. */
export function columnError(
  column: Column,
  lengths: readonly number[],
  along: Difference,
  goodEnough: number,
): ColumnError {
  let best: ColumnError | undefined;
  for (const length of lengths) {
    const difference = along(length);
    if (!difference) continue;
    const tried = errorBeside(column, difference);
    if (!best || tried.worst < best.worst) best = tried;
    if (best.worst <= goodEnough) break;
  }
  return (
    best ?? {
      worst: Number.POSITIVE_INFINITY,
      entry: `d(next)/d(${column.name}): no difference could be taken`,
      implicit: 0,
      difference: 0,
    }
  );
}

/**
 * The corner that explains this error: differences to the two sides are apart by as much at every length, and the column lies on one of them or
 * between them. Undefined where the error is one.
 */
export function cornerOf(
  column: Column,
  lengths: readonly number[],
  toSide: Difference,
  { worst }: ColumnError,
): GradientCorner | undefined {
  let corner: GradientCorner | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const length of lengths) {
    const [below, above] = [toSide(-length), toSide(length)];
    if (!below || !above) continue;
    const { apart, at, isBetween } = sidesOf(column, below, above);
    if (2 * apart < worst) return undefined;
    if (apart >= least || !isBetween) continue;
    least = apart;
    const implicit = implicitAt(column, at);
    corner = { entry: entryName(column, at), implicit, below: below[at], above: above[at] };
  }
  return corner;
}

/** How far two sides are apart at most, where, and whether the column is within them. */
function sidesOf(column: Column, below: Float64Array, above: Float64Array) {
  const unit = Math.max(1, column.norm);
  let [apart, at] = [0, 0];
  for (let i = 0; i < below.length; i++) {
    const distance = Math.abs(above[i] - below[i]) / unit;
    if (distance > apart) [apart, at] = [distance, i];
  }
  const margin = beside * apart * unit;
  const isBetween = below.every((one, i) => {
    const implicit = implicitAt(column, i);
    return implicit >= Math.min(one, above[i]) - margin && implicit <= Math.max(one, above[i]) + margin;
  });
  return { apart, at, isBetween };
}

function errorBeside(column: Column, difference: Float64Array): ColumnError {
  const unit = Math.max(1, column.norm);
  const tried = { worst: 0, entry: "", implicit: 0, difference: 0 };
  for (let i = 0; i < difference.length; i++) {
    const implicit = implicitAt(column, i);
    const error = Math.abs(implicit - difference[i]) / unit;
    if (error <= tried.worst) continue;
    Object.assign(tried, { worst: error, entry: entryName(column, i), implicit, difference: difference[i] });
  }
  return tried;
}

function implicitAt({ matrix, width, j }: Column, i: number): number {
  return matrix[i * width + j];
}

function entryName({ rows, name }: Column, i: number): string {
  return `d(${rows[i]})/d(${name})`;
}

/**
 * Lengths of differences for a column of a number of some size. What answers strongly bends soon, and is differenced in shorter steps. A small
 * number may be small for its kind, such as the inertia of a light body, which asks for steps of its size; or it is next to nothing, such as the
 * damping of a heavy one, and such steps drown in rounding: both are tried.
 */
export function lengthsFor(column: Column, steps: readonly number[], size: number): number[] {
  let steepest = steep;
  for (let i = 0; i < column.rows.length; i++) steepest = Math.max(steepest, Math.abs(implicitAt(column, i)));
  return steps.flatMap((step) => {
    const length = (unit: number): number => (step * unit * steep) / Math.max(steep, steepest * unit);
    return size > 0 && size < 1 ? [length(size), length(1)] : [length(1)];
  });
}
