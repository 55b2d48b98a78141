/** Atlas dropped on its feet, as in the paper's table of penetrations: no step lets a foot into the floor. */
import { afterAll, describe, expect, test } from "vitest";
import { models } from "../../src/index.ts";
import { printTable } from "../physics/table.ts";
import { runModel } from "./runs.ts";

/** Smallest distance of a foot that the paper prints, millimetres. [atlas_drop] */
const paper = new Map([
  [0.1, 1e-12],
  [0.01, 1e-7],
  [0.001, 8e-6],
]);
const height = 0.5;

describe("the Atlas drop", () => {
  const rows: (string | number)[][] = [];
  for (const [timestep, printed] of paper) {
    test(`no foot enters the floor at h = ${timestep}`, () => {
      const description = models.atlas({ timestep, spring: 1, damper: 25, bodyContacts: false });
      const { base, ...pose } = description.states?.straight ?? {};
      const [x, y, z, ...turn] = base.position ?? [];
      const raised = { ...pose, base: { position: [x, y, z + height, ...turn] } };
      const seconds = 2;
      const run = runModel({ ...description, states: { raised } }, { seconds, state: "raised" });
      rows.push([timestep, run.steps, run.iterations / run.steps, run.mostIterations, 1000 * run.smallest, printed]);
      expect(run.smallest).toBeGreaterThan(0);
      // it did land
      expect(run.smallest).toBeLessThan(1e-6);
    });
  }

  afterAll(() => {
    const header = ["h, s", "steps", "it mean", "it max", "smallest foot distance, mm", "paper, mm"];
    printTable(`Atlas dropped from ${height} m, 2 s`, header, rows);
  });
});
