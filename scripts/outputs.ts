/**
 * Blocks of README.md and docs/ that show what a command prints: fences without a language that begin with "$ dojo …" or "$ npm start".
 *   npx tsx scripts/outputs.ts            runs the commands and writes the pages anew
 *   npx tsx scripts/outputs.ts --times    the lines of times too, which otherwise stay as they were measured on a quiet machine
 * test/docs/outputs.test.ts fails where a page says otherwise than its command.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..");

export interface OutputBlock {
  /** Without the "$ ". */
  readonly command: string;
  readonly output: string;
  /** Where the output stands in its page. */
  readonly start: number;
  readonly end: number;
}

export const pagesWithOutputs = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter(
  (page) => page.endsWith(".md") && outputBlocks(readPage(page)).length > 0,
);

export function readPage(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

export function outputBlocks(text: string): OutputBlock[] {
  return [...text.matchAll(/^```\n\$ (.+)\n([^`]*?)^```$/gm)].map((match) => {
    const end = match.index + match[0].length - "```".length;
    return { command: match[1], output: match[2], start: end - match[2].length, end };
  });
}

/** What a command prints. `build` is a folder with cli/main.js and cli/start.js. */
export function outputOf(command: string, build: string): string {
  const [program, ...args] = command.split(" ");
  const isStart = command === "npm start";
  if (!isStart && program !== "dojo") throw new Error(`"${command}": only dojo and npm start can be shown`);
  // the file that it writes is named as it is in a fresh clone
  const file = join(tmpdir(), `output-${process.pid}.html`);
  const line = isStart ? [join(build, "cli/start.js"), "--out", file] : [join(build, "cli/main.js"), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, line, { cwd: tmpdir(), encoding: "utf8" });
  if (status !== 0) throw new Error(`"${command}" ended with ${status}: ${stderr}`);
  return isStart ? stdout.replace(/^replay .*\n/m, "") : stdout;
}

/** The same text, but for times and for numbers below 1e-8, which are rounding and change with every order of operations. */
export function comparable(output: string): string {
  const lines = output.replace(/^(?:speed|wall time|time) .*$/gm, (line) =>
    line.replace(/\d+(?:\.\d+)?(?:e[-+]\d+)?/g, "#").replace(/# (?:µs|ms|s|min)(?![a-z])/g, "# s"),
  );
  return lines.replace(/-?\d+(?:\.\d+)?e-(?:9|[1-9]\d+)/g, "tiny");
}

/** What to write for an output: old lines of times stay, unless they are to be measured too, or say something else. */
function renewed(old: string, now: string, withTimes: boolean): string {
  if (withTimes) return now;
  const before = old.split("\n");
  return now
    .split("\n")
    .map((line, i) => (comparable(line) === comparable(before[i] ?? "") ? before[i] : line))
    .join("\n");
}

function writePages(withTimes: boolean): void {
  for (const page of pagesWithOutputs) {
    let text = readPage(page);
    for (const { command, output, start, end } of outputBlocks(text).reverse()) {
      const now = renewed(output, outputOf(command, join(root, "dist")), withTimes);
      text = text.slice(0, start) + now + text.slice(end);
      console.log(`${now === output ? "unchanged" : "written  "} ${page}: $ ${command}`);
    }
    writeFileSync(join(root, page), text);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const built = spawnSync(process.execPath, [join(root, "scripts/bootstrap.mjs"), "build"], { stdio: "inherit" });
  if (built.status === 0) writePages(process.argv.includes("--times"));
  else process.exitCode = 1;
}
