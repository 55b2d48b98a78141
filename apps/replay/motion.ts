/** Bodies in motion: what the view draws, be it a recording or a simulation that runs. */
import { poseSize, type ReplayBody, type ReplayContact, type Shape, stateOffsets } from "dojo-sim";
import { Quaternion, Vector3 } from "three";
import { middleInto } from "./middle.ts";

/** Takes the pose of a body out of an array of poses. Quaternions are scalar first there, last in three.js. */
export function takePose(position: Vector3, orientation: Quaternion, poses: Float32Array, body: number): void {
  const at = poseSize * body;
  const q = at + stateOffsets.orientation;
  position.set(poses[at], poses[at + 1], poses[at + 2]);
  orientation.set(poses[q + 1], poses[q + 2], poses[q + 3], poses[q]).normalize();
}

export abstract class Motion {
  abstract readonly bodies: readonly ReplayBody[];
  abstract readonly contacts: readonly ReplayContact[];
  /** Shapes fixed in the world. */
  abstract readonly world: readonly Shape[];
  /** Weight of everything, N. */
  abstract readonly weight: number;
  /** Seconds that are known: of one that runs those of its look ahead. */
  abstract readonly duration: number;
  /** N: the measure of the forces where nothing has weight. */
  abstract readonly largestForce: number;

  private readonly place = { position: new Vector3(), orientation: new Quaternion() };
  private readonly arm = new Vector3();
  private readonly normal = new Vector3();
  private points = new Float64Array(0);

  /** Writes a body's pose at a time. */
  abstract poseInto(position: Vector3, orientation: Quaternion, body: number, time: number): void;

  /** Writes the force of a contact at a time. */
  abstract forceInto(force: Vector3, contact: number, time: number): void;

  /** How many places there are at a time in which shapes touch. */
  touchCount(_time: number): number {
    return 0;
  }

  /** Writes where and with what force they do. */
  touchInto(_point: Vector3, _force: Vector3, _touch: number, _time: number): void {}

  /** Where a contact would touch: the lowest point of its sphere, seen along the half-space's normal. */
  contactPointInto(point: Vector3, contact: number, time: number): void {
    const { body, other, radius, point: center, normal } = this.contacts[contact];
    const { position, orientation } = this.place;
    this.normal.set(...normal);
    if (other >= 0) {
      this.poseInto(position, orientation, other, time);
      this.normal.applyQuaternion(orientation);
    }
    this.poseInto(position, orientation, body, time);
    point
      .copy(this.arm.set(...center).applyQuaternion(orientation))
      .add(position)
      .addScaledVector(this.normal, -radius);
  }

  /** Where most bodies of a scene of that size are, for the camera to look at. */
  centerInto(center: Vector3, time: number, size: number): void {
    const { position, orientation } = this.place;
    const count = this.bodies.length;
    if (this.points.length < 3 * count) this.points = new Float64Array(3 * count);
    for (let body = 0; body < count; body++) {
      this.poseInto(position, orientation, body, time);
      position.toArray(this.points, 3 * body);
    }
    middleInto(center, this.points, count, size);
  }
}
