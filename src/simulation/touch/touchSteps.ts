/**
 * Steps of a mechanism whose shapes touch each other. Per step:
 *   1. find the features with which shapes can touch in it (touchSearch.ts);
 *   2. put them into slots, each into the one that it had;
 *   3. solve, with the features as contacts;
 *   4. look at the true distances where the step ends: where shapes overlap, their features are added as they are there, and back to 2
 *      (stepRounds.ts);
 *   5. where something has passed through something else on the way (fastPairs.ts), or is deep in it, or has met it so fast that the first
 *      attempt fails or makes energy, the step is taken in parts that end where it is met (cutSteps.ts).
 * Which system has the slots is decided in touchSystems.ts.
 */
import { OutOfMemory, type Target } from "../../codegen/index.ts";
import type { Mechanism, MechanismTouch } from "../../mechanism/index.ts";
import { type Pace, partBeforeOf } from "../division/pace.ts";
import { leavesEndOpen } from "../step/pathSchedule.ts";
import type { Precision, StepOptions } from "../step/stepReport.ts";
import { combinedParameters } from "./combinedParameters.ts";
import { EnergyWatch } from "./energyWatch.ts";
import { FoundFeatures } from "./foundFeatures.ts";
import type { SlotSystem } from "./slotSystem.ts";
import { StepParts } from "./stepParts.ts";
import { StepPieces } from "./stepPieces.ts";
import { StepRounds } from "./stepRounds.ts";
import { PairSurfaces } from "./surfaces.ts";
import type { TouchMemory } from "./touchMemory.ts";
import { isDivided, undivided } from "./touchOptions.ts";
import { readingsOf, type TouchReading, touchesOfPieces, touchRecord } from "./touchReadings.ts";
import { TouchSearch } from "./touchSearch.ts";
import { TouchSystems } from "./touchSystems.ts";

export class TouchSteps {
  readonly search: TouchSearch;
  readonly features = new FoundFeatures();
  readonly surfaces: PairSurfaces;
  /** Depth of the deepest overlap that the last step left, m; −0 is no integer to V8. */
  overlap = -0;
  /** How deep shapes have been in each other on the way that have come out again, m. */
  passed = -0;

  private readonly mechanism: Mechanism & { readonly touch: MechanismTouch };
  readonly systems: TouchSystems;
  private held = false;
  /** Whether the step will be compared with others, or differentiated, with the features that it finds. */
  isVaried = false;
  private readonly rounds: StepRounds;
  /** What the last step was taken as, where that is more than one piece, or asked for. */
  readonly pieces: StepPieces;
  /** Whether the last step was taken as several. */
  isInPieces = false;
  /** The pace with which it began, where it was to be divided and was not, since features of its end were needed. */
  paceBefore: Pace | undefined;
  /** What the last step took: iterations, attempts beyond the first; and by what it differs from what was asked for. */
  private iterations = 0;
  private retries = 0;
  precision: Precision | undefined;
  friction = 1;
  readonly energy: EnergyWatch;
  readonly parts = new StepParts(this);

  constructor(mechanism: Mechanism & { readonly touch: MechanismTouch }, target: Target) {
    this.mechanism = mechanism;
    this.surfaces = new PairSurfaces(mechanism.touch);
    this.search = new TouchSearch(mechanism.touch);
    this.pieces = new StepPieces(mechanism, this.surfaces, target);
    this.systems = new TouchSystems(mechanism, this.surfaces, target);
    this.energy = new EnergyWatch(this, mechanism);
    this.rounds = new StepRounds(this, mechanism.stateSize);
  }

  /** What the last step was taken with. */
  get active(): SlotSystem {
    return this.systems.active;
  }

  /** The mechanism without any feature, with the parameters of now. */
  get plain(): SlotSystem {
    return this.systems.plain;
  }

  /** Makes ready what steps need in which round parts first meet something. */
  prepareRound(): void {
    this.systems.prepareRound();
  }

  /** Which slots there are and what is in them, to be carried on. */
  save(): TouchMemory {
    return this.systems.save();
  }

  /** Goes on with these slots; without any if they are left out. */
  restore(memory: TouchMemory | undefined): void {
    this.systems.restore(memory);
  }

