/** A scene: one simulation, its state, its inputs and what pulls at it. Knows nothing of time on the wall. */
import {
  assertDescription,
  checkState,
  compile,
  continuationAt,
  gravityCompensation,
  hasMotors,
  heldContactsNote,
  type MechanismDescription,
  maximalState,
  namesOf,
  projectState,
  type RunMemory,
  reachOf,
  Simulation,
  type StepOptions,
  type StepResult,
  stateInput,
  withServos,
} from "dojo-sim";
import type { ArrowOptions, Drive, Pull, Push, SceneChoice, SceneInfo, Settings, Snapshot } from "../protocol.ts";
import { catalogueEntry } from "./catalogue.ts";
import type { gradientArrows } from "./gradientArrows.ts";
import { lookAhead } from "./lookAhead.ts";
import { PullSpring } from "./pullSpring.ts";
import { Recording } from "./recording.ts";
import type { LoadedRobot } from "./robotFiles.ts";
import { mechanismParts } from "./sceneInfo.ts";
import { applyParameters, elastic, ownSettings, requireSettings, stepOptions } from "./settings.ts";

/** Metres and radians: a state of the engine's own is never off by so much, and must come back bit for bit. */
const givenTolerance = 1e-2;
/** States that stepping back can go to. */
const mostHistory = 400;

/** Which arrows are asked for, and what finds them. */
export interface FindArrows extends ArrowOptions {
  readonly find: typeof gradientArrows;
}

/** A choice whose files have been read. */
export interface ReadChoice extends Omit<SceneChoice, "source"> {
  readonly source:
    | Exclude<SceneChoice["source"], { readonly kind: "files" }>
    | { readonly kind: "robot"; readonly robot: LoadedRobot };
}

interface Opened {
  readonly name: string;
  readonly source: SceneInfo["source"];
  readonly description: MechanismDescription;
  readonly start: string;
  readonly drive: Drive;
  readonly notes: readonly string[];
  readonly collisions: SceneInfo["collisions"];
}

/** A state to which one can step back, with what the run carried beyond it. */
interface Moment {
  readonly state: Float64Array;
  readonly interval: number;
  readonly time: number;
  readonly memory: RunMemory | undefined;
}

export class Scene {
  readonly info: SceneInfo;
  readonly simulation: Simulation;
  readonly state: Float64Array;
  readonly input: Float64Array;
  readonly recording: Recording;
  settings: Settings;
  time = 0;
  /** Over which the velocities of the state are means: the time step, and less where a limb turns too fast for it. */
  interval: number;

  private readonly first: {
    readonly state: Float64Array;
    readonly interval: number;
    readonly input: Float64Array;
    readonly timestep: number;
  };
  private readonly history: Moment[] = [];
  private readonly reach: number;
  private spring: PullSpring | undefined;
  private push: (Push & { readonly until: number }) | undefined;

  /** Throws on what cannot be simulated; the caller then keeps the scene it has. */
  constructor(choice: ReadChoice) {
    const opened = open(choice);
    const { start, drive, notes } = opened;
    const servos = drive === "servo" && hasMotors(opened.description);
    const description = servos ? withServos(opened.description, start) : opened.description;
    this.simulation = new Simulation(compile(elastic(description)));
    const { mechanism } = this.simulation;
    this.settings = ownSettings(this.simulation);
    this.state = new Float64Array(mechanism.stateSize);
    this.input = new Float64Array(mechanism.inputSize);

    // settings come first: a given state belongs to their time step
    const settings = choice.settings ?? {};
    requireSettings(settings);
    this.settings = { ...this.settings, ...settings };
    this.simulation.setParameter("timestep", this.settings.timestep);
    applyParameters(this.simulation, this.settings);
    this.interval = this.givenInterval(choice);
    const begun = this.startState(description, start, choice.state);
    this.reach = reachOf(begun.state);
    this.first = {
      state: begun.state,
      interval: this.interval,
      input: this.startInput(start, begun.state, choice.input),
      timestep: this.settings.timestep,
    };
    this.recording = new Recording(this.simulation, begun.state, this.interval);
    this.tryStep(begun.state, this.first.input);
    const parts = mechanismParts(mechanism, this.reach);
    const leftOut = heldContactsNote(mechanism);
    this.info = {
      ...parts,
      ahead: parts.floats ? null : lookAhead(mechanism, this.settings, this.first),
      name: opened.name,
      source: opened.source,
      drive,
      canDrive: hasMotors(opened.description),
      start,
      starts: namesOf(description, "states"),
      collisions: opened.collisions,
      settings: this.settings,
      ownSettings: ownSettings(this.simulation),
      notes: [...notes, ...(leftOut === undefined ? [] : [leftOut]), ...begun.notes],
      input: this.first.input.slice(),
    };
    this.reset();
  }

