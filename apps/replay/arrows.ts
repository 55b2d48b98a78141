/** Many arrows of one colour, drawn at once: a shaft and a tip each. */
import {
  ConeGeometry,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Matrix4,
  type MeshBasicMaterial,
  Quaternion,
  Vector3,
} from "three";

const upward = new Vector3(0, 0, 1);

export class Arrows {
  readonly group = new Group();
  private readonly shafts: InstancedMesh;
  private readonly tips: InstancedMesh;
  private readonly direction = new Vector3();
  private readonly foot = new Vector3();
  private readonly turn = new Quaternion();
  private readonly scale = new Vector3();
  private readonly matrix = new Matrix4();

  constructor(count: number, material: MeshBasicMaterial) {
    const up = Math.PI / 2;
    // from the origin along z, one long
    const shaft = new CylinderGeometry(1, 1, 1, 10).rotateX(up).translate(0, 0, 0.5);
    const tip = new ConeGeometry(1, 1, 14).rotateX(up).translate(0, 0, 0.5);
    this.shafts = new InstancedMesh(shaft, material, count);
    this.tips = new InstancedMesh(tip, material, count);
    for (const mesh of [this.shafts, this.tips]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 2;
      this.group.add(mesh);
    }
  }

  /** From `foot` along `along`, `length` long; nothing at length 0. The tip is no longer than `longestTip`. */
  set(index: number, foot: Vector3, along: Vector3, length: number, thickness: number, longestTip: number): void {
    const { direction, turn, scale, matrix } = this;
    const tip = Math.min(0.5 * length, longestTip);
    const thick = length > 0 ? thickness : 0;
    if (length > 0) turn.setFromUnitVectors(upward, direction.copy(along).normalize());
    this.shafts.setMatrixAt(index, matrix.compose(foot, turn, scale.set(thick, thick, length - tip)));
    this.foot.copy(foot).addScaledVector(direction, length > 0 ? length - tip : 0);
    this.tips.setMatrixAt(index, matrix.compose(this.foot, turn, scale.set(2.6 * thick, 2.6 * thick, tip)));
  }

  /** To be called after all were set. */
  update(): void {
    this.shafts.instanceMatrix.needsUpdate = true;
    this.tips.instanceMatrix.needsUpdate = true;
  }
}
