import { describe, expect, test } from "vitest";
import { importMjcf } from "../../src/formats/index.ts";
import { compile, maximalState, projectState, Simulation } from "../../src/index.ts";
import { printTable } from "../physics/table.ts";
import { modelNames, modelText } from "./mjcfOracle.ts";

const SECONDS = 5;
/** Contacts hold to rounding and the solver's tolerance. */
const PENETRATION = 1e-4;

/** The first keyframe, or how the file draws it. */
const startOf = (states: Readonly<Record<string, unknown>>): string => {
  const [, first = "initial"] = Object.keys(states);
  return first;
};

describe.skipIf(modelNames.length === 0)("published files on a floor", () => {
  const rows: (string | number)[][] = [];
  for (const timestep of [0.01, 0.05]) {
    test.each(modelNames)(`%s runs for 5 s at h = ${timestep}`, (name) => {
      const { description, warnings, keyframeInputs } = importMjcf(modelText(name), { timestep, floor: true });
      const mechanism = compile(description);
      const simulation = new Simulation(mechanism);
      const start = startOf(description.states ?? {});
      let state = projectState(simulation, maximalState(mechanism, description.states?.[start] ?? {}));
      const input = Float64Array.from(keyframeInputs[start] ?? new Array(mechanism.inputSize).fill(0));
      const steps = Math.round(SECONDS / timestep);
      let solved = 0;
      let smallest = Number.POSITIVE_INFINITY;
      let iterations = 0;
      for (let k = 0; k < steps; k++) {
        const result = simulation.step(state, input);
        if (result.status === "solved") solved++;
        iterations += result.iterations;
        state = Float64Array.from(result.next);
        if (mechanism.contacts.length > 0) smallest = Math.min(smallest, simulation.smallestDistance);
      }
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
      expect(state.every(Number.isFinite)).toBe(true);
      expect(smallest).toBeGreaterThan(-PENETRATION);
      if (rows.length === 2 * modelNames.length) {
        printTable(
          "Imported files, 5 s; warnings: all (those that are not looks or softness)",
          ["model", "start", "h", "contacts", "solved %", "smallest distance", "iterations", "warnings"],
          rows,
        );
      }
    });
  }
});
