/**
 * All Jacobians of a solved step with respect to state and input, in maximal or minimal coordinates, by one factorisation and
 * one transposed solve for all rows [solution_sensitivity]. Its own memory: the simulation is never disturbed.
 */
import type { Target } from "../codegen/index.ts";
import { GearTies } from "../coordinates/index.ts";
import {
  buildSystem,
  type JacobianPlaces,
  panelIndex,
  panelSize,
  type System,
  stepJacobians,
} from "../kernels/index.ts";
import type { Mechanism } from "../mechanism/index.ts";
import { geometryValues } from "./geometryVectors.ts";
import { Refinement } from "./refinement.ts";

export type Coordinates = "maximal" | "minimal";

export class StepJacobians {
  readonly system: System;
  readonly coordinates: Coordinates;
  /** Rows: 12 a body, or twice the joint coordinates. */
  readonly rows: number;

  private readonly places: JacobianPlaces;
  private readonly captured: Float64Array;
  /** Panels that start from zero. */
  private readonly step: Float64Array;
  private readonly cleared: readonly Float64Array[];
  private readonly refinement: Refinement;
  private readonly runBefore: readonly (() => void)[];
  private readonly runSolve: () => void;
  private readonly runAfter: readonly (() => void)[];
  /** Of every row in the panels: whether it is that of a velocity whose position follows, and its number. */
  private readonly isFollowed: readonly boolean[];
  private readonly rowPlace: Int32Array;
  private readonly gearTies: GearTies | undefined;

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
    const { f64, dataEnd, zeroed, unknowns } = this.system;
    const isMinimal = coordinates === "minimal";
    this.gearTies = isMinimal ? GearTies.of(mechanism, geometryValues(this.system)) : undefined;
    this.captured = f64.subarray(0, Math.max(dataEnd, zeroed[1]));
    this.rows = isMinimal ? 2 * mechanism.coordinateCount : 12 * mechanism.bodies.length;
    const { step, pose, input, panels, rows } = this.places;
    const view = (start: number, size: number): Float64Array => f64.subarray(start, start + panels * panelSize(size));
    this.step = view(step, unknowns);
    this.cleared = [view(pose, 6 * mechanism.bodies.length), view(input, mechanism.inputSize)];
    const runners = (...names: string[]): (() => void)[] => names.map((name) => this.system.runner(name));
    this.runBefore = runners("factor", "blocks", ...(isMinimal ? ["coordinates", "readings"] : []));
    this.runAfter = runners("data", ...(isMinimal ? ["tree"] : []));
    this.runSolve = this.system.runner("solveMany");
    const ownValues = new Set(rows.filter(({ kind }) => kind === "value").map(({ index }) => index));
    this.isFollowed = rows.map(({ kind, index }) => kind === "rate" && !ownValues.has(index));
    this.rowPlace = Int32Array.from(rows, ({ kind, index }) =>
      isMinimal && kind === "rate" ? mechanism.coordinateCount + index : index,
    );
  }

  /** Takes over a point that stands evaluated in another system of the mechanism: all its data, and the matrix behind them. */
  capture({ f64 }: System): void {
    const { captured } = this;
    captured.set(f64.subarray(0, captured.length));
  }

  /** Linearises about the captured point and writes both Jacobians, row-major. False when they are not finite. */
  write(dNext_dState: Float64Array, dNext_dInput: Float64Array): boolean {
    const refines = this.refinement.isNeeded(this.system);
    this.step.fill(0);
    for (const panels of this.cleared) panels.fill(0);
    for (const run of this.runBefore) run();
    if (this.coordinates === "maximal") this.seedVelocities();
    this.solveMany(refines);
    for (const run of this.runAfter) run();
    return this.coordinates === "minimal"
      ? this.unpackMinimal(dNext_dState, dNext_dInput)
      : this.unpackMaximal(dNext_dState, dNext_dInput);
  }

  /** Rows of v₊ and ω₊ themselves. */
  private seedVelocities(): void {
    const { f64, unknowns } = this.system;
    this.rowPlace.forEach((index, vector) => {
      f64[panelIndex(this.places.step, unknowns, index, vector)] = 1;
    });
  }

  /** Solves for all rows in place. */
  private solveMany(refines: boolean): void {
    const { system, places, refinement, step } = this;
    if (!refines) {
      this.runSolve();
      return;
    }
    const { f64, unknowns } = system;
    const rhs = Float64Array.from(step);
    this.runSolve();
    const solution = Float64Array.from(step);
    for (let panel = 0; panel < places.panels; panel++) {
      for (const lane of [0, 1])
        refinement.subtractProduct(f64, rhs, solution, true, panel * panelSize(unknowns) + lane, 2);
    }
    step.set(rhs);
    this.runSolve();
    for (let i = 0; i < step.length; i++) step[i] += solution[i];
  }

  private unpackMinimal(dNext_dState: Float64Array, dNext_dInput: Float64Array): boolean {
    const { system, places, rows: width, rowPlace, isFollowed } = this;
    const { f64, mechanism } = system;
    const { inputSize, coordinateCount } = mechanism;
    const h = f64[system.places.globals];
    let finite = true;
    for (let vector = 0; vector < rowPlace.length; vector++) {
      const row = rowPlace[vector];
      const state = panelIndex(places.out, width, 0, vector);
      const input = panelIndex(places.input, inputSize, 0, vector);
      if (!isFollowed[vector]) {
        finite = copyRow(f64, state, dNext_dState, row * width, width) && finite;
        finite = copyRow(f64, input, dNext_dInput, row * inputSize, inputSize) && finite;
        continue;
      }
      // θ₊ = θ + h θ̇₊
      const above = row - coordinateCount;
      finite = copyRows(f64, state, dNext_dState, row * width, above * width, width, h) && finite;
      finite = copyRows(f64, input, dNext_dInput, row * inputSize, above * inputSize, inputSize, h) && finite;
      dNext_dState[above * width + above] += 1;
    }
    this.gearTies?.update();
    this.gearTies?.pullRows(dNext_dState);
    return finite;
  }

  private unpackMaximal(dNext_dState: Float64Array, dNext_dInput: Float64Array): boolean {
    const { system, places, rows: width, rowPlace } = this;
    const { f64, mechanism } = system;
    const { inputSize, bodies } = mechanism;
    const h = f64[system.places.globals];
    const states = 6 * bodies.length;
    let finite = true;
    // rows of velocities and spins
    for (let vector = 0; vector < rowPlace.length; vector++) {
      const body = Math.floor(rowPlace[vector] / 6);
      const row = 12 * body + 6 + (rowPlace[vector] - 6 * body);
      const pose = panelIndex(places.pose, states, 0, vector);
      const velocity = panelIndex(places.velocity, states, 0, vector);
      for (let i = 0, at = row * width; i < bodies.length; i++, at += 12) {
        for (let k = 0; k < 6; k++) {
          const byPose = f64[pose + 12 * i + 2 * k];
          const byVelocity = f64[velocity + 12 * i + 2 * k];
          if (byPose - byPose !== 0 || byVelocity - byVelocity !== 0) finite = false;
          dNext_dState[at + k] = byPose;
          dNext_dState[at + 6 + k] = byVelocity;
        }
      }
      const input = panelIndex(places.input, inputSize, 0, vector);
      for (let j = 0; j < inputSize; j++) dNext_dInput[row * inputSize + j] = f64[input + 2 * j];
    }
    // those of positions and attitudes follow
    for (const { index } of bodies) {
      this.writePoseRows(index, h, dNext_dState, width);
      this.writePoseRows(index, h, dNext_dInput, inputSize);
      const attitude = places.errorByAttitude + 10 * index;
      for (let i = 0; i < 3; i++) {
        dNext_dState[(12 * index + i) * width + 12 * index + i] += 1;
        for (let j = 0; j < 3; j++)
          dNext_dState[(12 * index + 3 + i) * width + 12 * index + 3 + j] += f64[attitude + 3 * i + j];
      }
    }
    return finite;
  }

  /** x₊ = x + h v₊ and φ₊ = … + (dφ₊/dω₊) ω₊ of a body, from the rows of v₊ and ω₊. */
  private writePoseRows(body: number, h: number, out: Float64Array, width: number): void {
    const { f64 } = this.system;
    const spin = this.places.errorBySpin + 10 * body;
    for (let k = 0; k < 3; k++) {
      const to = (12 * body + k) * width;
      const [a, b, c] = [f64[spin + 3 * k], f64[spin + 3 * k + 1], f64[spin + 3 * k + 2]];
      const angular = (12 * body + 9) * width;
      for (let j = 0; j < width; j++) {
        out[to + j] = h * out[to + 6 * width + j];
        out[to + 3 * width + j] =
          a * out[angular + j] + b * out[angular + width + j] + c * out[angular + 2 * width + j];
      }
    }
  }
}

/** A vector out of its panel, into a row of `count` entries. Whether all are finite. */
function copyRow(panels: Float64Array, from: number, out: Float64Array, to: number, count: number): boolean {
  let finite = true;
  for (let j = 0; j < count; j++) {
    const entry = panels[from + 2 * j];
    if (entry - entry !== 0) finite = false;
    out[to + j] = entry;
  }
  return finite;
}

/** The same into two rows, the second a multiple of the first. */
function copyRows(
  panels: Float64Array,
  from: number,
  out: Float64Array,
  first: number,
  second: number,
  count: number,
  factor: number,
): boolean {
  let finite = true;
  for (let j = 0; j < count; j++) {
    const entry = panels[from + 2 * j];
    if (entry - entry !== 0) finite = false;
    out[first + j] = entry;
    out[second + j] = factor * entry;
  }
  return finite;
}
