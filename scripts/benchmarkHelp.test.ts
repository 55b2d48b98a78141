/** `npm run bench -- name --help` says what a benchmark measures and takes, and runs nothing. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("a benchmark that is asked for help says what it measures and which options it has, and does not run", () => {
  const bootstrap = fileURLToPath(new URL("bootstrap.mjs", import.meta.url));
  const helped = (...args: string[]) =>
    spawnSync(process.execPath, [bootstrap, "bench", ...args], { encoding: "utf8", timeout: 60_000 });
  const { status, stdout } = helped("robustness", "--only", "tree", "--help");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^How often the solver fails/);
  expect(stdout).toContain("[--only class]");
  // no table, no comment marks
  expect(stdout).not.toMatch(/substepped|\*/);
});
