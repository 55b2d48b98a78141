/** A simulation: the only object that changes. It owns the memory of one mechanism, its parameters, and takes steps in it. */
import { chooseTarget, type Target } from "../codegen/index.ts";
import { jointCoordinates, type KnownAngles } from "../coordinates/index.ts";
import { buildSystem, type System } from "../kernels/index.ts";
import { cached, type Vector3 } from "../math/index.ts";
import { type Mechanism, namedContact, requireStateSize } from "../mechanism/index.ts";
import { copyInto } from "./copyInto.ts";
import type { StepDivision } from "./division/stepDivision.ts";
import type { Continuation, KnownRun, RunMemory } from "./runs/continuation.ts";
import { continuationOf, namedAngles, runMemory } from "./runs/continuation.ts";
import { type ContactReading, contactImpulsesInto, heldReading, smallestDistance } from "./runs/readings.ts";
import { runRollout } from "./runs/rollout.ts";
import type { Trajectory } from "./runs/trajectory.ts";
import {
  type RolloutOptions,
  type SimulationOptions,
  type StepResult,
  simulationOptionNames,
} from "./simulationOptions.ts";
import { impliedWeights } from "./states/centredForces.ts";
import { type Energy, energyOf, type Momentum, momentumInto } from "./states/energy.ts";
import { Parameters, type SimulationSnapshot } from "./states/parameters.ts";
import { Projector } from "./states/projector.ts";
import { isStuck, requireInput, requireSteppable } from "./states/stateChecks.ts";
import { transferredState } from "./states/transferState.ts";
import { optionsOver, requireStepOptionNames, requireStepOptions } from "./step/stepOptionRules.ts";
import { Stepper } from "./step/stepper.ts";
import { copyReportInto, type StepOptions, type StepReport } from "./step/stepReport.ts";
import type { SlotSystem } from "./touch/slotSystem.ts";
import { requireTouchMemory } from "./touch/touchMemory.ts";
import type { TouchReading } from "./touch/touchReadings.ts";
import { TouchSteps } from "./touch/touchSteps.ts";

export class Simulation {
  readonly mechanism: Mechanism;
  readonly stateSize: number;
  readonly inputSize: number;
  /** What runs the kernels. */
  readonly target: Target;
  /** What `step` does unless told otherwise. */
  readonly options: SimulationOptions;

  private readonly parameters: Parameters;
  /** The memory of the beginning, and where parameters are in it. */
  private readonly initial: { readonly data: Float64Array; readonly places: ReadonlyMap<string, number> };
  private lazyInitialParameters: Float64Array | undefined;
  private readonly resources = new Map<string, unknown>();
  private lazyProjector: Projector | undefined;
  /** Memory and kernels of a mechanism whose contacts are always the same. */
  private readonly fixed: { readonly system: System; readonly stepper: Stepper } | undefined;
  /** @internal Steps of a mechanism whose shapes touch each other. */
  readonly touching: TouchSteps | undefined;
  private readonly result: StepReport & { next: Float64Array };
  private readonly noInput: Float64Array;

  constructor(mechanism: Mechanism, options: SimulationOptions = {}) {
    requireStepOptionNames(options, simulationOptionNames);
    requireStepOptions(options);
    this.mechanism = mechanism;
    this.options = options;
    this.stateSize = mechanism.stateSize;
    this.inputSize = mechanism.inputSize;
    this.target = options.target ?? chooseTarget();
    const { touch } = mechanism;
    if (touch) this.touching = new TouchSteps({ ...mechanism, touch }, this.target);
    else {
      const system = buildSystem(mechanism, this.target);
      this.fixed = { system, stepper: new Stepper(system, this.target) };
    }
    this.parameters = new Parameters(this);
    const implied = impliedWeights(mechanism, options);
    if (Object.keys(implied).length > 0) this.parameters.set(implied);
    if (mechanism.description.parameters) this.parameters.set(mechanism.description.parameters);
    this.initial = { data: this.system.f64.slice(0, this.system.dataEnd), places: this.parameterPlaces };
    this.noInput = new Float64Array(this.inputSize);
    this.result = { ...this.stepper.report, next: new Float64Array(this.stateSize) };
  }

  /** @internal Memory and kernels. Where shapes touch, those of the contacts that there are now. */
  get system(): System {
    return (this.fixed ?? this.slots).system;
  }

