/**
 * Every given URDF file compiles and runs for 5 s without input, from its initial state, at two step sizes. Three of
 * them are chains without damping or limits, and Atlas falls a metre on its head, because its foot meshes are not at hand:
 * their lightest links come to spin more than √2/h, beyond what a step of 0.05 s can express. The table says when; then they run with some damping, as motors and gears have it.
 */
import { afterAll, describe, expect, it } from "vitest";
import {
  compile,
  importUrdf,
  type MechanismDescription,
  maximalState,
  projectState,
  Simulation,
  StateError,
} from "../../src/index.ts";
import { printTable } from "../physics/table.ts";
import { type UrdfFile, urdfFiles } from "./urdfFiles.ts";

/** Contacts hold to the solver's tolerance. */
const PENETRATION = 1e-5;
/** N·m·s/rad. */
const DAMPING = 1;
const whirling = ["atlas.urdf", "exoskeleton.urdf", "humanoid.urdf", "panda.urdf"];

interface Run {
  readonly solved: number;
  readonly taken: number;
  readonly tooFast: boolean;
  readonly smallest: number;
  readonly fastest: number;
  readonly finite: boolean;
}

function run(description: MechanismDescription, joints: UrdfFile["start"], steps: number): Run {
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const named = maximalState(mechanism, joints ?? description.states?.initial);
  let state = mechanism.loopJoints.length > 0 ? projectState(simulation, named) : named;
  let smallest = Number.POSITIVE_INFINITY;
  let solved = 0;
  let taken = 0;
  let fastest = 0;
  let tooFast = false;
  const input = new Float64Array(mechanism.inputSize);
  for (; taken < steps; taken++) {
    try {
      const { status, next } = simulation.step(state, input);
      if (status === "solved") solved++;
      state = Float64Array.from(next);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      tooFast = error.faults.every(({ code }) => code === "too-fast");
      break;
    }
    if (mechanism.contacts.length > 0) smallest = Math.min(smallest, simulation.smallestDistance);
    for (const { index } of mechanism.bodies) {
      fastest = Math.max(fastest, Math.hypot(...state.subarray(13 * index + 10, 13 * index + 13)));
    }
  }
  return { solved, taken, tooFast, smallest, fastest, finite: state.every(Number.isFinite) };
}

function damped(description: MechanismDescription): MechanismDescription {
  const joints = Object.entries(description.joints ?? {}).map(([name, joint]) => {
    const isBase = joint.kind === "floating" || joint.kind === "planarAxis";
    return [name, isBase ? joint : { ...joint, damping: DAMPING }] as const;
  });
  return { ...description, joints: Object.fromEntries(joints) };
}

describe.skipIf(urdfFiles.length === 0)("given URDF files", () => {
  const rows: (string | number)[][] = [];
  afterAll(() => {
    const header = ["file", "bodies", "dof", "inputs", "contacts", "warnings", "h"];
    const measured = ["seconds", "solved %", "smallest distance", "fastest rad/s"];
    printTable("5 s without input from the initial state", [...header, ...measured], rows);
  });

  for (const { name, text, options, start } of urdfFiles) {
    for (const timestep of [0.01, 0.05]) {
      it(`${name} runs for 5 s at h = ${timestep}`, () => {
        const { description, warnings } = importUrdf(text, { ...options, timestep });
        const { bodies, coordinateCount, inputSize, contacts } = compile(description);
        const steps = Math.round(5 / timestep);
        const report = (label: string, found: Run): void => {
          const head = [label, bodies.length, coordinateCount, inputSize, contacts.length, warnings.length, timestep];
          const { solved, taken, smallest, fastest } = found;
          const distance = Number.isFinite(smallest) ? smallest : "-";
          rows.push([...head, taken * timestep, (100 * solved) / taken, distance, fastest]);
        };
        let found = run(description, start, steps);
        report(name, found);
        if (found.tooFast) {
          expect(whirling).toContain(name);
          // the steps before it are solved, but for those that already spin too fast
          expect(found.taken - found.solved).toBeLessThanOrEqual(2);
          expect(found.fastest).toBeGreaterThan(Math.SQRT1_2 / timestep);
          found = run(damped(description), start, steps);
          report(`${name}, damped`, found);
        }
        expect(found.finite).toBe(true);
        expect(found.solved).toBe(steps);
        expect(found.smallest).toBeGreaterThan(-PENETRATION);
      });
    }
  }
});
