import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Work ends, and a signal comes before its outcome is written. */
const script = (file: string): string => `
  import { writeFileSync } from "node:fs";
  import { Interruption } from "${new URL("./interruption.ts", import.meta.url).href}";
  setInterval(() => {}, 1000);
  await Interruption.during(async () => {});
  process.kill(process.pid, "SIGINT");
  writeFileSync(${JSON.stringify(file)}, "outcome");
`;

test("a signal after the work waits until its outcome is written, and then ends the program", () => {
  const file = join(mkdtempSync(join(tmpdir(), "interruption-")), "outcome.txt");
  const args = ["--import", "tsx", "--input-type=module", "-e", script(file)];
  const { signal } = spawnSync(process.execPath, args, { timeout: 100_000 });
  expect(existsSync(file)).toBe(true);
  expect(signal).toBe("SIGINT");
});
