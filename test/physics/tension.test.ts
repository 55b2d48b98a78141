/** Light links under tension: the time step at which they begin to shake is the leapfrog method's, and is named. */
import { expect, test } from "vitest";
import {
  box,
  compile,
  type Mechanism,
  maximalState,
  revolute,
  Simulation,
  sphere,
  spherical,
  stateAt,
  stretchedBodies,
} from "../../src/index.ts";

const links = 10;
const load = 300;
const g = 9.81;
/** rad: how far each link starts from hanging straight down. */
const start = 1e-3;

/** Ten rods of 1 kg and 1 m with a load at their end. */
function chain(timestep: number, joint: typeof revolute | typeof spherical): Mechanism {
  const name = (i: number): string => (i < 0 ? "world" : i < links ? `rod${i}` : "load");
  const rod = box({ size: [0.02, 0.02, 1], mass: 1 });
  const bodies = Object.fromEntries(Array.from({ length: links }, (_, i) => [name(i), rod]));
  const joints = Array.from({ length: links + 1 }, (_, i) => {
    const ends = { parent: name(i - 1), child: name(i) };
    const parentAnchor = [0, 0, i === 0 ? 0 : -0.5] as const;
    const childAnchor = [0, 0, i === links ? 0 : 0.5] as const;
    const anchors = { ...ends, parentAnchor, childAnchor };
    return [`joint${i}`, joint === revolute ? revolute({ ...anchors, axis: [1, 0, 0] }) : spherical(anchors)];
  });
  return compile({
    timestep,
    bodies: { ...bodies, load: sphere({ radius: 0.2, mass: load }) },
    joints: Object.fromEntries(joints),
  });
}

/** Largest angle of a link in so many seconds, and the largest phase that was named. */
function hang(timestep: number, joint: typeof revolute | typeof spherical, seconds: number) {
  const mechanism = chain(timestep, joint);
  const simulation = new Simulation(mechanism);
  const angle = (i: number): number[] =>
    joint === revolute ? [start * Math.sin(2.1 * i)] : [start * Math.sin(2.1 * i), 0, 0];
  const bent = Array.from({ length: links }, (_, i) => [`joint${i}`, { position: angle(i) }]);
  let state = maximalState(mechanism, Object.fromEntries(bent));
  let worst = 0;
  let phase = 0;
  for (let k = 0; k < seconds / timestep; k++) {
    const { status, next } = simulation.step(state);
    if (status !== "solved") return { worst: Infinity, phase };
    if (k < 10) phase = Math.max(phase, stretchedBodies(simulation, state)[0]?.phase ?? 0);
    state = next.slice();
    for (let i = 0; i < links; i++) worst = Math.max(worst, 2 * Math.abs(state[13 * i + 4]));
  }
  return { worst, phase };
}

test("what hangs still because a tolerance divides the steps is not named", () => {
  // twice as long as the bound of whole steps
  const simulation = new Simulation(chain(0.02, revolute), { errorTolerance: 1e-4 });
  const bent = Array.from({ length: links }, (_, i) => [`joint${i}`, { position: [start * Math.sin(2.1 * i)] }]);
  let state = stateAt(simulation, Object.fromEntries(bent));
  let worst = 0;
  for (let k = 0; k < 100; k++) {
    const { status, next } = simulation.step(state);
    expect(status).toBe("solved");
    expect(stretchedBodies(simulation, state)).toEqual([]);
    state = next.slice();
    for (let i = 0; i < links; i++) worst = Math.max(worst, 2 * Math.abs(state[13 * i + 4]));
  }
  expect(worst).toBeLessThan(2 * start);
});

test("the longest step that can follow a body is where its phase is 2", () => {
  const simulation = new Simulation(chain(0.02, revolute));
  const state = maximalState(simulation.mechanism);
  simulation.step(state);
  const [{ body, phase, timestep }] = stretchedBodies(simulation, state);
  expect({ body, bound: (timestep * phase) / 0.02 }).toEqual({ body: "rod0", bound: 2 });
  // the tension in the middle of the uppermost rod
  expect(timestep).toBeCloseTo(2 / Math.sqrt(12 * (load + links - 0.5) * g), 4);
});

for (const [name, joint] of [
  ["hinges", revolute],
  ["balls", spherical],
] as const) {
  test(`a chain of rods on ${name} hangs still up to h √(12 T/(m l)) = 2 and shakes beyond, and says so`, () => {
    // T of the top rod, between its two ends; its J has the thickness of the rod in it: 0.04%
    const tension = (load + links - 0.5) * g;
    const phase = (h: number): number => h * Math.sqrt(12 * tension);
    expect(phase(0.01)).toBeLessThan(2);
    expect(phase(0.011)).toBeGreaterThan(2);
    const still = hang(0.01, joint, 5);
    expect(still.phase).toBe(0);
    expect(still.worst).toBeLessThan(2 * start);
    const shaking = hang(0.011, joint, 10);
    // tension varies by the milliradians that the chain is bent
    expect(Math.abs(shaking.phase / phase(0.011) - 1)).toBeLessThan(0.01);
    expect(shaking.worst).toBeGreaterThan(10 * start);
  });
}