  reset(): void {
    const { state, interval, input, timestep } = this.first;
    this.input.set(input);
    if (this.settings.timestep === timestep) {
      this.state.set(state);
      this.interval = interval;
    } else this.transfer(state, interval, this.settings.timestep);
    this.time = 0;
    this.push = undefined;
    this.beginAnew();
  }

  /** Goes on from a state, written for another time step. */
  private transfer(state: Float64Array, interval: number, timestep: number): void {
    this.state.set(this.simulation.transferState(state, timestep, interval));
    this.interval = timestep;
  }

  private beginAnew(): void {
    this.history.length = 0;
    this.recording.begin(this.state, this.interval);
  }

  /** One step. A step that was not solved leaves the state as it is. */
  step(): StepResult {
    const { simulation, state, input } = this;
    const memory = simulation.memoryOf(state);
    this.applyForces();
    const result = simulation.step(state, input, this.stepOptions());
    if (result.status !== "solved") return result;
    this.recording.add(state, this.interval, input, result);
    this.history.push({ state: state.slice(), interval: this.interval, time: this.time, memory });
    if (this.history.length > mostHistory) this.history.shift();
    state.set(result.next);
    this.interval = result.interval;
    this.time += simulation.timestep;
    return result;
  }

  /** Goes to the state before the last step, if it is known. */
  stepBack(): boolean {
    const before = this.history.pop();
    if (!before) return false;
    this.state.set(before.state);
    this.interval = before.interval;
    this.simulation.memory = before.memory;
    this.time = before.time;
    this.recording.begin(this.state, this.interval);
    return true;
  }

  /** All of them or none. */
  change(settings: Partial<Settings>): Settings {
    requireSettings(settings);
    const before = this.settings;
    const after = { ...before, ...settings };
    applyParameters(this.simulation, after);
    if (after.timestep !== before.timestep) {
      try {
        this.transfer(this.state, this.interval, after.timestep);
      } catch (error) {
        applyParameters(this.simulation, before);
        throw error;
      }
      this.simulation.setParameter("timestep", after.timestep);
      this.beginAnew();
    }
    this.settings = after;
    return after;
  }

  /** Moves one joint coordinate, at rest. Loops are closed and contacts kept; servos then hold what came of it. */
  pose(coordinate: number, value: number): Float64Array {
    const { mechanism } = this.simulation;
    if (!Number.isFinite(value)) throw new RangeError(`${value} is no position.`);
    const positions = this.simulation.coordinates(this.state);
    positions[coordinate] = value;
    const joints = mechanism.joints.map(({ name, coordinateOffset, coordinates }) => {
      const position = Array.from(positions.subarray(coordinateOffset, coordinateOffset + coordinates.length));
      return [name, { position }] as const;
    });
    const named = Object.fromEntries(joints);
    const { timestep } = this.settings;
    this.state.set(this.valid(maximalState(mechanism, named, timestep), timestep).state);
    this.interval = timestep;
    this.simulation.continuation = continuationAt(mechanism, named);
    this.holdByServos();
    this.beginAnew();
    return this.simulation.coordinates(this.state);
  }

  setInput(index: number, value: number): void {
    if (!Number.isFinite(value) || index < 0 || index >= this.input.length)
      throw new RangeError(`${value} is no input.`);
    this.input[index] = value;
  }

  /** Inputs under which the robot stays where it is, as far as its motors can. */
  hold(): Float64Array {
    this.input.set(gravityCompensation(this.simulation, this.state).input);
    return this.input.slice();
  }

  pull(pull: Pull | null): void {
    if (pull && this.spring?.moveTo(pull)) return;
    this.release();
    this.spring = pull ? new PullSpring(this.simulation, pull, this.reach) : undefined;
  }

  pushBody(push: Push): void {
    if (!push.force.every(Number.isFinite)) throw new RangeError("The push has no size.");
    this.release();
    this.push = { ...push, until: this.time + push.duration };
  }

  /** The steps that find them leave no trace: the run goes on from its own last step. */
  arrows({ find, ...options }: FindArrows): Float32Array | null {
    const { simulation, state, input, interval } = this;
    const memory = simulation.memoryOf(state);
    this.applyForces();
    const arrows = find(simulation, state, input, { ...options, interval });
    simulation.memory = memory;
    return arrows;
  }

  pullLine(): number[] | undefined {
    return this.spring?.line(this.state);
  }

  snapshot(): Snapshot {
    // what follows here must follow in a scene made from the snapshot
    this.tryStep(this.state, this.input);
    const { interval, time, settings } = this;
    return { state: this.state.slice(), interval, input: this.input.slice(), time, settings };
  }

