/**
 * A start that knows what will touch. The step is linearised at the old velocities and solved without any cone, the *free* step; then
 * contacts and limits near by push each other towards the central path, by Gauss–Seidel sweeps over what they answer to each other
 * (kernels/cones/portVisits.ts); velocities and impulses of that are where the solver starts, with every pair moved onto the path (kernels/cones/portStarts.ts) at
 *   μ₀ = 3 Σ (dx/β)²,  between 0.01 and 0.1,
 * dx the step of the last sweep: what the sweeps have not settled is left to the interior point. Where they have, Newton's method goes on
 * from the μ of the sweeps (pathNewton.ts). Sweeps with the same answers lead from the end to a smoothed point for gradients
 * (gradientPoints.ts). Impulses go on from those of the last step, so that of several solutions the one continuous with it is predicted.
 *
 * DEPARTURE(prediction): the paper starts every solve from the same point.
 *
 * Of mechanisms with joints whose cones are contacts with the world (cones of friction, or none) and limits of joints (of coordinates, or of
 * tilt) and gears, with loops or without; of trees, with contacts that are bound at run time too. Ranges of gears are left out of the sweeps.
 */
import { portNumbers, type System, sweepNumbers, unitNumbers } from "../../kernels/index.ts";
import type { Predictable } from "./predictable.ts";
import { PredictedSlots } from "./predictedSlots.ts";
import { runnerWith } from "./stepLists.ts";

/** μ₀ in squares of the last sweep's step, and its bounds. */
const muPerSquare = 3;
const leastMu = 0.01;
const mostMu = 0.1;
/** μ of the sweeps, in units of the step's last κ, and at most: from further up, Newton's method loses its way among contacts that slide slowly. */
const muPerEnd = 100;
const mostSweepMu = 1e-4;
/** The square of the last sweep's step from which on Newton's method goes on from there (pathNewton.ts). */
const settledSquare = 3e-4;
/** Sweeps, unless the square of one's step, in units of the cones, is this small before; or this part of μ where it is told where to land. */
const mostSweeps = 12;
const restingSquare = 1e-4;
const partOfMu = 0.2;
/** Square of a sweep's step, in units of the cones, from which sweeps lead nowhere. */
const runaway = 1e4;

export class PredictedStart {
  private readonly system: System;
  private readonly problem: Predictable;
  private readonly responses: NonNullable<System["responses"]>;
  /** Those that are bound at run time. */
  private readonly slots: PredictedSlots | undefined;
  /** Numbers of the limits and then contacts that are in the sweeps, and of those that the lists are written for. */
  private readonly near: Int32Array;
  private readonly written: Int32Array;
  private readonly limitCount: number;
  private readonly contactCount: number;
  private nearCount = 0;
  private fixedCount = 0;
  private writtenCount = -1;
  /** μ at which it has landed, and whether the sweeps had settled. */
  mu = 0.5;
  hasSettled = false;
  /** κ at which the step is to end. */
  endKappa = 0.5;
  /** Where contacts far away are left out, and where all take part. */
  private readonly ofNear: PredictionLists;
  private readonly ofAll: PredictionLists;
  private readonly begin: () => void;
  private readonly goesOn: () => void;
  private readonly visit: () => void;
  private readonly end: () => void;
  private readonly push: () => void;
  /** Pairs alone. */
  private readonly placeAll: () => void;

  static of(system: System, problem: Predictable): PredictedStart | undefined {
    return system.responses ? new PredictedStart(system, problem, system.responses) : undefined;
  }

  private constructor(system: System, problem: Predictable, responses: NonNullable<System["responses"]>) {
    this.system = system;
    this.problem = problem;
    this.responses = responses;
    const { limits, contacts } = responses;
    this.limitCount = limits.length;
    this.contactCount = contacts.length;
    const length = limits.length + contacts.length;
    this.slots = responses.slots && new PredictedSlots(system, responses.slots, length);
    this.near = new Int32Array(length + (this.slots?.visits ?? 0));
    this.written = this.near.slice();
    const { solver, f64 } = system;
    for (const limit of limits) {
      f64[limit.numbers + portNumbers.sign] = limit.sign;
      f64[limit.numbers + portNumbers.length] = limit.length;
    }
    for (const { numbers } of contacts) f64[numbers + portNumbers.sign] = 1;
    // where none is ever left out, all are in the sweeps
    if (!problem.contacts) f64.fill(1, solver.near.chosen, solver.near.chosen + contacts.length);
    const { runner } = system;
    const respond = problem.contacts && system.has("near.responses") ? "near.responses" : "responses";
    this.ofNear = predictionLists(system, "near.", respond);
    this.ofAll = predictionLists(system, "", respond);
    this.begin = runner("ports.respond", "ports.clear", "ports.begin");
    this.goesOn = runner("ports.solved", "ports.clear", "ports.begin", "ports.clear");
    this.visit = runner("ports.leap", "ports.visit");
    this.end = runner("ports.end");
    this.push = runner("free.rhs", "ports.push", "slots.push");
    this.placeAll = runner("ports.far", "ports.place", "place");
  }

