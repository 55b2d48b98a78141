/**
 * What the feet of a planned gait do, and pictures of it.
 *   slip   of a foot that carries load, from one knot to the next: the part along the floor of Δc + Δθ × (−r n), where c is the centre of
 *          its ball of radius r, Δθ the turn of the body it belongs to, and n the floor's normal. A ball that rolls does not slip.
 */
import { type Plan, type PlanningTask, planController, type Trajectory } from "dojo-sim";

type Vector = readonly [number, number, number];
type Turn = readonly [number, number, number, number];

export interface FeetReport {
  /** Largest slip, summed over one stance, of feet that carry at least a tenth of the weight, m. */
  readonly largestSlip: number;
  /** Steps in which feet that touch the floor with less slip by more than 0.1 mm, and the largest of these slips with its load. */
  readonly lightSlips: { readonly steps: number; readonly largest: number; readonly newtons: number };
  /** Smallest distance of a foot from the floor after all steps, m. */
  readonly lowestFoot: number;
  readonly highestFoot: number;
  /** N·m. */
  readonly largestTorque: number;
}

/** One knot, seen from the side: lines of points (x, z), m, and the loads of the feet, N. */
export interface Picture {
  readonly knot: number;
  readonly lines: readonly { readonly part: string; readonly points: readonly (readonly [number, number])[] }[];
  readonly loads: readonly { readonly x: number; readonly newtons: number }[];
}

/** Part of the weight: with more load a foot stands, with less it brushes the floor. */
const standingShare = 0.1;
/** m. */
const noticeable = 1e-4;
const touching = 1e-6;
const bodySize = 13;

export function replayed({ simulation }: PlanningTask, plan: Plan): Trajectory {
  const controller = planController(plan, simulation.mechanism, false);
  return simulation.rollout(plan.start, { steps: plan.inputs.length, controller });
}

export function feetReport(trajectory: Trajectory, plan: Plan): FeetReport {
  const { mechanism } = trajectory;
  const { bodies, gravity } = mechanism;
  const standing = standingShare * Math.hypot(...gravity) * bodies.reduce((sum, { mass }) => sum + mass, 0);
  const feet = mechanism.contacts.map((_, foot) => slipsOf(trajectory, foot));
  const light = feet.flat().filter(({ newtons, slip }) => newtons > 0 && newtons < standing && slip > noticeable);
  const worst = light.reduce((a, b) => (b.slip > a.slip ? b : a), { newtons: 0, slip: 0 });
  const distances = mechanism.contacts.flatMap(({ name }) => trajectory.contact(name).map(({ distance }) => distance));
  return {
    largestSlip: Math.max(...feet.map((steps) => largestStance(steps, standing))),
    lightSlips: { steps: light.length, largest: worst.slip, newtons: worst.newtons },
    lowestFoot: Math.min(...distances),
    highestFoot: Math.max(...distances),
    largestTorque: Math.max(...plan.inputs.flatMap((input) => Array.from(input, Math.abs))),
  };
}

interface Slip {
  readonly newtons: number;
  /** m. */
  readonly slip: number;
}

/** Step by step. Off the floor a force is that of the barrier alone, and counts as none. */
function slipsOf(trajectory: Trajectory, foot: number): Slip[] {
  const { states, mechanism } = trajectory;
  const { name, body, point, radius } = mechanism.contacts[foot];
  return trajectory.contact(name).map(({ normal, distance }, k) => {
    const [before, after] = [poseOf(states[k], body), poseOf(states[k + 1], body)];
    const [from, to] = [placed(before, point), placed(after, point)];
    const [turnX, turnY] = turnBetween(before.turn, after.turn);
    // Δθ × (0, 0, −r)
    const slip = Math.hypot(to[0] - from[0] - turnY * radius, to[1] - from[1] + turnX * radius);
    return { newtons: distance < touching ? normal : 0, slip };
  });
}

function largestStance(steps: readonly Slip[], standing: number): number {
  let [largest, stance] = [0, 0];
  for (const { newtons, slip } of steps) {
    stance = newtons >= standing ? stance + slip : 0;
    largest = Math.max(largest, stance);
  }
  return largest;
}

export function picture(trajectory: Trajectory, knot: number): Picture {
  const { mechanism, states } = trajectory;
  const state = states[knot];
  const anchor = (joint: string): Vector => {
    const found = mechanism.joints.find(({ name }) => name === joint);
    if (!found) throw new Error(`no joint ${joint}`);
    return placed(poseOf(state, found.child), found.frames.childAnchor as Vector);
  };
  const foot = (leg: string): Vector => {
    const { body, point } = mechanism.contacts.find(({ name }) => name === `${leg}_calf`)!;
    return placed(poseOf(state, body), point);
  };
  const seen = ([x, , z]: Vector): [number, number] => [rounded(x), rounded(z)];
  const trunk = poseOf(state, 0);
  const outline: Vector[] = [
    [0.135, 0, 0.055],
    [0.235, 0, 0.04],
    [0.235, 0, -0.04],
    [0.135, 0, -0.055],
    [-0.135, 0, -0.055],
    [-0.23, 0, -0.045],
    [-0.23, 0, 0.045],
    [-0.135, 0, 0.055],
    [0.135, 0, 0.055],
  ];
  return {
    knot,
    lines: [
      // the far legs first, so that the near ones are drawn over them
      ...["FL", "RL", "FR", "RR"].map((leg) => ({
        part: leg === "FR" || leg === "RL" ? "first pair" : "second pair",
        points: [anchor(`${leg}_thigh_joint`), anchor(`${leg}_calf_joint`), foot(leg)].map(seen),
      })),
      { part: "trunk", points: outline.map((point) => seen(placed(trunk, point))) },
    ],
    loads: mechanism.contacts.map(({ name, body, point }) => ({
      x: rounded(placed(poseOf(state, body), point)[0]),
      newtons: knot === 0 ? 0 : rounded(trajectory.contact(name)[knot - 1].normal),
    })),
  };
}

const rounded = (value: number): number => Number(value.toFixed(4));

interface Pose {
  readonly position: Vector;
  readonly turn: Turn;
}

function poseOf(state: Float64Array, body: number): Pose {
  const [x, y, z, ...turn] = state.subarray(bodySize * body, bodySize * body + 7);
  return { position: [x, y, z], turn: turn as unknown as Turn };
}

/** A point of a body in the world. */
function placed({ position, turn }: Pose, point: Vector): Vector {
  const [w, ...v] = turn;
  const across = cross(v as unknown as Vector, point);
  const twice = cross(v as unknown as Vector, across);
  return [0, 1, 2].map((i) => position[i] + point[i] + 2 * (w * across[i] + twice[i])) as unknown as Vector;
}

const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** The rotation vector, in the world, that leads from one orientation to another. */
function turnBetween(from: Turn, to: Turn): Vector {
  const [w, ...v] = to;
  const [s, ...t] = from;
  const sign = w * s + v[0] * t[0] + v[1] * t[1] + v[2] * t[2] < 0 ? -1 : 1;
  // vector part of to · from⁻¹
  const crossed = cross(v as unknown as Vector, t as unknown as Vector);
  const sine = [0, 1, 2].map((i) => sign * (s * v[i] - w * t[i] - crossed[i]));
  const size = Math.hypot(...sine);
  const factor = size < 1e-9 ? 2 : (2 * Math.asin(Math.min(1, size))) / size;
  return sine.map((value) => factor * value) as unknown as Vector;
}
