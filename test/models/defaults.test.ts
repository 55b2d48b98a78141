/** What models and scenes are without options: a row for each option of each, with its default and a value that makes another description. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type MechanismDescription, models, scenes } from "../../src/index.ts";
import * as lists from "../../src/models/optionNames.ts";

/** A default, undefined for none, and another value. */
type Row = readonly [unknown, unknown];
type Rows = Readonly<Record<string, Row>>;

const common: Rows = {
  timestep: [0.01, 0.005],
  gravity: [
    [0, 0, -9.81],
    [0, 0, -1.62],
  ],
};
const floor = (frictionCoefficient: number): Rows => ({
  floor: [true, false],
  frictionCoefficient: [frictionCoefficient, 0.3],
  restitution: [undefined, 0.5],
});
const drive: Rows = { actuated: [true, false], servo: [undefined, { stiffness: 10, damping: 1 }] };
const limb = (frictionCoefficient: number): Rows => ({
  ...common,
  ...floor(frictionCoefficient),
  ...drive,
  bodyContacts: [true, false],
  jointLimits: [true, false],
});
const robot = (frictionCoefficient: number): Rows => ({
  ...limb(frictionCoefficient),
  effortLimits: [false, true],
  selfCollisions: [false, true],
});
const block: Rows = {
  ...common,
  ...floor(0.8),
  edge: [0.5, 1],
  mass: [1, 2],
  model: ["cone", "linear"],
  actuated: [false, true],
};

const ofModels: Readonly<Record<string, Rows>> = {
  pendulum: { ...common, ...drive, mass: [1, 2], length: [1, 2], radius: [0.05, 0.1], damping: [0, 1] },
  nPendulum: { ...common, ...drive, links: [5, 3], mass: [1, 2], length: [0.5, 1], damping: [0, 1] },
  cartpole: { ...common, ...drive, cartMass: [1, 2], poleMass: [0.2, 0.3], length: [1, 2], damping: [0, 1] },
  slider: { ...common, ...drive, mass: [1, 2], stiffness: [50, 20], damping: [0, 1] },
  block,
  planarBlock: block,
  sphere: { ...common, ...floor(0.8), radius: [0.5, 1], mass: [1, 2], actuated: [false, true] },
  dzhanibekov: {
    ...common,
    gravity: [
      [0, 0, 0],
      [0, 0, -9.81],
    ],
    spin: [6, 3],
    disturbance: [0.01, 0.1],
  },
  tippeTop: {
    ...common,
    ...floor(0.3),
    frictionCoefficient: [0.3, 0.5],
    radius: [0.5, 1],
    mass: [1, 2],
    offset: [0.3, 0.1],
    spin: [50, 20],
  },
  snake: {
    ...common,
    ...floor(0.5),
    ...drive,
    links: [5, 3],
    mass: [0.5, 1],
    length: [0.3, 0.5],
    radius: [0.05, 0.02],
    joints: ["universal", "spherical"],
    damping: [0.05, 1],
  },
  rope: { ...common, links: [10, 5], length: [1, 2], mass: [0.2, 1], damping: [1e-4, 1e-2], load: [0, 1] },
  fourBar: { ...common, ...drive, base: [0.4, 0.5], side: [0.6, 0.7], coupler: [0.8, 0.7], damping: [0, 1] },
  delta: { ...common, ...drive, damping: [0.05, 1] },
  raibertHopper: {
    ...common,
    ...floor(0.5),
    ...drive,
    bodyTorques: [true, false],
    jointLimits: [true, false],
    legLength: [0.5, 0.4],
  },
  hopper: { ...limb(0.9), damping: [50, 2] },
  walker: { ...limb(0.9), damping: [0.1, 2] },
  halfCheetah: { ...limb(0.4), springs: [true, false], dampingFactor: [1, 2] },
  ant: { ...limb(0.5), selfCollisions: [false, true], stiffness: [0, 1], damping: [1, 2] },
  a1: { ...robot(0.8), damping: [0.05, 1] },
  atlas: { ...robot(0.8), spring: [0, 1], damper: [0.1, 25], rootActuated: [true, false], sensors: [false, true] },
  humanoid: { ...robot(0.8), springs: [true, false] },
  panda: { ...robot(0.8), gripper: [true, false], damping: [1, 2], armature: [0.1, 0.2] },
  skydioX2: { ...common, ...floor(0.8), fluid: [true, false] },
  xarm6WithBox: {
    ...limb(0.5),
    effortLimits: [false, true],
    damping: [1, 2],
    box: [true, false],
    boxSize: [
      [0.1, 0.1, 0.1],
      [0.2, 0.1, 0.1],
    ],
    boxMass: [0.5, 1],
    boxPosition: [
      [0.4, 0],
      [0.5, 0],
    ],
  },
};

