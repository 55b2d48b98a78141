/**
 * The same mechanisms in MuJoCo (Runge-Kutta at 1 ms), under the same forces. The engine starts from two of MuJoCo's poses, one
 * step apart, so both describe one trajectory, and all bodies' poses are compared all the way.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  compile,
  customBody,
  type JointDescription,
  type Mechanism,
  type MechanismDescription,
  Random,
  revolute,
  Simulation,
  type Vector3,
} from "../../src/index.ts";
import { quaternion, vector } from "../../src/math/index.ts";
import { chain, type JointForces, jointCases } from "./jointCases.ts";
import { bodyState, distance, run } from "./measures.ts";
import { type BodyPose, loadOracle, type Mujoco, oraclePoses } from "./mujocoOracle.ts";
import { printTable } from "./table.ts";

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadOracle();
});

/** log2 of the ratio of errors at h and h/2, less the order: higher terms, and at first order the second-order part. */
const ORDER_TOLERANCE = 0.25;
/** What exact agreement leaves: joints that only slide are solved exactly by both. */
const EXACT = 1e-11;
/** Metres or radians after a second at h = 0.005, where links turn at some rad/s. */
const CHAIN_TOLERANCE = 0.01;
const ARM_TOLERANCE = 0.01;
const SWITCH_TOLERANCE = 0.1;

/** The Runge-Kutta method's own error at this step is below 1e-8. */
const fine = 1e-3;
const sampleTime = 0.005;
/** The engine starts here, amid the first piece of constant force; each lasts this long. */
const startTime = 0.1;
const pieceTime = 0.2;
const endTime = 1.1;
const timesteps = [0.01, 0.005];
const samples = Math.round(endTime / sampleTime);

/** Forces of each piece, the same for every time step. */
function randomForces(mechanism: Mechanism, size: number, seed: number): number[][] {
  const random = new Random(seed);
  return Array.from({ length: Math.ceil(endTime / pieceTime) + 1 }, () =>
    Array.from({ length: mechanism.coordinateCount }, () => random.uniform(-size, size)),
  );
}

const pieceAt = (time: number): number => Math.floor(time / pieceTime + 1e-9);
const switchesAt = (time: number): boolean => Math.abs(time / pieceTime - Math.round(time / pieceTime)) < 1e-9;

/** How the engine takes the force at the instant of a switch: the mean of both sides, or the new one. */
type SwitchRule = "mean" | "new";

function largestError(
  simulation: Simulation,
  h: number,
  poses: readonly BodyPose[][],
  pieces: readonly number[][],
  rule: SwitchRule,
): number {
  const sampleOf = (time: number): number => Math.round(time / sampleTime);
  let error = 0;
  simulation.setParameter("timestep", h);
  run(
    simulation,
    stateBetween(poses[sampleOf(startTime - h)], poses[sampleOf(startTime)], h),
    Math.round((endTime - startTime) / h),
    (state, k) => {
      const expected = poses[sampleOf(startTime + (k + 1) * h)];
      expected.forEach((pose, body) => {
        error = Math.max(error, poseError(pose, bodyState(state, body)));
      });
    },
    (k) => {
      const time = startTime + k * h;
      const piece = pieces[pieceAt(time)];
      if (rule === "new" || !switchesAt(time)) return Float64Array.from(piece);
      return Float64Array.from(piece, (force, i) => (force + pieces[pieceAt(time) - 1][i]) / 2);
    },
  );
  return error;
}

/** The state at `now` whose interval began at `before`. */
function stateBetween(before: readonly BodyPose[], now: readonly BodyPose[], h: number): Float64Array {
  const state = new Float64Array(13 * now.length);
  now.forEach(({ position, orientation }, i) => {
    const turn = quaternion.multiply(quaternion.conjugate(before[i].orientation), orientation);
    const sign = turn[0] < 0 ? -1 : 1;
    state.set(position, 13 * i);
    state.set(orientation, 13 * i + 3);
    state.set(vector.scale(vector.sub(position, before[i].position), 1 / h), 13 * i + 7);
    state.set(vector.scale([turn[1], turn[2], turn[3]], (2 * sign) / h), 13 * i + 10);
  });
  return state;
}

/** Metres or radians, whichever is more. */
function poseError(a: BodyPose, b: BodyPose): number {
  const turn = quaternion.multiply(quaternion.conjugate(a.orientation), b.orientation);
  return Math.max(distance(a.position, b.position), vector.norm(quaternion.toRotationVector(turn)));
}

interface Comparison {
  readonly mechanism: Mechanism;
  readonly force: number;
  readonly rule?: SwitchRule;
  readonly seed?: number;
}

function errorsOf({ mechanism, force, rule = "mean", seed = 6 }: Comparison): number[] {
  const pieces = randomForces(mechanism, force, seed);
  const random = new Random(seed);
  const poses = oraclePoses(mujoco, {
    mechanism,
    positions: Array.from({ length: mechanism.coordinateCount }, () => random.uniform(-0.5, 0.5)),
    rates: Array.from({ length: mechanism.coordinateCount }, () => random.uniform(-0.5, 0.5)),
    timestep: fine,
    stepsPerSample: Math.round(sampleTime / fine),
    samples,
    forces: (sample) => pieces[pieceAt(sample * sampleTime)],
  });
  const simulation = new Simulation(mechanism);
  return timesteps.map((h) => largestError(simulation, h, poses, pieces, rule));
}

/** Errors at both time steps, their ratio checked against the order of the method. */
function expectOrder(
  name: string,
  errors: readonly number[],
  order: 1 | 2,
  largest: number,
  rows: (string | number)[][],
): void {
  const ratio = errors[0] / errors[1];
  rows.push([name, ...errors, ratio, order]);
  expect(errors[1], "error at the smaller step").toBeLessThan(largest);
  if (errors[1] < EXACT) return;
  expect(Math.abs(Math.log2(ratio) - order), `log2 of ${ratio}, less ${order}`).toBeLessThan(ORDER_TOLERANCE);
}

