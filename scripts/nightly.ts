/**
 * Which long tests are run when. `npm run nightly` runs all tests with all of their cases. With --changed, as continuous integration calls
 * it, it runs the long tests of subjects that changed since the last commit that passed them in this clone, or else since the commit before.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

export interface Subject {
  readonly name: string;
  /**
   * Its long test files: `npm test` leaves them out, unless they make fewer cases there by test/cases.ts. Named on the command line of Vitest
   * they always run.
   */
  readonly tests: readonly string[];
  /** What they guard: beginnings of paths. A change there, or of the tests, calls for them. */
  readonly guards: readonly string[];
}

const folders = (...names: readonly string[]): readonly string[] => names.map((name) => `src/${name}/`);

/** What every step is made of. */
const engine = folders("simulation", "kernels", "equations", "solver", "symbolic", "codegen", "mechanism", "math");

export const subjects: readonly Subject[] = [
  {
    name: "experiments",
    tests: ["test/experiments/claims.test.ts", "test/cli/experiment.test.ts"],
    guards: ["experiments/", ...engine, ...folders("gradients", "geometry", "learning", "planning", "identification")],
  },
  {
    name: "gradients",
    tests: ["test/gradients/conformance.test.ts"],
    guards: [...engine, ...folders("gradients", "geometry", "coordinates")],
  },
];

/** The ref of the last commit whose nightly tests passed in this clone. */
const marker = "refs/dojo-sim/nightly";

type Git = (...args: string[]) => string | undefined;

const gitIn =
  (root: string): Git =>
  (...args) => {
    const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 });
    return status === 0 ? stdout : undefined;
  };

/** Paths that differ from the commit to compare with, those that are not committed included; a text says why that cannot be told. */
export function changedFiles(root: string): readonly string[] | string {
  const git = gitIn(root);
  if (git("rev-parse", "--verify", "HEAD") === undefined) return "there is no git history here";
  const since = git("merge-base", "--is-ancestor", marker, "HEAD") === undefined ? "HEAD^" : marker;
  const changed = git("diff", "--name-only", "--no-renames", "-z", since);
  if (changed === undefined) return "the git history ends before the commit to compare with";
  const added = git("ls-files", "--others", "--exclude-standard", "-z") ?? "";
  return [...new Set(`${changed}${added}`.split("\0").filter((path) => path !== ""))];
}

/** Remembers that the nightly tests passed for what is checked out, unless that differs from its commit. */
export function markPassed(root: string): void {
  const git = gitIn(root);
  if (git("status", "--porcelain") === "") git("update-ref", marker, "HEAD");
}

/** The subjects that changed files call for. */
export function calledFor(all: readonly Subject[], changed: readonly string[]): readonly Subject[] {
  return all.filter(({ tests, guards }) =>
    changed.some((path) => tests.includes(path) || guards.some((beginning) => path.startsWith(beginning))),
  );
}

/** The long test files that have nothing for `npm test`. */
export function leftToNightly(root: string): readonly string[] {
  return subjects.flatMap(({ tests }) => tests).filter((path) => !makesFewerCases(root, path));
}

/** True for tests that go by test/cases.ts. */
export function makesFewerCases(root: string, path: string): boolean {
  return /from "[^"]*\/cases\.ts"/.test(readFileSync(join(root, path), "utf8"));
}

export interface NightlyArguments {
  readonly changed: boolean;
  /** No subject begins after this time. */
  readonly minutes: number;
}

/** A text says what is wrong with them. */
export function readNightlyArguments(args: readonly string[]): NightlyArguments | string {
  try {
    const options = { changed: { type: "boolean", default: false }, minutes: { type: "string" } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const minutes = Number(values.minutes ?? Number.POSITIVE_INFINITY);
    return minutes >= 0 ? { changed: values.changed, minutes } : `--minutes ${values.minutes}: give a number`;
  } catch (error) {
    return (error as Error).message;
  }
}
