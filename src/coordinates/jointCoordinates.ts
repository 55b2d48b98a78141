/**
 * State of all bodies → joint coordinates and rates, by the very equations of the joints: they take numbers as well as
 * expressions. A rate is the increment since the configuration one step ago, over the time step.
 */
import {
  type Coordinate,
  coordinates,
  poseBeforeIn,
  poseIn,
  type RelativePose,
  relativePose,
} from "../equations/index.ts";
import { type Mechanism, type MechanismJoint, requireStateSize } from "../mechanism/index.ts";
import { type AnglesNear, coordinateValue } from "./angles.ts";
import { coordinateKernels } from "./coordinateKernels.ts";

/**
 * Angles are the nearest to those that `known` has of them, over any number of turns. Where nothing is known they are those of the state,
 * or lie between the joint's limits (angles.ts).
 */
export function jointCoordinates(mechanism: Mechanism, state: Float64Array, known?: AnglesNear): Float64Array {
  requireStateSize(mechanism, state);
  const kernels = coordinateKernels(mechanism);
  if (kernels) {
    const x = new Float64Array(2 * mechanism.coordinateCount);
    kernels.minimalInto(x, mechanism.joints, state, mechanism.timestep, known);
    return x.subarray(0, mechanism.coordinateCount);
  }
  return readCoordinates(mechanism, (joint) => {
    const now = relativeNow(joint, state);
    return (coordinate, i) => coordinateValue(joint, i, coordinate, now, known);
  });
}

/** Rates over `h`, the interval of the state's velocities. */
export function jointRates(mechanism: Mechanism, state: Float64Array, h = mechanism.timestep): Float64Array {
  requireStateSize(mechanism, state);
  const kernels = coordinateKernels(mechanism);
  if (kernels) {
    const x = new Float64Array(2 * mechanism.coordinateCount);
    kernels.minimalInto(x, mechanism.joints, state, h);
    return x.subarray(mechanism.coordinateCount);
  }
  return readCoordinates(mechanism, (joint) => {
    const now = relativeNow(joint, state);
    const before = relativePose(
      joint.frames,
      poseBeforeIn(state, joint.parent, h),
      poseBeforeIn(state, joint.child, h),
    );
    return (coordinate) => (coordinate.increment(before, now) as number) / h;
  });
}

/** Reads every coordinate by what its joint, looked at once, gives to read it with. */
function readCoordinates(
  mechanism: Mechanism,
  readerOf: (joint: MechanismJoint) => (coordinate: Coordinate, i: number) => number,
): Float64Array {
  const values = new Float64Array(mechanism.coordinateCount);
  for (const joint of mechanism.joints) {
    const read = readerOf(joint);
    coordinates(joint.shape).forEach((coordinate, i) => {
      values[joint.coordinateOffset + i] = read(coordinate, i);
    });
  }
  return values;
}

/** Displacement and rotation across a joint. */
function relativeNow(joint: MechanismJoint, state: Float64Array): RelativePose {
  return relativePose(joint.frames, poseIn(state, joint.parent), poseIn(state, joint.child));
}
