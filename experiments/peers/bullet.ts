/** Bullet, single precision, with its default settings but for the time step. */
import load from "ammojs-typed";
import type { BoxRun, BoxScene } from "./boxScene.ts";

type Bullet = Awaited<ReturnType<typeof load>>;

let loaded: Promise<Bullet> | undefined;

/** Bullet's name for "never sleeps". */
const DISABLE_DEACTIVATION = 4;

export async function bulletBox(scene: BoxScene): Promise<BoxRun> {
  loaded ??= load();
  const bullet = await loaded;
  const { size, mass, frictionCoefficient, gravity, timestep, position, velocity } = scene;
  const owned: unknown[] = [];
  const own = <T>(thing: T): T => {
    owned.push(thing);
    return thing;
  };
  const vector = (x: number, y: number, z: number) => own(new bullet.btVector3(x, y, z));

  const configuration = own(new bullet.btDefaultCollisionConfiguration());
  const dispatcher = own(new bullet.btCollisionDispatcher(configuration));
  const broadphase = own(new bullet.btDbvtBroadphase());
  const solver = own(new bullet.btSequentialImpulseConstraintSolver());
  const world = own(new bullet.btDiscreteDynamicsWorld(dispatcher, broadphase, solver, configuration));
  world.setGravity(vector(0, 0, -gravity));

  // the coefficient of a contact is the product of the two
  const floorShape = own(new bullet.btStaticPlaneShape(vector(0, 0, 1), 0));
  const floor = addBody(0, vector(0, 0, 0), floorShape, vector(0, 0, 0));
  floor.setFriction(1);
  const boxShape = own(new bullet.btBoxShape(vector(size[0] / 2, size[1] / 2, size[2] / 2)));
  const inertia = vector(0, 0, 0);
  boxShape.calculateLocalInertia(mass, inertia);
  const box = addBody(mass, vector(...position), boxShape, inertia);
  box.setFriction(frictionCoefficient);
  box.setLinearVelocity(vector(...velocity));
  box.setActivationState(DISABLE_DEACTIVATION);
  return {
    // one step of just this length
    step: () => {
      world.stepSimulation(timestep, 0);
    },
    get position() {
      const at = box.getWorldTransform().getOrigin();
      return [at.x(), at.y(), at.z()] as const;
    },
    get orientation() {
      const q = box.getWorldTransform().getRotation();
      return [q.w(), q.x(), q.y(), q.z()] as const;
    },
    delete() {
      world.removeRigidBody(box);
      world.removeRigidBody(floor);
      for (const thing of owned.reverse()) bullet.destroy(thing);
    },
  };

  function addBody(
    mass: number,
    origin: InstanceType<Bullet["btVector3"]>,
    shape: InstanceType<Bullet["btCollisionShape"]>,
    inertia: InstanceType<Bullet["btVector3"]>,
  ) {
    const transform = own(new bullet.btTransform());
    transform.setIdentity();
    transform.setOrigin(origin);
    const motion = own(new bullet.btDefaultMotionState(transform));
    const info = own(new bullet.btRigidBodyConstructionInfo(mass, motion, shape, inertia));
    const body = own(new bullet.btRigidBody(info));
    world.addRigidBody(body);
    return body;
  }
}
