/**
 * All Jacobians of a solved step with respect to state and input, in maximal or minimal coordinates, by one factorisation and
 * one transposed solve for all rows [solution_sensitivity]. Its own memory: the simulation is never disturbed.
 */
import type { Target } from "../codegen/index.ts";
import { GearTies } from "../coordinates/index.ts";
import {
  buildSystem,
  type Extension,
  type JacobianPlaces,
  panelIndex,
  panelSize,
  type System,
  stepJacobians,
} from "../kernels/index.ts";
import { bodyTangentSize } from "../math/index.ts";
import type { Mechanism, TouchPool } from "../mechanism/index.ts";
import { copyInto } from "../simulation/index.ts";
import { geometryValues } from "./geometryVectors.ts";
import { MaximalRows } from "./maximalRows.ts";
import { MinimalRows } from "./minimalRows.ts";
import { Refinement, type SolveParts } from "./refinement.ts";

export type Coordinates = "maximal" | "minimal";

export class StepJacobians {
  readonly system: System;
  readonly coordinates: Coordinates;
  /** Rows: 12 per body, or twice the joint coordinates. */
  readonly rows: number;

  private readonly places: JacobianPlaces;
  private readonly captured: Float64Array;
  /** The same of the system that was last captured. */
  private source: Float64Array = new Float64Array(0);
  /** μ of all rows, and that with all else that starts from zero. */
  private readonly step: Float64Array;
  private readonly cleared: Float64Array;
  /** Where each row starts in `step`. */
  private readonly lanes: readonly number[];
  private readonly refinement: Refinement;
  private readonly runMatrix: () => void;
  private readonly runFactor: () => void;
  private readonly runBlocks: () => void;
  private readonly runSolve: () => void;
  private readonly full: SolveParts;
  private readonly runData: () => void;
  /** Runs all of these lists but `full`, in minimal coordinates. */
  private readonly runAll: (() => void) | undefined;
  private readonly results: MaximalRows | MinimalRows;
  private readonly gearTies: GearTies | undefined;

  constructor(mechanism: Mechanism, target: Target, coordinates: Coordinates, pools: readonly TouchPool[] = []) {
    let jacobianPlaces: JacobianPlaces | undefined;
    let refinement: Refinement | undefined;
    this.coordinates = coordinates;
    const extend: Extension = (plan, register, lists) => {
      const extension = stepJacobians(plan, register, coordinates, lists);
      jacobianPlaces = extension.places;
      refinement = new Refinement(plan);
      return extension.lists;
    };
    this.system = buildSystem(mechanism, target, extend, "step", pools);
    this.refinement = refinement as unknown as Refinement;
    this.places = jacobianPlaces as unknown as JacobianPlaces;
    const { f64, dataEnd, unknowns } = this.system;
    const isMinimal = coordinates === "minimal";
    this.gearTies = isMinimal ? GearTies.of(mechanism, geometryValues(this.system)) : undefined;
    this.captured = f64.subarray(0, dataEnd);
    this.rows = isMinimal ? 2 * mechanism.coordinateCount : bodyTangentSize * mechanism.bodies.length;
    const { step, panels, rows, clearedEnd } = this.places;
    this.step = f64.subarray(step, step + panels * panelSize(unknowns));
    this.cleared = f64.subarray(step, clearedEnd);
    this.lanes = Array.from({ length: 2 * panels }, (_, i) => (i >> 1) * panelSize(unknowns) + (i & 1));
    this.results =
      this.places.coordinates === "minimal"
        ? new MinimalRows(this.system, this.places.places)
        : new MaximalRows(this.system, this.places.places, rows);
    this.runMatrix = this.system.runner("matrix");
    this.runFactor = this.system.runner("factor");
    this.runBlocks = this.system.runner("blocks");
    this.runSolve = this.system.runner("solveMany");
    const part = (list: string): (() => void) => this.system.runner(list);
    this.full = { enter: part("enter"), solve: part("solveFull"), leave: part("leave") };
    this.runData = this.system.runner("data");
    this.runAll = this.system.has("all") ? this.system.runner("all") : undefined;
  }

  /** Takes over the point that stands in another system of the mechanism. */
  capture({ f64, touch }: System): void {
    const { captured, source } = this;
    if (touch) this.system.touch?.rebind(touch.bonds);
    // views are slow to make, and it is the same memory as a rule
    if (source.buffer !== f64.buffer) this.source = f64.subarray(0, captured.length);
    captured.set(this.source);
  }

  /** Takes a point of the captured step (simulation/step/keptPoints.ts). */
  takePoint(point: Float64Array): void {
    const { f64, places, unknowns, coneSize, mechanism } = this.system;
    const cones = mechanism.stateSize + unknowns;
    copyInto(f64, places.unknown, point, mechanism.stateSize, unknowns);
    copyInto(f64, places.coneB, point, cones, coneSize);
    copyInto(f64, places.coneC, point, cones + coneSize, coneSize);
  }

  /**
   * Linearises about the point and writes both Jacobians, row-major. `isCapped`: contacts are no stiffer than the factors can take. False when they are
   * not finite.
   */
  write(dNext_dState: Float64Array, dNext_dInput: Float64Array, isCapped: boolean): boolean {
    const isRefined = !isCapped && this.refinement.isStiff(this.system);
    this.cleared.fill(0);
    if (this.runAll && !isRefined) this.runAll();
    else this.runParts(isRefined);
    const finite = this.results.write(dNext_dState, dNext_dInput);
    this.gearTies?.update();
    this.gearTies?.pullRows(dNext_dState);
    return finite;
  }

  private runParts(isRefined: boolean): void {
    this.runMatrix();
    if (isRefined) this.refinement.keep(this.system);
    this.runFactor();
    this.runBlocks();
    if (this.coordinates === "maximal") this.seedVelocities();
    if (isRefined) this.refinement.solve(this.system.f64, this.step, this.full, true, this.lanes, 2);
    else this.runSolve();
    this.runData();
  }

  /** Rows of v₊ and ω₊ themselves. */
  private seedVelocities(): void {
    const { f64, unknowns } = this.system;
    this.places.rows.forEach(({ index }, vector) => {
      f64[panelIndex(this.places.step, unknowns, index, vector)] = 1;
    });
  }
}
