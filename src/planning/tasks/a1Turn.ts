/**
 * A1 turns a quarter of a turn where it stands, in two seconds, from rest to rest. What it follows, knot by knot: the trunk turns at a
 * height of 0.29 m, slowly at first and at the end. Diagonal pairs of feet take turns of ten knots: two stand, and two swing to where they
 * will be in the middle of their next stance, 30 mm high, or to the end. They are there after seven tenths of the swing and come straight
 * down, so that they do not slip when they land.
 */
import type { Mechanism } from "../../mechanism/index.ts";
import { sub } from "../../symbolic/index.ts";
import type { PlanningTask } from "../plan.ts";
import { equals } from "../terms.ts";
import { hipOffset, legAngles } from "./a1Leg.ts";
import { a1Motion, footClearance, steps } from "./a1Motion.ts";

const angle = Math.PI / 2;
const gait = { height: 0.29, halfCycle: 10, lift: 0.03, swing: 0.7 } as const;
/** Where the hip joint of the left front leg is. */
const hip = { x: 0.183, y: 0.047 } as const;
const largestTorque = 33.5;

const weights = { place: 0.3, rotation: 0.3, joint: 0.2 } as const;
/** Coordinates of the trunk: where it is in the end, and that it rests there. */
const place = ["base.x", "base.y", "base.z"];
const rotation = ["base.rotationX", "base.rotationY", "base.rotationZ"];

export function a1TurnTask(): PlanningTask {
  const { states, ...common } = a1Motion(poseAt, positionWeight);
  const { coordinateNames: names, inputSize } = common.simulation.mechanism;
  return {
    name: "a1-turn",
    ...common,
    constraints: (q) => [
      equals(
        [
          ...[...place, ...rotation].map((name) => sub(q.coordinate(name), q.parameter(`reference of ${name}`))),
          ...names.filter((name) => name.startsWith("base")).map((name) => q.rate(name)),
        ],
        "final",
      ),
    ],
    inputBounds: {
      lower: new Float64Array(inputSize).fill(-largestTorque),
      upper: new Float64Array(inputSize).fill(largestTorque),
    },
    guess: { states },
  };
}

function positionWeight(name: string): number {
  if (place.includes(name)) return weights.place;
  return rotation.includes(name) ? weights.rotation : weights.joint;
}

/** How far the trunk has turned at a knot: not at all before the first, and no further after the last. */
function turned(k: number): number {
  return angle * smoothed(k / steps);
}

/** The part of the way, from 0 to 1, at rest at both ends. */
function smoothed(part: number): number {
  const within = Math.min(1, Math.max(0, part));
  return within * within * (3 - 2 * within);
}

/** All joint coordinates at a knot. */
function poseAt({ coordinateNames }: Mechanism, k: number): number[] {
  const trunk: Readonly<Record<string, number>> = { "base.z": gait.height, "base.rotationZ": turned(k) };
  return coordinateNames.map((name) => {
    const [, leg, part] = /^(FR|FL|RR|RL)_(hip|thigh|calf)_/.exec(name) ?? [];
    return leg ? anglesOf(leg, k)[part as "hip" | "thigh" | "calf"] : (trunk[name] ?? 0);
  });
}

function anglesOf(leg: string, k: number): ReturnType<typeof legAngles> {
  const isFirstPair = leg === "FR" || leg === "RL";
  const [ahead, side] = [leg.startsWith("F") ? 1 : -1, leg.endsWith("L") ? 1 : -1] as const;
  const { ahead: footAhead, lifted } = footAt(isFirstPair, k);
  // the foot below its hip, turned about the trunk's centre by what it is ahead of the trunk
  const [x, y] = [ahead * hip.x, side * (hip.y + hipOffset)];
  const [cos, sin] = [Math.cos(footAhead), Math.sin(footAhead)];
  const foot = [x * cos - y * sin - ahead * hip.x, x * sin + y * cos - side * hip.y] as const;
  return legAngles([...foot, footClearance + lifted - gait.height], side);
}

/** How far a foot has turned ahead of the trunk, rad, and how high it is, m. */
function footAt(isFirstPair: boolean, k: number): { readonly ahead: number; readonly lifted: number } {
  const { halfCycle, lift } = gait;
  const last = steps / halfCycle - 1;
  const turn = Math.min(last, Math.max(0, Math.floor(k / halfCycle)));
  const part = Math.min(1, Math.max(0, k / halfCycle - turn));
  // the first pair stands in even turns
  const stands = (turn % 2 === 0) === isFirstPair;
  const standsAt = (stance: number): number => {
    if (stance < 1) return 0;
    return stance >= last ? angle : turned((stance + 0.5) * halfCycle);
  };
  if (stands) return { ahead: standsAt(turn) - turned(k), lifted: 0 };
  const from = standsAt(turn - 1);
  const place = from + smoothed(part / gait.swing) * (standsAt(turn + 1) - from);
  return { ahead: place - turned(k), lifted: lift * Math.sin(Math.PI * part) };
}
