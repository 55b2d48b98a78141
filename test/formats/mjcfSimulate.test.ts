import { describe, expect, test } from "vitest";
import { importMjcf } from "../../src/formats/index.ts";
import { compile, maximalState, projectState, Simulation, stateInput } from "../../src/index.ts";
import { mjcfFiles } from "../fixtures/robotFiles.ts";
import { printTable } from "../physics/table.ts";

const SECONDS = 5;
/** Contacts hold to rounding and the solver's tolerance. */
const PENETRATION = 1e-4;

/** The first keyframe, or how the file draws it. */
const startOf = (states: Readonly<Record<string, unknown>>): string => {
  const [, first = "initial"] = Object.keys(states);
  return first;
};

describe("robot files on a floor", () => {
  const rows: (string | number)[][] = [];
  for (const timestep of [0.01, 0.05]) {
    test.each(mjcfFiles)(`$name runs for 5 s at h = ${timestep}`, ({ name, text }) => {
      const { description, warnings } = importMjcf(text, { timestep, floor: true });
      const mechanism = compile(description);
      const simulation = new Simulation(mechanism);
      const start = startOf(description.states ?? {});
      const begin = projectState(simulation, maximalState(mechanism, description.states?.[start] ?? {}));
      const input = stateInput(mechanism, start);
      const steps = Math.round(SECONDS / timestep);
      let smallest = Number.POSITIVE_INFINITY;
      const { reports, final } = simulation.rollout(begin, {
        steps,
        controller: () => input,
        onStep: () => {
          if (mechanism.contacts.length > 0) smallest = Math.min(smallest, simulation.smallestDistance);
          return true;
        },
      });
      const solved = reports.filter(({ status }) => status === "solved").length;
      const iterations = reports.reduce((sum, report) => sum + report.iterations, 0);
      const counted = warnings.filter(({ code }) => code !== "ignored").length;
      const solvedShare = (100 * solved) / steps;
      rows.push([
        name,
        start,
        timestep,
        mechanism.contacts.length,
        solvedShare,
        smallest,
        iterations / steps,
        `${warnings.length} (${counted})`,
      ]);
      expect(final.every(Number.isFinite)).toBe(true);
      expect(solved).toBe(steps);
      expect(smallest).toBeGreaterThan(-PENETRATION);
      if (rows.length === 2 * mjcfFiles.length) {
        printTable(
          "Imported files, 5 s; warnings: all (those that are not looks or softness)",
          ["model", "start", "h", "contacts", "solved %", "smallest distance", "iterations", "warnings"],
          rows,
        );
      }
    });
  }
});
