/** Simulations of the windows of recordings, and what a change of θ or of a start does to all their states. */
import { minimalState, needsClosure, startState } from "../coordinates/index.ts";
import { turningCoordinates } from "../equations/index.ts";
import { type ParameterDirection, pushforwardMany, type Tangents } from "../gradients/index.ts";
import { bodyStateSize } from "../math/index.ts";
import { ArgumentError, equalityGears, type MechanismDescription } from "../mechanism/index.ts";
import {
  compile,
  continuationAt,
  type PathParameter,
  Simulation,
  StateError,
  stateFromMinimal,
  type Trajectory,
} from "../simulation/index.ts";
import { FeasibleStarts, type Start, startNoise } from "./feasibleStarts.ts";
import { type Channels, channelsOf, type Noise } from "./measurement.ts";
import { measuredSize, ParameterMap, type ParameterSet } from "./parameterSet.ts";
import type { Recording } from "./recording.ts";
import { requireSampling, type Sampling, type Window, windowsOf } from "./sampling.ts";
import { localSize, StartFunction, startSize } from "./startFunction.ts";
import { lineWeights, rotationVectorStart, startRecord } from "./starts.ts";

/** Which numbers of a start are found with the parameters: none, velocities, or poses too. */
export const startFreedoms = ["fixed", "velocities", "free"] as const;
export type StartFreedom = (typeof startFreedoms)[number];
/** What a fit finds of its starts unless told otherwise: intervals are too narrow where starts that a sensor has seen are held. */
export const usualStarts: StartFreedom = "free";

export interface RunsContext {
  readonly description: MechanismDescription;
  readonly set: ParameterSet;
  readonly recordings: readonly Recording[];
  /** Default: windows of 20 frames. */
  readonly sampling?: Sampling;
  /** Default "free". */
  readonly starts?: StartFreedom;
  /** Starts that are found are moved to where bodies can be, in this metric. */
  readonly noise?: Noise;
}

/** One window, simulated. */
export interface WindowRun {
  readonly window: Window;
  readonly trajectory: Trajectory;
  /** Place of a frame's state among the trajectory's; the last one where the simulation ended before. */
  readonly stateOf: (frame: number) => number;
  /** The minimal state that it starts from, where joint coordinates were recorded: its angles count turns. */
  readonly positions: Float64Array | undefined;
  /** Tangents by state, then by parameter and after these by local number of the start. Undefined where no gradients were asked for, or there are none. */
  readonly tangents: Float64Array[][] | undefined;
}

export class WindowRuns {
  readonly simulation: Simulation;
  readonly map: ParameterMap;
  readonly channels: Channels;
  /** Poses were recorded, so states are those of bodies; else joint coordinates were. */
  readonly isMaximal: boolean;
  /** Numbers of a start that are found with the parameters. */
  readonly localCount: number;
  readonly windows: readonly (readonly Window[])[];

  private readonly context: RunsContext;
  private readonly starts: readonly (readonly Float64Array[])[];
  private readonly start: StartFunction;
  private readonly feasible: FeasibleStarts | undefined;
  private readonly localPlaces: readonly number[];
  /** Joint coordinates where nothing was recorded. */
  private readonly rest: Float64Array;
  private entries: ParameterDirection["entries"][] = [];

  constructor(context: RunsContext) {
    const { description, set, recordings, sampling = {}, starts = usualStarts } = context;
    requireSampling(sampling);
    this.context = context;
    this.channels = channelsOf(recordings);
    const mechanism = compile(description);
    this.simulation = new Simulation(mechanism);
    this.map = new ParameterMap(this.simulation, set, this.channels.bodies);
    this.isMaximal = this.channels.bodies.length > 0;
    this.requireChannels();
    const { coordinateCount: c, bodies } = mechanism;
    const half = this.isMaximal ? localSize / 2 : c;
    const blocks = this.isMaximal ? bodies.length : 1;
    const from = { fixed: 2 * half, velocities: half, free: 0 }[starts];
    this.localPlaces = Array.from({ length: blocks }, (_, b) =>
      Array.from({ length: 2 * half - from }, (_, i) => 2 * half * b + from + i),
    ).flat();
    this.localCount = this.localPlaces.length;
    this.windows = recordings.map((recording) => windowsOf(recording, sampling));
    this.starts = recordings.map((recording, i) => this.windows[i].map((window) => this.startOf(recording, window)));
    this.start = new StartFunction();
    this.feasible = starts === "fixed" ? undefined : FeasibleStarts.of(this.simulation, this.channels, context.noise);
    this.rest = minimalState(mechanism, startState(mechanism));
  }

