/**
 * All Jacobians of a solved step with respect to state and input, in maximal or minimal coordinates, by one factorisation and
 * many right-hand sides [solution_sensitivity]. Its own memory: the simulation is never disturbed.
 */
import type { Target } from "../codegen/index.ts";
import { buildSystem, type JacobianPlaces, type PlacedBlock, type System, stepJacobians } from "../kernels/index.ts";
import type { Mechanism } from "../mechanism/index.ts";
import { loadPoint, type SolvedStep } from "./point.ts";
import { Refinement } from "./refinement.ts";

export type Coordinates = "maximal" | "minimal";

export class StepJacobians {
  readonly system: System;
  readonly coordinates: Coordinates;
  /** Rows: 12 a body, or twice the joint coordinates. */
  readonly rows: number;

  private readonly places: JacobianPlaces;
  private readonly zeroed: Float64Array;
  private readonly refinement: Refinement;
  private refines = false;
  private readonly stateColumns: number;
  /** Place in the minimal state of each row of `out`, which goes joint by joint: values, then rates. */
  private readonly rowPlace: Int32Array;

  constructor(mechanism: Mechanism, target: Target, coordinates: Coordinates) {
    let places: JacobianPlaces | undefined;
    let refinement: Refinement | undefined;
    this.coordinates = coordinates;
    this.system = buildSystem(mechanism, target, (plan, register) => {
      const extension = stepJacobians(plan, register, coordinates);
      places = extension.places;
      refinement = new Refinement(plan);
      return extension.lists;
    });
    this.refinement = refinement as unknown as Refinement;
    this.places = places as unknown as JacobianPlaces;
    this.zeroed = this.system.f64.subarray(...this.system.zeroed);
    this.rows = coordinates === "minimal" ? 2 * mechanism.coordinateCount : 12 * mechanism.bodies.length;
    this.stateColumns = this.rows;
    this.rowPlace = Int32Array.from(
      mechanism.joints.flatMap(({ coordinates: list, coordinateOffset }) => [
        ...list.map((_, i) => coordinateOffset + i),
        ...list.map((_, i) => mechanism.coordinateCount + coordinateOffset + i),
      ]),
    );
  }

  /** Linearises about a solved step without substeps and writes both Jacobians, row-major. */
  write(step: SolvedStep, dNext_dState: Float64Array, dNext_dInput: Float64Array): void {
    const { system } = this;
    loadPoint(system, step);
    system.run("prepare");
    this.zeroed.fill(0);
    system.run("evaluate");
    this.refines = this.refinement.isNeeded(system);
    system.run("factor");
    system.run("blocks");
    if (this.coordinates === "minimal") this.writeMinimal(dNext_dState, dNext_dInput);
    else this.writeMaximal(dNext_dState, dNext_dInput);
  }

  private writeMinimal(dNext_dState: Float64Array, dNext_dInput: Float64Array): void {
    const { system, places, rows } = this;
    const { f64, unknowns, mechanism } = system;
    const count = mechanism.bodies.length;
    system.run("coordinates");
    // S starts from what each joint's own coordinates do to the body it carries
    f64.fill(0, places.state, places.state + 24 * count * places.panels);
    f64.fill(0, places.before, places.before + 12 * count * places.panels);
    for (const joint of places.joints) {
      const width = joint.count + (joint.count & 1);
      for (let k = 0; k < joint.count; k++) {
        const value = joint.coordinate + k;
        const rate = mechanism.coordinateCount + value;
        for (let row = 0; row < 6; row++) {
          f64[panelIndex(places.state, 12 * count, 12 * joint.far + row, value)] = f64[joint.values + row * width + k];
          f64[panelIndex(places.before, 6 * count, 6 * joint.far + row, value)] =
            f64[joint.beforeByValues + row * width + k];
          f64[panelIndex(places.before, 6 * count, 6 * joint.far + row, rate)] =
            f64[joint.beforeByRates + row * width + k];
        }
      }
    }
    system.run("reach");
    f64.fill(0, places.step, places.step + 2 * unknowns * places.panels);
    system.run("rhs.many");
    for (const block of places.blocks)
      if (block.columns === "input") this.scatter(block, this.stateColumns + block.column);
    this.solveMany();
    system.run("next");
    this.unpack(places.out, rows, dNext_dState, dNext_dInput);
  }

