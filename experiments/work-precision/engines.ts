/** Both engines, simulating a scene at any time step: where all bodies are at the sampled times, and how long it takes. */
import { compile, maximalState, minimalState, Simulation, stateAt } from "dojo-sim";
import { type Mujoco, MujocoPeer, type MujocoSettings } from "../peers/mujoco.ts";
import type { Scene } from "./scenes.ts";

/** Centres of all bodies at one time, x y z of each. */
export type Positions = Float64Array;

export interface Engine {
  readonly name: string;
  /** Positions at all samples, with so many steps from one to the next; undefined when it diverged. */
  positions(stepsASample: number): readonly Positions[] | undefined;
  /** Seconds of the same without looking. */
  seconds(stepsASample: number): number;
  delete(): void;
}

const settings = {
  "MuJoCo, Euler (default)": {},
  "MuJoCo, RK4": { integrator: "RK4" },
  "MuJoCo, discrete": { integrator: "discrete" },
} as const satisfies Record<string, MujocoSettings>;

export const engineNames = ["ours", ...Object.keys(settings)];

export function engines(mujoco: Mujoco, scene: Scene): Engine[] {
  return [
    ourEngine(scene),
    ...Object.entries(settings).map(([name, setting]) => mujocoEngine(mujoco, scene, name, setting)),
  ];
}

function ourEngine({ description, start, input, seconds, samples }: Scene): Engine {
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const begin = (stepsASample: number): Float64Array => {
    simulation.setParameter("timestep", seconds / (samples * stepsASample));
    return stateAt(simulation, start, { input });
  };
  const advance = (state: Float64Array, steps: number): boolean => {
    for (let k = 0; k < steps; k++) {
      const { status, next } = simulation.step(state, input);
      if (status !== "solved") return false;
      state.set(next);
    }
    return true;
  };
  return {
    name: "ours",
    positions(stepsASample) {
      const state = begin(stepsASample);
      const all: Positions[] = [];
      for (let i = 0; i < samples; i++) {
        if (!advance(state, stepsASample)) return undefined;
        all.push(
          Float64Array.from(mechanism.bodies.flatMap(({ index }) => [...state.subarray(13 * index, 13 * index + 3)])),
        );
      }
      return all;
    },
    seconds(stepsASample) {
      const state = begin(stepsASample);
      return timed(() => advance(state, samples * stepsASample));
    },
    delete() {},
  };
}

function mujocoEngine(mujoco: Mujoco, scene: Scene, name: string, setting: MujocoSettings): Engine {
  const mechanism = compile(scene.description);
  const peer = new MujocoPeer(mujoco, scene.description, setting);
  const { model, data } = peer;
  const { seconds, samples } = scene;
  const start = minimalState(mechanism, maximalState(mechanism, scene.start), mechanism.timestep);
  const begin = (stepsASample: number): void => {
    model.opt.timestep = seconds / (samples * stepsASample);
    peer.setState(start);
    peer.setInput(scene.input);
  };
  const advance = (steps: number): void => {
    for (let k = 0; k < steps; k++) mujoco.mj_step(model, data);
  };
  return {
    name,
    positions(stepsASample) {
      begin(stepsASample);
      const all: Positions[] = [];
      for (let i = 0; i < samples; i++) {
        advance(stepsASample);
        if (peer.diverged) return undefined;
        all.push(Float64Array.from(mechanism.bodies.flatMap((body) => peer.center(body.name))));
      }
      return all;
    },
    seconds(stepsASample) {
      begin(stepsASample);
      return timed(() => advance(samples * stepsASample));
    },
    delete: () => peer.delete(),
  };
}

function timed(work: () => void): number {
  const begin = performance.now();
  work();
  return (performance.now() - begin) / 1000;
}

/** Largest distance of any body at any sample. */
export function largestDistance(a: readonly Positions[], b: readonly Positions[]): number {
  let largest = 0;
  a.forEach((positions, i) => {
    for (let k = 0; k < positions.length; k += 3) {
      largest = Math.max(largest, Math.hypot(...[0, 1, 2].map((j) => positions[k + j] - b[i][k + j])));
    }
  });
  return largest;
}
