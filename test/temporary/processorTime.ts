/** Measures the processor time of every test file, its imports and the programs that it waits for included, for scripts/testReporter.ts. */
import { existsSync, readFileSync } from "node:fs";
import { afterAll } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** s. */
    processorTime?: number;
  }
}

const stat = "/proc/self/stat";

/** Processor time of this process and of its children that have ended, s. */
function processorTime(): number {
  if (!existsSync(stat)) {
    const { user, system } = process.cpuUsage();
    return (user + system) * 1e-6;
  }
  // hundredths of a second: user, system, and the same of children
  const ticks = readFileSync(stat, "utf8").split(") ").pop()?.split(" ").slice(11, 15) ?? [];
  return ticks.reduce((sum, value) => sum + Number(value), 0) / 100;
}

const begin = processorTime();

// hooks of setup files run after all others
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a hook uses
afterAll(({}, suite) => {
  suite.file.meta.processorTime = processorTime() - begin;
});
