/**
 * Every given URDF file compiles and runs for 5 s without input, from its initial state, at two step sizes. Three of them are
 * chains without damping or limits, and Atlas falls a metre on its head, because its foot meshes are not at hand: their light links
 * come to spin up to 65 rad/s, more than the √2/h that a step of 0.05 s can express. There some steps are taken in parts.
 */
import { afterAll, describe, expect, it } from "vitest";
import {
  compile,
  importUrdf,
  type MechanismDescription,
  maximalState,
  projectState,
  Simulation,
} from "../../src/index.ts";
import { type UrdfFile, urdfFiles } from "../fixtures/robotFiles.ts";
import { printTable } from "../physics/table.ts";

/** Contacts hold to the solver's tolerance. */
const PENETRATION = 1e-5;

interface Run {
  readonly solved: number;
  readonly inParts: number;
  readonly smallest: number;
  readonly fastest: number;
  readonly final: Float64Array;
}

function run(description: MechanismDescription, joints: UrdfFile["start"], steps: number): Run {
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const named = maximalState(mechanism, joints ?? description.states?.initial);
  const start = mechanism.loopJoints.length > 0 ? projectState(simulation, named) : named;
  let smallest = Number.POSITIVE_INFINITY;
  const { reports, states, final } = simulation.rollout(start, {
    steps,
    onStep: () => {
      if (mechanism.contacts.length > 0) smallest = Math.min(smallest, simulation.smallestDistance);
      return true;
    },
  });
  const speeds = states.flatMap((state) =>
    mechanism.bodies.map(({ index }) => Math.hypot(...state.subarray(13 * index + 10, 13 * index + 13))),
  );
  return {
    solved: reports.filter(({ status }) => status === "solved").length,
    inParts: reports.filter(({ substeps }) => substeps > 1).length,
    smallest,
    fastest: Math.max(...speeds),
    final,
  };
}

describe("given URDF files", () => {
  const rows: (string | number)[][] = [];
  afterAll(() => {
    const header = ["file", "bodies", "dof", "inputs", "contacts", "warnings", "h"];
    const measured = ["solved %", "in parts", "smallest distance", "fastest rad/s"];
    printTable("5 s without input from the initial state", [...header, ...measured], rows);
  });

  for (const { name, text, options, start } of urdfFiles) {
    for (const timestep of [0.01, 0.05]) {
      it(`${name} runs for 5 s at h = ${timestep}`, () => {
        const { description, warnings } = importUrdf(text, { ...options, timestep });
        const { bodies, coordinateCount, inputSize, contacts } = compile(description);
        const steps = Math.round(5 / timestep);
        const { solved, inParts, smallest, fastest, final } = run(description, start, steps);
        const distance = Number.isFinite(smallest) ? smallest : "-";
        const sizes = [bodies.length, coordinateCount, inputSize, contacts.length, warnings.length, timestep];
        rows.push([name, ...sizes, (100 * solved) / steps, inParts, distance, fastest]);
        expect(final.every(Number.isFinite)).toBe(true);
        expect(solved).toBe(steps);
        expect(smallest).toBeGreaterThan(-PENETRATION);
        // nothing is substepped that is slow enough for the step
        if (fastest < 0.7 / timestep) expect(inParts).toBe(0);
      });
    }
  }
});
