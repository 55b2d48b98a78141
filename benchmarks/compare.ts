/**
 * Speed and size now beside those of a recorded baseline.
 *   compare [--record] [--rounds n] [--json]
 * Times are divided by that of a loop of plain arithmetic measured in the same rounds, so that machines compare, and the least of
 * the rounds counts, processor time. Changes are baseline over now: above 1, it has become faster or smaller. --record writes the
 * measured figures as the new baseline, with the commit they were measured at; a comparison says how long ago that was.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chooseTarget, models, type Target } from "dojo-sim";
import { inTurns, processorClock } from "../experiments/timing/measure.ts";
import { OurRuns } from "../experiments/timing/ours.ts";
import { type Robot, randomInputs, robot } from "../experiments/timing/robots.ts";
import { calibration } from "./compare/calibration.ts";

interface Figures {
  readonly node: string;
  /** What was measured; empty where there is no git. */
  readonly commit: string;
  /** Microseconds of the calibration loop, for information: machines differ. */
  readonly calibrationMicroseconds: number;
  /** Numbers by row: time of a step over that of the calibration loop; or operations of all kernels. */
  readonly rows: Readonly<Record<string, number>>;
}

const atlas: Robot = {
  title: "Atlas",
  setUp: "stands limp and sinks; contacts of its feet only",
  description: models.atlas({ actuated: false, spring: 1, damper: 25, bodyContacts: false }),
  start: "rest",
  ranges: [],
};
const robots: Readonly<Record<string, Robot>> = {
  humanoid: robot("humanoid"),
  a1: robot("a1"),
  panda: robot("panda"),
  x2: robot("x2"),
  atlas,
};
const steps = 60;
const baselineFile = join(process.cwd(), "benchmarks", "baseline.json");

/** A target that counts the operations of the kernels it loads. */
function counting(): { readonly target: Target; readonly count: () => number } {
  const target = chooseTarget();
  let operations = 0;
  const add = (programs: Parameters<Target["load"]>[0]): void => {
    for (const program of programs) operations += program?.instructions.length ?? 0;
  };
  return {
    count: () => operations,
    target: {
      name: target.name,
      load(programs, bytes) {
        add(programs);
        const executable = target.load(programs, bytes);
        return {
          ...executable,
          add(more) {
            add(more);
            executable.add(more);
          },
        };
      },
    },
  };
}

/** What git answers, or nothing. */
function git(...args: string[]): string {
  try {
    return execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
}

function measure(rounds: number): Figures {
  const rows: Record<string, number> = {};
  const jobs: [string, () => void][] = [["calibration", calibration]];
  for (const [name, each] of Object.entries(robots)) {
    const { target, count } = counting();
    const ours = new OurRuns(each, randomInputs(each, steps), target);
    rows[`${name} step kernels`] = count();
    ours.jacobians();
    ours.pullback();
    rows[`${name} all kernels`] = count();
    jobs.push([`${name} forward`, () => ours.forward()]);
    jobs.push([`${name} jacobians`, () => ours.jacobians()]);
    jobs.push([`${name} pullback`, () => ours.pullback()]);
  }
  const [loop, ...times] = inTurns(
    processorClock,
    rounds,
    jobs.map(([, job]) => job),
  ).map((each) => Math.min(...each));
  jobs.slice(1).forEach(([name], i) => {
    rows[name] = times[i] / steps / loop;
  });
  const commit = git("rev-parse", "--short", "HEAD");
  return { node: process.version, commit, calibrationMicroseconds: Math.round(1e6 * loop), rows };
}

const words = process.argv.slice(2);
const at = words.indexOf("--rounds");
const now = measure(at < 0 ? 9 : Number(words[at + 1]));
if (words.includes("--record")) {
  writeFileSync(baselineFile, `${JSON.stringify(now, null, 2)}\n`);
  console.log(`recorded ${Object.keys(now.rows).length} rows in ${baselineFile}`);
} else {
  const baseline: Figures = JSON.parse(readFileSync(baselineFile, "utf8"));
  const changes = Object.entries(now.rows).map(([name, value]) => {
    const before = baseline.rows[name] ?? null;
    return { name, baseline: before, now: value, change: before === null ? null : before / value };
  });
  if (words.includes("--json")) console.log(JSON.stringify({ node: now.node, changes }, null, 2));
  else {
    const since = git("rev-list", "--count", `${baseline.commit}..HEAD`);
    console.log(`baseline of commit ${baseline.commit || "unknown"}${since && `, ${since} commits ago`}`);
    console.log("times in calibration loops per step, sizes in operations; change: above 1 is faster or smaller");
    console.log(`${"".padEnd(26)}${"baseline".padStart(12)}${"now".padStart(12)}${"change".padStart(9)}`);
    for (const { name, baseline: before, now: value, change } of changes) {
      const cells = [before, value].map((cell) =>
        (cell === null ? "–" : String(Number(cell.toPrecision(4)))).padStart(12),
      );
      console.log(`${name.padEnd(26)}${cells.join("")}${(change === null ? "new" : change.toFixed(2)).padStart(9)}`);
    }
  }
}
