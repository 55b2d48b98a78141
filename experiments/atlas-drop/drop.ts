/**
 * Atlas let go upright, half a metre above the floor, with the springs and dampers of the paper's drop (1 N·m/rad, 25 N·m·s/rad),
 * in both engines: how deep its feet go into the floor.
 */
import {
  compile,
  type JointState,
  type MechanismDescription,
  maximalState,
  minimalState,
  models,
  Simulation,
} from "dojo-sim";
import { type Mujoco, MujocoPeer, type MujocoSettings } from "../peers/mujoco.ts";

export const dropHeight = 0.5;

/** Contacts of the feet alone, as the paper's Atlas has, or of the whole body, so that it comes to rest on the floor. */
export type Contacts = "feet" | "body";

export interface Drop {
  readonly seconds: number;
  readonly description: MechanismDescription;
  readonly start: Readonly<Record<string, JointState>>;
}

export interface DropOptions {
  readonly timestep: number;
  readonly contacts: Contacts;
  readonly jointLimits?: boolean;
  /** How long it falls and lies. */
  readonly seconds: number;
}

export function atlasDrop({ timestep, contacts, jointLimits = true, seconds }: DropOptions): Drop {
  const bodyContacts = contacts === "body";
  const description = models.atlas({ timestep, spring: 1, damper: 25, bodyContacts, jointLimits });
  const { base, ...pose } = description.states?.straight ?? {};
  const [x, y, z, ...turn] = base.position ?? [];
  return { seconds, description, start: { ...pose, base: { position: [x, y, z + dropHeight, ...turn] } } };
}

/** A run: the lowest point of the feet after each step, m. */
export interface Fall {
  readonly lowest: readonly number[];
  /** Whether all steps were solved, or MuJoCo met no state that it had to reset. */
  readonly sound: boolean;
  /** Wall time of the steps alone. */
  readonly wallSeconds: number;
}

const isFoot = (name: string): boolean => name.includes("_foot");

const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b));

/** A drop that can be run again and again, one engine's. */
export interface Faller {
  fall(): Fall;
  end(): void;
}

export function ours({ seconds, description, start }: Drop): Faller {
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const first = maximalState(mechanism, start);
  const feet = mechanism.contacts.map(({ name }) => name).filter(isFoot);
  const steps = Math.round(seconds / simulation.timestep);
  return {
    fall() {
      const state = Float64Array.from(first);
      const lowest: number[] = [];
      let sound = true;
      let wall = 0;
      for (let k = 0; k < steps; k++) {
        const begin = performance.now();
        const { status, next } = simulation.step(state);
        wall += performance.now() - begin;
        sound &&= status === "solved";
        state.set(next);
        lowest.push(least(feet.map((name) => simulation.contact(name).distance)));
      }
      return { lowest, sound, wallSeconds: wall / 1000 };
    },
    end() {},
  };
}

export function mujocos(mujoco: Mujoco, { seconds, description, start }: Drop, settings: MujocoSettings): Faller {
  const mechanism = compile(description);
  const first = minimalState(mechanism, maximalState(mechanism, start));
  const peer = new MujocoPeer(mujoco, description, settings);
  const steps = Math.round(seconds / peer.timestep);
  return {
    fall() {
      peer.setState(first);
      const lowest: number[] = [];
      let wall = 0;
      for (let k = 0; k < steps; k++) {
        const begin = performance.now();
        peer.step();
        wall += performance.now() - begin;
        lowest.push(least([...peer.distances()].filter((_, i) => isFoot(peer.contactNames[i]))));
      }
      return { lowest, sound: !peer.diverged, wallSeconds: wall / 1000 };
    },
    end: () => peer.delete(),
  };
}