  /**
   * A step that is thrown away. Kernels are compiled, and what cannot be stepped is refused. The next step then starts cold: one that
   * goes on from the last has its joints' impulses to start from, and other last bits.
   */
  private tryStep(state: Float64Array, input: Float64Array): void {
    this.simulation.step(state, input, this.stepOptions());
  }

  private stepOptions(): StepOptions {
    return { ...stepOptions(this.settings), interval: this.interval };
  }

  private applyForces(): void {
    const { simulation, state, input } = this;
    if (this.push) {
      const { body, force, until } = this.push;
      const over = this.time >= until - 1e-9;
      simulation.setWrench(simulation.mechanism.bodies[body].name, over ? {} : { force });
      if (over) this.push = undefined;
    }
    this.spring?.apply(simulation, state, input, this.stepOptions());
  }

  private release(): void {
    for (const { name } of this.simulation.mechanism.bodies) this.simulation.setWrench(name, {});
  }

  private startState(
    description: MechanismDescription,
    start: string,
    given: Float64Array | undefined,
  ): { state: Float64Array; notes: string[] } {
    const { mechanism } = this.simulation;
    if (given && given.length !== mechanism.stateSize) {
      throw new RangeError(`The state has ${given.length} numbers, ${mechanism.name} has ${mechanism.stateSize}.`);
    }
    if (given) return this.valid(given, this.interval, givenTolerance);
    return this.valid(maximalState(mechanism, description.states?.[start], this.interval), this.interval);
  }

  /** That of a given state, which the time step holds once, twice, four times …; without one the time step. */
  private givenInterval({ state, interval }: ReadChoice): number {
    const { timestep } = this.settings;
    if (!state || interval === undefined) return timestep;
    const parts = Math.log2(timestep / interval);
    if (parts >= 0 && Number.isInteger(parts)) return interval;
    throw new RangeError(`The state's interval of ${interval} s is no half, fourth, eighth … of the time step.`);
  }

  /** The state, or the nearest valid one if it violates something by more than the tolerance. */
  private valid(state: Float64Array, interval: number, tolerance?: number): { state: Float64Array; notes: string[] } {
    const faults = checkState(this.simulation, state, { timestep: interval, ...(tolerance && { tolerance }) });
    if (faults.length === 0) return { state: Float64Array.from(state), notes: [] };
    const projected = projectState(this.simulation, state);
    return { state: projected, notes: [`the start was moved: ${faults[0].path} ${faults[0].message}`] };
  }

  /** As given, or that of the named start. What flies without one is held against gravity. */
  private startInput(start: string, state: Float64Array, given: Float64Array | undefined): Float64Array {
    const { mechanism } = this.simulation;
    if (given) {
      if (given.length === mechanism.inputSize && given.every(Number.isFinite)) return given.slice();
      throw new RangeError(`The inputs are not ${mechanism.inputSize} numbers, which ${mechanism.name} has.`);
    }
    const named = mechanism.description.stateInputs?.[start] !== undefined;
    if (mechanism.thrusters.length > 0 && !named) return gravityCompensation(this.simulation, state).input;
    return stateInput(mechanism, start, this.simulation.coordinates(state));
  }

  private holdByServos(): void {
    this.servoTargetsInto(this.input, this.state);
  }

  private servoTargetsInto(input: Float64Array, state: Float64Array): void {
    const { mechanism } = this.simulation;
    const positions = this.simulation.coordinates(state);
    for (const { coordinates, coordinateOffset } of mechanism.joints) {
      coordinates.forEach((coordinate, i) => {
        if (coordinate.servo && coordinate.input >= 0) input[coordinate.input] = positions[coordinateOffset + i];
      });
    }
  }
}

function open({ source, drive, start, collisions }: ReadChoice): Opened {
  if (source.kind === "model") {
    const entry = catalogueEntry(source.name, collisions);
    const known = start === undefined || start in (entry.description.states ?? {});
    if (!known)
      throw new RangeError(
        `${entry.name} has no start "${start}"; it has ${namesOf(entry.description, "states").join(", ")}.`,
      );
    return {
      name: entry.name,
      source: { kind: "model", name: entry.name },
      description: entry.description,
      start: start ?? entry.start,
      drive: drive ?? entry.drive,
      notes: [],
      collisions: entry.collisions,
    };
  }
  const loaded = source.kind === "robot" ? source.robot : { ...source, notes: [], collisions: null };
  const { name, description, notes } = loaded;
  // a link may hold anything
  assertDescription(description);
  const starts = namesOf(description, "states");
  return {
    name,
    source: { kind: "description", name, description },
    description,
    start: start !== undefined && starts.includes(start) ? start : (starts[0] ?? ""),
    drive: drive ?? "servo",
    notes,
    collisions: loaded.collisions,
  };
}
