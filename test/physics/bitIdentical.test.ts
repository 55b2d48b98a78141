/** The same numbers to the last bit, run after run and whichever way the kernels are run. */
import { describe, expect, it } from "vitest";
import {
  box,
  boxCorners,
  capsule,
  compile,
  fixed,
  floating,
  frictionContact,
  impactContact,
  interpreter,
  type JointDescription,
  javascript,
  linearContact,
  type Mechanism,
  maximalState,
  orbital,
  planar,
  prismatic,
  Random,
  revolute,
  Simulation,
  serial,
  spherical,
  type Target,
  universal,
  webassembly,
} from "../../src/index.ts";
import { printTable } from "./table.ts";

const steps = 300;
/** Of JavaScript, whose large functions are slow: the drop, the impact and some of what follows. */
const javascriptSteps = 120;
/** The interpreter is some hundred times slower. */
const interpretedSteps = 6;
const seed = 17;
/** Milliseconds: large functions of generated JavaScript are slow, slower on a busy machine. */
const patience = 180_000;

/**
 * A body with limbs on every kind of rotation, everything that acts on joints, and every contact model. Two limbs meet in a foot and
 * close a loop, or hang side by side. In a loop, forces act on rotation vectors too.
 */
function everything(shape: "loop" | "tree"): Mechanism {
  const torso = box({ size: [0.4, 0.3, 0.2], mass: 3 });
  const limb = capsule({ radius: 0.04, length: 0.3, mass: 0.5 });
  const hang = { childAnchor: [0, 0, 0.15] as const };
  const from = (x: number, y: number) => ({ parent: "torso", parentAnchor: [x, y, -0.1] as const, ...hang });
  const onVector = (forces: Partial<JointDescription>) => (shape === "loop" ? forces : {});
  const joints: Record<string, JointDescription> = {
    base: floating({ parent: "world", child: "torso" }),
    hinge: revolute({
      ...from(0.2, 0.1),
      child: "a",
      axis: [0, 1, 0],
      armature: 0.01,
      friction: 0.05,
      limits: [-0.5, 0.4],
      actuated: true,
    }),
    ball: spherical({ ...from(0.2, -0.1), child: "b", ...onVector({ stiffness: 3, damping: 0.05, tiltLimit: 0.6 }) }),
    cross: universal({
      ...from(-0.2, 0.1),
      child: "c",
      axes: [
        [1, 0, 0],
        [0, 0.6, 0.8],
      ],
      stiffness: 2,
      rest: [0.1, -0.1],
      actuated: [true, false],
    }),
    hips: serial({
      ...from(-0.2, -0.1),
      child: "d",
      axes: [
        [0, 1, 0],
        [1, 0, 0],
        [0, 0, 1],
      ],
      limits: [-0.7, 0.7],
      damping: 0.1,
      actuated: true,
      effortLimit: 1,
      effortCenter: 0.2,
    }),
    slide: prismatic({
      parent: "a",
      child: "e",
      childAnchor: [0, 0, 0.1],
      parentAnchor: [0, 0, -0.15],
      axis: [0, 0, 1],
      stiffness: 500,
      damping: 2,
      limits: [-0.05, 0.05],
    }),
    table: planar({
      parent: "b",
      child: "f",
      childAnchor: [0, 0, 0.15],
      parentAnchor: [0, 0, -0.15],
      axis: [0, 0, 1],
      stiffness: 300,
      limits: [[-0.03, 0.03], null],
    }),
    swing: orbital({
      parent: "c",
      child: "g",
      parentAnchor: [0, 0, -0.15],
      ...hang,
      axis: [0, 0, 1],
      ...onVector({ stiffness: 1, tiltLimit: 0.8 }),
    }),
    weld: fixed({ parent: "d", child: "i", parentAnchor: [0, 0, -0.15], ...hang }),
    servo: revolute({
      parent: "torso",
      child: "k",
      parentAnchor: [0, 0, 0.1],
      childAnchor: [0, 0, -0.15],
      axis: [1, 0, 0],
      servo: { stiffness: 20, damping: 0.5 },
    }),
    // torso, l, n, m: with the last hinge a rectangle
    left: revolute({ parent: "torso", child: "l", parentAnchor: [0, 0.15, 0], ...hang, axis: [1, 0, 0] }),
    right: revolute({ parent: "torso", child: "m", parentAnchor: [0, -0.15, 0], ...hang, axis: [1, 0, 0] }),
    leftFoot: revolute({
      parent: "l",
      child: "n",
      parentAnchor: [0, 0, -0.15],
      childAnchor: [0, 0.15, 0],
      axis: [1, 0, 0],
      damping: 0.05,
    }),
  };
  if (shape === "loop") {
    joints.rightFoot = revolute({
      parent: "m",
      child: "n",
      parentAnchor: [0, 0, -0.15],
      childAnchor: [0, -0.15, 0],
      axis: [1, 0, 0],
    });
  }
  return compile({
    timestep: 0.01,
    fluid: { density: 1.2, viscosity: 2e-5, wind: [1, 0, 0] },
    bodies: {
      torso,
      ...Object.fromEntries([..."abcdefgiklm"].map((name) => [name, limb])),
      n: box({ size: [0.1, 0.3, 0.05], mass: 0.5 }),
    },
    joints,
    gears: {
      tie: {
        terms: [
          { joint: "hinge", ratio: 1 },
          { joint: "servo", ratio: 0.5 },
        ],
      },
      tendon: {
        terms: [
          { joint: "hips", axis: 1, ratio: 1 },
          { joint: "cross", axis: 1, ratio: -0.5 },
        ],
        range: [-0.2, 0.3],
      },
      band: {
        terms: [
          { joint: "slide", ratio: 3 },
          { joint: "hips", ratio: 1 },
        ],
        stiffness: 4,
        damping: 0.1,
      },
    },
    thrusters: { jet: { body: "torso", force: [0, 0, 1], position: [0.1, 0, 0] } },
    contacts: [
      ...boxCorners(torso).map((point) => frictionContact({ body: "torso", point, frictionCoefficient: 0.6 })),
      frictionContact({ body: "e", point: [0, 0, -0.15], radius: 0.04, frictionCoefficient: 0.8 }),
      linearContact({ body: "f", point: [0, 0, -0.15], radius: 0.04, frictionCoefficient: 0.5 }),
      impactContact({ body: "g", point: [0, 0, -0.15], radius: 0.04 }),
      frictionContact({ body: "i", point: [0, 0, -0.15], radius: 0.04, frictionCoefficient: 1 }),
    ],
  });
}

