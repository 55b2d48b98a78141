/** A run that is cut in two, its continuation handed on through JSON to a simulation of its own, is the whole run to the bit. */
import { describe, expect, test } from "vitest";
import { type JointState, maximalState } from "../../coordinates/index.ts";
import { Random } from "../../math/index.ts";
import {
  box,
  boxCorners,
  capsule,
  floating,
  frictionContact,
  type Mechanism,
  type MechanismDescription,
  revolute,
  universal,
} from "../../mechanism/index.ts";
import { models } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import type { RolloutOptions } from "../simulationOptions.ts";
import { compile } from "../states/compileMechanism.ts";
import type { Continuation } from "./continuation.ts";
import { replayStep } from "./replayStep.ts";
import { dumpStep } from "./stepDump.ts";

interface Scene {
  readonly description: MechanismDescription;
  readonly start: Readonly<Record<string, JointState>>;
  /** Largest input. */
  readonly effort: number;
  readonly angles?: Continuation["angles"];
  readonly steps?: readonly [whole: number, first: number];
  /** What the scene is there for: something that the state alone does not have where the run is cut. */
  readonly carries: (continuation: Continuation) => boolean;
}

const wheel = capsule({ radius: 0.1, length: 0.3, mass: 1 });
const crate = box({ size: [0.3, 0.2, 0.4], mass: 1 });

const linkage = models.fourBar();
const fourBar: MechanismDescription = {
  ...linkage,
  joints: {
    ...linkage.joints,
    leftPivot: { ...linkage.joints?.leftPivot, limits: [0.2, 0.5], friction: 0.1 } as never,
  },
};

const scenes: Readonly<Record<string, Scene>> = {
  "a quadruped, a tree with contacts and limits": {
    description: models.a1(),
    start: { ...models.a1().states?.rest },
    effort: 8,
    carries: ({ warm }) => warm !== undefined && "contacts.RL_calf" in warm.cones,
  },
  "a four-bar, a loop": {
    description: fourBar,
    start: { ...fourBar.states?.rest },
    effort: 2,
    carries: ({ warm }) => warm !== undefined && "joints.leftPivot" in warm.cones,
  },
  "gears that turn many times": {
    description: {
      timestep: 0.02,
      gravity: [0, 0, 0],
      bodies: { one: wheel, two: wheel },
      joints: {
        one: revolute({ parent: "world", child: "one", axis: [0, 0, 1], limits: [-30, 30], actuated: true }),
        two: revolute({ parent: "world", child: "two", axis: [0, 0, 1], parentAnchor: [1, 0, 0], friction: 0.001 }),
      },
      gears: {
        mesh: {
          terms: [
            { joint: "one", ratio: 1 },
            { joint: "two", ratio: 2.5 },
          ],
        },
      },
    },
    start: { one: { velocity: [20] }, two: { velocity: [-8] } },
    effort: 0.2,
    carries: ({ angles }) => Number(angles.one[0]) > 2 * Math.PI,
  },
  "angles that are wound up, about a hinge and about two": {
    description: {
      timestep: 0.02,
      bodies: { one: crate, two: crate },
      joints: {
        one: revolute({
          parent: "world",
          child: "one",
          axis: [0, 0, 1],
          stiffness: 0.02,
          limits: [-25, null],
          actuated: true,
        }),
        two: universal({
          parent: "one",
          child: "two",
          axes: [
            [1, 0, 0],
            [0, 1, 0],
          ],
          childAnchor: [0, 0, 0.3],
          servo: { stiffness: 3, damping: 1 },
          limits: [[-1, 12], null],
        }),
      },
    },
    start: { one: { position: [20] }, two: { position: [7, -4] } },
    angles: { one: [20], two: [7, -4] },
    effort: 0.3,
    carries: ({ angles }) => Math.abs(Number(angles.one[0])) > 2 * Math.PI,
  },
  "a box that spins too fast for its time step": {
    description: {
      timestep: 0.05,
      bodies: { crate },
      joints: { base: floating({ parent: "world", child: "crate", actuated: true }) },
      contacts: boxCorners(crate).map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.5 })),
    },
    start: { base: { position: [0, 0, 1, 0, 0, 0], velocity: [2, 0, 3, 3, 26, 2] } },
    effort: 0.5,
    steps: [40, 15],
    carries: ({ interval = 0.05 }) => interval < 0.05,
  },
};

