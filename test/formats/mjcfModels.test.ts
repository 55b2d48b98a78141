/** Every model of the library, exported, accelerates in MuJoCo as it does here; and comes back. */
import loadMujoco from "@mujoco/mujoco";
import { beforeAll, describe, expect, test } from "vitest";
import { importMjcf, toMjcf } from "../../src/formats/index.ts";
import { compile, type MechanismDescription, models, Simulation, startState } from "../../src/index.ts";
import { printTable } from "../physics/table.ts";
import { accelerationError, geometryError, loadModel, type Mujoco } from "./mjcfOracle.ts";

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadMujoco();
});

const POSE_TOLERANCE = 1e-9;
const ACCELERATION_TOLERANCE = 1e-3;
const rows: (string | number)[][] = [];

/** Effort limits are hardly resolved by a step of a microsecond. */
function withoutEfforts(description: MechanismDescription): MechanismDescription {
  const joints = Object.entries(description.joints ?? {}).map(([name, { effortLimit, ...joint }]) => [name, joint]);
  return { ...description, joints: Object.fromEntries(joints) };
}

describe("models of the library", () => {
  test.each(Object.keys(models) as (keyof typeof models)[])("%s", (name) => {
    const description = withoutEfforts(models[name]());
    const exported = toMjcf(description);
    const own = { description, map: exported.map };
    const geometry = geometryError(mujoco, exported.xml, {
      ...own,
      frame: (body) => ({ body, position: exported.origins[body], orientation: [1, 0, 0, 0] }),
    });
    const acceleration = accelerationError({ mujoco, xml: exported.xml, ...own, seed: 1, count: 4 });
    const again = importMjcf(exported.xml);
    const back = accelerationError({ mujoco, xml: exported.xml, ...again, seed: 1, count: 4 });
    const { contacts } = compile(description);
    const model = loadModel(mujoco, exported.xml);
    rows.push([
      name,
      exported.map.dofCount,
      model.npair,
      geometry.position,
      geometry.inertia,
      acceleration,
      back,
      exported.warnings.length,
    ]);
    expect(Math.max(...Object.values(geometry))).toBeLessThan(POSE_TOLERANCE);
    expect(acceleration).toBeLessThan(ACCELERATION_TOLERANCE);
    expect(back).toBeLessThan(ACCELERATION_TOLERANCE);
    expect(model.npair).toBe(contacts.filter(({ other }) => other < 0).length);
    model.delete();
    if (rows.length === Object.keys(models).length) {
      const header = ["model", "dof", "contacts", "position", "inertia", "acceleration", "imported again", "warnings"];
      printTable("Exported models in MuJoCo: largest differences", header, rows);
    }
  });
});

test.each(["block", "planarBlock", "xarm6WithBox"] as const)(
  "%s comes back with its points, and ends where it did",
  (name) => {
    const final = (description: MechanismDescription): Float64Array => {
      const mechanism = compile(description);
      const [state] = Object.keys(models[name]().states ?? {});
      return new Simulation(mechanism).rollout(startState(mechanism, state), { steps: 60 }).final;
    };
    const there = final(models[name]());
    const back = final(importMjcf(toMjcf(models[name]()).xml).description);
    there.forEach((entry, i) => {
      expect(back[i]).toBeCloseTo(entry, 8);
    });
  },
);
