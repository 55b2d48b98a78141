/**
 * A solved step made linear: tangents forwards, cotangents backwards, by one factorisation each [solution_sensitivity].
 * It has its own memory, so that differentiating a step never disturbs the simulation.
 */
import type { Target } from "../codegen/index.ts";
import type { Physics } from "../equations/index.ts";
import {
  buildSystem,
  type Extension,
  impulseSize,
  type SensitivityScope,
  type System,
  type VectorPlaces,
  vectorSensitivities,
} from "../kernels/index.ts";
import { bodyTangentSize, poseSize } from "../math/index.ts";
import type { Mechanism, TouchPool } from "../mechanism/index.ts";
import { loadPoint, type SolvedStep } from "./point.ts";
import { Refinement } from "./refinement.ts";

const listNames = [
  "matrix",
  "factor",
  "tangentStart",
  "tangent",
  ...(["solve", "enter", "solveTwists", "leave"] as const),
  "tangentEnd",
  "cotangentStart",
  ...(["transposedSolve", "transposedEnter", "transposedTwists", "transposedLeave"] as const),
  "cotangent",
  "cotangentEnd",
  "pull",
  "impulseStart",
  "impulseEnd",
  "impulseTangent",
] as const;

export class StepSensitivity {
  readonly system: System;
  readonly places: VectorPlaces;
  /** Cotangent or tangent of the state before, and of the state after, 12 per body; of everything else by memory index. */
  readonly state: Float64Array;
  readonly error: Float64Array;
  readonly mirror: Float64Array;
  /** Tangents or cotangents of the impulses of contacts by hand, then of slots, three each, in scope "contacts"; empty elsewhere. */
  readonly impulse: Float64Array;

  private readonly next: Float64Array;
  private readonly step: Float64Array;
  private readonly refinement: Refinement;
  private refines = false;
  private loaded: Float64Array | undefined;
  private readonly run: Readonly<Record<(typeof listNames)[number], () => void>>;

  /** In scope "motion" it has no tangents, and cotangents of state and input alone. */
  constructor(
    mechanism: Mechanism,
    target: Target,
    scope: SensitivityScope,
    physics: Physics = "step",
    pools: readonly TouchPool[] = [],
  ) {
    let places: VectorPlaces | undefined;
    let refinement: Refinement | undefined;
    const extend: Extension = (plan, register) => {
      const extension = vectorSensitivities(plan, register, scope);
      places = extension.places;
      refinement = new Refinement(plan);
      return extension.lists;
    };
    this.system = buildSystem(mechanism, target, extend, physics, pools);
    this.places = places as unknown as VectorPlaces;
    this.refinement = refinement as unknown as Refinement;
    const { f64, dataEnd, unknowns, touch } = this.system;
    const count = mechanism.bodies.length;
    const contacts = mechanism.contacts.length + (touch?.nodes.length ?? 0);
    const view = (start: number, length: number): Float64Array => f64.subarray(start, start + length);
    this.state = view(this.places.state, bodyTangentSize * count);
    this.next = view(this.places.next, poseSize * count);
    this.error = view(this.places.error, bodyTangentSize * count);
    this.mirror = view(this.places.mirror, dataEnd);
    this.impulse = view(this.places.impulse, scope === "contacts" ? impulseSize * contacts : 0);
    this.step = view(this.system.places.step, unknowns);
    const runners = listNames.map((name) => [name, this.system.runner(name)]);
    this.run = Object.fromEntries(runners) as typeof this.run;
  }

  /** Linearises about a substep of a solved step. */
  linearise(step: SolvedStep, substep = 0): void {
    const { system, run } = this;
    if (step.bonds) system.touch?.rebind(step.bonds);
    loadPoint(system, step, substep, this.loaded);
    this.loaded = step.data;
    run.matrix();
    this.refines = !step.isCapped && this.refinement.isStiff(system);
    if (this.refines) this.refinement.keep(system);
    run.factor();
  }

  /** Clears the tangents or cotangents. */
  clear(): void {
    this.state.fill(0);
    this.next.fill(0);
    this.error.fill(0);
    this.mirror.fill(0);
    this.impulse.fill(0);
  }

  /** `state` and `mirror` hold θ̇; afterwards `error` holds the tangent of the next state. */
  push(): void {
    const { run } = this;
    this.step.fill(0);
    run.tangentStart();
    run.tangent();
    this.solve("solve");
    run.tangentEnd();
  }

  /** Puts the tangents of the contacts' impulses into `impulse`, after `push`. */
  pushImpulses(): void {
    this.run.impulseTangent();
  }

  /**
   * `error` holds the cotangent of the next state, and `impulse` those of the contacts' impulses; afterwards that of the state has been added to `state`, and that of all other data in
   * scope to `mirror`.
   */
  pull(): void {
    const { run } = this;
    this.step.fill(0);
    this.next.fill(0);
    const { length: hasImpulses } = this.impulse;
    if (!hasImpulses && !this.refines) {
      run.pull();
      return;
    }
    run.cotangentStart();
    if (hasImpulses) run.impulseStart();
    this.solve("transposedSolve");
    run.cotangent();
    if (hasImpulses) run.impulseEnd();
    run.cotangentEnd();
  }

  /** Solves for `step` in place. */
  private solve(list: "solve" | "transposedSolve"): void {
    const { run } = this;
    if (!this.refines) {
      run[list]();
      return;
    }
    const isTransposed = list === "transposedSolve";
    const parts = isTransposed
      ? { enter: run.transposedEnter, solve: run.transposedTwists, leave: run.transposedLeave }
      : { enter: run.enter, solve: run.solveTwists, leave: run.leave };
    this.refinement.solve(this.system.f64, this.step, parts, isTransposed);
  }
}
