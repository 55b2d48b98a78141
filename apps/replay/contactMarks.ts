/** Contacts: a dot where each would touch, and an arrow for its force. Places where shapes touch come and go. */
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
  private dots: InstancedMesh | undefined;
  private arrows: Arrows | undefined;
  /** Marks that there is memory for, and those that were drawn last. */
  private room = 0;
  private marked = 0;
  private readonly weight: number;
  private readonly point = new Vector3();
  private readonly force = new Vector3();
  private readonly unturned = new Quaternion();
  private readonly scale = new Vector3();
  private readonly matrix = new Matrix4();

  constructor(motion: Motion, size: number) {
    this.motion = motion;
    // among many small bodies marks are small
    this.size = size * (motion.contacts.length > 0 ? 1 : Math.sqrt(Math.min(1, 8 / motion.bodies.length)));
    this.weight = motion.weight || motion.largestForce || 1;
    this.makeRoom(motion.contacts.length);
  }

  paint(color: Color): void {
    this.material.color.copy(color);
  }

  update(time: number): void {
    const { motion, point, force } = this;
    const { length: contacts } = motion.contacts;
    const touches = motion.touchCount(time);
    if (contacts + touches > this.room) this.makeRoom(2 * (contacts + touches));
    for (let contact = 0; contact < contacts; contact++) {
      motion.contactPointInto(point, contact, time);
      motion.forceInto(force, contact, time);
      this.mark(contact);
    }
    for (let touch = 0; touch < touches; touch++) {
      motion.touchInto(point, force, touch, time);
      this.mark(contacts + touch);
    }
    // what was there before and is no more
    force.set(0, 0, 0);
    for (let gone = contacts + touches; gone < this.marked; gone++) this.mark(gone, 0);
    this.marked = contacts + touches;
    if (this.dots) this.dots.instanceMatrix.needsUpdate = true;
    this.arrows?.update();
  }

  /** The point and the force at hand. */
  private mark(index: number, visible = 1): void {
    const { point, force, scale, matrix, size } = this;
    const share = force.length() / this.weight;
    const pressed = share > faintest;
    const dot = visible * (pressed ? 0.013 : 0.007) * size;
    this.dots?.setMatrixAt(index, matrix.compose(point, this.unturned, scale.setScalar(dot)));
    const length = pressed ? Math.min(2, share) * weightLength * size : 0;
    this.arrows?.set(index, point, force, length, 0.009 * size, 0.07 * size);
  }

  private makeRoom(room: number): void {
    this.group.clear();
    this.dots?.dispose();
    this.dots = new InstancedMesh(new SphereGeometry(1, 12, 8), this.material, room);
    this.dots.frustumCulled = false;
    this.dots.renderOrder = 2;
    for (let index = 0; index < room; index++) this.dots.setMatrixAt(index, this.matrix.makeScale(0, 0, 0));
    this.arrows = new Arrows(room, this.material);
    this.force.set(0, 0, 0);
    for (let index = 0; index < room; index++) this.arrows.set(index, this.point, this.force, 0, 0, 0);
    this.group.add(this.dots, this.arrows.group);
    this.room = room;
    this.marked = 0;
  }
}
