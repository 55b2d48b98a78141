/** The numbers of a replay, decoded: poses at any time between the frames, contacts and forces at each. */
import { decodeFloats, type ReplayData } from "dojo-sim";
import { Quaternion, Vector3 } from "three";
import { Motion, takePose } from "./motion.ts";

export class Frames extends Motion {
  readonly data: ReplayData;
  readonly duration: number;
  private readonly poses: Float32Array;
  private readonly ghostPoses: readonly Float32Array[];
  private readonly forces: Float32Array;
  private readonly touches: Float32Array;
  /** Number of the first of a frame. */
  private readonly touchStarts: number[];
  private readonly next = { position: new Vector3(), orientation: new Quaternion() };

  constructor(data: ReplayData) {
    super();
    this.data = data;
    this.duration = (data.frames - 1) * data.interval;
    this.poses = decodeFloats(data.poses);
    this.ghostPoses = this.ghosts.map(({ poses }) => decodeFloats(poses));
    this.forces = decodeFloats(data.forces);
    const { counts, rows } = data.touches ?? { counts: "", rows: "" };
    this.touches = decodeFloats(rows);
    this.touchStarts = [0];
    for (const count of decodeFloats(counts)) this.touchStarts.push((this.touchStarts.at(-1) ?? 0) + count);
  }

  /** The frame at a time or the one before it; a time a rounding error short of a frame is that frame. */
  frameAt(time: number): number {
    return Math.max(0, Math.min(this.data.frames - 1, Math.floor(time / this.data.interval + 1e-6)));
  }

  /** Writes a body's pose at a time: between frames along the straight line and the shortest turn. */
  poseInto(position: Vector3, orientation: Quaternion, body: number, time: number): void {
    this.interpolateInto(position, orientation, this.poses, body, time);
  }

  /** The same of a ghost. */
  ghostPoseInto(position: Vector3, orientation: Quaternion, ghost: number, body: number, time: number): void {
    this.interpolateInto(position, orientation, this.ghostPoses[ghost], body, time);
  }

  private interpolateInto(
    position: Vector3,
    orientation: Quaternion,
    poses: Float32Array,
    body: number,
    time: number,
  ): void {
    const frame = this.frameAt(time);
    const { length } = this.data.bodies;
    takePose(position, orientation, poses, length * frame + body);
    const share = time / this.data.interval - frame;
    if (frame + 1 >= this.data.frames || share < 1e-5) return;
    takePose(this.next.position, this.next.orientation, poses, length * (frame + 1) + body);
    position.lerp(this.next.position, share);
    orientation.slerp(this.next.orientation, share);
  }

  /** Force in the interval that contains the time, which is that of the frame at its end. */
  forceInto(force: Vector3, contact: number, time: number): void {
    const at = 3 * (this.data.contacts.length * this.frameAfter(time) + contact);
    force.set(this.forces[at], this.forces[at + 1], this.forces[at + 2]);
  }

  /** The frame at the end of the interval that contains the time. */
  private frameAfter(time: number): number {
    return Math.max(0, Math.min(this.data.frames - 1, Math.ceil(time / this.data.interval - 1e-6)));
  }

  override touchCount(time: number): number {
    const frame = this.frameAfter(time);
    return frame + 1 < this.touchStarts.length ? this.touchStarts[frame + 1] - this.touchStarts[frame] : 0;
  }

  override touchInto(point: Vector3, force: Vector3, touch: number, time: number): void {
    const at = 6 * (this.touchStarts[this.frameAfter(time)] + touch);
    point.fromArray(this.touches, at);
    force.fromArray(this.touches, at + 3);
  }

  get world(): NonNullable<ReplayData["world"]> {
    return this.data.world ?? [];
  }

  get bodies(): ReplayData["bodies"] {
    return this.data.bodies;
  }

  get contacts(): ReplayData["contacts"] {
    return this.data.contacts;
  }

  get ghosts(): NonNullable<ReplayData["ghosts"]> {
    return this.data.ghosts ?? [];
  }

  get weight(): number {
    return this.data.weight;
  }

  get largestForce(): number {
    const force = new Vector3();
    let largest = 0;
    for (let frame = 0; frame < this.data.frames; frame++) {
      for (let contact = 0; contact < this.contacts.length; contact++) {
        this.forceInto(force, contact, frame * this.data.interval);
        largest = Math.max(largest, force.length());
      }
    }
    return largest;
  }
}
