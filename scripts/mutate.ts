/**
 * Small faults in the code that tests should tell (mutants): how many of them fail a test, and which do not.
 *   npm run mutate -- [options]
 *   --folder PATH     mutate all lines of this file or folder (may be given again); else the changed lines of src/
 *   --since COMMIT    changed means: since this commit, with what is not committed (HEAD)
 *   --count N         mutants, drawn at random from all there are (20)
 *   --seed N          another draw (1)
 *   --budget N        seconds of tests per mutant: those that import its file most directly come first (60)
 *   --json            print the result as JSON
 *   --help            print this
 * Everything happens on a copy of the files in a temporary folder. Ctrl-C prints what was found so far.
 * Exit codes: 0 if at least 85% of the mutants were killed, 1 if fewer were, 2 for wrong arguments, 130 after Ctrl-C.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Candidate, candidatesIn, drawn } from "./mutate/candidates.ts";
import { changedLines } from "./mutate/changedLines.ts";
import { copyOf } from "./mutate/copy.ts";
import { type Fate, fatesOf } from "./mutate/fates.ts";

const root = join(import.meta.dirname, "..");
/** The share of mutants that tests are to kill. */
const target = 0.85;

interface Arguments {
  readonly folders: readonly string[];
  readonly since: string;
  readonly count: number;
  readonly seed: number;
  readonly budget: number;
  readonly json: boolean;
}

const help = (): string => {
  const source = readFileSync(import.meta.filename, "utf8");
  return source
    .slice(3, source.indexOf("*/"))
    .replace(/^ ?\* ?/gm, "")
    .trim();
};

/** A text says what is wrong with the arguments. */
function readArguments(args: readonly string[]): Arguments | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        folder: { type: "string", multiple: true, default: [] },
        since: { type: "string", default: "HEAD" },
        count: { type: "string", default: "20" },
        seed: { type: "string", default: "1" },
        budget: { type: "string", default: "60" },
        json: { type: "boolean", default: false },
      },
    });
    const [count, seed, budget] = [values.count, values.seed, values.budget].map(Number);
    if (!Number.isInteger(count) || count < 1) return `--count ${values.count}: give a positive whole number`;
    if (!Number.isFinite(seed)) return `--seed ${values.seed}: give a number`;
    if (!(budget > 0)) return `--budget ${values.budget}: give a positive number of seconds`;
    const missing = values.folder.find((path) => !existsSync(join(root, path)));
    if (missing !== undefined) return `--folder ${missing}: there is no such file or folder in the repository`;
    return { folders: values.folder, since: values.since, count, seed, budget, json: values.json };
  } catch (error) {
    return (error as Error).message;
  }
}

function candidates({ folders, since }: Arguments): readonly Candidate[] | string {
  if (folders.length > 0) return candidatesIn(root, folders);
  const lines = changedLines(root, since);
  if (typeof lines === "string") return lines;
  return candidatesIn(root, [...lines.keys()]).filter(({ file, line }) => lines.get(file)?.has(line));
}

const shown = ({ file, line, before, after }: Fate): string => `${file}:${line}  ${before}  →  ${after}`;

function report(fates: readonly Fate[], found: number): string {
  const killed = fates.filter((fate) => fate.killedBy !== undefined).length;
  const rows = fates.filter((fate) => fate.killedBy === undefined).map((fate) => `survived  ${shown(fate)}`);
  const share = fates.length === 0 ? "" : ` (${Math.round((100 * killed) / fates.length)}%)`;
  return [...rows, `${killed} of ${fates.length} mutants killed${share}, drawn from ${found}.`].join("\n");
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(help());
    return 0;
  }
  const given = readArguments(args);
  const found = typeof given === "string" ? given : candidates(given);
  if (typeof given === "string" || typeof found === "string") {
    console.error(found);
    return 2;
  }
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  const copy = copyOf(root);
  const fates: Fate[] = [];
  try {
    for await (const fate of fatesOf(drawn(found, given.count, given.seed), copy, given.budget, stop.signal)) {
      fates.push(fate);
      const end = fate.killedBy === undefined ? "survived" : `killed by ${fate.killedBy}`;
      console.error(`${fates.length}/${Math.min(given.count, found.length)}  ${shown(fate)}: ${end}`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  const killed = fates.filter((fate) => fate.killedBy !== undefined).length;
  if (given.json) console.log(JSON.stringify({ candidates: found.length, killed, mutants: fates }, null, 2));
  else console.log(report(fates, found.length));
  if (stop.signal.aborted) return 130;
  return killed >= target * fates.length ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
