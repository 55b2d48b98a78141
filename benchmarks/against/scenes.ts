/** Scenes that two builds of the library are compared on: descriptions, starts and inputs as data, the same for both. */
import { compile, type MechanismDescription, models, Random, scenes } from "dojo-sim";
import { cassieLike } from "../loopScenes.ts";

export interface Scene {
  readonly name: string;
  readonly description: MechanismDescription;
  /** The state it starts in, by name; undefined for the first one that there is. */
  readonly start?: string;
  /** Steps of a run, and at how many torques, forces and targets its inputs reach (random, changed every tenth step). */
  readonly steps: number;
  readonly reach: number;
}

const timestep = 0.01;
const robot = (name: string, description: MechanismDescription, reach: number, start?: string): Scene => ({
  ...{ name, description: { ...description, timestep }, steps: 100, reach },
  ...(start && { start }),
});
const still = (name: string, description: MechanismDescription, steps: number): Scene => ({
  ...{ name, description: { ...description, timestep }, steps, reach: 0 },
});

export const groups: Readonly<Record<string, () => readonly Scene[]>> = {
  robots: () => [
    robot("a1", models.a1({ bodyContacts: true }), 8, "rest"),
    robot("humanoid", models.humanoid({ bodyContacts: true }), 15, "rest"),
    robot("panda", models.panda({ floor: false }), 4, "rest"),
    robot("ant", models.ant(), 10),
    robot("atlas", models.atlas({ damper: 25 }), 30, "rest"),
    robot("walker", models.walker(), 10),
    robot("hopper", models.hopper(), 10),
    robot("halfCheetah", models.halfCheetah(), 10),
    robot("snake", models.snake(), 0.5),
  ],
  shapes: () => [
    still("stack of ten", scenes.stack({ count: 10 }), 60),
    still("cards", scenes.cardHouse(), 60),
    still("block", models.block(), 60),
    still("pile of 40", scenes.pile({ count: 40 }), 12),
    { ...robot("humanoid that touches itself", models.humanoid({ selfCollisions: true }), 15, "rest"), steps: 40 },
  ],
  loops: () => [
    robot("four-bar", models.fourBar(), 0.5),
    robot("delta", models.delta(), 1),
    robot("cassie-like", cassieLike(), 5, "dropped"),
  ],
};

/** Inputs of all steps; none where nothing is driven. Bases are left alone. */
export function inputsOf({ description, steps, reach }: Scene): Float64Array[] {
  const { inputNames } = compile(description);
  const random = new Random(5);
  const inputs: Float64Array[] = [];
  for (let k = 0; k < steps; k++) {
    const draw = (name: string): number => (name.startsWith("base.") ? 0 : random.uniform(-reach, reach));
    inputs.push(k % 10 === 0 ? Float64Array.from(inputNames, draw) : inputs[k - 1]);
  }
  return inputs;
}