  /** Whether the step that is prepared can be predicted: not with very many contacts that are bound at run time. */
  isPossible(): boolean {
    return this.slots?.prepare() ?? true;
  }

  /**
   * Predicts from the residual at the old velocities without impulses, which is in memory; the weights of the cones are those of the step. `mu`: where
   * it is to land, if not where the sweeps have settled. False where they run away, as they may over contacts between limbs.
   */
  start(mu: number | undefined, finishes: boolean): boolean {
    const { system } = this;
    const lists = this.problem.leavesOut ? this.ofNear : this.ofAll;
    lists.takeFreeStep();
    this.gather();
    const sweepMu = mu ?? Math.min(mostSweepMu, muPerEnd * this.endKappa);
    const square = this.sweep(sweepMu, mu === undefined ? restingSquare : partOfMu * mu, this.begin);
    if (this.nearCount > this.fixedCount && !(square < runaway)) return false;
    this.hasSettled = square <= settledSquare;
    this.mu = mu ?? (this.hasSettled && finishes ? sweepMu : Math.min(mostMu, Math.max(leastMu, muPerSquare * square)));
    system.f64[system.solver.alpha] = 1;
    this.push();
    this.giveMu();
    lists.land();
    return true;
  }

  /**
   * Goes on from a solution that `start` has led to, to pairs at another μ: ports answer to changes of their impulses as they did before. False where
   * sweeps run away.
   */
  goOnAt(mu: number): boolean {
    if (this.nearCount > this.fixedCount) return false;
    // rates are those of the solution, and w is what changes
    if (!(this.sweep(mu, partOfMu * mu, this.goesOn) < runaway)) return false;
    this.mu = mu;
    this.giveMu();
    this.placeAll();
    return true;
  }

  private giveMu(): void {
    const { f64, solver } = this.system;
    f64[solver.units.numbers + unitNumbers.mu] = this.mu;
  }

  /** Ports near by. */
  private gather(): void {
    const { system, near, limitCount, contactCount } = this;
    const { f64, solver } = system;
    let count = 0;
    let at = this.responses.limitNumbers + portNumbers.near;
    for (let i = 0; i < limitCount; i++, at += portNumbers.size) if (f64[at] === 1) near[count++] = i;
    for (let i = 0; i < contactCount; i++) if (f64[solver.near.chosen + i] === 1) near[count++] = limitCount + i;
    this.fixedCount = count;
    this.nearCount = this.slots?.gather(near, count) ?? count;
    this.pick();
  }

  /** The lists of those near by, if they are not what they were. */
  private pick(): void {
    const { near, written, nearCount } = this;
    let isSame = nearCount === this.writtenCount;
    for (let k = 0; k < nearCount; k++) {
      if (near[k] !== written[k]) isSame = false;
      written[k] = near[k];
    }
    if (isSame) return;
    this.writtenCount = nearCount;
    this.system.pick(near, nearCount);
  }

  /**
   * Sweeps at μ, until the square of a sweep's step is `least`. Returns the last one's. From the third on they start from where the two before lead
   * (portVisits.ts has the formula of θ).
   */
  private sweep(mu: number, least: number, begin: () => void): number {
    const { f64 } = this.system;
    const { shared } = this.responses;
    f64[shared + sweepNumbers.mu] = mu;
    f64[shared + sweepNumbers.leap] = 0;
    begin();
    let before = 0.5;
    for (let sweep = 1; ; sweep++) {
      f64[shared + sweepNumbers.square] = f64[shared + sweepNumbers.product] = 0;
      this.visit();
      const square = f64[shared + sweepNumbers.square];
      if (sweep >= mostSweeps || !(square > least)) {
        this.end();
        return square;
      }
      const product = f64[shared + sweepNumbers.product];
      const spread = before - 2 * product + square;
      f64[shared + sweepNumbers.leap] = sweep > 1 && spread > 0 ? (square - product) / spread : 0;
      before = square;
    }
  }
}

interface PredictionLists {
  /** A step without cones: those of joints and gears neither push nor yield, and those of contacts are in none of the lists; then rates of ports. */
  readonly takeFreeStep: () => void;
  /** The step with what acts on bodies, and all pairs. */
  readonly land: () => void;
}

/** `respond`: the list by which contacts that may be in the sweeps find what they answer to. */
function predictionLists(system: System, prefix: string, respond: string): PredictionLists {
  const runner = runnerWith(system, prefix);
  const free = ["free.factor", "free.rhs", "free.solve"];
  const slacks = prefix === "" ? ["slacks"] : [];
  return {
    takeFreeStep: runner("ports.free", "linearise", "limitsOfMixed", ...free, "ports.limits", respond),
    land: runner(
      "free.solve",
      "recoverMixed",
      "ports.land",
      "ports.landing",
      "ports.place",
      ...slacks,
      "place",
      "slots.place",
    ),
  };
}