  /** @internal What takes the steps. */
  get stepper(): Stepper {
    return (this.fixed ?? this.slots).stepper;
  }

  /** The system that has the contacts that there are now, where shapes touch. */
  private get slots(): SlotSystem {
    return (this.touching as TouchSteps).active;
  }

  /** @internal Places in memory of the parameters, those of contacts aside that come and go. */
  get parameterPlaces(): ReadonlyMap<string, number> {
    return this.system.parameters;
  }

  /** @internal Something expensive that belongs to this simulation (memory for gradients, say): made once, kept under its key. */
  resource<T>(key: string, make: () => T): T {
    const resources = this.touching ? this.slots.resources : this.resources;
    return cached(resources, key, make) as T;
  }

  /** The mechanism with the parameters that it has now, its description too: `mechanism` itself until one is set. */
  get currentMechanism(): Mechanism {
    return this.parameters.currentMechanism;
  }

  /** @internal How often parameters and wrenches were set. */
  get parameterChanges(): number {
    return this.parameters.changes;
  }

  /** Seconds. Set it with `setParameter("timestep", h)`. */
  get timestep(): number {
    return this.system.f64[this.system.places.globals];
  }

  /** Paths of all parameters: "timestep", "bodies.rod.mass", "joints.hinge.damping.0", "contacts.contact0.frictionCoefficient". */
  get parameterNames(): string[] {
    return [...this.parameterPlaces.keys()];
  }

  /** Parameters as the description gives them, in the order of `parameterNames`. */
  get initialParameters(): Float64Array {
    const { data, places } = this.initial;
    this.lazyInitialParameters ??= Float64Array.from(places.values(), (index) => data[index]);
    return this.lazyInitialParameters;
  }

  parameter(path: string): number {
    return this.parameters.value(path);
  }

  /**
   * Changes a parameter between steps, or several of the same kind: "contacts.*.frictionCoefficient". Nothing is recompiled. States made for another time step go through `changeTimestep`.
   * A mass is set by itself, and the inertia stays: for another density set its entries too (`setParameters`).
   * Throws on a value that leaves the physics, and on a parameter of something that the mechanism was compiled without.
   */
  setParameter(path: string, value: number): void {
    this.setParameters({ [path]: value });
  }

  /** Changes several parameters at once, such as the entries of an inertia; all of them, or none when one is refused. */
  setParameters(values: Readonly<Record<string, number>>): void {
    this.parameters.set(values);
  }

  /** Parameters, time step and wrenches as they are now, for `restore`. States are arrays of the caller's own. */
  save(): SimulationSnapshot {
    return this.parameters.save();
  }

  restore(snapshot: SimulationSnapshot): void {
    this.parameters.restore(snapshot);
  }

  /**
   * Makes the kernels of all steps ready. Otherwise those that a first step does not need are made by the step that first does: the first
   * one that goes on near the floor, say, or in which a rim first meets something. For loops that must keep time.
   */
  warmUp(): void {
    this.system.loadAll();
    this.touching?.prepareRound();
  }

  /** Sets the time step, and returns the state with the interval momentum kept. */
  changeTimestep(state: Float64Array, timestep: number): Float64Array {
    const before = this.timestep;
    requireSteppable(this.mechanism, state, before);
    this.setParameter("timestep", timestep);
    try {
      return this.transferState(state, timestep, before);
    } catch (error) {
      this.setParameter("timestep", before);
      throw error;
    }
  }

  /**
   * A state whose velocities are means over `interval` as one whose velocities are means over `timestep`, with the interval momentum kept.
   * The simulation's own time step stays as it is.
   */
  transferState(state: Float64Array, timestep: number, interval = this.timestep): Float64Array {
    return transferredState(this.mechanism, this.stepper.writer, state, timestep, interval);
  }

  /** Force (world frame, at the centre of mass) and torque (body frame) that act on a body until changed. */
  setWrench(body: string, wrench: { readonly force?: Vector3; readonly torque?: Vector3 }): void {
    this.parameters.setWrench(body, wrench);
  }

  /**
   * What the run carries beyond the state that the last step led to; undefined before the first step. Set it, and the next step goes on
   * from it: with the state that it was saved with, to the bit. Set it to undefined, and the next step starts anew.
   */
  get continuation(): Continuation | undefined {
    const memory = this.stepper.history.save();
    return (
      memory &&
      continuationOf(this.system, this.withTouch(memory), this.stepper.history.lastState, this.currentMechanism)
    );
  }

