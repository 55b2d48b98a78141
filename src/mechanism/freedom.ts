/**
 * What each joint kind constrains and what it leaves free.
 *
 * Of translations (in the parent's frame) and of rotations, a kind constrains 0 to 3 directions:
 *   1 constrained: along the axis, so free across it;   2 constrained: across the axis, so free along it.
 * Free coordinates are the translations first, then the rotations: an angle, the entries of a rotation vector, or the
 * serial angles. They are those of the joint's frame, whose z is the axis; three free translations of a joint that turns
 * about an axis are x, y, z of that frame too, not of the parent's.
 */
import { vector } from "../math/index.ts";
import type { JointDescription, JointKind, Vector3 } from "./description.ts";

export interface FreeAxis {
  readonly name: string;
  readonly motion: "translation" | "rotation";
  /** Unit vector in the parent's frame; of a serial angle, its hinge at zero angles. */
  readonly direction: Vector3;
}

export interface JointFreedom {
  readonly constrainedTranslations: number;
  readonly constrainedRotations: number;
  readonly freeAxes: readonly FreeAxis[];
}

/** Numbers of constrained translations and rotations. */
const constrained: Readonly<Record<Exclude<JointKind, "universal" | "serial">, readonly [number, number]>> = {
  fixed: [3, 3],
  prismatic: [2, 3],
  planar: [1, 3],
  fixedOrientation: [0, 3],
  revolute: [3, 2],
  cylindrical: [2, 2],
  planarAxis: [1, 2],
  freeRevolute: [0, 2],
  orbital: [3, 1],
  prismaticOrbital: [2, 1],
  planarOrbital: [1, 1],
  freeOrbital: [0, 1],
  spherical: [3, 0],
  cylindricalFree: [2, 0],
  planarFree: [1, 0],
  floating: [0, 0],
};

export const jointKinds: readonly JointKind[] = [...(Object.keys(constrained) as JointKind[]), "universal", "serial"];

/** Names of the free coordinates, by how many there are. */
const translationNames = [[], ["slide"], ["slide1", "slide2"], ["x", "y", "z"]];
const rotationNames = [[], ["angle"], ["tilt1", "tilt2"], ["rotationX", "rotationY", "rotationZ"]];
const serialNames = [[], ["angle"], ["angle1", "angle2"], ["angle1", "angle2", "angle3"]];

const xyz: readonly Vector3[] = [vector.unitX, vector.unitY, vector.unitZ];

/** Whether the joint's rotation is a sequence of hinges. */
export function isSerial(kind: JointKind): kind is "universal" | "serial" {
  return kind === "universal" || kind === "serial";
}

export function jointFreedom(joint: Pick<JointDescription, "kind" | "axis" | "axes">): JointFreedom {
  const { kind } = joint;
  if (isSerial(kind)) {
    const axes = joint.axes ?? [];
    return {
      constrainedTranslations: 3,
      constrainedRotations: 3 - axes.length,
      freeAxes: freeAxes("rotation", axes, serialNames),
    };
  }
  const axis = joint.axis ?? vector.unitZ;
  const [translations, rotations] = constrained[kind];
  const axisMatters = [translations, rotations].some((count) => count === 1 || count === 2);
  const frame = axisMatters ? [...vector.perpendicularBasis(axis), axis] : xyz;
  return {
    constrainedTranslations: translations,
    constrainedRotations: rotations,
    freeAxes: [
      ...freeAxes("translation", freeDirections(translations, axis, frame), translationNames),
      ...freeAxes("rotation", freeDirections(rotations, axis, frame), rotationNames),
    ],
  };
}

/** The directions left by `count` constrained ones, in the joint's frame: its z is the axis, where there is one. */
function freeDirections(count: number, axis: Vector3, frame: readonly Vector3[]): readonly Vector3[] {
  switch (count) {
    case 0:
      return frame;
    case 1:
      return frame.slice(0, 2);
    case 2:
      return [axis];
    default:
      return [];
  }
}

function freeAxes(
  motion: FreeAxis["motion"],
  directions: readonly Vector3[],
  names: readonly (readonly string[])[],
): FreeAxis[] {
  return directions.map((direction, i) => ({ name: names[directions.length][i], motion, direction }));
}
