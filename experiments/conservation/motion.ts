/** One motion in one engine: energy and momentum at regular times. */
import { compile, maximalState, minimalState, Simulation, stateAt } from "dojo-sim";
import { type Mujoco, MujocoPeer, type MujocoSettings } from "../peers/mujoco.ts";
import type { Scene } from "./scenes.ts";

type Triple = readonly [number, number, number];

/** Energy, and momentum about the world's origin, at some time. */
export interface Reading {
  readonly time: number;
  readonly energy: number;
  readonly linear: Triple;
  readonly angular: Triple;
}

export interface Motion {
  readonly readings: readonly Reading[];
  /** Whether it got to the end. */
  readonly completed: boolean;
}

/** Between readings, s. */
const interval = 0.1;

/** Those that the integrator conserves: momentum of the discrete Legendre transform, energy of the interval. */
export function ourMotion(scene: Scene, timestep: number, seconds: number): Motion {
  const simulation = new Simulation(compile(scene.make(timestep)));
  let state = stateAt(simulation, scene.start());
  let solved = true;
  const read = (time: number): Reading => {
    return { time, energy: simulation.energy(state).total, ...simulation.momentum(state) };
  };
  const step = (): void => {
    const { status, next } = simulation.step(state);
    state = Float64Array.from(next);
    solved &&= status === "solved";
  };
  return move(timestep, seconds, { read, step, isSound: () => solved });
}

/** Those of qpos and qvel. */
export function mujocoMotion(
  mujoco: Mujoco,
  scene: Scene,
  timestep: number,
  seconds: number,
  integrator: NonNullable<MujocoSettings["integrator"]>,
): Motion {
  const description = scene.make(timestep);
  const mechanism = compile(description);
  const peer = new MujocoPeer(mujoco, description, { integrator });
  try {
    peer.setState(minimalState(mechanism, maximalState(mechanism, scene.start())));
    const read = (time: number): Reading => ({ time, ...readPeer(peer) });
    return move(timestep, seconds, { read, step: () => peer.step(), isSound: () => !peer.diverged });
  } finally {
    peer.delete();
  }
}

function readPeer({ mujoco, model, data }: MujocoPeer): Omit<Reading, "time"> {
  mujoco.mj_forward(model, data);
  mujoco.mj_energyVel(model, data);
  mujoco.mj_subtreeVel(model, data);
  // of the world and all that is in it; its angular momentum is about its centre of mass
  const three = (values: Float64Array): Triple => [values[0], values[1], values[2]];
  const [x, v, spin] = [data.subtree_com, data.subtree_linvel, data.subtree_angmom].map(three);
  const mass = model.body_subtreemass[0];
  const linear: Triple = [mass * v[0], mass * v[1], mass * v[2]];
  const angular: Triple = [
    spin[0] + x[1] * linear[2] - x[2] * linear[1],
    spin[1] + x[2] * linear[0] - x[0] * linear[2],
    spin[2] + x[0] * linear[1] - x[1] * linear[0],
  ];
  return { energy: data.energy[1], linear, angular };
}

interface Engine {
  read(time: number): Reading;
  step(): void;
  /** Whether all went well so far; asked with each reading. */
  isSound(): boolean;
}

function move(timestep: number, seconds: number, { read, step, isSound }: Engine): Motion {
  const every = Math.round(interval / timestep);
  const readings = [read(0)];
  for (let k = 1; k <= Math.round(seconds / timestep); k++) {
    step();
    if (k % every > 0) continue;
    if (!isSound()) return { readings, completed: false };
    readings.push(read(k * timestep));
  }
  return { readings, completed: true };
}