  set continuation(continuation: Continuation | undefined) {
    this.memory = continuation && this.memoryFrom(continuation);
  }

  /** The continuation as arrays, which steps of this simulation, or of another of the same mechanism, go on from. */
  set memory(memory: RunMemory | undefined) {
    const { touching } = this;
    if (!touching?.isHeld) touching?.restore(memory?.touch);
    // features that are held have other slots than those that it warms
    this.stepper.history.restore(memory && touching?.isHeld ? { ...memory, warm: undefined } : memory);
  }

  /** What a step from this state carries on, if it is one that the last step led to, or started from. */
  memoryOf(state: Float64Array): RunMemory | undefined {
    const memory = this.stepper.history.memoryOf(state);
    return memory && this.withTouch(memory);
  }

  private withTouch(memory: RunMemory): RunMemory {
    return this.touching && !memory.touch ? { ...memory, touch: this.touching.save() } : memory;
  }

  /** @internal Throws where the continuation is of another mechanism. */
  memoryFrom(continuation: Continuation): RunMemory {
    const { touching } = this;
    if (touching && !touching.isHeld) {
      requireTouchMemory(this.mechanism, continuation.touch);
      touching.restore(continuation.touch);
    }
    return runMemory(this.system, continuation);
  }

  /** The continuation at a state that the last step led to, or started from; undefined of any other. */
  continuationOf(state: Float64Array): Continuation | undefined {
    const memory = this.memoryOf(state);
    return memory && continuationOf(this.system, memory, state, this.currentMechanism);
  }

  /** Coordinates of all joints. Angles of a state that the last step led to, or started from, count the turns of the run. */
  coordinates(state: Float64Array): Float64Array {
    return this.coordinatesNear(state, undefined);
  }

  private coordinatesNear(state: Float64Array, known: KnownAngles | undefined): Float64Array {
    const memory = known ? undefined : this.stepper.history.memoryOf(state);
    const angles = known ?? (memory && { angles: namedAngles(this.system, memory.angles) });
    return jointCoordinates(this.currentMechanism, state, angles);
  }

  /** The report of the last step. */
  get report(): Readonly<StepReport> {
    return this.stepper.report;
  }

  /** The parts of the last step, as fractions of it, where `errorTolerance` or `division` divided it; undefined where it was taken whole. */
  get division(): StepDivision | undefined {
    return this.touching?.isInPieces ? undefined : this.stepper.division;
  }

  /** One step, with options on top of the simulation's own. The result and its `next` are overwritten by the next call. */
  step(state: Float64Array, input: Float64Array = this.noInput, options?: StepOptions): StepResult {
    return this.stepWith(state, input, options ? optionsOver(this.options, options) : this.options);
  }

  /** @internal One step with these options alone. */
  stepWith(state: Float64Array, input: Float64Array, options: StepOptions): StepResult {
    if (!options.continuation) {
      if (isStuck(this.mechanism, this.result, state, options.interval ?? this.timestep)) return this.result;
      this.requireStep(state, input, options);
      return this.take(state, input, options);
    }
    const { continuation, ...own } = options;
    const carried = { ...own, interval: own.interval ?? continuation.interval };
    this.requireStep(state, input, carried);
    this.continuation = continuation;
    return this.take(state, input, carried);
  }

  /** @internal Throws where no step can be taken. */
  requireStep(state: Float64Array, input: Float64Array, options: StepOptions): void {
    this.requireSteppable(state, input, options.interval ?? this.timestep);
    if (options !== this.options) requireStepOptions(options, this.timestep);
  }

  /** @internal A state that the last step has led to needs no second check. */
  requireSteppable(state: Float64Array, input: Float64Array, interval: number, step?: number): void {
    requireInput(this.mechanism, input, step);
    if (this.stepper.history.isSteppable(state, interval)) return;
    requireSteppable(this.mechanism, state, interval, step);
  }

  /** @internal A step of what was checked before. */
  take(state: Float64Array, input: Float64Array, options: StepOptions): StepResult {
    copyInto(this.system.f64, this.system.places.input, input, 0, input.length);
    (this.touching ?? this.stepper).step(state, this.result.next, options);
    copyReportInto(this.result, this.stepper.report);
    return this.result;
  }

