/**
 * Joints, one constructor per kind. `freedom.ts` has the table of what each leaves free:
 *
 *                      no rotation       about the axis   across the axis    any rotation
 *   no translation     fixed             revolute         orbital            spherical
 *   along the axis     prismatic         cylindrical      prismaticOrbital   cylindricalFree
 *   across the axis    planar            planarAxis       planarOrbital      planarFree
 *   any translation    fixedOrientation  freeRevolute     freeOrbital        floating
 *
 * and `universal` and `serial`: hinges one after another through one point.
 */
import type { JointDescription, JointKind, Vector3 } from "./description.ts";

/** What every joint takes; see `JointDescription` for each. */
export type JointOptions = Omit<JointDescription, "kind" | "axis" | "axes">;
/** Default axis [0, 0, 1]. */
export type AxisJointOptions = JointOptions & { readonly axis?: Vector3 };

export const fixed = joint("fixed");
export const prismatic = axisJoint("prismatic");
export const planar = axisJoint("planar");
export const fixedOrientation = joint("fixedOrientation");

export const revolute = axisJoint("revolute");
export const cylindrical = axisJoint("cylindrical");
export const planarAxis = axisJoint("planarAxis");
export const freeRevolute = axisJoint("freeRevolute");

export const orbital = axisJoint("orbital");
export const prismaticOrbital = axisJoint("prismaticOrbital");
export const planarOrbital = axisJoint("planarOrbital");
export const freeOrbital = axisJoint("freeOrbital");

export const spherical = joint("spherical");
export const cylindricalFree = axisJoint("cylindricalFree");
export const planarFree = axisJoint("planarFree");
export const floating = joint("floating");

/** Two hinges through one point, the first fixed to the parent and the second to the child. */
export function universal(options: JointOptions & { readonly axes: readonly [Vector3, Vector3] }): JointDescription {
  return { kind: "universal", ...options };
}

/** One to three hinges through one point, from parent to child; three must be perpendicular to each other. */
export function serial(options: JointOptions & { readonly axes: readonly Vector3[] }): JointDescription {
  return { kind: "serial", ...options };
}

function joint(kind: JointKind): (options: JointOptions) => JointDescription {
  return (options) => ({ kind, ...options });
}

function axisJoint(kind: JointKind): (options: AxisJointOptions) => JointDescription {
  return (options) => ({ kind, ...options });
}
