/** How urgent the threads of the command are while it steps: as Linux has them, of the built command in a process of its own. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { buildCli } from "./runCli.ts";

/** Node's own threads that compile. */
const compilers = 4;
const isWhereMeasured = process.platform === "linux" && process.versions.node.startsWith("20.");

/** By thread: its nice value, the 19th number of its line; the name before it may hold spaces. */
function niceValues(pid: number): Map<number, number> {
  const folder = `/proc/${pid}/task`;
  return new Map(
    readdirSync(folder).map((thread) => {
      const line = readFileSync(`${folder}/${thread}/stat`, "utf8");
      const behindName = line.slice(line.lastIndexOf(")") + 2).split(" ");
      return [Number(thread), Number(behindName[16])];
    }),
  );
}

test.runIf(isWhereMeasured)("threads that compile are behind the one that steps", async () => {
  const long = ["simulate", "atlas", "--time", "1000"];
  const child = spawn(process.execPath, [await buildCli(), ...long], { cwd: tmpdir(), stdio: "ignore" });
  const pid = child.pid as number;
  try {
    const own = getPriority();
    let behind = 0;
    // they are put there one after the other, before the first step, and this may look in between
    const patience = performance.now() + 60_000;
    while (behind < compilers && child.exitCode === null && performance.now() < patience) {
      await setTimeout(10);
      const nice = niceValues(pid);
      expect(nice.get(pid)).toBe(own);
      behind = [...nice.values()].filter((value) => value > own).length;
    }
    expect(behind).toBeGreaterThanOrEqual(compilers);
  } finally {
    child.kill("SIGKILL");
  }
});
