/**
 * A1 trots: it follows a kinematic gait, and its trunk ends where the gait ends. [trajopt_results, trajopt_vis]
 *
 * The gait, knot by knot: the trunk moves 1 cm per knot at a height of 0.29 m. Diagonal pairs of feet take turns of ten knots: the feet of
 * one pair stay where they are (seen from the hips they move from 5 cm ahead to 5 cm behind), those of the other swing forwards, 25 mm
 * high.
 */
import type { Mechanism } from "../../mechanism/index.ts";
import type { Quantities } from "../../quantities/index.ts";
import { type Scalar, sub } from "../../symbolic/index.ts";
import type { PlanningTask } from "../plan.ts";
import { equals } from "../terms.ts";
import { planarLegAngles } from "./a1Leg.ts";
import { a1Motion, footClearance } from "./a1Motion.ts";

const gait = { height: 0.29, stride: 0.01, halfCycle: 10, reach: 0.05, lift: 0.025 } as const;
const weights = { x: 0.3, side: 0.05, rotation: 0.01, joint: 0.2 } as const;

/**
 * Options without a guess: a soft first round, which is not driven far, finds the contacts; the rounds after it are sharp, so that feet that carry
 * load do not slip. Gradients of relative κ 0.1 alone lead to a gait whose feet do, by centimetres. On the way a collapse is differentiated, so
 * a guess that is 1e-3 N·m elsewhere ends in another plan, and in four of nine of these feet slip.
 */
const coldOptions: PlanningTask["options"] = {
  path: (round) => (round === 0 ? { relativeKappa: 0.03 } : { kappa: 1e-4 }),
  handOver: 1e-3,
  roundTolerance: 0.02,
};

export interface QuadrupedOptions {
  /** What the planner starts from: the gait's states, or nothing. Default "gait". */
  readonly guess?: "gait" | "none";
}

export function quadrupedTask({ guess = "gait" }: QuadrupedOptions = {}): PlanningTask {
  // the gait is in motion at its first knot
  const { states, ...common } = a1Motion(gaitPose, positionWeight);
  return {
    name: guess === "gait" ? "quadruped" : "quadruped-cold",
    ...common,
    constraints: (q) => [equals(trunkErrors(q), "final")],
    ...(guess === "gait" ? { guess: { states } } : { options: coldOptions }),
  };
}

function trunkErrors(q: Quantities): Scalar[] {
  return ["base.x", "base.y", "base.z"].map((name) => sub(q.coordinate(name), q.parameter(`reference of ${name}`)));
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
    if (name === "base.z") return gait.height;
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