  /**
   * @internal Runs with the features held with which shapes touch in the step from this state: whatever steps are taken meanwhile have these. For
   * gradients, which are those of a step with its features, and for what they are compared with.
   */
  holdingFeatures<T>(state: Float64Array, input: Float64Array, options: StepOptions, run: () => T): T {
    const { touching } = this;
    if (!touching || touching.isHeld) return run();
    touching.isVaried = true;
    try {
      this.take(state, input, options);
      touching.hold(state);
      return run();
    } finally {
      touching.release();
    }
  }

  /** @internal The system without the features of shapes, with the parameters of now; the system itself where shapes do not touch. */
  get plainSystem(): System {
    return this.touching ? this.touching.plain.system : this.system;
  }

  /** Many steps. Ends early at a step that is not solved, unless told to go on; the trajectory then has it as `failure`. */
  rollout(start: Float64Array, options: RolloutOptions): Trajectory {
    return runRollout(this, start, options);
  }

  /** @internal Projects configurations of this mechanism; made when first used. See `projectState`. */
  get projector(): Projector {
    this.lazyProjector ??= new Projector(this.mechanism, this.options.target ?? chooseTarget());
    return this.lazyProjector;
  }

  /** Forces and distance of a contact in the last step. */
  contact(name: string): ContactReading {
    const contact = namedContact(this.mechanism, name);
    if ("distance" in contact) return heldReading(contact);
    const reading = this.stepper.readings.contact(contact.index);
    if (!reading) throw new RangeError(`contact "${name}" is not simulated`);
    return reading;
  }

  /** Impulses of all contacts in the last step, three numbers each: the normal one, N·s, and friction along the two tangents. */
  contactImpulsesInto(out: Float64Array): void {
    contactImpulsesInto(out, this.system);
  }

  /** Forces of all contacts on their bodies in the last step, in the world frame, N, three numbers each. */
  contactForcesInto(out: Float64Array): void {
    this.stepper.readings.contactForcesInto(out);
  }

  /** Where shapes touch each other, or could have done so in the last step: between which bodies, where, and how hard. */
  touches(): TouchReading[] {
    return this.touching?.touches ?? [];
  }

  /** Smallest distance of all contacts after the last step; Infinity where there are none, and nothing came near anything. */
  get smallestDistance(): number {
    const { length } = this.mechanism.contacts;
    if (this.system.mechanism.contacts.length === length) return smallestDistance(this.system);
    // slots for features are contacts there, and those that nothing is in are a long way apart
    return this.touches().reduce(
      (least, { distance }) => Math.min(least, distance),
      smallestDistance(this.system, length),
    );
  }

  /** Linear and angular momentum, those that the integrator conserves. */
  momentum(state: Float64Array, interval = this.timestep): Momentum {
    const [px, py, pz, lx, ly, lz] = this.momentumInto(new Float64Array(6), state, interval);
    return { linear: [px, py, pz], angular: [lx, ly, lz] };
  }

  /** Linear and angular momentum as six numbers, written to `out`, which it returns. */
  momentumInto(out: Float64Array, state: Float64Array, interval = this.timestep): Float64Array {
    requireStateSize(this.mechanism, state);
    momentumInto(out, this.system, state, interval);
    return out;
  }

  /**
   * Kinetic energy of the last interval, of bodies and of the rotors of joints; gravity's energy at its middle, and the springs' by the weights of the
   * step. Springs that are wound up need the run's continuation at the state, and so do states of steps that a tolerance divides, whose energy is
   * that of the last part; the state that the last step led to, or started from, has it.
   */
  energy(state: Float64Array, interval = this.timestep, known: KnownRun | undefined = undefined): Energy {
    requireStateSize(this.mechanism, state);
    const seen = this.readable(state, interval, known);
    return energyOf(this.system, this.currentMechanism, seen.state, seen.interval, () =>
      this.coordinatesNear(state, known),
    );
  }

  /**
   * A state as it is to be read, and the interval of its velocities: where a tolerance divides steps, that of the part that led to it. It is known of
   * the states that the last step led to, or started from, and of others with their continuation; of states from elsewhere velocities are those
   * of the instant.
   */
  readable(
    state: Float64Array,
    interval = this.timestep,
    known: Pick<KnownRun, "pace"> | undefined = undefined,
  ): { readonly state: Float64Array; readonly interval: number } {
    const part = this.stepper.history.partAt(state, interval, known?.pace, this.options);
    if (!(part < interval)) return { state, interval };
    return { state: this.transferState(state, part, interval), interval: part };
  }
}
