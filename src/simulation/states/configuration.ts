/**
 * Where everything is, in plain numbers: poses of the bodies at z, or at z₋ = z ⊖ h(v, ω), and what they make of the joints. Each is worked out
 * when first asked for, and once. Whoever checks a state asks for all of them, so what all joints need is written out here, for numbers alone:
 *   d = Qₐᵀ (Rₐᵀ (x_b + R_b p_b − x_a) − p_a),   r = Qₐ⁻¹ qₐ⁻¹ q_b Q_b,
 * as jointGeometry.ts has them as expressions.
 */
import { coordinateValue, type KnownAngles } from "../../coordinates/index.ts";
import {
  type Coordinate,
  coordinates,
  type Pose,
  type PoseNumbers,
  poseBeforeIn,
  poseIn,
  type RelativePose,
  worldPose,
} from "../../equations/index.ts";
import { cached, type Matrix3, matrix3, quaternion, type Vector3, vector } from "../../math/index.ts";
import { type JointFrameValues, type JointShape, type MechanismJoint, worldIndex } from "../../mechanism/index.ts";

/** A pose in numbers, with its matrix: body to world. */
interface PlainPose extends PoseNumbers {
  readonly rotation: Matrix3;
}

const world: PlainPose = {
  position: [0, 0, 0],
  orientation: quaternion.identity,
  rotation: matrix3.identity,
};

export class Configuration {
  private readonly poseOf: (body: number) => PoseNumbers;
  private readonly known: KnownAngles | undefined;
  private readonly values: Float64Array | undefined;
  private readonly poses: PlainPose[] = [];
  private readonly relatives: RelativePose[] = [];

  /** `known` is what is known of angles there, and `values` are all joint coordinates, for those who have them already. */
  constructor(poseOf: (body: number) => PoseNumbers, known?: KnownAngles, values?: Float64Array) {
    this.poseOf = poseOf;
    this.known = known;
    this.values = values;
  }

  /** The pose of a body by its index, the world included. */
  pose(body: number): Pose {
    return body === worldIndex ? worldPose : this.plain(body);
  }

  private plain(body: number): PlainPose {
    if (body === worldIndex) return world;
    let pose = this.poses[body];
    if (!pose) {
      const { position, orientation } = this.poseOf(body);
      pose = { position, orientation, rotation: quaternion.toMatrix(orientation) };
      this.poses[body] = pose;
    }
    return pose;
  }

  /** Displacement and rotation across a joint. */
  relative(joint: MechanismJoint): RelativePose {
    let relative = this.relatives[joint.index];
    if (!relative) {
      relative = relativeInNumbers(joint.frames, this.plain(joint.parent), this.plain(joint.child));
      this.relatives[joint.index] = relative;
    }
    return relative;
  }

  /** A joint's coordinate, over any number of turns. */
  coordinate(joint: MechanismJoint, i: number): number {
    if (this.values) return this.values[joint.coordinateOffset + i];
    return coordinateValue(joint, i, coordinatesOf(joint.shape)[i], this.relative(joint), this.known);
  }
}

function relativeInNumbers(
  { parentAnchor, parentFrame, childAnchor, childFrame }: JointFrameValues,
  parent: PlainPose,
  child: PlainPose,
): RelativePose {
  const reached = vector.add(child.position, matrix3.transform(child.rotation, childAnchor));
  const inParent = turnedBack(parent.rotation, vector.sub(reached, parent.position));
  const toParent = quaternion.conjugate(quaternion.multiply(parent.orientation, parentFrame));
  return {
    displacement: quaternion.rotateInverse(parentFrame, vector.sub(inParent, parentAnchor)),
    rotation: quaternion.multiply(toParent, quaternion.multiply(child.orientation, childFrame)),
  };
}

/** Rᵀ v. */
function turnedBack([x, y, z]: Matrix3, v: Vector3): Vector3 {
  return [
    x[0] * v[0] + y[0] * v[1] + z[0] * v[2],
    x[1] * v[0] + y[1] * v[1] + z[1] * v[2],
    x[2] * v[0] + y[2] * v[1] + z[2] * v[2],
  ];
}

const known = new WeakMap<JointShape, readonly Coordinate[]>();

/** The coordinates of a kind of joint, made once for each joint. */
export function coordinatesOf(shape: JointShape): readonly Coordinate[] {
  return cached(known, shape, coordinates);
}

export function configurationNow(state: Float64Array, known?: KnownAngles, values?: Float64Array): Configuration {
  return new Configuration((body) => poseIn(state, body), known, values);
}

/** The configuration that the state came from, one step of h ago. */
export function configurationBefore(state: Float64Array, h: number, known?: KnownAngles): Configuration {
  return new Configuration((body) => poseBeforeIn(state, body, h), known);
}