/** Every state of a drop onto the floor under random inputs, as bits. */
function bitsOf(
  shape: "loop" | "tree",
  target: Target,
  count: number,
): { readonly bits: BigUint64Array; readonly iterations: number; readonly substepped: number } {
  const mechanism = everything(shape);
  const simulation = new Simulation(mechanism, { target });
  const random = new Random(seed);
  const state = maximalState(mechanism, {
    base: { position: [0, 0, 0.75, 0.1, -0.05, 0.2], velocity: [0.3, 0.1, 0, 0.2, 0.4, -0.3] },
  });
  const input = new Float64Array(simulation.inputSize);
  const bits = new BigUint64Array(count * state.length);
  let [iterations, substepped] = [0, 0];
  for (let k = 0; k < count; k++) {
    for (let i = 0; i < input.length; i++) input[i] = random.uniform(-0.3, 0.3);
    const result = simulation.step(state, input);
    expect(result.status, `step ${k}`).toBe("solved");
    state.set(result.next);
    bits.set(new BigUint64Array(state.buffer, state.byteOffset, state.length), k * state.length);
    iterations += result.iterations;
    if (result.substeps > 1) substepped++;
  }
  return { bits, iterations, substepped };
}

/** Index of the first number of the shorter that differs in the longer; −1 if none does. */
function firstDifference(a: BigUint64Array, b: BigUint64Array): number {
  return a.findIndex((bits, i) => bits !== b[i]);
}

describe("a mechanism with every feature", () => {
  it.each(["loop", "tree"] as const)(
    "that is a %s gives the same bits in two runs, in WebAssembly and JavaScript, and interpreted",
    (shape) => {
      const first = bitsOf(shape, webassembly, steps);
      expect(firstDifference(bitsOf(shape, webassembly, steps).bits, first.bits), "run again").toBe(-1);
      expect(firstDifference(bitsOf(shape, javascript, javascriptSteps).bits, first.bits), "JavaScript").toBe(-1);
      expect(firstDifference(bitsOf(shape, interpreter, interpretedSteps).bits, first.bits), "interpreted").toBe(-1);
      printTable(
        `Bit for bit: everything at once, as a ${shape}`,
        ["steps", "numbers compared", "iterations a step", "substepped"],
        [[steps, first.bits.length, first.iterations / steps, first.substepped]],
      );
    },
    patience,
  );
});
