/**
 * Gears in the joint coordinates of a tree. Where only gears tie coordinates together, G θ = offset, these are projected among
 * themselves: the nearest ones, each weighed by the inertia W of the body that its joint carries,
 *   θ' = θ − W⁻¹Gᵀ (G W⁻¹ Gᵀ)⁻¹ (G θ − offset),          θ̇' the same with G θ̇ = 0,
 * since the gear holds one step earlier too, at θ − h θ̇. So two fingers share what one is moved by, and the arm stays where it is.
 * 1. With D = W^(−1/2) and D Gᵀ = Q R this is θ − U (Vᵀθ − R⁻ᵀ offset), U = D Q and V = D⁻¹ Q: a term a gear, and constant.
 * 2. Gears that others imply are left out.
 * 3. The pull is the transpose.
 */
import { turningCoordinates } from "../equations/index.ts";
import { equalityGears, type Mechanism } from "../mechanism/index.ts";
import type { GeometryValues, GeometryVector } from "./geometry.ts";
import { OrthonormalBasis } from "./massMetric.ts";

/** A gear of which the others leave no more than this is implied by them. */
const rankTolerance = 1e-9;

interface Term {
  /** Number in the list of tied coordinates, and which term of its gear. */
  readonly tied: number;
  readonly number: number;
}

interface Row {
  readonly gear: number;
  readonly terms: readonly Term[];
}

/** Whether only a projection of whole states satisfies what ties the coordinates (closure.ts): loops, or gears on rotation vectors. */
export function needsClosure(mechanism: Mechanism): boolean {
  return mechanism.loopJoints.length > 0 || hasGearsOnRotationVectors(mechanism);
}

function hasGearsOnRotationVectors(mechanism: Mechanism): boolean {
  const isTurning = ({ joint, coordinate }: { readonly joint: number; readonly coordinate: number }): boolean =>
    turningCoordinates(mechanism.joints[joint].shape).includes(coordinate);
  return equalityGears(mechanism).some(({ terms }) => terms.some(isTurning));
}

export class GearTies {
  /** Coordinates that gears tie. */
  private readonly tied: Int32Array;
  private readonly inertiaOf: readonly ((values: GeometryValues) => number)[];
  private readonly all: readonly Row[];
  /** What the columns were built for: ratios, then inertias. */
  private readonly built: Float64Array;
  private readonly coordinateCount: number;
  private readonly values: GeometryValues;
  /** The gears that count, with their columns of U, V and R. */
  private rows: Row[] = [];
  private u: Float64Array[] = [];
  private v: Float64Array[] = [];
  private r: Float64Array[] = [];
  private along = new Float64Array(0);
  /** 1 − V Uᵀ, row-major, and room for a row's tied entries. */
  private readonly projection: Float64Array;
  private readonly row: Float64Array;

  /** None where there are no gears, or more than they. */
  static of(mechanism: Mechanism, values: GeometryValues): GearTies | undefined {
    const isOne = equalityGears(mechanism).length > 0 && !needsClosure(mechanism);
    return isOne ? new GearTies(mechanism, values) : undefined;
  }

  private constructor(mechanism: Mechanism, values: GeometryValues) {
    const { joints, coordinateCount } = mechanism;
    const gears = equalityGears(mechanism);
    const numbers = new Map<number, number>();
    const inertiaOf: ((from: GeometryValues) => number)[] = [];
    const tiedNumber = (joint: number, coordinate: number): number => {
      const { coordinateOffset, coordinates, child } = joints[joint];
      const at = coordinateOffset + coordinate;
      const known = numbers.get(at);
      if (known !== undefined) return known;
      numbers.set(at, numbers.size);
      const slides = coordinates[coordinate].motion === "translation";
      inertiaOf.push((from) => {
        const entries = from.inertia(child);
        return slides ? entries[0] : Math.max(entries[1], entries[2], entries[3]);
      });
      return numbers.size - 1;
    };
    this.values = values;
    this.coordinateCount = coordinateCount;
    this.all = gears.map(({ index, terms }) => ({
      gear: index,
      terms: terms.map(({ joint, coordinate }, number) => ({ tied: tiedNumber(joint, coordinate), number })),
    }));
    this.tied = Int32Array.from(numbers.keys());
    this.projection = new Float64Array(this.tied.length ** 2);
    this.row = new Float64Array(this.tied.length);
    this.inertiaOf = inertiaOf;
    this.built = new Float64Array(this.all.reduce((sum, { terms }) => sum + terms.length, this.tied.length));
  }

  /** Builds the ties for ratios and inertias as they are now; does nothing where they have not changed. */
  update(): void {
    const { all, values, built, inertiaOf } = this;
    let at = 0;
    let hasChanged = false;
    const note = (value: number): void => {
      if (value !== built[at]) hasChanged = true;
      built[at++] = value;
    };
    for (const { gear, terms } of all) for (let t = 0; t < terms.length; t++) note(values.ratio(gear, t));
    for (const inertia of inertiaOf) note(inertia(values));
    if (hasChanged) this.rebuild();
  }