  /** One over the variance of each number of a start, as its frames tell it. */
  get startScales(): Float64Array {
    const { noise = {}, sampling = {} } = this.context;
    const { every = 1 } = sampling;
    const spacing = every * Math.min(...this.context.recordings.map(({ interval }) => interval));
    const sigmas = startNoise(this.simulation.mechanism, this.isMaximal, noise);
    const half = this.isMaximal ? localSize / 2 : sigmas.length;
    return Float64Array.from(this.localPlaces, (place) => {
      const block = Math.floor(place / (2 * half));
      const within = place % (2 * half);
      const sigma = sigmas[block * half + (within % half)];
      return within < half ? 1 / sigma ** 2 : spacing ** 2 / (2 * sigma ** 2);
    });
  }

  /** Sets θ. Throws where it leaves the physics. */
  apply(theta: ArrayLike<number>): void {
    this.map.apply(theta);
    this.entries = this.map.entries();
  }

  /** Simulates a window of a recording at the θ that was applied; with gradients where a place on the central path is given. */
  run(recording: number, index: number, locals: Float64Array | undefined, path: PathParameter | undefined): WindowRun {
    const { simulation, context } = this;
    const { every = 1, stepsPerFrame = 1 } = context.sampling ?? {};
    const window = this.windows[recording][index];
    const record = context.recordings[recording];
    const timestep = (record.interval * every) / stepsPerFrame;
    if (simulation.timestep !== timestep) simulation.setParameter("timestep", timestep);
    const own = locals?.subarray(index * this.localCount, (index + 1) * this.localCount);
    const start = this.isMaximal
      ? this.maximalStart(recording, index, own, path !== undefined)
      : this.minimalStart(recording, index, own, path !== undefined);
    const { state, changes, positions } = this.feasible?.nearest(start, this.entries) ?? start;
    const steps = window.frames.length * stepsPerFrame;
    // each run by itself, whatever came before
    simulation.continuation = undefined;
    const trajectory = simulation.rollout(state, {
      steps,
      check: false,
      ...(positions && { continuation: continuationAt(simulation.mechanism, positions) }),
      ...(path && { gradients: path }),
      ...(Object.keys(record.inputs).length > 0 && { inputs: this.inputsOf(record, window, steps) }),
    });
    const last = trajectory.states.length - 1;
    const stateOf = (frame: number): number =>
      Math.min(last, Math.round(((frame - window.start) / every) * stepsPerFrame));
    return { window, trajectory, stateOf, positions, tangents: path && this.tangentsOf(trajectory, changes) };
  }

  /** Throws at the first window whose start, as it was recorded, cannot be simulated with these parameters. */
  requireStarts(theta: ArrayLike<number>): void {
    this.apply(theta);
    this.context.recordings.forEach((recording, i) => {
      this.windows[i].forEach((window, index) => {
        try {
          this.run(i, index, undefined, undefined);
        } catch (error) {
          if (!(error instanceof ArgumentError || error instanceof StateError)) throw error;
          const line = recording.lines[window.start];
          const place = line === undefined ? `${recording.name}, frame ${window.start}` : `${recording.name}:${line}`;
          const message = `nothing can be simulated from here: ${error.message.replaceAll("\n", " ")}; angles are in radians, lengths in metres`;
          throw new ArgumentError("no-start", place, message);
        }
      });
    });
  }

  /** Joint coordinates of which nothing was recorded, and that others do not determine. */
  get unrecorded(): string[] {
    const { mechanism } = this.simulation;
    if (this.isMaximal || needsClosure(mechanism) || equalityGears(mechanism).length > 0) return [];
    return mechanism.coordinateNames.filter((name) => !this.channels.coordinates.includes(name));
  }

  /** Whether the data say how all of the mechanism moves. */
  private requireChannels(): void {
    const { bodies, coordinates } = this.channels;
    const { mechanism } = this.simulation;
    if (bodies.length > 0 && coordinates.length > 0) {
      const message = "poses and joint coordinates are recorded together; leave one of them out with `ignore`";
      throw new ArgumentError("mixed-columns", "recordings", message);
    }
    const missing = mechanism.bodies.filter(({ name }) => !bodies.includes(name)).map(({ name }) => name);
    if (bodies.length === 0 || missing.length === 0) return;
    const message = `the poses of ${missing.join(", ")} are not recorded; record all bodies, or joint coordinates`;
    throw new ArgumentError("missing-columns", "recordings", message);
  }