function inputs(mechanism: Mechanism, effort: number, count: number): Float64Array[] {
  const random = new Random(7);
  return Array.from({ length: count }, () =>
    Float64Array.from({ length: mechanism.inputSize }, () => effort * random.uniform(-1, 1)),
  );
}

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe.each(Object.entries(scenes))("%s", (_, { description, start, effort, angles, carries, steps = [100, 40] }) => {
  const mechanism = compile(description);
  const state = maximalState(mechanism, start);
  const [whole, first] = steps;
  const given = inputs(mechanism, effort, whole);
  const begin = angles && { continuation: { version: 1, angles } as const };
  const options = (from: number, count: number): RolloutOptions => ({
    steps: count,
    controller: (_state, k) => given[from + k],
  });

  test.each([
    ["", {}],
    [" with gradients", { gradients: true }],
    [" with gradients between checkpoints", { gradients: { checkpointEvery: 7 } }],
  ] as const)("goes on to the bit%s", (_name, kind) => {
    const all = new Simulation(mechanism).rollout(state, { ...options(0, whole), ...begin, ...kind });
    expect(all.solved).toBe(true);
    const before = new Simulation(mechanism).rollout(state, { ...options(0, first), ...begin, ...kind });
    const { continuation } = before;
    expect(carries(continuation)).toBe(true);
    const after = new Simulation(mechanism).rollout(before.final.slice(), {
      ...options(first, whole - first),
      ...kind,
      continuation: throughJson(continuation),
    });
    expect(after.final).toEqual(all.final);
    expect(after.reports).toEqual(all.reports.slice(first));
    expect(after.continuation).toEqual(all.continuation);
  });

  test("a step goes on to the bit, and so does its dump", () => {
    const simulation = new Simulation(mechanism);
    const before = simulation.rollout(state, { ...options(0, first), ...begin });
    const { continuation } = simulation;
    expect(continuation).toEqual(before.continuation);
    const from = before.final.slice();
    const dump = throughJson(dumpStep(simulation, from, given[first], { interval: before.continuation.interval }));
    const { next, ...report } = simulation.step(from, given[first], { interval: before.continuation.interval });
    const expected = next.slice();
    const fresh = new Simulation(mechanism).step(from, given[first], { continuation });
    expect(fresh.next).toEqual(expected);
    const replayed = replayStep(dump);
    expect(replayed.next).toEqual(expected);
    expect({ ...replayed, next: undefined }).toEqual({ ...report, next: undefined });
    // set to nothing, the next step is that of a simulation which knows nothing
    simulation.continuation = undefined;
    const cold = simulation.step(from, given[first], { interval: before.continuation.interval }).next.slice();
    const alone = new Simulation(mechanism).step(from, given[first], { interval: before.continuation.interval });
    expect(cold).toEqual(alone.next);
  });
});

describe("a continuation that is none says where", () => {
  const mechanism = compile(models.hopper());
  const start = maximalState(mechanism, Object.values(mechanism.description.states ?? {})[0]);
  const { final, continuation } = new Simulation(mechanism).rollout(start, { steps: 5 });
  const changed = (path: string, value: unknown): Continuation => {
    const copy = JSON.parse(JSON.stringify({ gears: {}, ...continuation }));
    const parts = path.split("/");
    const last = parts.pop() as string;
    parts.reduce((part, name) => part[name], copy)[last] = value;
    return copy;
  };

  test.each([
    ["angles", null, /continuation: without angles/],
    ["angles/PATH", "x", /continuation\.angles\.\w+: "x"; give \d finite numbers/],
    ["gears", "x", /continuation\.gears: give what a run has left/],
    ["gears/g", "x", /continuation\.gears\.g: "x" is no number/],
    ["interval", "x", /continuation\.interval: "x" is no number/],
    ["warm", "x", /continuation\.warm: give what a run has left/],
    ["warm/cones", null, /continuation\.warm\.cones: give what a run has left/],
    ["warm/state/0", "x", /continuation\.warm\.state\[0\]: "x" is no number/],
    ["touch", 3, /continuation\.touch: give what a run has left/],
  ])("%s = %j", (path, value, message) => {
    const [angle] = Object.keys(continuation.angles);
    const handed = changed(path.replace("PATH", angle), value);
    expect(() => new Simulation(mechanism).rollout(final, { steps: 1, continuation: handed })).toThrow(message);
  });

  test("numbers of cones are named by their node", () => {
    const handed = JSON.parse(JSON.stringify(continuation));
    const [name] = Object.keys(handed.warm.cones);
    handed.warm.cones[name].end.b[0] = null;
    expect(() => new Simulation(mechanism).rollout(final, { steps: 1, continuation: handed })).toThrow(
      `continuation.warm.cones.${name}.end.b[0]: null is no number`,
    );
  });
});

test("names that all objects know are names as any other", () => {
  const limb = capsule({ radius: 0.05, length: 0.6, mass: 1 });
  const hinge = revolute({
    parent: "world",
    child: "toString",
    axis: [1, 0, 0],
    childAnchor: [0, 0, 0.3],
    limits: [-9, 9],
  });
  const mechanism = compile({ timestep: 0.01, bodies: { toString: limb }, joints: { constructor: hinge } });
  const start = maximalState(mechanism, { constructor: { position: [1] } });
  for (const options of [{}, { errorTolerance: 1e-3 }]) {
    const whole = new Simulation(mechanism, options).rollout(start, { steps: 20 });
    const first = new Simulation(mechanism, options).rollout(start, { steps: 10 });
    const continuation = JSON.parse(JSON.stringify(first.continuation));
    expect(continuation.angles.constructor).toHaveLength(1);
    expect(new Simulation(mechanism, options).rollout(first.final, { steps: 10, continuation }).final).toEqual(
      whole.final,
    );
    // without accelerations
    if (continuation.pace) delete continuation.pace.accelerations;
    expect(new Simulation(mechanism, options).rollout(first.final, { steps: 1, continuation }).solved).toBe(true);
  }
});
