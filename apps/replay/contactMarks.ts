/** Contacts: a dot where each would touch, and an arrow for its force. */
import {
  type Color,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { Arrows } from "./arrows.ts";
import type { Motion } from "./motion.ts";

/** An arrow that carries the whole weight is this long, in radii of the scene; no arrow is longer than twice that. */
const weightLength = 0.45;
/** Forces below this share of the weight are not drawn. */
const faintest = 1e-4;

export class ContactMarks {
  readonly group = new Group();
  private readonly motion: Motion;
  private readonly size: number;
  private readonly material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 });
  private readonly dots: InstancedMesh;
  private readonly arrows: Arrows;
  private readonly weight: number;
  private readonly point = new Vector3();
  private readonly force = new Vector3();
  private readonly unturned = new Quaternion();
  private readonly scale = new Vector3();
  private readonly matrix = new Matrix4();

  constructor(motion: Motion, size: number) {
    this.motion = motion;
    this.size = size;
    const count = motion.contacts.length;
    this.weight = motion.weight || motion.largestForce || 1;
    this.dots = new InstancedMesh(new SphereGeometry(1, 12, 8), this.material, count);
    this.dots.frustumCulled = false;
    this.dots.renderOrder = 2;
    this.arrows = new Arrows(count, this.material);
    this.group.add(this.dots, this.arrows.group);
  }

  paint(color: Color): void {
    this.material.color.copy(color);
  }

  update(time: number): void {
    const { motion, point, force, scale, matrix, size } = this;
    for (let contact = 0; contact < motion.contacts.length; contact++) {
      motion.contactPointInto(point, contact, time);
      motion.forceInto(force, contact, time);
      const share = force.length() / this.weight;
      const pressed = share > faintest;
      const dot = (pressed ? 0.013 : 0.007) * size;
      this.dots.setMatrixAt(contact, matrix.compose(point, this.unturned, scale.setScalar(dot)));
      const length = pressed ? Math.min(2, share) * weightLength * size : 0;
      this.arrows.set(contact, point, force, length, 0.009 * size, 0.07 * size);
    }
    this.dots.instanceMatrix.needsUpdate = true;
    this.arrows.update();
  }
}
