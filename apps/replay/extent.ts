/** How much room a replay takes: the box around the bodies at the start, and around all that happens. */
import { Box3, type Group, Vector3 } from "three";
import type { Frames } from "./frames.ts";

export interface Extent {
  readonly box: Box3;
  readonly center: Vector3;
  /** Half the box's diagonal. */
  readonly radius: number;
}

export interface Extents {
  readonly model: Extent;
  readonly motion: Extent;
}

/** Moments at which the motion is looked at. */
const moments = 60;

/** Moves the bodies about while it measures. */
export function extentsOf(frames: Frames, bodies: readonly Group[]): Extents {
  const boxAt = (time: number): Box3 => {
    const box = new Box3();
    bodies.forEach((group, body) => {
      frames.poseInto(group.position, group.quaternion, body, time);
      box.expandByObject(group);
    });
    return box;
  };
  const start = boxAt(0);
  const all = start.clone();
  for (let k = 1; k < moments; k++) all.union(boxAt((frames.duration * k) / (moments - 1)));
  return { model: extentOf(start), motion: extentOf(all) };
}

function extentOf(box: Box3): Extent {
  const center = box.getCenter(new Vector3());
  return { box, center, radius: Math.max(1e-3, box.max.distanceTo(box.min) / 2) };
}

/** Distance from which a camera that looks along −`outlook` at the centre sees the whole box. `tangents` are of half its angles of view. */
export function distanceToSee(extent: Extent, outlook: Vector3, tangents: { across: number; up: number }): number {
  const right = new Vector3(0, 0, 1).cross(outlook).normalize();
  const above = outlook.clone().cross(right);
  let distance = 0;
  for (let corner = 0; corner < 8; corner++) {
    const { min, max } = extent.box;
    const arm = new Vector3(corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z);
    arm.sub(extent.center);
    const needed = Math.max(Math.abs(arm.dot(right)) / tangents.across, Math.abs(arm.dot(above)) / tangents.up);
    distance = Math.max(distance, needed + arm.dot(outlook));
  }
  return distance;
}
