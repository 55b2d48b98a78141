/**
 * What a rollout leaves behind: states, inputs, and the impulses of every step, to be read by name. With checkpoints, inputs
 * and reports are those of every step, and all else of every n-th.
 */

import { jointCoordinates, type KnownAngles } from "../../coordinates/index.ts";
import type { NodePlace, System } from "../../kernels/index.ts";
import { bodyAt, stateOffsets, type Vector3 } from "../../math/index.ts";
import { type Mechanism, named, namedContact } from "../../mechanism/index.ts";
import { changeIntervalInto } from "../states/timestepChange.ts";
import type { StepReport } from "../step/stepReport.ts";
import type { TouchReading } from "../touch/touchReadings.ts";
import type { AngleTurns } from "./angleTurns.ts";
import { type Continuation, continuationOf, namedAngles, type RunMemory } from "./continuation.ts";
import type { GradientRecord } from "./gradientRecord.ts";
import { type ContactReading, heldReading, readingAt, readingSize, readJointImpulses } from "./readings.ts";
import type { RunHistory } from "./runHistory.ts";
import type { StepDump } from "./stepDump.ts";
import type { StepReadings } from "./stepReadings.ts";

const noReadings = new Float64Array(0);

/** One step's outcome, kept. */
export type StepRecord = Readonly<StepReport>;

/** What the steps are taken with: a simulation, as a rule. */
export interface Stepped {
  readonly mechanism: Mechanism;
  /** @internal Memory and kernels of the step last taken. */
  readonly system: System;
  /** @internal What took it. */
  readonly stepper: {
    readonly turns: AngleTurns;
    readonly history: Pick<RunHistory, "paceBefore">;
    readonly readings: StepReadings;
  };
  /** Where shapes touched in it. */
  readonly touches?: () => readonly TouchReading[];
}

export class Trajectory {
  readonly mechanism: Mechanism;
  readonly timestep: number;
  /**
   * The start, and the state after each step; with checkpoints, after every n-th. A step that was not solved and ended the rollout has
   * an input and a report but leads to no state: there are then as many states as steps.
   */
  readonly states: Float64Array[] = [];
  /** Inputs held during each step. */
  readonly inputs: Float64Array[] = [];
  readonly reports: StepRecord[] = [];
  /** The first step that was not solved, as data: `replayStep(failure)` takes it again. */
  failure: StepDump | undefined;
  /** What gradients need, of a rollout with `gradients`. */
  readonly gradients: GradientRecord | undefined;
  /** The last state. */
  final: Float64Array;
  /** What a step from it carries on, and the system that it is of: where shapes touch, another may have taken over when it is asked for. */
  private carried: { readonly memory: RunMemory | undefined; readonly system: System };

  private readonly startInterval: number;
  private finalInterval: number;
  /** Turns at each of `states` from which a step was taken, and where the last step, or its last part, started. */
  private readonly counts: Pick<RunMemory, "angles" | "gears">[] = [];
  private lastCount: Pick<RunMemory, "angles" | "gears">;
  /** The pace at each of them, where steps are divided. */
  private readonly paces: RunMemory["pace"][] = [];
  private readonly impulses: Float64Array[] = [];
  /** Readings of all contacts, as `readingAt` reads them; one array per step. */
  private readonly contactReadings: Float64Array[] = [];
  private readonly touchReadings: (readonly TouchReading[])[] = [];
  /** Coordinates of all joints at `states`, as far as any joint was asked for. */
  private readonly seenCoordinates: Float64Array[] = [];
  private readonly stepped: Stepped;
  /** Contacts of the mechanism's own, and the system whose they are. */
  private contactNodes: readonly NodePlace[] = [];
  private nodesOf: System | undefined;

