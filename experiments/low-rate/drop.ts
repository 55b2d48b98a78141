/** One fall in one engine: the height of the torso's centre of mass at every step. */
import { bodyStateSize, compile, maximalState, minimalState, Simulation, stateAt } from "dojo-sim";
import { type Mujoco, MujocoPeer, type MujocoSettings } from "../peers/mujoco.ts";
import { releasePose, type Scene, withArmature } from "./scenes.ts";

export interface Fall {
  readonly rate: number;
  /** Metres, from the release on; shorter where the run ended early. */
  readonly heights: readonly number[];
  /** Whether every step was solved (ours), or no state was reset (MuJoCo). */
  readonly completed: boolean;
}

/** Whether MuJoCo has diverged is asked so often, s. */
const checkInterval = 0.05;

/** In this engine, if wanted with inertia added to the hinges' rotors. */
export function ourFall(scene: Scene, rate: number, armature = 0): Fall {
  const { description: plain, input } = scene.make(1 / rate);
  const description = armature > 0 ? withArmature(plain, armature) : plain;
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const torso = bodyStateSize * mechanism.bodies.findIndex(({ name }) => name === scene.torso);
  const start = stateAt(simulation, releasePose(scene, description), { input });
  const run = simulation.rollout(start, { steps: Math.round(scene.seconds * rate), controller: () => input });
  return { rate, heights: run.states.map((state) => state[torso + 2]), completed: run.solved };
}

export function mujocoFall(mujoco: Mujoco, scene: Scene, rate: number, settings: MujocoSettings): Fall {
  const { description, input } = scene.make(1 / rate);
  const mechanism = compile(description);
  const peer = new MujocoPeer(mujoco, description, settings);
  try {
    peer.setState(minimalState(mechanism, maximalState(mechanism, releasePose(scene, description))));
    peer.setInput(input);
    const { mujoco: api, model, data } = peer;
    const torso = 3 * model.body(scene.torso).id;
    const heights: number[] = [];
    const steps = Math.round(scene.seconds * rate);
    for (let k = 0; k <= steps; k++) {
      if (k > 0) peer.step();
      // positions of bodies lag a step behind
      api.mj_kinematics(model, data);
      heights.push(data.xipos[torso + 2]);
      // asking costs more than a step
      if (k % Math.round(rate * checkInterval) === 0 && peer.diverged) break;
    }
    return { rate, heights, completed: !peer.diverged };
  } finally {
    peer.delete();
  }
}
