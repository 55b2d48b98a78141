/**
 * V8 as the command wants it, most of whose runs are over in a second. Node's four compiling threads otherwise share two cores with the
 * steps that wait for them. Flags are V8's own and change with it: they are set where they were measured, in the processes of Node 20.
 *
 * Atlas at 65 Hz for 5 s, a process each, on two cores; medians of seven in turns:
 *   as Node has it                        made ready in 250 ms, steps at 30 times real time
 *   nothing optimised while it is made    205 ms, 31 times
 *   kernels optimised from the start      205 ms, 37 times
 *   less inlined besides                  200 ms, 38 times
 * Nothing else tried made a difference: budgets of 20,000 to 150,000, all functions compiled at once, one thread for kernels. Steps of a
 * process that has run for long are as fast with them as without. What is left to compile is the TypeScript around a step: since kernels do
 * most of that (decision 0009), steps take 0.7 of the processor time of their thread that they took at the time of these figures.
 */
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

/** Kernels are compiled when they are loaded, and optimised at once; functions take fewer others into themselves. */
const ofRuns = [
  "--no-wasm-lazy-compilation",
  "--no-wasm-dynamic-tiering",
  "--max-inlined-bytecode-size-cumulative=200",
];
/** Bytes of code that a function runs before it is optimised: never, and V8's own. */
const budget = { never: "--interrupt-budget=100000000", usual: "--interrupt-budget=67584" };

/** Runs `make` without optimising its code, which runs once. Code that runs afterwards is optimised as early as can be. */
export function coldStart<T>(make: () => T): T {
  if (!isOwnProcess()) return make();
  for (const flag of ofRuns) setFlagsFromString(flag);
  setFlagsFromString(budget.never);
  try {
    return make();
  } finally {
    setFlagsFromString(budget.usual);
  }
}

/** True for the built command in a process of its own, in a version of Node whose flags are known. */
function isOwnProcess(): boolean {
  const script = process.argv[1];
  if (script === undefined || !process.versions.node.startsWith("20.")) return false;
  const file = fileURLToPath(import.meta.url);
  return file.endsWith(".js") && dirname(file) === dirname(realpathSync(script));
}
