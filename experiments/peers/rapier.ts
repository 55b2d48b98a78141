/** Rapier, single precision, with its default settings but for the time step. */
import rapier from "@dimforge/rapier3d-deterministic-compat";
import { type BoxRun, type BoxScene, floorReach } from "./boxScene.ts";

let loaded: Promise<void> | undefined;

export async function rapierBox(scene: BoxScene): Promise<BoxRun> {
  loaded ??= rapier.init();
  await loaded;
  const { size, mass, frictionCoefficient, gravity, timestep, position, velocity } = scene;
  const world = new rapier.World({ x: 0, y: 0, z: -gravity });
  world.timestep = timestep;
  // the coefficient of a contact is the mean of the two
  const floor = rapier.ColliderDesc.cuboid(floorReach, floorReach, 1).setTranslation(0, 0, -1);
  world.createCollider(floor.setFriction(frictionCoefficient));
  const box = world.createRigidBody(
    rapier.RigidBodyDesc.dynamic()
      .setTranslation(...position)
      .setLinvel(...velocity)
      .setCanSleep(false),
  );
  const [x, y, z] = size;
  const shape = rapier.ColliderDesc.cuboid(x / 2, y / 2, z / 2);
  world.createCollider(shape.setMass(mass).setFriction(frictionCoefficient), box);
  return {
    step: () => world.step(),
    get position() {
      const at = box.translation();
      return [at.x, at.y, at.z] as const;
    },
    get orientation() {
      const q = box.rotation();
      return [q.w, q.x, q.y, q.z] as const;
    },
    delete: () => world.free(),
  };
}
