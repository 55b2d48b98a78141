/** dojo bench: the comparison where there is a clone with MuJoCo, our times alone elsewhere. */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildCli, copyBuild, dojoProcess, type Outcome, workFolder } from "./runCli.ts";

const root = join(import.meta.dirname, "../..");
const place = workFolder();
const experiments = join(place, "experiments");
const bench = (args: string[]): Promise<Outcome> =>
  dojoProcess(["bench", ...args], place, undefined, join(place, "dist/cli/main.js"));

beforeAll(async () => {
  copyBuild(dirname(dirname(await buildCli())), join(place, "dist"));
  cpSync(join(root, "package.json"), join(place, "package.json"));
  symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
});
afterAll(() => rmSync(place, { recursive: true }));

test("without the experiments it times the four robots alone, and says so", async () => {
  const { code, stdout } = await bench(["--json"]);
  expect(code).toBe(0);
  const { models, peer, note } = JSON.parse(stdout);
  expect(models.map(({ model }: { model: string }) => model)).toEqual(["humanoid", "a1", "panda", "skydioX2"]);
  expect(peer).toBeNull();
  expect(note).toMatch(/^Ours alone/);
  expect((await bench(["pendulum"])).stdout).toMatch(/pendulum[\s\S]*Ours alone/);
});

test("with them it is the experiment timing, whose recorded result stays as it is", async () => {
  mkdirSync(join(experiments, "timing"), { recursive: true });
  for (const file of readdirSync(join(root, "experiments")).filter((name) => name.endsWith(".ts"))) {
    cpSync(join(root, "experiments", file), join(experiments, file));
  }
  writeFileSync(
    join(experiments, "timing/run.ts"),
    `import type { Experiment } from "../experiment.ts";
     const timing: Experiment<{ quick: boolean }> = {
       name: "timing", title: "Time", claim: "", seconds: { full: 1, quick: 1 },
       run: ({ quick }) => ({ quick }),
       present: ({ quick }) => ({ tables: [{ caption: "times", rows: [["quick", String(quick)]] }], figures: [], remarks: [] }),
     };
     export default timing;`,
  );
  const { code, stdout } = await bench(["--quick", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ quick: true });
  expect((await bench([])).stdout).toMatch(/Time[\s\S]*quick +false/);
  expect(existsSync(join(experiments, "timing/result.json"))).toBe(false);
});
