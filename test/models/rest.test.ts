/** Every model from its rest state, 5 s at two time steps: compiled, valid, solved, nothing enters the floor. */
import { afterAll, describe, expect, test } from "vitest";
import {
  compile,
  equalityGears,
  type MechanismDescription,
  modelNames,
  modelSummaries,
  models,
} from "../../src/index.ts";
import { printTable } from "../physics/table.ts";
import { runModel } from "./runs.ts";

const options: Readonly<Record<string, object>> = {
  // the joints of the paper's drop; limp ones let a hand spin by more than a step can express at 20 Hz
  atlas: { spring: 1, damper: 25 },
};

function describeModel(name: string, timestep: number): MechanismDescription {
  const make = models[name as keyof typeof models] as (options: object) => MechanismDescription;
  return make({ timestep, ...options[name] });
}

const rows: (string | number)[][] = [];

describe("every model at rest", () => {
  for (const { name, bodies, degreesOfFreedom } of modelSummaries) {
    test(`${name} takes 5 s at 100 Hz and at 20 Hz`, () => {
      for (const timestep of [0.01, 0.05]) {
        const run = runModel(describeModel(name, timestep), { seconds: 5 });
        const { contacts } = run.simulation.mechanism;
        const mean = run.iterations / run.steps;
        const figures = [mean.toFixed(1), run.mostIterations, "100", contacts.length > 0 ? run.smallest : "-"];
        rows.push([name, timestep, bodies, degreesOfFreedom, contacts.length, ...figures]);
      }
    });
  }

  afterAll(() => {
    const header = ["model", "h, s", "bodies", "dof", "contacts", "it mean", "it max", "solved %", "smallest φ, m"];
    printTable("Models from rest, 5 s", header, rows);
  });
});

describe("the list of models", () => {
  test("it names every model once and counts bodies and freedom right", () => {
    expect(Object.keys(models)).toEqual(modelNames);
    for (const { name, bodies, degreesOfFreedom } of modelSummaries) {
      const description = describeModel(name, 0.01);
      const mechanism = compile(description);
      expect(description.name).toBe(name);
      expect([name, mechanism.bodies.length]).toEqual([name, bodies]);
      if (mechanism.loopJoints.length > 0) {
        // one planar loop; five loops of ball joints: 6 bodies' worth of freedom less what every joint takes
        const taken = mechanism.joints.reduce((sum, { shape }) => sum + shape.translation + shape.rotation, 0);
        const planar = name === "fourBar" ? 3 : 0;
        expect([name, 6 * bodies - taken + planar]).toEqual([name, degreesOfFreedom]);
      } else {
        expect([name, mechanism.coordinateCount - equalityGears(mechanism).length]).toEqual([name, degreesOfFreedom]);
      }
    }
  });

  test("descriptions are JSON", () => {
    for (const name of modelNames) {
      const text = JSON.stringify(describeModel(name, 0.02));
      const copy = JSON.parse(text) as MechanismDescription;
      expect(JSON.stringify(copy)).toBe(text);
      expect(compile(copy).inputNames).toEqual(compile(describeModel(name, 0.02)).inputNames);
    }
  });
});
