/** Tosses in MuJoCo: from the same starts, scored in the same way, its contacts tuned by the same search. */
import {
  compareRecording,
  directSearch,
  type IdentificationProblem,
  type MechanismDescription,
  maximalFromMinimal,
  minimalState,
  poseError,
  poseSize,
  predictedPose,
  type Recording,
  tossedCube,
  tossWidth,
  wholeToss,
} from "dojo-sim";
import { type Mujoco, MujocoPeer } from "../peers/mujoco.ts";

/** Steps of MuJoCo per frame. */
export const stepsPerFrame = 2;

export interface ContactSettings {
  readonly friction: number;
  /** Seconds. */
  readonly timeConstant: number;
  readonly dampingRatio: number;
}

export const defaultContact: ContactSettings = { friction: tossedCube.friction, timeConstant: 0.02, dampingRatio: 1 };

export interface TossErrors {
  readonly positionPercent: number;
  readonly rotationDegrees: number;
  readonly tosses: number;
}

interface PreparedToss {
  readonly start: Float64Array;
  readonly recording: Recording;
  /** Frame of the start. */
  readonly first: number;
}

/** A cube of given mass properties and size in MuJoCo. */
export class MujocoTosses {
  private readonly peer: MujocoPeer;
  private readonly mechanism;
  private readonly tosses: readonly PreparedToss[];
  private readonly measured: readonly number[];

  /** `values` are those of `problem.set`: they give mass properties, corners and starts. */
  constructor(
    mujoco: Mujoco,
    problem: IdentificationProblem,
    values: Readonly<Record<string, number>>,
    cone: "pyramidal" | "elliptic",
  ) {
    const timestep = 1 / tossedCube.rate / stepsPerFrame;
    const sampling = { ...wholeToss, stepsPerFrame };
    const prepared = problem.recordings.map((recording, i) => {
      const { simulation, trajectory } = compareRecording(problem, values, i, sampling);
      const first = recording.frames - 1 - (trajectory.states.length - 1) / stepsPerFrame;
      return { simulation, start: trajectory.states[0], recording, first };
    });
    const { description, mechanism } = fittedDescription(prepared[0].simulation, timestep);
    this.mechanism = mechanism;
    this.peer = new MujocoPeer(mujoco, description, { timestep, cone });
    this.measured = [-(values.comX ?? 0), -(values.comY ?? 0), -(values.comZ ?? 0), 1];
    this.tosses = prepared.map(({ start, recording, first }) => ({
      start: minimalState(mechanism, start, timestep),
      recording,
      first,
    }));
  }

  errors({ friction, timeConstant, dampingRatio }: ContactSettings, from = 0, to = this.tosses.length): TossErrors {
    const { model } = this.peer;
    for (let i = 0; i < model.npair; i++) {
      model.pair_friction[5 * i] = friction;
      model.pair_friction[5 * i + 1] = friction;
      model.pair_solref[2 * i] = timeConstant;
      model.pair_solref[2 * i + 1] = dampingRatio;
    }
    let [position, rotation] = [0, 0];
    const chosen = this.tosses.slice(from, to);
    for (const toss of chosen) {
      const { distance, angle } = this.error(toss);
      position += distance;
      rotation += angle;
    }
    const count = chosen.length;
    return {
      positionPercent: (100 * position) / count / tossWidth,
      rotationDegrees: ((180 / Math.PI) * rotation) / count,
      tosses: count,
    };
  }

  delete(): void {
    this.peer.delete();
  }

  private error({ start, recording, first }: PreparedToss): { readonly distance: number; readonly angle: number } {
    const poses = recording.poses[tossedCube.body];
    this.peer.setState(start);
    let [distance, angle, count] = [0, 0, 0];
    for (let frame = first + 1; frame < recording.frames; frame++) {
      for (let k = 0; k < stepsPerFrame; k++) this.peer.step();
      const state = maximalFromMinimal(this.mechanism, this.peer.state, this.peer.timestep);
      const error = poseError(
        predictedPose(state, 0, this.measured),
        poses.subarray(poseSize * frame, poseSize * (frame + 1)),
      );
      distance += error.distance;
      angle += error.angle;
      count++;
    }
    return { distance: distance / count, angle: angle / count };
  }
}

/** The mechanism with the parameters that a simulation has now, as a description. */
function fittedDescription(simulation: ReturnType<typeof compareRecording>["simulation"], timestep: number) {
  const { currentMechanism: mechanism } = simulation;
  const { description } = mechanism;
  const [body] = mechanism.bodies;
  const own: MechanismDescription = {
    ...description,
    timestep,
    gravity: mechanism.gravity,
    bodies: { [body.name]: { ...description.bodies[body.name], mass: body.mass, inertia: body.inertia } },
    contacts: (description.contacts ?? []).map((contact, i) => {
      const { restitution: _, ...rest } = contact as typeof contact & { restitution?: number };
      const { point, radius, frictionCoefficient } = mechanism.contacts[i];
      return { ...rest, point, radius: Math.max(radius, 1e-4), frictionCoefficient };
    }),
  };
  return { description: own, mechanism };
}

/** Friction and softness by the same direct search, with the same number of evaluations, on the tosses to fit. */
export async function tuned(tosses: MujocoTosses, train: number, evaluations: number): Promise<ContactSettings> {
  const settings = ([friction, timeConstant, dampingRatio]: Float64Array): ContactSettings => ({
    friction,
    timeConstant,
    dampingRatio,
  });
  const found = await directSearch(
    {
      start: Float64Array.of(defaultContact.friction, defaultContact.timeConstant, defaultContact.dampingRatio),
      lower: Float64Array.of(0.02, 2.01 / tossedCube.rate / stepsPerFrame, 0.05),
      upper: Float64Array.of(1, 0.1, 3),
      steps: Float64Array.of(-0.03, -0.005, -0.4),
      cost: async (theta) => {
        const { positionPercent, rotationDegrees } = tosses.errors(settings(theta), 0, train);
        return positionPercent + rotationDegrees;
      },
    },
    { maxEvaluations: evaluations },
  );
  return settings(found.theta);
}