  /** Puts the features that were found into slots, each into the one that it had. */
  arrange(state: Float64Array): void {
    this.systems.arrange(this.features, state);
  }

  /** Whether features stay as they are, whatever the state: for steps to be compared or differentiated. */
  get isHeld(): boolean {
    return this.held;
  }

  /** What shapes touched with in the last step. */
  get touches(): TouchReading[] {
    const { mechanism, active, features } = this;
    if (this.isInPieces) return touchesOfPieces(this.pieces.list, mechanism);
    return readingsOf(touchRecord(active, features, active.system.f64), mechanism);
  }

  /** What two surfaces have given the features of the last step (combinedParameters.ts). */
  get combined(): Int32Array {
    return combinedParameters(this.active, this.features, this.surfaces);
  }

  /** Steps from here on have the features of the last one, its pieces and its friction, until `release`. */
  hold(state: Float64Array): void {
    this.surfaces.scale = this.active.stepper.report.frictionScale ?? 1;
    if (!this.isInPieces) this.arrange(state);
    this.held = true;
  }

  release(): void {
    this.surfaces.scale = 1;
    this.isVaried = false;
    this.held = false;
  }

  /** Input, wrenches and parameters are in the memory of what is active. */
  step(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { held, active } = this;
    const own = this.paceBefore ? undivided(options, partBeforeOf(this.paceBefore)) : options;
    if (held && this.isInPieces) return this.pieces.retake(state, next, own, active);
    if (held) return active.stepper.step(state, next, own);
    this.begin(state);
    const solved = this.takeInRounds(state, next, options);
    const { report } = this.active.stepper;
    report.iterations = this.iterations;
    report.retries = this.retries;
    report.substeps = Math.max(report.substeps, this.pieces.list.length);
    report.overlap = Math.max(this.overlap, this.passed);
    report.frictionScale = this.friction;
    report.precision = solved ? this.precision : undefined;
    if (!solved && this.rounds.cuts.isTooFast) report.status = "tooFast";
    this.surfaces.scale = 1;
    const { stepper } = this.active;
    if (this.paceBefore) stepper.history.endsInPart(state, this.paceBefore, stepper.lastPart);
    return solved;
  }

  private takeInRounds(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    try {
      return this.rounds.take(state, next, options);
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error;
      next.set(state);
      // nothing touches in what is reported
      this.features.count = this.pieces.list.length = 0;
      this.isInPieces = false;
      this.arrange(state);
      this.active.stepper.report.status = "outOfMemory";
      return false;
    }
  }

  private begin(state: Float64Array): void {
    const { table, stepper } = this.active;
    this.search.corners.begin(table, stepper.history, state);
    this.iterations = this.passed = 0;
    this.parts.whole = this.timestep;
    this.retries = -1;
    this.friction = 1;
    this.isInPieces = this.rounds.cuts.isTooFast = false;
    this.paceBefore = undefined;
    this.pieces.list.length = 0;
    this.precision = undefined;
  }

  /** Length of a step, or of the part of it that is being taken. */
  get timestep(): number {
    const { f64, places } = this.active.system;
    return f64[places.globals];
  }

  set timestep(h: number) {
    const { f64, places } = this.active.system;
    f64[places.globals] = h;
  }

  /** Whether steps with these options may be taken as several, with features of their own. */
  mayHalve(options: StepOptions): boolean {
    return (
      (this.paceBefore !== undefined || !isDivided(options)) && (options.interval ?? this.timestep) === this.timestep
    );
  }

  /** One call of the stepper, counted. */
  attempt(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { stepper } = this.active;
    stepper.part = this.timestep / this.parts.whole;
    stepper.watch.isOn = this.features.count === 0 && !this.energy.isLoose;
    const solved = stepper.step(state, next, options);
    this.iterations += stepper.report.iterations;
    this.retries += 1 + stepper.report.retries;
    return solved;
  }

  /** Solves the step as it is arranged. What no attempt solves is solved to less precision. */
  solve(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    if (this.attempt(state, next, options)) return true;
    if (options.fallback === false || this.features.count === 0 || !leavesEndOpen(options)) return false;
    const solved = this.attempt(state, next, { ...options, precision: "fast" });
    if (solved) this.precision = "fast";
    return solved;
  }
}
