/** Environments, as many copies in lock-step, many steps per message. */
import {
  ArgumentError,
  autoresetModes,
  describeEnvironment,
  type EnvironmentDescription,
  readEnvironment,
  Trajectory,
  VectorEnvironment,
} from "../../../index.ts";
import type { Parameters } from "../parameters.ts";
import type { MethodTable, Session } from "../session.ts";
import { Photographer } from "./pictures.ts";
import { replayBytes } from "./rollouts.ts";
import { rowsOf, stacked } from "./simulations.ts";

/** Copies of an environment, with the episode of the first as a record where one is wanted. */
class EnvironmentGroup {
  readonly vector: VectorEnvironment;
  private readonly isRecorded: boolean;
  private readonly input: Float64Array;
  private episode: Trajectory | undefined;
  private photographer: Photographer | undefined;

  constructor(vector: VectorEnvironment, isRecorded: boolean) {
    this.vector = vector;
    this.isRecorded = isRecorded;
    this.input = new Float64Array(vector.actionSpace.size);
  }

  step(actions: Float64Array): void {
    const [first] = this.vector.copies;
    this.vector.step(actions);
    if (!this.isRecorded) return;
    if (this.vector.steps[0] === 0) {
      this.begin();
      return;
    }
    first.inputInto(this.input, actions.subarray(0, this.input.length));
    this.episode?.record(this.input, first.simulation.report, first.state, this.vector.statuses[0] === "solved");
  }

  /** The first copy stands at the start of an episode. */
  begin(): void {
    const [first] = this.vector.copies;
    this.episode = this.isRecorded
      ? new Trajectory(first.simulation, first.timestep, first.state, undefined, first.simulation.timestep)
      : undefined;
  }

  replay(title: string | undefined): Uint8Array {
    if (this.episode) return replayBytes(this.episode, title ?? this.vector.copies[0].description.name);
    throw new ArgumentError("not-recorded", "environment", "no episode has begun, or it was opened without a record");
  }

  picture(parameters: Parameters) {
    const [first] = this.vector.copies;
    const copy = this.vector.copies[parameters.maybeNumber("copy") ?? 0];
    if (!copy) throw new ArgumentError("out-of-range", "copy", `there are ${this.vector.count} copies`);
    this.photographer ??= new Photographer(first.simulation, first.state, first.goal);
    return this.photographer.picture(copy.state, parameters, copy.goal);
  }
}

function groupOf(session: Session, parameters: Parameters): EnvironmentGroup {
  return session.thing(EnvironmentGroup, parameters.number("environment"));
}

/** An environment by its name and options, or as data. */
function environmentOf(parameters: Parameters): EnvironmentDescription {
  const data = parameters.maybeText("data");
  if (data !== undefined) return readEnvironment(data);
  return describeEnvironment(parameters.text("name"), parameters.record("options"));
}

export const environmentMethods: MethodTable = {
  "environment.open": (session, parameters) => {
    const named = environmentOf(parameters);
    const description = { ...named, horizon: parameters.maybeNumber("horizon") ?? named.horizon };
    const autoreset = parameters.choice("autoreset", autoresetModes);
    const simulation = { errorTolerance: parameters.maybeNumber("errorTolerance") };
    const vector = new VectorEnvironment(description, { count: parameters.count("count"), autoreset, simulation });
    const { actionSpace, observationSpace, copies } = vector;
    return {
      result: {
        environment: session.keep(new EnvironmentGroup(vector, parameters.flag("record"))),
        horizon: description.horizon,
        timestep: copies[0].timestep,
        inputNames: copies[0].mechanism.inputNames,
        stateSize: copies[0].mechanism.stateSize,
      },
      arrays: {
        actionLow: actionSpace.low,
        actionHigh: actionSpace.high,
        observationLow: observationSpace.low,
        observationHigh: observationSpace.high,
      },
    };
  },

  /** Seeds, one per copy, or none to go on with their streams; a mask of the copies to reset, or none for all. */
  "environment.reset": (session, parameters) => {
    const group = groupOf(session, parameters);
    const { vector } = group;
    const [seeds, mask] = [parameters.maybeArray("seeds"), parameters.maybeArray("mask")];
    vector.reset({ ...(seeds && { seed: Array.from(seeds) }), ...(mask && { mask }) });
    if (mask?.[0] !== 0) group.begin();
    return { arrays: { observations: shaped(vector.observations, vector) } };
  },

  /** Actions of one step or of many: copies × actions, or steps × copies × actions. */
  "environment.step": (session, parameters) => {
    const group = groupOf(session, parameters);
    const { vector } = group;
    const { count, actionSpace, observationSpace, autoreset } = vector;
    const rows = rowsOf("actions", parameters.array("actions"), count * actionSpace.size);
    const steps = rows.length;
    const observations = new Float64Array(steps * count * observationSpace.size);
    const finals = new Float64Array(autoreset === "sameStep" ? observations.length : 0);
    const rewards = new Float64Array(steps * count);
    const terminated = new Uint8Array(steps * count);
    const truncated = new Uint8Array(steps * count);
    const episodeSteps = new Int32Array(steps * count);
    const faults: [number, number, string][] = [];
    const begin = performance.now();
    rows.forEach((actions, k) => {
      group.step(actions);
      observations.set(vector.observations, k * vector.observations.length);
      finals.set(vector.finalObservations, k * vector.finalObservations.length);
      rewards.set(vector.rewards, k * count);
      terminated.set(vector.terminated, k * count);
      truncated.set(vector.truncated, k * count);
      episodeSteps.set(vector.steps, k * count);
      vector.statuses.forEach((status, i) => {
        if (status !== "solved") faults.push([k, i, status]);
      });
    });
    const all = [steps, count];
    return {
      result: { faults, milliseconds: performance.now() - begin },
      arrays: {
        observations: { data: observations, shape: [...all, observationSpace.size] },
        ...(finals.length > 0 && { finals: { data: finals, shape: [...all, observationSpace.size] } }),
        rewards: { data: rewards, shape: all },
        terminated: { data: terminated, shape: all },
        truncated: { data: truncated, shape: all },
        episodeSteps: { data: episodeSteps, shape: all },
      },
    };
  },

  /** States of the bodies of all copies. */
  "environment.states": (session, parameters) => {
    const { vector } = groupOf(session, parameters);
    return { arrays: { states: stacked(vector.copies.map(({ state }) => state)) } };
  },

  "environment.picture": (session, parameters) => ({
    arrays: { picture: groupOf(session, parameters).picture(parameters) },
  }),

  /** The replay of the episode of the first copy so far. */
  "environment.html": (session, parameters) => ({
    arrays: { html: groupOf(session, parameters).replay(parameters.maybeText("title")) },
  }),
};

function shaped(data: Float64Array, { count, observationSpace }: VectorEnvironment) {
  return { data: data.slice(), shape: [count, observationSpace.size] };
}
