/**
 * The impacts of a mechanism: a system of its own, with the equations of equations/impact.ts, solved like a step. Springs, dampers, motors,
 * limits and gears have no part in an impact: their forces are finite, or are left to the steps. Rotors of joints have: they are inertia.
 */
import type { Target } from "../../codegen/index.ts";
import { buildSystem, type System } from "../../kernels/index.ts";
import { type Mechanism, unloaded } from "../../mechanism/index.ts";
import { InteriorPoint } from "../../solver/index.ts";
import {
  type Attempt,
  farAttempts,
  firstInSi,
  foldedKappa,
  foldsBelow,
  scatterContacts,
  usualAttempts,
} from "../step/attempts.ts";
import { StepProblem } from "../step/stepProblem.ts";
import type { StepOptions } from "../step/stepReport.ts";

/**
 * κ of an impact over that of the step. A smooth κ lets a step feel contacts that it does not reach; those of an impact are known to touch, and
 * all that κ does to them is to blur their speeds: at κ' = 0.1 and h = 0.05 by 3% with the step's own, by 0.3% with a tenth of it.
 */
const kappaShare = 0.1;

/** Bodies, constraints, rotors and contacts alone. */
export function impactMechanism(mechanism: Mechanism): Mechanism {
  return {
    ...mechanism,
    joints: mechanism.joints.map((joint) => ({
      ...joint,
      tiltLimit: null,
      coordinates: joint.coordinates.map((coordinate) => ({
        ...coordinate,
        ...{ ...unloaded, passive: coordinate.passive, armature: coordinate.armature, lower: null, upper: null },
      })),
    })),
    gears: [],
    thrusters: [],
    fluid: null,
    inputSize: 0,
    inputNames: [],
  };
}

export class ImpactSolver {
  readonly system: System;
  /** Iterations of all solves since it was last set to 0. */
  iterations = 0;

  private readonly problem: StepProblem;
  private readonly solver: InteriorPoint;

  constructor({ mechanism, pools }: System, target: Target) {
    this.system = buildSystem(impactMechanism(mechanism), target, undefined, "impact", pools);
    this.problem = new StepProblem(this.system);
    this.solver = new InteriorPoint(this.problem);
  }

  /**
   * Solves from the state in memory; the velocities after the impact are then in memory too. False where none were found. `unitsOf` has the units
   * of the cones, given their natural ones.
   */
  solve(options: StepOptions, unitsOf: (natural: Float64Array) => Float64Array): boolean {
    const { problem, solver } = this;
    const { kappa, relativeKappa = 1e-8, exact, pathTolerance, maxIterations, tolerance = 1e-8, onIteration } = options;
    problem.prepare(tolerance);
    const inSi = kappa !== undefined;
    const units = inSi ? undefined : unitsOf(problem.units.natural);
    problem.setWeights((at) => units?.[at] ?? 1);
    const end = kappaShare * (kappa ?? relativeKappa);
    const attempt = ({ start, scatter }: Attempt, kappa: number): boolean => {
      problem.start(start, kappa);
      scatterContacts(problem, scatter);
      const { status, iterations } = solver.solve({ kappa, exact, pathTolerance, maxIterations, onIteration });
      this.iterations += iterations;
      if (status !== "solved") problem.clean();
      return status === "solved";
    };
    const [first, ...others] = usualAttempts;
    if (attempt(inSi ? { ...first, start: firstInSi } : first, end)) return true;
    // contacts of a face share their load as they like, and friction folds the path just above its end
    const above = kappaShare * foldedKappa;
    if (!inSi && !exact && end < above && solver.result.mu < foldsBelow && attempt(first, above)) return true;
    const further = options.fallback === false ? others : [...others, ...farAttempts];
    return further.some((one) => attempt(one, end));
  }

  /** State, unknowns, b, c of the last solve, and the turns, which mean nothing here: a point like those of a step. */
  point(): Float64Array {
    const { f64, places, mechanism, unknowns, coneSize, turns } = this.system;
    const parts = [
      [places.state, mechanism.stateSize],
      [places.unknown, unknowns],
      [places.coneB, coneSize],
      [places.coneC, coneSize],
    ];
    const out = new Float64Array(parts.reduce((sum, [, size]) => sum + size, turns.indices.length));
    let at = 0;
    for (const [from, size] of parts) {
      out.set(f64.subarray(from, from + size), at);
      at += size;
    }
    return out;
  }
}
