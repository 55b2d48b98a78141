/** Other motions of the same bodies, drawn translucent behind the one that is replayed: earlier iterations of a plan, say. */
import { Group, Mesh, MeshStandardMaterial } from "three";
import { bodyGroup } from "./bodyMeshes.ts";
import type { Frames } from "./frames.ts";

/** The last of them is the clearest. */
const opacity = { first: 0.08, last: 0.28 } as const;

export class Ghosts {
  readonly group = new Group();
  private readonly frames: Frames;
  /** Ghost by ghost, body by body. */
  private readonly bodies: readonly (readonly Group[])[];

  constructor(frames: Frames) {
    this.frames = frames;
    this.bodies = frames.ghosts.map(({ name }, ghost) => {
      const bodies = frames.bodies.map((body, index) => bodyGroup(`${name}: ${body.name}`, body.shapes, index));
      const share = (ghost + 1) / frames.ghosts.length;
      for (const body of bodies) fade(body, opacity.first + share * (opacity.last - opacity.first));
      this.group.add(...bodies);
      return bodies;
    });
  }

  get visible(): boolean {
    return this.group.visible;
  }

  set visible(visible: boolean) {
    this.group.visible = visible;
  }

  update(time: number): void {
    this.bodies.forEach((bodies, ghost) => {
      bodies.forEach((body, index) => {
        this.frames.ghostPoseInto(body.position, body.quaternion, ghost, index, time);
      });
    });
  }
}

function fade(body: Group, opacity: number): void {
  body.traverse((object) => {
    if (!(object instanceof Mesh) || !(object.material instanceof MeshStandardMaterial)) return;
    Object.assign(object.material, { transparent: true, opacity, depthWrite: false });
    object.castShadow = false;
    object.receiveShadow = false;
  });
}