const header = ["mechanism", ...timesteps.map((h) => `error at ${h}, m or rad`), "falls by", "order"];

/** Kinds whose rotation MuJoCo has too: none, a hinge, hinges in sequence, or a ball. */
const shared = jointCases.filter(({ form: { kind } }) => !/rbital/.test(kind) && kind !== "fixed");
const forcesOf: Readonly<Record<string, { readonly forces: JointForces; readonly order: 1 | 2 }>> = {
  "moved by motors": { forces: {}, order: 2 },
  "with springs at a rest position and armature": { forces: { stiffness: 3, rest: 0.2, armature: 0.05 }, order: 2 },
  // the damper acts on the velocity at the end of a step
  "with dampers": { forces: { damping: 0.2 }, order: 1 },
};

describe.each(Object.keys(forcesOf))("a hanging chain of three links %s", (group) => {
  const { forces, order } = forcesOf[group];
  const rows: (string | number)[][] = [];
  afterAll(() => printTable(`Against MuJoCo: chain of 3 links ${group}, 1 s`, header, rows));

  it.each(shared)("joined by $name moves as in MuJoCo", ({ name, form }) => {
    // a ball's spring has no rest position there
    const isBall = /spherical|Free|floating/.test(form.kind);
    const acting = isBall && "rest" in forces ? { ...forces, rest: 0 } : forces;
    const errors = errorsOf({
      force: 0.15,
      mechanism: chain({
        form,
        timestep: timesteps[0],
        links: 3,
        size: [0.3, 0.4, 0.5],
        floats: false,
        gravity: [2, -1, 9],
        springConservation: 1,
        forces: { ...acting, actuated: true },
      }),
    });
    expectOrder(name, errors, order, CHAIN_TOLERANCE, rows);
  });
});

describe("an arm of seven hinges", () => {
  const rows: (string | number)[][] = [];
  afterAll(() => printTable("Against MuJoCo: Panda-like arm and floating chain, 1 s", header, rows));

  it("with armature moves as in MuJoCo, to second order", () => {
    expectOrder("arm", errorsOf({ force: 1, mechanism: arm(0) }), 2, ARM_TOLERANCE, rows);
  });

  it("with dampers does so to first order", () => {
    expectOrder("arm, damped", errorsOf({ force: 1, mechanism: arm(0.5) }), 1, ARM_TOLERANCE, rows);
  });

  it("whose torque switches at a step takes the mean of both sides: the new one alone is late by half a step, to first order", () => {
    const errors = errorsOf({ force: 1, rule: "new", mechanism: arm(0) });
    expectOrder("arm, new torque at switches", errors, 1, SWITCH_TOLERANCE, rows);
  });

  it("or a chain of five hinged links that floats moves as in MuJoCo", () => {
    const form = { kind: "revolute", axis: vector.normalize([1, 0.5, 0]) } as const;
    const errors = errorsOf({
      force: 0.15,
      mechanism: chain({
        form,
        timestep: timesteps[0],
        gravity: [0, 0, -9.81],
        size: [0.3, 0.4, 0.5],
        forces: { actuated: true },
        baseActuated: true,
      }),
    });
    expectOrder("floating chain", errors, 2, CHAIN_TOLERANCE, rows);
  });
});

/** Lengths, axes and masses near those of a Franka Panda, hung from the ceiling. */
function arm(damping: number): Mechanism {
  const y: Vector3 = [0, 1, 0];
  const z: Vector3 = [0, 0, 1];
  const links: readonly {
    readonly axis: Vector3;
    readonly from: Vector3;
    readonly centre: Vector3;
    readonly mass: number;
    readonly armature: number;
  }[] = [
    { axis: z, from: [0, 0, 0.333], centre: [0, -0.03, -0.07], mass: 3.5, armature: 0.2 },
    { axis: y, from: [0, 0, 0], centre: [0, 0.03, 0.14], mass: 3.5, armature: 0.2 },
    { axis: z, from: [0, 0, 0.316], centre: [0.04, 0.02, -0.05], mass: 2.5, armature: 0 },
    { axis: vector.scale(y, -1), from: [0.0825, 0, 0], centre: [-0.04, 0.03, 0.05], mass: 2.5, armature: 0.1 },
    { axis: z, from: [-0.0825, 0, 0.384], centre: [0, 0.04, -0.11], mass: 3, armature: 0 },
    { axis: vector.scale(y, -1), from: [0, 0, 0], centre: [0.05, 0, 0], mass: 1.5, armature: 0.1 },
    { axis: vector.scale(z, -1), from: [0.088, 0, 0], centre: [0.01, 0.01, 0.08], mass: 1, armature: 0.05 },
  ];
  const description: MechanismDescription = {
    timestep: timesteps[0],
    gravity: [0, 0, 9.81],
    bodies: Object.fromEntries(
      links.map(({ mass }, i) => [
        `link${i}`,
        customBody({ mass, inertia: [0.012 * mass, 0.01 * mass, 0.008 * mass] }),
      ]),
    ),
    joints: Object.fromEntries(
      links.map(({ axis, from, centre, armature }, i): [string, JointDescription] => [
        `joint${i}`,
        revolute({
          parent: i === 0 ? "world" : `link${i - 1}`,
          child: `link${i}`,
          axis,
          parentAnchor: i === 0 ? from : vector.sub(from, links[i - 1].centre),
          childAnchor: vector.scale(centre, -1),
          armature,
          damping,
          actuated: true,
        }),
      ]),
    ),
  };
  return compile(description);
}
