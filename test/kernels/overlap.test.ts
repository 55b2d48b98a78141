/**
 * Kernels from expressions store a value as soon as it is there (codegen/lower.ts), so nothing that a call still has to load may lie where it
 * has stored: every call of steps, gradients, bounces and shapes that touch is followed, load by load.
 */
import { describe, expect, test } from "vitest";
import { type Program, ProgramBuilder } from "../../src/codegen/index.ts";
import {
  compile,
  floating,
  type MechanismDescription,
  models,
  Simulation,
  scenes,
  sphere,
  startState,
  stepGradients,
} from "../../src/index.ts";
import { type Watch, watchedTarget } from "./watchedTarget.ts";

/** Those that load and store two lanes at a time are made from expressions. */
const isFromExpressions = ({ instructions, loop }: Program): boolean =>
  loop === undefined && instructions.some(({ op }) => op === "storePair");

/** Follows all calls and lists the programs that load what they have stored. */
class Follower implements Watch {
  readonly faults = new Set<string>();
  count = 0;

  calls(program: Program, words: Int32Array, at: number): void {
    if (!isFromExpressions(program)) return;
    this.count++;
    const operands = at + 3;
    const stored = new Set<number>();
    for (const instruction of program.instructions) {
      if (!("operand" in instruction)) continue;
      const { op, index } = instruction;
      const places = [words[operands + instruction.operand] + 8 * index];
      if ("operand2" in instruction) places.push(words[operands + instruction.operand2] + 8 * index);
      if (op === "storePair" || op === "store") for (const place of places) stored.add(place);
      else if (places.some((place) => stored.has(place))) this.faults.add(program.name);
    }
  }
}

function faultsOf(description: MechanismDescription): { faults: string[]; calls: number } {
  const follower = new Follower();
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism, { target: watchedTarget(follower) });
  const input = new Float64Array(mechanism.inputSize);
  let state = startState(mechanism, Object.keys(description.states ?? {})[0]);
  for (let k = 0; k < 6; k++) {
    stepGradients(simulation, state, input, { coordinates: k % 2 === 0 ? "minimal" : "maximal" });
    state = Float64Array.from(simulation.step(state, input).next);
  }
  return { faults: [...follower.faults], calls: follower.count };
}

const balls = ["lower", "upper"];

const robots: Readonly<Record<string, MechanismDescription>> = {
  a1: models.a1({ bodyContacts: true }),
  fourBar: models.fourBar({}),
  panda: models.panda({}),
  skydioX2: models.skydioX2({}),
  atlasThatMeetsItself: models.atlas({ selfCollisions: true }),
  stack: scenes.stack({}),
  bouncingBalls: {
    timestep: 0.02,
    bodies: Object.fromEntries(
      balls.map((name) => [name, sphere({ radius: 0.1, mass: 1, contact: { restitution: 0.5 } })]),
    ),
    joints: Object.fromEntries(balls.map((name) => [name, floating({ parent: "world", child: name })])),
    shapes: [{ kind: "halfSpace", contact: true }],
    states: {
      stacked: Object.fromEntries(balls.map((name, i) => [name, { position: [0, 0, 0.11 + 0.21 * i, 0, 0, 0] }])),
    },
  },
};

describe.each(Object.entries(robots))("%s", (_, description) => {
  test("no kernel loads what it has stored, in steps and in gradients", () => {
    const { faults, calls } = faultsOf(description);
    expect(faults).toEqual([]);
    expect(calls).toBeGreaterThan(100);
  });
});

test("a program that loads what it has stored is told", () => {
  const b = new ProgramBuilder("overlapping", 4);
  b.storePair(0, 1, 0, b.loadPair(2, 3, 0));
  b.storePair(0, 1, 1, b.loadPair(2, 3, 1));
  const follower = new Follower();
  const { memory, run } = watchedTarget(follower).load([b.finish()], 256);
  const words = new Int32Array(memory, 128);
  words.set([0, 7, 1, 0, 16, 32, 48]);
  run(128, 1);
  expect([...follower.faults]).toEqual([]);
  // the second number of the input is the first of the output
  words.set([0, 7, 1, 8, 64, 0, 48]);
  run(128, 1);
  expect([...follower.faults]).toEqual(["overlapping"]);
});