  constructor(
    stepped: Stepped,
    timestep: number,
    start: Float64Array,
    gradients?: GradientRecord,
    startInterval = timestep,
    memory?: RunMemory,
  ) {
    this.stepped = stepped;
    this.mechanism = stepped.mechanism;
    this.timestep = timestep;
    this.startInterval = this.finalInterval = startInterval;
    this.carried = { memory, system: this.system };
    const { angles, gears } = this.system.turns;
    this.lastCount = memory ?? {
      angles: new Float64Array(angles.length).fill(Number.NaN),
      gears: new Float64Array(gears.length),
    };
    this.gradients = gradients;
    this.final = Float64Array.from(start);
    this.states.push(this.final);
  }

  private get system(): System {
    return this.stepped.system;
  }

  /** @internal After the last step: what one from its end carries on. */
  end(memory: RunMemory | undefined): void {
    this.carried = { memory, system: this.system };
  }

  /** Number of steps taken. */
  get steps(): number {
    return this.inputs.length;
  }

  /** Steps from one of `states` to the next: 1 without checkpoints. */
  get every(): number {
    return this.gradients?.every ?? 1;
  }

  get times(): number[] {
    return this.states.map((_, k) => k * this.every * this.timestep);
  }

  /** The interval over which the velocities of `states[k]` are means: the time step, or a part of it where a body is too fast. */
  interval(k: number): number {
    return this.reports[k * this.every - 1]?.interval ?? this.startInterval;
  }

  /**
   * `states[k]` as it is to be read, and the interval of its velocities: `interval(k)`, or where a tolerance divides steps that of the part that led to
   * it.
   */
  readable(k: number): { readonly state: Float64Array; readonly interval: number } {
    const state = this.states[k];
    const interval = this.interval(k);
    const pace = state === this.final ? this.carried.memory?.pace : this.paces[k];
    const part = pace ? pace.part * (pace.timestep || this.timestep) : interval;
    if (!(part < interval)) return { state, interval };
    const own = state.slice();
    for (const { index, inertia } of this.mechanism.bodies) changeIntervalInto(own, index, inertia, interval, part);
    return { state: own, interval: part };
  }

  /** True when every step was solved. */
  get solved(): boolean {
    return this.reports.every((report) => report.status === "solved");
  }

  /**
   * What the run carried beyond `states[k]`. Of the last one it is all; of the others angles, interval and pace, with which a run goes on
   * from there, though not to the bit: its first step is cold.
   */
  continuationAt(k: number): Continuation {
    const state = this.states[k];
    if (state === this.final) return this.continuation;
    const memory = { ...this.counts[k], interval: this.interval(k), pace: this.paces[k], warm: undefined };
    return continuationOf(this.system, memory, state);
  }

  /** What the run carries beyond the last state: with it, the run goes on to the bit. */
  get continuation(): Continuation {
    const { memory, system } = this.carried;
    const carried = { ...this.lastCount, warm: undefined, ...memory, interval: this.finalInterval };
    return continuationOf(system, carried, this.final);
  }

  /** Keeps the step that the simulation has just taken. */
  record(input: Float64Array, report: StepReport, next: Float64Array, goesOn: boolean): void {
    const { f64, places, unknowns } = this.system;
    const { turns, history } = this.stepped.stepper;
    if (turns.isNeeded) this.recordTurns(turns);
    if (this.steps % this.every === 0) this.paces.push(history.paceBefore);
    this.inputs.push(new Float64Array(input));
    this.reports.push(copyOf(report));
    if (goesOn) {
      this.final = new Float64Array(next);
      this.finalInterval = report.interval;
    }
    if (this.steps % this.every > 0) return;
    if (goesOn) this.states.push(this.final);
    this.impulses.push(f64.slice(places.unknown, places.unknown + unknowns));
    this.contactReadings.push(this.readContacts());
    if (this.mechanism.touch) this.touchReadings.push(this.stepped.touches?.() ?? []);
  }

  private readContacts(): Float64Array {
    const { readings } = this.stepped.stepper;
    const nodes = this.ownContacts();
    if (nodes.length === 0) return noReadings;
    const numbers = new Float64Array(readingSize * nodes.length);
    for (let i = 0; i < nodes.length; i++) readings.contactInto(numbers, readingSize * i, nodes[i]);
    return numbers;
  }

