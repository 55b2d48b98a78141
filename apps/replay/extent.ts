/** How much room a replay takes: the boxes around the bodies at the start, and at moments of the whole motion. */
import { Box3, type Group, Vector3 } from "three";
import type { Motion } from "./motion.ts";

export interface Extent {
  /** Around everything. */
  readonly box: Box3;
  readonly center: Vector3;
  /** Half the box's diagonal. */
  readonly radius: number;
  /** Around each body at each moment. */
  readonly parts: readonly Box3[];
}

export interface Extents {
  readonly model: Extent;
  readonly motion: Extent;
}

/** Moments at which the motion is looked at. */
const moments = 40;

/** Moves the bodies about while it measures. */
export function extentsOf(motion: Motion, bodies: readonly Group[]): Extents {
  const boxesAt = (time: number): Box3[] =>
    bodies.map((group, body) => {
      motion.poseInto(group.position, group.quaternion, body, time);
      return new Box3().setFromObject(group);
    });
  const model = extentOf(boxesAt(0));
  if (motion.duration === 0) return { model, motion: model };
  const times = Array.from({ length: moments }, (_, k) => (motion.duration * k) / (moments - 1));
  return { model, motion: extentOf(times.flatMap(boxesAt)) };
}

function extentOf(parts: readonly Box3[]): Extent {
  const box = parts.reduce((all, part) => all.union(part), new Box3());
  const center = box.getCenter(new Vector3());
  return { box, center, radius: Math.max(1e-3, box.max.distanceTo(box.min) / 2), parts };
}

/**
 * Distance from which a camera that looks along −`outlook` at the centre sees all parts. `tangents` are of half its angles of view. A
 * corner r to the right, u up and f towards the camera is seen from d when |r| ≤ (d − f) tan, and so for u.
 */
export function distanceToSee(extent: Extent, outlook: Vector3, tangents: { across: number; up: number }): number {
  const right = new Vector3(0, 0, 1).cross(outlook).normalize();
  const above = outlook.clone().cross(right);
  const arm = new Vector3();
  let distance = 1e-3;
  for (const { min, max } of extent.parts) {
    for (let corner = 0; corner < 8; corner++) {
      arm.set(corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z).sub(extent.center);
      const needed = Math.max(Math.abs(arm.dot(right)) / tangents.across, Math.abs(arm.dot(above)) / tangents.up);
      distance = Math.max(distance, needed + arm.dot(outlook));
    }
  }
  return distance;
}
