/** dojo inspect: what it prints and its JSON. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Inspection, models, toUrdf } from "../../src/index.ts";
import { dojo, dojoJson, workFolder } from "./runCli.ts";

const folder = workFolder();
afterAll(() => rmSync(folder, { recursive: true }));

test("a robot file is described with its tree, and everything in JSON", async () => {
  const { xml } = toUrdf(models.hopper());
  writeFileSync(join(folder, "robot.urdf"), xml);
  const { code, stdout } = await dojo(["inspect", "robot.urdf", "--no-measure"], folder);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^torso +3\.53/m);
  expect(stdout).toMatch(/^ {2}thigh +3\.927/m);
  const found = await dojoJson<Inspection & { quantityNames: string[]; warnings: string[] }>(
    ["inspect", "robot.urdf", "--no-measure", "--names"],
    folder,
  );
  expect(found.bodies.map(({ name }) => name)).toContain("torso");
  expect(found.quantityNames).toHaveLength(found.quantities);
  expect(found).not.toHaveProperty("timesteps");
});

test("what it costs is measured", async () => {
  const found = await dojoJson<{ timesteps: unknown[]; features: { feature: string }[] }>(["inspect", "pendulum"]);
  expect(found.timesteps).toHaveLength(6);
  const { stdout } = await dojo(["inspect", "hopper"]);
  expect(stdout).toMatch(/^0\.01 s \(own\) +100%/m);
  expect(stdout).toContain("what features cost at 0.01 s");
});

test("a model that there is not is refused", async () => {
  const { code, stderr } = await dojo(["inspect", "hoppr"]);
  expect(code).toBe(2);
  expect(stderr).toContain('there is no model "hoppr"; did you mean "hopper"?');
});
