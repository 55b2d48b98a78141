/** Contacts: a dot where each would touch, and an arrow for its force. */
import {
  type Color,
  ConeGeometry,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { Motion } from "./motion.ts";

/** An arrow that carries the whole weight is this long, in radii of the scene; no arrow is longer than twice that. */
const weightLength = 0.45;
/** Forces below this share of the weight are not drawn. */
const faintest = 1e-4;
const upward = new Vector3(0, 0, 1);

export class ContactMarks {
  readonly group = new Group();
  private readonly motion: Motion;
  private readonly size: number;
  private readonly material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 });
  private readonly dots: InstancedMesh;
  private readonly shafts: InstancedMesh;
  private readonly tips: InstancedMesh;
  private readonly weight: number;
  private readonly point = new Vector3();
  private readonly force = new Vector3();
  private readonly turn = new Quaternion();
  private readonly scale = new Vector3();
  private readonly matrix = new Matrix4();

  constructor(motion: Motion, size: number) {
    this.motion = motion;
    this.size = size;
    const count = motion.contacts.length;
    this.weight = motion.weight || motion.largestForce || 1;
    const up = Math.PI / 2;
    this.dots = new InstancedMesh(new SphereGeometry(1, 12, 8), this.material, count);
    // from the origin along z, one long
    this.shafts = new InstancedMesh(
      new CylinderGeometry(1, 1, 1, 10).rotateX(up).translate(0, 0, 0.5),
      this.material,
      count,
    );
    this.tips = new InstancedMesh(new ConeGeometry(1, 1, 14).rotateX(up).translate(0, 0, 0.5), this.material, count);
    for (const mesh of [this.dots, this.shafts, this.tips]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 2;
      this.group.add(mesh);
    }
  }

  paint(color: Color): void {
    this.material.color.copy(color);
  }

  update(time: number): void {
    const { motion, point, force, turn, scale, matrix, size } = this;
    for (let contact = 0; contact < motion.contacts.length; contact++) {
      motion.contactPointInto(point, contact, time);
      motion.forceInto(force, contact, time);
      const share = force.length() / this.weight;
      const pressed = share > faintest;
      const dot = (pressed ? 0.013 : 0.007) * size;
      this.dots.setMatrixAt(contact, matrix.compose(point, turn.identity(), scale.setScalar(dot)));

      // shaft, then tip, from the contact along the force
      const length = pressed ? Math.min(2, share) * weightLength * size : 0;
      const tip = Math.min(0.5 * length, 0.07 * size);
      const thickness = length > 0 ? 0.009 * size : 0;
      if (length > 0) turn.setFromUnitVectors(upward, force.normalize());
      this.shafts.setMatrixAt(contact, matrix.compose(point, turn, scale.set(thickness, thickness, length - tip)));
      point.addScaledVector(force, length > 0 ? length - tip : 0);
      this.tips.setMatrixAt(contact, matrix.compose(point, turn, scale.set(2.6 * thickness, 2.6 * thickness, tip)));
    }
    for (const mesh of [this.dots, this.shafts, this.tips]) mesh.instanceMatrix.needsUpdate = true;
  }
}