  /** Nodes of the mechanism's own contacts in the system that the last step was taken in. */
  private ownContacts(): readonly NodePlace[] {
    const { system, mechanism } = this;
    if (this.nodesOf !== system) {
      const count = mechanism.contacts.length;
      this.contactNodes = system.nodes.filter(({ kind, index }) => kind === "contact" && index < count);
      this.nodesOf = system;
    }
    return this.contactNodes;
  }

  /** Position of a body's centre of mass over time. */
  positions(body: string): Vector3[] {
    return this.bodySeries(body, 0, 3) as unknown as Vector3[];
  }

  /** Quaternions, scalar first. */
  orientations(body: string): number[][] {
    return this.bodySeries(body, 3, 4);
  }

  velocities(body: string): Vector3[] {
    return this.bodySeries(body, stateOffsets.velocity, 3) as unknown as Vector3[];
  }

  /** Angular velocities of a body in its own frame, one per state. */
  angularVelocities(body: string): Vector3[] {
    return this.bodySeries(body, stateOffsets.angularVelocity, 3) as unknown as Vector3[];
  }

  private recordTurns(turns: AngleTurns): void {
    const gears = turns.gearTurns();
    if (this.steps % this.every === 0) this.counts.push({ angles: turns.start.slice(), gears });
    this.lastCount = { angles: turns.values.slice(), gears };
  }

  /** Coordinates of a joint over time: translations, then rotations, over any number of turns. */
  coordinates(joint: string): number[][] {
    const { coordinateOffset, coordinates } = named(this.mechanism.joints, joint, "joint");
    // all joints are found at once, and whoever reads one mostly reads others
    const { seenCoordinates } = this;
    for (let k = seenCoordinates.length; k < this.states.length; k++) seenCoordinates.push(this.coordinatesAt(k));
    return seenCoordinates.map((all) =>
      Array.from(all.subarray(coordinateOffset, coordinateOffset + coordinates.length)),
    );
  }

  /** Coordinates of all joints at `states[k]`. */
  coordinatesAt(k: number): Float64Array {
    return jointCoordinates(this.mechanism, this.states[k], this.anglesAt(k));
  }

  /** Where joints have turned to by `states[k]`, up to the motion of a step. */
  anglesAt(k: number): KnownAngles {
    const { angles } = this.counts[k] ?? this.lastCount;
    return { angles: namedAngles(this.system, angles) };
  }

  /** Force of a contact in each step, N: normal, friction along two tangents, the vector in the world, and the distance after the step. */
  contact(name: string): ContactReading[] {
    const contact = namedContact(this.mechanism, name);
    if ("distance" in contact) return this.contactReadings.map(() => heldReading(contact));
    const { index } = contact;
    return this.contactReadings.map((numbers) => readingAt(numbers, readingSize * index));
  }

  /** Where shapes touched, or nearly so, in each step: what `simulation.touches()` was after it. */
  get touches(): readonly (readonly TouchReading[])[] {
    return this.touchReadings;
  }

  /** Impulses of a joint in each step: of its constraints, then of the forces on its coordinates. */
  jointImpulses(joint: string): number[][] {
    const { index } = named(this.mechanism.joints, joint, "joint");
    return this.impulses.map((impulses) => readJointImpulses(this.system, index, impulses));
  }

  private bodySeries(body: string, offset: number, size: number): number[][] {
    const { index } = named(this.mechanism.bodies, body, "body");
    const at = bodyAt(index) + offset;
    return this.states.map((state) => Array.from(state.subarray(at, at + size)));
  }
}

/** The report alone: what carries one may carry a state as well, which is kept with the states. */
function copyOf(report: StepRecord): StepRecord {
  const { frictionScale, overlap } = report;
  const copy = {
    status: report.status,
    iterations: report.iterations,
    retries: report.retries,
    substeps: report.substeps,
    interval: report.interval,
    residualViolation: report.residualViolation,
    complementarityViolation: report.complementarityViolation,
    lockedJoint: report.lockedJoint,
    precision: report.precision,
  };
  return frictionScale === undefined ? copy : { ...copy, frictionScale, overlap };
}
