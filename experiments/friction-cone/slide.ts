/**
 * A box that slides on a floor in a direction off the world's axes, in several engines. Coulomb's friction acts against the motion, so
 * that the box goes straight, keeps its heading, and stops after
 *   v²/(2 μ g)                                   when it lies on the floor at first
 *   v t + (v − μ w)²/(2 μ g),  t = √(2 z/g),  w = g t     when it falls from height z: the impact itself takes μ w of its speed
 */
import {
  box,
  boxCorners,
  type ContactModel,
  compile,
  floating,
  frictionContact,
  linearContact,
  type MechanismDescription,
  maximalState,
  minimalState,
  type Quaternion,
  Simulation,
  type Vector3,
} from "dojo-sim";
import type { BoxRun, BoxScene } from "../peers/boxScene.ts";
import { bulletBox } from "../peers/bullet.ts";
import { loadMujoco, MujocoPeer, type MujocoSettings } from "../peers/mujoco.ts";
import { rapierBox } from "../peers/rapier.ts";

const gravity = 9.81;
export const frictionCoefficient = 0.3;
export const speed = 3;
/** Off the x axis: a fifth of the speed goes sideways, 11.3°. */
export const heading = Math.atan(1 / 5);
export const size: Vector3 = [0.4, 0.4, 0.1];
const duration = 2;

export const scenes = {
  /** Lies on the floor. */
  slide: { height: 0 },
  /** Falls first, as the paper's does. */
  drop: { height: 0.1 },
} as const;
export type SceneName = keyof typeof scenes;

export function closedDistance(scene: SceneName): number {
  const fall = Math.sqrt((2 * scenes[scene].height) / gravity);
  const after = speed - frictionCoefficient * gravity * fall;
  return speed * fall + after ** 2 / (2 * frictionCoefficient * gravity);
}

export function boxScene(scene: SceneName, timestep: number): BoxScene {
  return {
    size,
    mass: 2,
    frictionCoefficient,
    gravity,
    timestep,
    position: [0, 0, size[2] / 2 + scenes[scene].height],
    velocity: [speed * Math.cos(heading), speed * Math.sin(heading), 0],
  };
}

/** In the order in which they are shown. */
export const engines: Readonly<Record<string, (scene: BoxScene) => BoxRun | Promise<BoxRun>>> = {
  "ours, exact cone": (scene) => ours(scene, "cone"),
  "ours, four-sided": (scene) => ours(scene, "linear"),
  "MuJoCo, pyramidal": (scene) => mujocos(scene, {}),
  "MuJoCo, elliptic": (scene) => mujocos(scene, { cone: "elliptic" }),
  "MuJoCo, elliptic, stiffest": (scene) => mujocos(scene, { stiff: true }),
  "MuJoCo, elliptic, discrete": (scene) => mujocos(scene, { cone: "elliptic", integrator: "discrete" }),
  Rapier: rapierBox,
  Bullet: bulletBox,
};

function describe({ size, mass, frictionCoefficient, gravity, timestep }: BoxScene, model: ContactModel) {
  const body = box({ size, mass });
  const contact = model === "cone" ? frictionContact : linearContact;
  const description: MechanismDescription = {
    timestep,
    gravity: [0, 0, -gravity],
    bodies: { box: body },
    joints: { base: floating({ parent: "world", child: "box" }) },
    // it never turns over
    contacts: boxCorners(body)
      .filter((point) => point[2] < 0)
      .map((point) => contact({ body: "box", point, frictionCoefficient })),
  };
  return description;
}

const startOf = ({ position, velocity }: BoxScene) => ({
  base: { position: [...position, 0, 0, 0], velocity: [...velocity, 0, 0, 0] },
});

function ours(scene: BoxScene, model: ContactModel): BoxRun {
  const mechanism = compile(describe(scene, model));
  const simulation = new Simulation(mechanism);
  const state = maximalState(mechanism, startOf(scene));
  return {
    step() {
      const { status, next } = simulation.step(state);
      if (status !== "solved") throw new Error(`the sliding box: ${status}`);
      state.set(next);
    },
    get position() {
      return [state[0], state[1], state[2]] as const;
    },
    get orientation() {
      return [state[3], state[4], state[5], state[6]] as const;
    },
    delete() {},
  };
}

async function mujocos(scene: BoxScene, settings: MujocoSettings): Promise<BoxRun> {
  const description = describe(scene, "cone");
  const mechanism = compile(description);
  const peer = new MujocoPeer(await loadMujoco(), description, settings);
  peer.setState(minimalState(mechanism, maximalState(mechanism, startOf(scene))));
  const numbers = (at: number, count: number): number[] => Array.from(peer.data.qpos.subarray(at, at + count));
  return {
    step: () => peer.step(),
    // a free joint's: position, then quaternion
    get position() {
      return numbers(0, 3) as unknown as Vector3;
    },
    get orientation() {
      return numbers(3, 4) as unknown as Quaternion;
    },
    delete: () => peer.delete(),
  };
}

/** Where the box was after each step, in the direction it was pushed and to its left. */
export interface Path {
  readonly along: readonly number[];
  readonly sideways: readonly number[];
  readonly height: readonly number[];
  /** Turn about the vertical, rad. */
  readonly yaw: readonly number[];
}

export async function path(engine: string, scene: BoxScene): Promise<Path> {
  const run = await engines[engine](scene);
  const [cos, sin] = [Math.cos(heading), Math.sin(heading)];
  const out = { along: [0], sideways: [0], height: [scene.position[2]], yaw: [0] };
  for (let k = 0; k < Math.round(duration / scene.timestep); k++) {
    run.step();
    const [x, y, z] = run.position;
    const [w, , , turn] = run.orientation;
    out.along.push(x * cos + y * sin);
    out.sideways.push(y * cos - x * sin);
    out.height.push(z);
    out.yaw.push(2 * Math.atan2(turn, w));
  }
  run.delete();
  return out;
}
