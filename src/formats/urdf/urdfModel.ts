/** What a URDF file says, read and checked element by element, before links become bodies. */
import type { JointKind, Matrix3, PrimitiveShape, Vector3 } from "../../mechanism/index.ts";
import type { Pose } from "../pose.ts";
import type { XmlElement } from "../xml.ts";

export interface UrdfModel {
  readonly element: XmlElement;
  readonly name: string;
  readonly links: ReadonlyMap<string, UrdfLink>;
  readonly joints: ReadonlyMap<string, UrdfJoint>;
  /** Loops of loop_joint elements. */
  readonly loops: ReadonlyMap<string, UrdfLoop>;
  /** Names of joints with a transmission; undefined when the file has none. */
  readonly driven: ReadonlySet<string> | undefined;
}

export interface UrdfLink {
  readonly element: XmlElement;
  readonly name: string;
  readonly inertial: UrdfInertial | undefined;
  readonly visuals: readonly UrdfGeometry[];
  readonly collisions: readonly UrdfGeometry[];
}

export interface UrdfInertial {
  readonly element: XmlElement;
  readonly pose: Pose;
  readonly mass: number;
  readonly inertia: Matrix3;
  /** The file gives none of it. */
  readonly assumed?: boolean;
}

export interface UrdfGeometry {
  readonly element: XmlElement;
  readonly name: string | undefined;
  /** Pose of the shape in its link. */
  readonly pose: Pose;
  /** The shape without its placement, which is `pose`. */
  readonly shape: PrimitiveShape | { readonly kind: "mesh"; readonly fileName: string; readonly scale: Vector3 };
  readonly color: string | undefined;
}

/** What tree joints and loop joints have in common. */
export interface UrdfMotion {
  readonly element: XmlElement;
  readonly name: string;
  readonly kind: JointKind;
  /** Unit vectors in the joint's frame: one, or the hinges of serial and universal joints. */
  readonly axes: readonly Vector3[];
  readonly damping: number | undefined;
  readonly friction: number | undefined;
  readonly limits: readonly [number | null, number | null] | undefined;
  readonly effort: number | undefined;
}

export interface UrdfJoint extends UrdfMotion {
  readonly parent: string;
  readonly child: string;
  /** Pose of the joint, and at zero coordinates of the child link, in the parent link. */
  readonly pose: Pose;
  readonly mimic:
    | { readonly element: XmlElement; readonly joint: string; readonly multiplier: number; readonly offset: number }
    | undefined;
}

export interface UrdfLoop extends UrdfMotion {
  readonly ends: readonly [UrdfLoopEnd, UrdfLoopEnd];
}

/** The joint's frame in one of the links that it joins. */
export interface UrdfLoopEnd {
  readonly link: string;
  readonly pose: Pose;
}

export interface LinkFrame extends Pose {
  /** A body's name, or "world". */
  readonly body: string;
}
