/**
 * A1 trots: it follows a kinematic gait, and its trunk ends where the gait ends. [trajopt_results, trajopt_vis]
 *
 * The gait, knot by knot: the trunk moves 1 cm per knot at a height of 0.29 m. Diagonal pairs of feet take turns of ten knots: the feet of
 * one pair stay where they are (seen from the hips they move from 5 cm ahead to 5 cm behind), those of the other swing forwards, 25 mm
 * high.
 */
import { maximalState } from "../../coordinates/index.ts";
import type { Mechanism } from "../../mechanism/index.ts";
import { models } from "../../models/index.ts";
import type { Quantities } from "../../quantities/index.ts";
import { compile, Simulation } from "../../simulation/index.ts";
import { type Scalar, sub } from "../../symbolic/index.ts";
import type { PlanningTask } from "../plan.ts";
import { cost, effort, equals } from "../terms.ts";
import { planarLegAngles } from "./a1Leg.ts";

const timestep = 0.05;
const steps = 40;
const gait = { height: 0.29, stride: 0.01, halfCycle: 10, reach: 0.05, lift: 0.025 } as const;
/** The foot is a ball of 21 mm; the gait keeps it a tenth of a millimetre above the floor. */
const footClearance = 0.0211;
/** Of the trunk, from its frame. */
const center = { y: 0.0041, z: -0.0005 } as const;

const weights = { x: 0.3, side: 0.05, rotation: 0.01, velocity: 0.01, joint: 0.2, rate: 0.001, impulse: 0.01 } as const;

export interface QuadrupedOptions {
  /** What the planner starts from: the gait's states, or nothing. Default "gait". */
  readonly guess?: "gait" | "none";
}

export function quadrupedTask({ guess = "gait" }: QuadrupedOptions = {}): PlanningTask {
  const mechanism = compile(models.a1({ timestep, damping: 5, bodyContacts: false, jointLimits: true }));
  const simulation = new Simulation(mechanism);
  const poses = Array.from({ length: steps + 1 }, (_, k) => gaitPose(mechanism, k));
  // the gait is in motion at its first knot
  const before = gaitPose(mechanism, -1);
  const velocities = poses.map((pose, k) => pose.map((value, i) => (value - (poses[k - 1] ?? before)[i]) / timestep));
  const states = poses.map((pose, k) => stateFrom(mechanism, pose, velocities[k]));
  const { coordinateNames: names } = mechanism;
  const reference = (what: string, values: readonly (readonly number[])[]) =>
    names.map((name, i) => [`${what} of ${name}`, (k: number) => values[k][i]] as const);
  return {
    name: guess === "gait" ? "quadruped" : "quadruped-cold",
    simulation,
    start: states[0],
    steps,
    parameters: Object.fromEntries([...reference("gait", poses), ...reference("gait rate", velocities)]),
    cost: (q) => [
      cost(
        names.map((name) => sub(q.coordinate(name), q.parameter(`gait of ${name}`))),
        names.map((name) => timestep * positionWeight(name)),
      ),
      cost(
        names.map((name) => sub(q.rate(name), q.parameter(`gait rate of ${name}`))),
        names.map((name) => timestep * (name.startsWith("base") ? weights.velocity : weights.rate)),
      ),
      effort(q, timestep * weights.impulse * timestep ** 2),
    ],
    constraints: (q) => [equals(trunkErrors(q, poses[steps], names), "final")],
    ...(guess === "gait" && { guess: { states } }),
  };
}

function trunkErrors(q: Quantities, goal: readonly number[], names: readonly string[]): Scalar[] {
  return ["base.x", "base.y", "base.z"].map((name) => sub(q.coordinate(name), goal[names.indexOf(name)]));
}

function positionWeight(name: string): number {
  if (name === "base.x") return weights.x;
  if (name === "base.y" || name === "base.z") return weights.side;
  return name.startsWith("base") ? weights.rotation : weights.joint;
}

/** All joint coordinates at a knot. */
function gaitPose({ coordinateNames }: Mechanism, k: number): number[] {
  return coordinateNames.map((name) => {
    if (name === "base.x") return gait.stride * k;
    if (name === "base.y") return center.y;
    if (name === "base.z") return gait.height + center.z;
    const [, leg, part] = /^(FR|FL|RR|RL)_(thigh|calf)_/.exec(name) ?? [];
    if (!leg) return 0;
    const { thigh, calf } = legAngles(leg === "FR" || leg === "RL", k);
    return part === "thigh" ? thigh : calf;
  });
}

function legAngles(isFirstPair: boolean, k: number): ReturnType<typeof planarLegAngles> {
  const { halfCycle, reach, lift, height } = gait;
  const phase = (k + 2 * halfCycle) % (2 * halfCycle);
  const stands = phase < halfCycle === isFirstPair;
  const part = (phase % halfCycle) / halfCycle;
  const x = stands ? reach * (1 - 2 * part) : reach * (2 * part - 1);
  const d = height - footClearance - (stands ? 0 : lift * Math.sin(Math.PI * part));
  return planarLegAngles(x, d);
}

function stateFrom(mechanism: Mechanism, positions: readonly number[], velocities: readonly number[]): Float64Array {
  return maximalState(
    mechanism,
    Object.fromEntries(
      mechanism.joints.map(({ name, coordinateOffset: at, coordinates: { length } }) => [
        name,
        { position: positions.slice(at, at + length), velocity: velocities.slice(at, at + length) },
      ]),
    ),
  );
}
