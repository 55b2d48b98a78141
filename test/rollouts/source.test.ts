/** Rollouts of a program that runs from the sources, as `npx tsx my.ts` does in a clone: nothing is built before. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("mapRollouts works in a program that tsx runs", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dojo-source-"));
  const program = join(folder, "my.mts");
  writeFileSync(
    program,
    `import { compile, mapRollouts, models, startState } from ${JSON.stringify(join(root, "src/index.ts"))};
    const mechanism = compile(models.pendulum());
    const start = startState(mechanism);
    const outcomes = await mapRollouts(mechanism, [{ start, steps: 5 }, { start, steps: 7 }], { workers: 1 });
    console.log(JSON.stringify(outcomes.map(({ solvedSteps }) => solvedSteps)));`,
  );
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", program], { cwd: root });
    expect(JSON.parse(stdout)).toEqual([5, 7]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
