/** Free chains thrown at each other: what joints hold makes no energy where it meets, and keeps its momentum. */
import { expect, test } from "vitest";
import {
  type BodyDescription,
  box,
  capsule,
  compile,
  cylinder,
  floating,
  type JointDescription,
  maximalState,
  prismatic,
  Random,
  revolute,
  Simulation,
  sphere,
  spherical,
} from "../../src/index.ts";

/** Part of its kinetic energy that a step may add, as of loose bodies: what is read at ends of intervals oscillates by less. */
const mostGain = 0.01;
/** Of 6 kg at 1 m/s, in 0.6 s; joints and contacts keep it to what solves leave. */
const mostDrift = 1e-6;

function linksWith(frictionCoefficient: number): Readonly<Record<string, BodyDescription>> {
  const contact = { frictionCoefficient };
  return {
    capsule: capsule({ radius: 0.04, length: 0.2, mass: 1, contact }),
    box: box({ size: [0.07, 0.05, 0.24], mass: 1, contact }),
    cylinder: cylinder({ radius: 0.04, length: 0.24, mass: 1, contact }),
    sphere: sphere({ radius: 0.1, mass: 1, contact }),
  };
}

type Joint = "ball" | "hinge" | "slider";

function jointOf(kind: Joint, chain: number, i: number): JointDescription {
  const [parent, child] = [`c${chain}l${i - 1}`, `c${chain}l${i}`];
  const ends = { parent, child, parentAnchor: [0, 0, -0.15], childAnchor: [0, 0, 0.15] } as const;
  if (kind === "ball") return spherical(ends);
  if (kind === "hinge") return revolute({ ...ends, axis: i === 1 ? [1, 0, 0] : [0, 1, 0] });
  return prismatic({ ...ends, axis: [0, 0, 1] });
}

function chains(kinds: readonly string[], joint: Joint, timestep: number, seed: number, spin = 2, friction = 0.4) {
  const links = linksWith(friction);
  const random = new Random(seed);
  const bodies: Record<string, BodyDescription> = {};
  const joints: Record<string, JointDescription> = {};
  const start: Record<string, { position: number[]; velocity: number[] }> = {};
  const about = (most: number) => random.uniform(-most, most);
  for (const chain of [0, 1]) {
    const way = chain === 0 ? 1 : -1;
    for (let i = 0; i < 3; i++) bodies[`c${chain}l${i}`] = links[kinds[(3 * chain + i) % kinds.length]];
    joints[`c${chain}`] = floating({ parent: "world", child: `c${chain}l0` });
    for (let i = 1; i < 3; i++) joints[`c${chain}j${i}`] = jointOf(joint, chain, i);
    start[`c${chain}`] = {
      position: [-way * 0.25, about(0.05), about(0.05), about(0.5), about(0.5), about(0.5)],
      velocity: [way, about(0.2), 0, about(spin), about(spin), about(spin)],
    };
  }
  const mechanism = compile({ timestep, gravity: [0, 0, 0], bodies, joints });
  return { simulation: new Simulation(mechanism), state: maximalState(mechanism, start) };
}

/** What each made of what it had, in one step, where impulses of crossing lines acted beyond the shapes; those without were right. */
const cases: readonly (readonly [Joint, readonly string[], number, number, string])[] = [
  ["ball", ["capsule"], 0.01, 6, "1.06 J of 4.64 J"],
  ["hinge", ["capsule"], 0.01, 12, "0.97 J of 2.58 J"],
  ["hinge", ["capsule"], 0.01, 8, "0.55 J of 5.43 J"],
  ["ball", ["cylinder"], 0.01, 6, "4.04 J of 5.27 J"],
  ["hinge", ["cylinder"], 0.02, 6, "59.6 J of 3.73 J"],
  ["slider", ["cylinder"], 0.01, 12, "0.044 J of 3.72 J"],
  ["ball", ["box", "capsule"], 0.003, 12, "0.15 J of 3.07 J"],
  ["slider", ["box"], 0.01, 3, "none"],
  ["hinge", ["capsule", "box", "cylinder", "sphere"], 0.01, 5, "none"],
];

/** Runs chains for 0.6 s; returns the largest number of parts of a step. */
function expectNoGain({ simulation, state }: ReturnType<typeof chains>): number {
  const momentum = simulation.momentum(state).linear;
  let current = state;
  let touches = 0;
  let parts = 1;
  for (let k = 0; k < 0.6 / simulation.timestep; k++) {
    const before = simulation.energy(current).kinetic;
    const { status, next, overlap, substeps } = simulation.step(current);
    expect(status).toBe("solved");
    expect(overlap).toBeLessThan(1e-9);
    touches += simulation.touches().some(({ force }) => Math.hypot(...force) > 1e-3) ? 1 : 0;
    expect(simulation.energy(next).kinetic, `step ${k}`).toBeLessThan((1 + mostGain) * before);
    parts = Math.max(parts, substeps);
    current = Float64Array.from(next);
  }
  expect(touches).toBeGreaterThan(0);
  simulation.momentum(current).linear.forEach((p, i) => {
    expect(Math.abs(p - momentum[i])).toBeLessThan(mostDrift);
  });
  return parts;
}

test.each(cases)(
  "chains with %s joints, of %j, h = %d, seed %d, make no energy; they made %s",
  (joint, kinds, h, seed) => {
    expectNoGain(chains(kinds, joint, h, seed));
  },
);

/** What each made as one step, where what turns far meets with another normal at its end. */
const turning: readonly (readonly [Joint, number, number, string])[] = [
  ["slider", 0.02, 6, "5.1 J of 13 J"],
  ["ball", 0.02, 3, "0.8 J of 9.7 J"],
];

test.each(turning)(
  "%s joints that turn far in a step, h = %d, seed %d, are taken in parts; they made %s",
  (joint, h, seed) => {
    const parts = expectNoGain(chains(["capsule", "box", "cylinder", "sphere"], joint, h, seed, 4, 0));
    expect(parts).toBeGreaterThan(1);
  },
);
