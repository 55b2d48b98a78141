/** A simulation that runs, as the view wants it: the poses and forces of the last frame, and room for where the bodies go. */
import type { Quaternion, Vector3 } from "three";
import { Motion, takePose } from "../../replay/motion.ts";
import type { Frame, LookAhead, SceneInfo } from "../protocol.ts";

type Shown = Pick<Frame, "poses" | "forces" | "touches">;

export class LiveMotion extends Motion {
  readonly bodies: SceneInfo["bodies"];
  readonly world: SceneInfo["world"];
  readonly contacts: SceneInfo["contacts"];
  readonly weight: number;
  /** That of the look ahead. */
  readonly duration: number;
  readonly largestForce: number;
  private readonly ahead: LookAhead;
  private frame: Shown;

  constructor(
    info: Pick<SceneInfo, "bodies" | "contacts" | "world" | "weight"> & Partial<Pick<SceneInfo, "ahead">>,
    frame: Shown,
  ) {
    super();
    this.bodies = info.bodies;
    this.world = info.world;
    this.contacts = info.contacts;
    this.weight = info.weight;
    this.largestForce = 9.81 * info.bodies.reduce((sum, { mass }) => sum + mass, 0);
    this.ahead = info.ahead ?? { interval: 1, poses: [] };
    this.duration = this.ahead.interval * this.ahead.poses.length;
    this.frame = frame;
  }

  show(frame: Shown): void {
    this.frame = frame;
  }

  /** At time 0 that of the present, later what the look ahead saw. */
  poseInto(position: Vector3, orientation: Quaternion, body: number, time: number): void {
    const { interval, poses } = this.ahead;
    const moment = Math.round(time / interval);
    takePose(position, orientation, moment === 0 ? this.frame.poses : poses[moment - 1], body);
  }

  forceInto(force: Vector3, contact: number): void {
    const at = 3 * contact;
    const { forces } = this.frame;
    force.set(forces[at], forces[at + 1], forces[at + 2]);
  }

  override touchCount(): number {
    return (this.frame.touches?.length ?? 0) / 6;
  }

  override touchInto(point: Vector3, force: Vector3, touch: number): void {
    const { touches } = this.frame;
    if (!touches) return;
    point.fromArray(touches, 6 * touch);
    force.fromArray(touches, 6 * touch + 3);
  }
}