  private rebuild(): void {
    const { all, values, tied } = this;
    const scale = this.inertiaOf.map((inertia) => 1 / Math.sqrt(inertia(values)));
    const basis = new OrthonormalBasis(rankTolerance);
    this.rows = [];
    this.r = [];
    for (const row of all) {
      const column = new Float64Array(tied.length);
      for (const { tied: i, number } of row.terms) column[i] += values.ratio(row.gear, number) * scale[i];
      const coefficients = basis.add(column);
      if (!coefficients) continue;
      this.rows.push(row);
      this.r.push(coefficients);
    }
    this.u = basis.vectors.map((q) => q.map((entry, i) => entry * scale[i]));
    this.v = basis.vectors.map((q) => q.map((entry, i) => entry / scale[i]));
    this.along = new Float64Array(this.rows.length);
    const count = tied.length;
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        const taken = this.u.reduce((sum, column, k) => sum + this.v[k][i] * column[j], 0);
        this.projection[count * i + j] = (i === j ? 1 : 0) - taken;
      }
    }
  }

  /** Projects joint positions and velocities onto the gears; `offset` of a gear is what its sum, given, should be. */
  project(x: Float64Array, offset: (gear: number, sum: number) => number): void {
    const off = this.rows.map(({ gear, terms }) => {
      const sum = terms.reduce(
        (total, { tied, number }) => total + this.values.ratio(gear, number) * x[this.tied[tied]],
        0,
      );
      return sum - offset(gear, sum);
    });
    this.takeOut(x, 0, this.solved(off));
    this.projectPart(x, this.coordinateCount);
  }

  /** Projects tangents of positions and velocities in place; `x` are the positions and velocities themselves. */
  push(tangent: Float64Array, x: Float64Array, theta?: GeometryVector): void {
    const { coordinateCount: c } = this;
    this.projectPart(tangent, 0);
    this.projectPart(tangent, c);
    if (!theta) return;
    this.takeOut(tangent, 0, this.solved(this.rows.map((row) => this.driftOf(row, x, 0, theta))));
    this.takeOut(tangent, c, this.solved(this.rows.map((row) => this.driftOf(row, x, c, theta))));
  }

  /** Pulls cotangents back in place, and adds what the drift of the gears is due. */
  pull(cotangent: Float64Array, x: Float64Array, theta?: GeometryVector): void {
    const { coordinateCount: c } = this;
    this.pullRow(cotangent, 0);
    if (theta) this.pullDrift(x, 0, theta);
    this.pullRow(cotangent, c);
    if (theta) this.pullDrift(x, c, theta);
  }

  /** Pulls the rows of a matrix that has a column for every position and velocity. */
  pullRows(matrix: Float64Array): void {
    const { coordinateCount: c, tied, projection, row } = this;
    const n = tied.length;
    for (let at = 0; at < matrix.length; at += c) {
      for (let i = 0; i < n; i++) row[i] = matrix[at + tied[i]];
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let j = 0; j < n; j++) sum += projection[n * i + j] * row[j];
        matrix[at + tied[i]] = sum;
      }
    }
  }

  /** Entries from `at` on ← (1 − V Uᵀ) of them. */
  private pullRow(row: Float64Array, at: number): void {
    const { u, v, along, tied } = this;
    for (let k = 0; k < u.length; k++) {
      along[k] = 0;
      for (let i = 0; i < tied.length; i++) along[k] += u[k][i] * row[at + tied[i]];
    }
    for (let k = 0; k < v.length; k++) for (let i = 0; i < tied.length; i++) row[at + tied[i]] -= along[k] * v[k][i];
  }

  /** Entries from `at` on ← (1 − U Vᵀ) of them. */
  private projectPart(tangent: Float64Array, at: number): void {
    const amounts = this.v.map((column) => {
      let sum = 0;
      for (let i = 0; i < column.length; i++) sum += column[i] * tangent[at + this.tied[i]];
      return sum;
    });
    this.takeOut(tangent, at, amounts);
  }

  private takeOut(x: Float64Array, at: number, amounts: readonly number[]): void {
    this.u.forEach((column, k) => {
      for (let i = 0; i < column.length; i++) x[at + this.tied[i]] -= amounts[k] * column[i];
    });
  }

  /** R⁻ᵀ off, in place. */
  private solved(off: number[]): number[] {
    const { r } = this;
    for (let k = 0; k < off.length; k++) {
      for (let i = 0; i < k; i++) off[k] -= r[k][i] * off[i];
      off[k] /= r[k][k];
    }
    return off;
  }

  /** What a change of ratios and offset does to a gear's sum of positions (at = 0) or of velocities. */
  private driftOf({ gear, terms }: Row, x: Float64Array, at: number, theta: GeometryVector): number {
    const drift = terms.reduce(
      (sum, { tied, number }) => sum + x[at + this.tied[tied]] * theta.ratio(gear, number)[0],
      0,
    );
    return at === 0 ? drift - theta.offset(gear)[0] : drift;
  }

  /** Pulls back from −Uᵀ(cotangent), which `pullRow` has left in `along`. */
  private pullDrift(x: Float64Array, at: number, theta: GeometryVector): void {
    const { r, along } = this;
    for (let k = along.length - 1; k >= 0; k--) {
      for (let j = k + 1; j < along.length; j++) along[k] -= r[j][k] * along[j];
      along[k] /= r[k][k];
    }
    this.rows.forEach(({ gear, terms }, k) => {
      for (const { tied, number } of terms) theta.ratio(gear, number)[0] -= along[k] * x[at + this.tied[tied]];
      if (at === 0) theta.offset(gear)[0] += along[k];
    });
  }
}
