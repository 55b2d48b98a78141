/** dojo gradients, export and bench. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  floating,
  fromJson,
  importMjcf,
  importUrdf,
  type MechanismDescription,
  models,
  sphere,
  toJson,
} from "../../src/index.ts";
import { buildCli, dojo, dojoJson, workFolder } from "./runCli.ts";

interface Check {
  worstRelativeError: number;
  worstEntry: string;
  stepSeconds: number;
  jacobianSeconds: number;
  shapes: Record<string, [number, number]>;
  kappa: number | null;
  relativeKappa: number | null;
  smoothing: number | null;
  free: { worstRelativeError: number; corners: { entry: string }[] } | null;
}

const folder = workFolder();
beforeAll(buildCli);
afterAll(() => rmSync(folder, { recursive: true }));

describe("gradients", () => {
  const cases: [string[], [number, number]][] = [
    [
      ["pendulum", "--position", "*=0.5"],
      [2, 2],
    ],
    [["hopper"], [12, 12]],
    [
      ["block", "--coordinates", "maximal", "--kappa", "1e-3"],
      [12, 12],
    ],
    [
      ["block", "--relative-kappa", "1e-2"],
      [12, 12],
    ],
    [
      ["block", "--smoothing", "0.1"],
      [12, 12],
    ],
    [
      ["cartpole", "--after", "0.3", "--input", "random:1:1"],
      [4, 4],
    ],
    // links that come to turn too fast for the time step
    [
      ["nPendulum", "--after", "1", "--timestep", "0.1", "--input", "random:1:30"],
      [10, 10],
    ],
  ];
  test.each(cases)("of %j agree with differences", async (args, shape) => {
    const check = await dojoJson<Check>(["gradients", ...args]);
    expect(check.worstRelativeError).toBeLessThan(1e-6);
    expect(check.worstEntry).toMatch(/^d\(.*\)\/d\(.*\)$/);
    expect(check.shapes["next by state"]).toEqual(shape);
    expect(check.stepSeconds).toBeGreaterThan(0);
    expect(check.jacobianSeconds).toBeGreaterThan(0);
    const asked = (flag: string): number | null => (args.includes(flag) ? Number(args[args.indexOf(flag) + 1]) : null);
    expect(check.kappa).toBe(asked("--kappa"));
    if (check.kappa === null) expect(check.smoothing).toBe(asked("--relative-kappa") ?? asked("--smoothing") ?? 0);
  });

  test("where shapes touch are compared with free differences too, and corners are no errors", async () => {
    const contact = { frictionCoefficient: 0.5 };
    const description: MechanismDescription = {
      timestep: 0.01,
      bodies: { ball: sphere({ radius: 0.1, mass: 1, contact }) },
      joints: { base: floating({ parent: "world", child: "ball" }) },
      shapes: [{ kind: "box", name: "slab", size: [1, 1, 1], position: [-0.5, 0, -0.5], contact }],
      states: { rim: { base: { position: [0, 0, 0.1, 0, 0, 0], velocity: [0, 0.3, 0, 0, 0, 0] } } },
    };
    writeFileSync(join(folder, "rim.json"), toJson(description));
    const asked = ["gradients", "rim.json", "--coordinates", "maximal"];
    const { free } = await dojoJson<Check>(asked, folder);
    expect(free?.worstRelativeError).toBeLessThan(1e-6);
    expect(free?.corners.map(({ entry }) => entry)).toEqual(["d(ball.angularVelocity.z)/d(ball.position.x)"]);
    const { code, stdout } = await dojo(asked, folder);
    expect(code).toBe(0);
    expect(stdout).toMatch(/free +with features of shapes found anew: .*; 1 column at a corner is left out/);
    expect((await dojoJson<Check>(["gradients", "pendulum"])).free).toBeNull();
  });

  test("of a step that an error tolerance divides hold its parts", async () => {
    const dropped = ["gradients", "hopper", "--timestep", "0.05", "--after", "0.2"];
    const divided = await dojoJson<Check & { substeps: number }>([...dropped, "--error-tolerance", "1e-4"]);
    expect(divided.substeps).toBeGreaterThan(1);
    expect(divided.worstRelativeError).toBeLessThan(1e-6);
    const { code, stderr } = await dojo([...dropped, "--error-tolerance", "-1"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--error-tolerance: -1 must be above 0");
  });

  test("at two kappas at once are refused", async () => {
    const { code, stderr } = await dojo(["gradients", "block", "--kappa", "1e-3", "--relative-kappa", "0.1"]);
    expect(code).toBe(2);
    expect(stderr).toContain("give one of them");
  });

  test("are drawn, in the terminal and as SVG", async () => {
    const { code, stdout } = await dojo(["gradients", "nPendulum", "--out", "jacobian.svg"], folder);
    expect(code).toBe(0);
    expect(stdout).toContain("next by state, 10 × 10");
    expect(stdout).toMatch(/[▘▝▀▖▌▞▛▗▚▐▜▄▙▟█]{3}/);
    expect(stdout).toMatch(/Jacobians and differences agree/);
    expect(readFileSync(join(folder, "jacobian.svg"), "utf8")).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  });

  test("that miss the tolerance asked for are exit code 1", async () => {
    const { code, stdout } = await dojo(["gradients", "pendulum", "--position", "*=0.5", "--tolerance", "1e-18"]);
    expect(code).toBe(1);
    expect(stdout).toContain("DISAGREE");
  });
});

describe("export", () => {
  const text = (name: string): string => readFileSync(join(folder, name), "utf8");

  test("writes what the importers read", async () => {
    for (const ending of ["urdf", "xml", "json"]) {
      const { code } = await dojo(["export", "cartpole", "--out", `cartpole.${ending}`], folder);
      expect(code).toBe(0);
    }
    expect(fromJson(text("cartpole.json"))).toEqual(JSON.parse(JSON.stringify(models.cartpole())));
    expect(Object.keys(importUrdf(text("cartpole.urdf")).description.bodies)).toHaveLength(2);
    expect(Object.keys(importMjcf(text("cartpole.xml")).description.bodies)).toHaveLength(2);
  });

  test("says what is lost", async () => {
    const lost = async (...options: string[]): Promise<string> => {
      const command = ["export", "a1", "--out", "a1.urdf", ...options];
      return (await dojoJson<{ notes: string[] }>(command, folder)).notes.join();
    };
    expect(await lost()).toContain("states.rest: left out");
    // readers of URDF take the usual gravity
    expect(await lost()).not.toContain("gravity");
    expect(await lost("--gravity", "0,0,-1.62")).toContain("gravity");
  });
});

test("bench times steps and Jacobians", async () => {
  const { models: rows } = await dojoJson<{ models: Record<string, number>[] }>(["bench", "pendulum", "hopper"]);
  expect(rows).toHaveLength(2);
  expect(rows.map(({ contacts }) => contacts)).toEqual([0, 5]);
  for (const row of rows) {
    // which of the two is longer shows on a quiet machine only
    expect(row.stepMicroseconds).toBeGreaterThan(0);
    expect(row.jacobianMicroseconds).toBeGreaterThan(0);
    expect(row.realTimeFactor * row.stepMicroseconds).toBeCloseTo(1e4, 6);
    expect(row.iterations).toBeGreaterThan(0);
  }
});