const ofScenes: Readonly<Record<string, Rows>> = {
  stack: {
    ...common,
    count: [10, 3],
    edge: [0.2, 0.1],
    mass: [1, 2],
    massRatio: [1, 2],
    frictionCoefficient: [0.8, 0.3],
  },
  pyramid: { ...common, layers: [5, 2], edge: [0.2, 0.1], mass: [1, 2], frictionCoefficient: [0.8, 0.3] },
  cardHouse: {
    ...common,
    storeys: [3, 2],
    card: [
      [0.1, 0.07, 0.002],
      [0.1, 0.05, 0.002],
    ],
    mass: [0.002, 0.003],
    lean: [0.3, 0.25],
    frictionCoefficient: [0.8, 0.3],
  },
  dominoes: {
    ...common,
    count: [50, 5],
    size: [
      [0.012, 0.04, 0.08],
      [0.01, 0.04, 0.08],
    ],
    gap: [0.03, 0.02],
    mass: [0.04, 0.05],
    frictionCoefficient: [0.5, 0.3],
  },
  pile: {
    ...common,
    timestep: [0.005, 0.01],
    count: [40, 10],
    radius: [0.05, 0.04],
    density: [500, 1000],
    width: [0.6000000000000001, 1],
    seed: [1, 2],
    frictionCoefficient: [0.5, 0.3],
  },
  gripper: {
    ...common,
    object: ["box", "sphere"],
    mass: [0.5, 1],
    width: [0.06, 0.05],
    frictionCoefficient: [0.8, 0.3],
  },
  cradle: {
    ...common,
    count: [5, 3],
    radius: [0.05, 0.04],
    mass: [0.2, 0.3],
    length: [0.4, 0.5],
    gap: [1e-4, 1e-3],
    lifted: [1, 2],
    angle: [0.6, 0.3],
    restitution: [1, 0.5],
  },
  marbles: { ...common, count: [12, 5], radius: [0.04, 0.03], mass: [0.1, 0.2], frictionCoefficient: [0.3, 0.4] },
  pegInHole: {
    ...common,
    peg: [
      [0.04, 0.12],
      [0.03, 0.12],
    ],
    play: [0.001, 0.002],
    mass: [0.3, 0.4],
    frictionCoefficient: [0.2, 0.3],
  },
};

/** The options of each, as the code lists them: "${common} mass length". */
function listed(file: string): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(join(import.meta.dirname, "../../src/models", file), "utf8");
  const parts: Record<string, string> = { ...lists, ofBlock: /ofBlock = `([^`]*)`/.exec(text)?.[1] ?? "" } as never;
  const filled = (list: string): string => list.replace(/\$\{(\w+)\}/g, (_, part: string) => filled(parts[part]));
  const table = text.slice(text.indexOf("withCheckedOptions("));
  return new Map(
    [...table.matchAll(/^ {2}(\w+): (?:`([^`]*)`|(ofBlock)),$/gm)].map(([, name, list, part]) => [
      name,
      filled(list ?? parts[part]).split(" "),
    ]),
  );
}

type Make = (options?: object) => MechanismDescription;

describe.each([
  ["index.ts", models, ofModels],
  ["scenes/index.ts", scenes, ofScenes],
] as const)("%s", (file, makers, table) => {
  test("has a row for each option", () => {
    const found = listed(file);
    expect([...found.keys()]).toEqual(Object.keys(makers));
    for (const [name, options] of found) expect(Object.keys(table[name]).sort(), name).toEqual([...options].sort());
  });

  test.each(Object.entries(table))("%s", (name, rows) => {
    const make = (makers as unknown as Record<string, Make>)[name];
    const bare = make();
    for (const [option, [value, other]] of Object.entries(rows)) {
      expect(make({ [option]: value }), `${option}: ${JSON.stringify(value)}`).toEqual(bare);
      expect(make({ [option]: other }), `${option}: ${JSON.stringify(other)}`).not.toEqual(bare);
    }
  });
});
