/** Runs one experiment in a process of its own, so that experiments neither warm nor burden each other: runWorker name out --quick|--full [redis]. */
import { mkdirSync } from "node:fs";
import { experimentNamed, resultFile, resultText, writeWhole } from "./files.ts";

export interface Progress {
  readonly fraction: number;
  readonly doing: string;
}

// nobody waits for a result once whoever started us is gone; the event alone would wait for the end of long computations
const parent = process.ppid;
process.on("disconnect", () => process.exit(1));
const [name, out, mode, redis] = process.argv.slice(2);
const experiment = await experimentNamed(name);
const result = await experiment.run({
  quick: mode === "--quick",
  redis,
  progress: (fraction, doing) => {
    if (process.ppid !== parent) process.exit(1);
    process.send?.({ fraction, doing } satisfies Progress);
  },
});
mkdirSync(out, { recursive: true });
writeWhole(resultFile(out), resultText(result));
// threads or peers may have left something open
process.exit();
