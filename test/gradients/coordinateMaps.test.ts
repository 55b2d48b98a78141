/**
 * What defines joint coordinates besides states, where joints sit and the time step: tangents of both conversions against differences, and
 * cotangents as their transposes, for every kind of joint.
 */
import { expect, test } from "vitest";
import { CoordinateMaps, type GeometryVector, valuesOfMechanism } from "../../src/coordinates/index.ts";
import { stateError } from "../../src/gradients/stateError.ts";
import { type Mechanism, maximalFromMinimal, minimalState, Random } from "../../src/index.ts";
import { chain, jointCases } from "../physics/jointCases.ts";
import { difference, relativeError } from "./differences.ts";

/** What fourth-order differences over 1e-3 can resolve of functions whose curvature is about 1/h. */
const resolution = 1e-7;
const rounding = 1e-12;
const frameSize = 16;
/** Where the two quaternions of a frame begin. */
const quaternions = [3, 10];

/** Frames of all joints, then the time step. */
class Geometry implements GeometryVector {
  readonly all: Float64Array;
  readonly timestep: Float64Array;

  constructor(joints: number, values: ArrayLike<number> = new Float64Array(frameSize * joints + 1)) {
    this.all = Float64Array.from(values);
    this.timestep = this.all.subarray(frameSize * joints);
  }

  frame(joint: number): Float64Array {
    return this.all.subarray(frameSize * joint, frameSize * (joint + 1));
  }

  ratio(): Float64Array {
    throw new Error("there are no gears");
  }

  offset(): Float64Array {
    throw new Error("there are no gears");
  }
}

/** A direction along which quaternions stay unit vectors to first order. */
function randomDirection(mechanism: Mechanism, random: Random): Geometry {
  const { frame } = valuesOfMechanism(mechanism);
  const count = mechanism.joints.length;
  const direction = new Geometry(
    count,
    Array.from({ length: frameSize * count + 1 }, () => random.uniform(-1, 1)),
  );
  direction.timestep[0] *= 0.2 * mechanism.timestep;
  for (let joint = 0; joint < count; joint++) {
    const moved = direction.frame(joint);
    // the sine of a skew, and an offset along the common perpendicular
    moved[14] *= 0.1;
    for (const at of quaternions) {
      const q = Array.from(frame(joint)).slice(at, at + 4);
      const along = q.reduce((sum, entry, i) => sum + entry * moved[at + i], 0);
      q.forEach((entry, i) => {
        moved[at + i] -= along * entry;
      });
    }
  }
  return direction;
}

/** The mechanism whose frames lie that far along the direction, quaternions on their circle. */
function movedAlong(mechanism: Mechanism, direction: Geometry, amount: number): Mechanism {
  const { frame } = valuesOfMechanism(mechanism);
  const joints = mechanism.joints.map((joint, j) => {
    const own = direction.frame(j);
    const values = Array.from(frame(j), (value, i) => value + amount * own[i]);
    for (const at of quaternions) {
      const length = Math.hypot(...values.slice(at, at + 4));
      for (let i = at; i < at + 4; i++) values[i] /= length;
    }
    const frames = {
      parentAnchor: values.slice(0, 3),
      parentFrame: values.slice(3, 7),
      childAnchor: values.slice(7, 10),
      childFrame: values.slice(10, 14),
      skew: values[14],
      axisOffset: values[15],
    };
    return { ...joint, frames } as unknown as typeof joint;
  });
  return { ...mechanism, joints };
}

const product = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, entry, i) => sum + entry * b[i], 0);

test.each(jointCases)("$name", ({ form }) => {
  for (const [floats, parts] of [
    [true, 1],
    [false, 4],
  ] as const) {
    const mechanism = chain({ form, links: 3, timestep: 0.05, floats });
    const random = new Random(7);
    const uniform = (length: number): Float64Array => Float64Array.from({ length }, () => random.uniform(-1, 1));
    const { coordinateCount: c, timestep } = mechanism;
    const [c2, n12] = [2 * c, 12 * mechanism.bodies.length];
    const x = uniform(c2).map((value, i) => (i < c ? 0.8 : 2) * value);
    const state = maximalFromMinimal(mechanism, x, timestep / parts);
    const maps = new CoordinateMaps(mechanism);
    maps.update(state, timestep, parts);
    const direction = randomDirection(mechanism, random);
    const at = (amount: number): [Mechanism, number] => [
      movedAlong(mechanism, direction, amount),
      (timestep + amount * direction.timestep[0]) / parts,
    ];

    const xDot = new Float64Array(c2);
    maps.pushMinimalInto(xDot, new Float64Array(n12), direction);
    const read = difference((amount) => {
      const [moved, h] = at(amount);
      return minimalState(moved, state, h);
    }, 1e-3);
    expect(relativeError(xDot, read)).toBeLessThan(resolution);

    const zDot = new Float64Array(n12);
    maps.pushMaximalInto(zDot, new Float64Array(c2), direction);
    const made = difference((amount) => {
      const [moved, h] = at(amount);
      return stateError(state, maximalFromMinimal(moved, x, h));
    }, 1e-3);
    expect(relativeError(zDot, made)).toBeLessThan(resolution);

    // ⟨x̄, X ż + X_θ θ̇⟩ = ⟨Xᵀ x̄, ż⟩ + ⟨X_θᵀ x̄, θ̇⟩, and so for the other way
    const [someX, someZ, xBar, zBar] = [uniform(c2), uniform(n12), uniform(c2), uniform(n12)];
    maps.pushMinimalInto(xDot, someZ, direction);
    const [pulledZ, byMinimal] = [new Float64Array(n12), new Geometry(mechanism.joints.length)];
    maps.pullMinimalInto(pulledZ, xBar, byMinimal);
    const minimal = product(pulledZ, someZ) + product(byMinimal.all, direction.all);
    expect(relativeError([minimal], [product(xBar, xDot)])).toBeLessThan(rounding);

    maps.pushMaximalInto(zDot, someX, direction);
    const [pulledX, byMaximal] = [new Float64Array(c2), new Geometry(mechanism.joints.length)];
    maps.pullMaximalInto(pulledX, zBar, byMaximal);
    const maximal = product(pulledX, someX) + product(byMaximal.all, direction.all);
    expect(relativeError([maximal], [product(zBar, zDot)])).toBeLessThan(rounding);
  }
});
