/** Both engines, simulating a scene at any fineness: where all bodies are at the sampled times, and how long it takes. */
import { bodyStateSize, compile, maximalState, minimalState, Simulation, stateAt } from "dojo-sim";
import { type Mujoco, MujocoPeer, type MujocoSettings } from "../peers/mujoco.ts";
import type { Scene } from "./scenes.ts";

/** Centres of all bodies at one time, x y z of each. */
export type Positions = Float64Array;

export interface Engine {
  readonly name: string;
  /** What a fineness of 1, 2, 4 … stands for: so many steps from one sample to the next, or a tolerance. */
  setting(fineness: number): string;
  /** Positions at all samples; undefined when it diverged. */
  positions(fineness: number): readonly Positions[] | undefined;
  /** Seconds of the same without looking. */
  seconds(fineness: number): number;
  delete(): void;
}

const settings = {
  "MuJoCo, Euler (default)": {},
  "MuJoCo, RK4": { integrator: "RK4" },
  "MuJoCo, discrete": { integrator: "discrete" },
} as const satisfies Record<string, MujocoSettings>;

export const defaultPeer = "MuJoCo, Euler (default)";

/** How our steps are taken: as they are by default, with dampers between two increments, and divided by a tolerance besides. */
const ways = {
  ours: { dampers: {}, isDivided: false },
  "ours, centred dampers": { dampers: { damperCentering: 0.65 }, isDivided: false },
  "ours, tolerance": { dampers: { damperCentering: 0.65 }, isDivided: true },
} as const;
type Way = (typeof ways)[keyof typeof ways];

export const ourNames = Object.keys(ways);
/** Whose finest run is the limit of all of ours: the most accurate of those with whole steps. */
export const limitName = "ours, centred dampers";
export const engineNames = [...ourNames, ...Object.keys(settings)];

/** Metres and radians, at a fineness of 1; it falls with the square of the fineness. */
const coarsestTolerance = 0.08;

export function engines(mujoco: Mujoco, scene: Scene): Engine[] {
  return [
    ...Object.entries(ways).map(([name, way]) => ourEngine(scene, name, way)),
    ...Object.entries(settings).map(([name, setting]) => mujocoEngine(mujoco, scene, name, setting)),
  ];
}

function ourEngine({ description, start, input, seconds, samples }: Scene, name: string, way: Way): Engine {
  const mechanism = compile({ ...description, ...way.dampers });
  const simulation = new Simulation(mechanism);
  const perSample = (fineness: number): number => (way.isDivided ? 1 : fineness);
  const timestep = (fineness: number): number => seconds / (samples * perSample(fineness));
  const tolerance = (fineness: number): number => coarsestTolerance / fineness ** 2;
  const optionsOf = (fineness: number) => (way.isDivided ? { errorTolerance: tolerance(fineness) } : {});
  const begin = (fineness: number): Float64Array => {
    simulation.setParameter("timestep", timestep(fineness));
    return stateAt(simulation, start, { input, ...optionsOf(fineness) });
  };
  const advance = (state: Float64Array, steps: number, options: { readonly errorTolerance?: number }): boolean => {
    for (let k = 0; k < steps; k++) {
      const { status, next } = simulation.step(state, input, options);
      if (status !== "solved") return false;
      state.set(next);
    }
    return true;
  };
  return {
    name,
    setting: (fineness) =>
      way.isDivided ? `${tolerance(fineness).toPrecision(2)} m` : `${timestep(fineness).toPrecision(2)} s`,
    positions(fineness) {
      const state = begin(fineness);
      const options = optionsOf(fineness);
      const all: Positions[] = [];
      for (let i = 0; i < samples; i++) {
        if (!advance(state, perSample(fineness), options)) return undefined;
        all.push(
          Float64Array.from(
            mechanism.bodies.flatMap(({ index }) => [...state.subarray(bodyStateSize * index).subarray(0, 3)]),
          ),
        );
      }
      return all;
    },
    seconds(fineness) {
      const state = begin(fineness);
      const options = optionsOf(fineness);
      return timed(() => advance(state, samples * perSample(fineness), options));
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
    setting: (stepsASample) => `${(seconds / (samples * stepsASample)).toPrecision(2)} s`,
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
