/**
 * Where everything is, for equations at plain numbers: poses of the bodies at z, or at z₋ = z ⊖ h(v, ω), and what they make of
 * the joints. Each is worked out when first asked for, and once.
 */

import { coordinateValue, type KnownAngles } from "../../coordinates/index.ts";
import {
  coordinates,
  type Pose,
  poseBeforeIn,
  poseIn,
  type RelativePose,
  relativePose,
  worldPose,
} from "../../equations/index.ts";
import { cached } from "../../math/index.ts";
import { type MechanismJoint, worldIndex } from "../../mechanism/index.ts";
import { rotationMatrix } from "../../symbolic/index.ts";

export class Configuration {
  private readonly poseOf: (body: number) => Pose;
  private readonly known: KnownAngles | undefined;
  private readonly poses: Pose[] = [];
  private readonly relatives = new Map<MechanismJoint, RelativePose>();

  /** `known` is what is known of angles there. */
  constructor(poseOf: (body: number) => Pose, known?: KnownAngles) {
    this.poseOf = poseOf;
    this.known = known;
  }

  /** Of a body by its index, the world included. */
  pose(body: number): Pose {
    if (body === worldIndex) return worldPose;
    let pose = this.poses[body];
    if (!pose) {
      pose = this.poseOf(body);
      pose = { ...pose, rotation: rotationMatrix(pose.orientation) };
      this.poses[body] = pose;
    }
    return pose;
  }

  /** Displacement and rotation across a joint. */
  relative(joint: MechanismJoint): RelativePose {
    return cached(this.relatives, joint, ({ frames, parent, child }) =>
      relativePose(frames, this.pose(parent), this.pose(child)),
    );
  }

  /** A joint's coordinate, over any number of turns. */
  coordinate(joint: MechanismJoint, i: number): number {
    return coordinateValue(joint, i, coordinates(joint.shape)[i], this.relative(joint), this.known);
  }
}

export function configurationNow(state: Float64Array, known?: KnownAngles): Configuration {
  return new Configuration((body) => poseIn(state, body), known);
}

/** The configuration that the state came from, one step of h ago. */
export function configurationBefore(state: Float64Array, h: number, known?: KnownAngles): Configuration {
  return new Configuration((body) => poseBeforeIn(state, body, h), known);
}