  private writeMaximal(dNext_dState: Float64Array, dNext_dInput: Float64Array): void {
    const { system, places } = this;
    const { f64, unknowns, mechanism } = system;
    const h = f64[system.places.globals];
    const inputs = mechanism.inputSize;
    f64.fill(0, places.step, places.step + 2 * unknowns * places.panels);
    for (const block of places.blocks)
      this.scatter(block, block.columns === "input" ? this.stateColumns + block.column : 12 * block.column);
    for (const { index } of mechanism.bodies) {
      for (let i = 0; i < 6; i++) {
        for (let j = 0; j < 6; j++)
          f64[panelIndex(places.step, unknowns, 6 * index + i, 12 * index + 6 + j)] -=
            f64[places.byVelocity + 36 * index + 6 * i + j];
      }
    }
    this.solveMany();
    for (const { index } of mechanism.bodies) {
      this.unpackBody(index, h, 0, this.stateColumns, dNext_dState);
      if (inputs > 0) this.unpackBody(index, h, this.stateColumns, inputs, dNext_dInput);
      this.addDirect(index, dNext_dState);
    }
  }

  /** Error of a body's next state by its step: h v₊, dφ₊/dω₊ ω₊, v₊, ω₊, for columns from `first` on. */
  private unpackBody(index: number, h: number, first: number, width: number, out: Float64Array): void {
    const { f64, unknowns } = this.system;
    const { step, errorBySpin } = this.places;
    const spin = f64.subarray(errorBySpin + 10 * index, errorBySpin + 10 * index + 9);
    const to = 12 * index * width;
    for (let column = 0; column < width; column++) {
      const from = panelIndex(step, unknowns, 6 * index, first + column);
      const x = f64[from + 6];
      const y = f64[from + 8];
      const z = f64[from + 10];
      for (let k = 0; k < 3; k++) {
        const at = to + k * width + column;
        const v = f64[from + 2 * k];
        out[at] = h * v;
        out[at + 3 * width] = spin[3 * k] * x + spin[3 * k + 1] * y + spin[3 * k + 2] * z;
        out[at + 6 * width] = v;
        out[at + 9 * width] = f64[from + 6 + 2 * k];
      }
    }
  }

  /** What a body's state does to its next one directly. */
  private addDirect(index: number, dNext_dState: Float64Array): void {
    const { f64 } = this.system;
    const width = this.stateColumns;
    const attitude = this.places.errorByAttitude + 10 * index;
    for (let i = 0; i < 3; i++) {
      dNext_dState[(12 * index + i) * width + 12 * index + i] += 1;
      for (let j = 0; j < 3; j++)
        dNext_dState[(12 * index + 3 + i) * width + 12 * index + 3 + j] += f64[attitude + 3 * i + j];
    }
  }

  /** Solves all columns in place. */
  private solveMany(): void {
    const { system, places, refinement } = this;
    if (!this.refines) {
      system.run("solveMany");
      return;
    }
    const { f64, unknowns } = system;
    const columns = f64.subarray(places.step, places.step + 2 * unknowns * places.panels);
    const rhs = Float64Array.from(columns);
    system.run("solveMany");
    const solution = Float64Array.from(columns);
    for (let panel = 0; panel < places.panels; panel++) {
      for (const lane of [0, 1]) refinement.subtractProduct(f64, rhs, solution, false, 2 * unknowns * panel + lane, 2);
    }
    columns.set(rhs);
    system.run("solveMany");
    for (let i = 0; i < columns.length; i++) columns[i] += solution[i];
  }

  /** Subtracts a small block from the right-hand sides. */
  private scatter(block: PlacedBlock, column: number): void {
    const { f64, unknowns } = this.system;
    const width = block.columnCount + (block.columnCount & 1);
    for (let i = 0; i < block.rowCount; i++) {
      for (let j = 0; j < block.columnCount; j++) {
        f64[panelIndex(this.places.step, unknowns, block.row + i, column + j)] -= f64[block.index + i * width + j];
      }
    }
  }

  private unpack(start: number, rows: number, dNext_dState: Float64Array, dNext_dInput: Float64Array): void {
    const { f64 } = this.system;
    const { rowPlace } = this;
    const width = this.stateColumns;
    const inputs = this.places.columns - width;
    for (let column = 0; column < width + inputs; column++) {
      let from = panelIndex(start, rows, 0, column);
      for (let row = 0; row < rows; row++, from += 2) {
        if (column < width) dNext_dState[rowPlace[row] * width + column] = f64[from];
        else dNext_dInput[rowPlace[row] * inputs + column - width] = f64[from];
      }
    }
  }
}

/** Entry (row, column) of a matrix kept in panels of two columns. */
function panelIndex(start: number, rows: number, row: number, column: number): number {
  return start + (column >> 1) * 2 * rows + 2 * row + (column & 1);
}
