/** A simulation that runs, as the view wants it: the poses and forces of the last frame. */
import type { Quaternion, Vector3 } from "three";
import { Motion, takePose } from "../../replay/motion.ts";
import type { Frame, SceneInfo } from "../protocol.ts";

type Shown = Pick<Frame, "poses" | "forces" | "touches">;

export class LiveMotion extends Motion {
  readonly bodies: SceneInfo["bodies"];
  readonly world: SceneInfo["world"];
  readonly contacts: SceneInfo["contacts"];
  readonly weight: number;
  readonly duration = 0;
  readonly largestForce: number;
  private frame: Shown;

  constructor(info: Pick<SceneInfo, "bodies" | "contacts" | "world" | "weight">, frame: Shown) {
    super();
    this.bodies = info.bodies;
    this.world = info.world;
    this.contacts = info.contacts;
    this.weight = info.weight;
    this.largestForce = 9.81 * info.bodies.reduce((sum, { mass }) => sum + mass, 0);
    this.frame = frame;
  }

  show(frame: Shown): void {
    this.frame = frame;
  }

  poseInto(position: Vector3, orientation: Quaternion, body: number): void {
    takePose(position, orientation, this.frame.poses, body);
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