  /** Numbers that do not depend on θ: 33 per body, or all joint coordinates and rates. */
  private startOf(recording: Recording, { from, start }: Window): Float64Array {
    const { every = 1, stepsPerFrame = 1 } = this.context.sampling ?? {};
    const spacing = recording.interval * every;
    const { mechanism } = this.simulation;
    if (this.isMaximal) {
      const record = new Float64Array(startSize * mechanism.bodies.length);
      mechanism.bodies.forEach(({ name }, b) => {
        const poses = recording.poses[name];
        record.set(startRecord(poses, from, start, every, spacing, spacing / stepsPerFrame), startSize * b);
      });
      return record;
    }
    const frames: number[] = [];
    for (let k = start; k >= from; k -= every) frames.unshift(k);
    const weights = lineWeights(frames.map((k) => ((k - start) / every) * spacing));
    const x = new Float64Array(2 * mechanism.coordinateCount).fill(Number.NaN);
    mechanism.coordinateNames.forEach((name, i) => {
      const column = recording.coordinates[name];
      if (!column) return;
      const sum = (weights: Float64Array): number => frames.reduce((total, k, j) => total + weights[j] * column[k], 0);
      x[i] = sum(weights.value);
      x[mechanism.coordinateCount + i] = sum(weights.slope);
    });
    for (const { shape, coordinateOffset } of mechanism.joints) {
      const places = turningCoordinates(shape).map((i) => coordinateOffset + i);
      const columns = places.map((i) => recording.coordinates[mechanism.coordinateNames[i]]);
      if (places.length === 0 || columns.includes(undefined as never)) continue;
      const vectors = frames.map((k) => columns.map((column) => column[k]));
      const { vector, rates } = rotationVectorStart(vectors, weights, spacing / stepsPerFrame);
      places.forEach((i, k) => {
        x[i] = vector[k];
        x[mechanism.coordinateCount + i] = rates[k];
      });
    }
    return x;
  }

  private maximalStart(
    recording: number,
    index: number,
    locals: Float64Array | undefined,
    wantsChanges: boolean,
  ): Start {
    const { start, map, channels, localPlaces } = this;
    const { mechanism } = this.simulation;
    const record = this.starts[recording][index];
    const state = new Float64Array(mechanism.stateSize);
    const size = localSize * mechanism.bodies.length;
    const parameters = map.names.length;
    const changes = wantsChanges
      ? Array.from({ length: parameters + this.localCount }, () => new Float64Array(size))
      : undefined;
    const gravityAt = measuredSize * channels.bodies.length;
    mechanism.bodies.forEach(({ name }, b) => {
      const measuredAt = measuredSize * channels.bodies.indexOf(name);
      const places = [0, 1, 2, 3].map((i) => measuredAt + i).concat([0, 1, 2].map((i) => gravityAt + i));
      start.record.set(record.subarray(startSize * b, startSize * (b + 1)));
      places.forEach((place, i) => {
        start.outside[i] = map.outside[place];
      });
      start.local.fill(0);
      localPlaces.forEach((place, i) => {
        if (Math.floor(place / localSize) === b) start.local[place % localSize] = locals?.[i] ?? 0;
      });
      start.run();
      state.set(start.state, bodyStateSize * b);
      if (!changes) return;
      places.forEach((place, i) => {
        const column = start.byOutside(i);
        for (let p = 0; p < parameters; p++) {
          addScaled(changes[p], localSize * b, column, map.dOutside_dTheta[place * parameters + p]);
        }
      });
      localPlaces.forEach((place, i) => {
        if (Math.floor(place / localSize) !== b) return;
        addScaled(changes[parameters + i], localSize * b, start.byLocal(place % localSize), 1);
      });
    });
    return { state, changes };
  }

  private minimalStart(
    recording: number,
    index: number,
    locals: Float64Array | undefined,
    wantsChanges: boolean,
  ): Start {
    const { simulation, localPlaces, map, rest } = this;
    const x = this.starts[recording][index].map((value, i) => (Number.isNaN(value) ? rest[i] : value));
    localPlaces.forEach((place, i) => {
      x[place] += locals?.[i] ?? 0;
    });
    const state = stateFromMinimal(simulation, x);
    const changes = wantsChanges
      ? Array.from({ length: map.names.length + localPlaces.length }, () => new Float64Array(x.length))
      : undefined;
    localPlaces.forEach((place, i) => {
      if (changes) changes[map.names.length + i][place] = 1;
    });
    return { state, changes, positions: x };
  }

  /** The input of each step: what was recorded at the frame before it. */
  private inputsOf({ inputs }: Recording, { start }: Window, steps: number): Float64Array[] {
    const { mechanism } = this.simulation;
    const { every = 1, stepsPerFrame = 1 } = this.context.sampling ?? {};
    return Array.from({ length: steps }, (_, k) => {
      const frame = start + Math.floor((k * every) / stepsPerFrame);
      return Float64Array.from(mechanism.inputNames, (name) => inputs[name]?.[frame] ?? 0);
    });
  }

  private tangentsOf(
    trajectory: Trajectory,
    changes: readonly Float64Array[] | undefined,
  ): Float64Array[][] | undefined {
    const tangents = (changes ?? []).map(
      (state, i): Tangents => ({ state, ...(this.entries[i] && { entries: this.entries[i] }) }),
    );
    try {
      return pushforwardMany(trajectory, tangents, { coordinates: this.isMaximal ? "maximal" : "minimal" });
    } catch (error) {
      // a step without a point at κ
      if (error instanceof ArgumentError) return undefined;
      throw error;
    }
  }
}

function addScaled(out: Float64Array, at: number, column: Float64Array, factor: number): void {
  if (factor === 0) return;
  for (let i = 0; i < column.length; i++) out[at + i] += factor * column[i];
}
