/**
 * A simulation: the only object that changes. It owns the memory of one mechanism and takes steps in it.
 */
import { chooseTarget, type Target } from "../codegen/index.ts";
import { buildSystem, nextLayout, type System } from "../kernels/index.ts";
import type { Mechanism } from "../mechanism/index.ts";
import { InteriorPoint, type SolveOptions, type SolveResult } from "../solver/index.ts";
import { type StartFactors, StepProblem } from "./stepProblem.ts";

export interface SimulationOptions {
  /** Central-path parameter in SI, as in the paper. Left out: 1e-8 in units of each contact, where hover and creep are invisible. */
  readonly kappa?: number;
  /** Relative size of the residual that counts as solved. Default 1e-8. */
  readonly tolerance?: number;
  /** Default: WebAssembly where there is SIMD, JavaScript elsewhere. */
  readonly target?: Target;
}

export interface StepResult extends Readonly<SolveResult> {
  /** A view that the next step overwrites. */
  readonly next: Float64Array;
  /** Attempts beyond the first. */
  readonly retries: number;
}

/** κ' of simulation, in units of each cone (SOLVER-NOTES). */
const defaultKappa = 1e-8;
const defaultTolerance = 1e-8;

/** The first attempt and the retries: where to start, and what to do differently. */
const attempts: readonly { readonly start: StartFactors; readonly options: SolveOptions }[] = [
  { start: { impulse: 0.1, length: 1 }, options: {} },
  { start: { impulse: 1, length: 0.1 }, options: {} },
  { start: { impulse: 1, length: 1 }, options: { neighbourhood: 0.1 } },
  { start: { impulse: 1, length: 10 }, options: { correction: false } },
];

export class Simulation {
  readonly mechanism: Mechanism;
  readonly stateSize: number;
  readonly inputSize: number;
  readonly system: System;
  readonly problem: StepProblem;
  readonly solver: InteriorPoint;

  private readonly options: SimulationOptions;
  private readonly next: Float64Array;

  constructor(mechanism: Mechanism, options: SimulationOptions = {}) {
    this.mechanism = mechanism;
    this.options = options;
    this.stateSize = mechanism.stateSize;
    this.inputSize = mechanism.inputSize;
    this.system = buildSystem(mechanism, options.target ?? chooseTarget());
    this.problem = new StepProblem(this.system);
    this.solver = new InteriorPoint(this.problem);
    this.next = new Float64Array(mechanism.stateSize);
  }

  step(state: Float64Array, input?: Float64Array): StepResult {
    const { system, problem, solver, options } = this;
    const { f64, places } = system;
    f64.set(state, places.state);
    if (input) f64.set(input, places.input);
    problem.prepare(options.tolerance ?? defaultTolerance);
    if (options.kappa === undefined) problem.weight.set(problem.units.natural);
    else problem.weight.fill(1);
    const kappa = options.kappa ?? defaultKappa;
    let retries = -1;
    let iterations = 0;
    for (const attempt of attempts) {
      retries++;
      problem.start(attempt.start, kappa);
      solver.solve({ ...attempt.options, kappa });
      iterations += solver.result.iterations;
      if (solver.result.status === "solved" || problem.cones.length === 0) break;
    }
    this.writeNext();
    return { ...solver.result, iterations, next: this.next, retries };
  }

  private writeNext(): void {
    const { f64, places, mechanism } = this.system;
    for (let i = 0; i < mechanism.bodies.length; i++) {
      const pose = places.next + nextLayout.size * i;
      const velocity = places.unknown + 6 * i;
      const out = 13 * i;
      for (let k = 0; k < 7; k++) this.next[out + k] = f64[pose + k];
      for (let k = 0; k < 6; k++) this.next[out + 7 + k] = f64[velocity + k];
      const [w, x, y, z] = [f64[pose + 3], f64[pose + 4], f64[pose + 5], f64[pose + 6]];
      const norm = Math.sqrt(w * w + x * x + y * y + z * z);
      for (let k = 3; k < 7; k++) this.next[out + k] /= norm;
    }
  }
}
