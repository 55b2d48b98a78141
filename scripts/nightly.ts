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
   * they always run. Those of Python are marked there, test by test.
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
    tests: [
      "test/cli/bench.test.ts",
      "test/cli/experiment.test.ts",
      "test/cli/experimentFolders.test.ts",
      "test/experiments/claims.test.ts",
    ],
    guards: ["experiments/", ...engine, ...folders("gradients", "geometry", "learning", "planning", "identification")],
  },
  {
    name: "motion",
    tests: [
      "src/equations/largestSeparation.test.ts",
      "src/mechanism/validation.test.ts",
      "src/simulation/step/predictedStart.test.ts",
      "src/simulation/touch/touchSearch.test.ts",
      "src/simulation/touch/wayOfPairs.test.ts",
      "src/solver/randomBlocks.test.ts",
      "test/kernels/overlap.test.ts",
      "test/kernels/slots.test.ts",
      "test/kernels/tree.test.ts",
      "test/models/floor.test.ts",
      "test/models/rest.test.ts",
      "test/models/standing.test.ts",
      "test/models/starts.test.ts",
      "test/physics/bitIdentical.test.ts",
      "test/physics/bounceMomentum.test.ts",
      "test/physics/bouncingScenes.test.ts",
      "test/physics/constraints.test.ts",
      "test/physics/contactMomentum.test.ts",
      "test/physics/contactThrows.test.ts",
      "test/physics/dampers.test.ts",
      "test/physics/division.test.ts",
      "test/physics/fastThrows.test.ts",
      "test/physics/forceBalance.test.ts",
      "test/physics/heaps.test.ts",
      "test/physics/jointForces.test.ts",
      "test/physics/momentum.test.ts",
      "test/physics/mujoco.test.ts",
      "test/physics/rotationForces.test.ts",
      "test/robustness/continuedShapes.test.ts",
      "test/physics/touchingTolerance.test.ts",
      "test/slow/currentDescription.test.ts",
    ],
    guards: [...engine, ...folders("geometry", "coordinates", "models")],
  },
  {
    name: "contact",
    tests: [
      "src/geometry/broadPhase.test.ts",
      "test/contacts/bounceOnSlots.test.ts",
      "test/contacts/features.test.ts",
      "test/contacts/gradients.test.ts",
      "test/contacts/turningFriction.test.ts",
      "test/geometry/convexDistance.test.ts",
      "test/geometry/curvedFeatures.test.ts",
      "test/geometry/curvedTerrain.test.ts",
      "test/geometry/flatPairs.test.ts",
      "test/geometry/justTouching.test.ts",
      "test/geometry/terrainDepths.test.ts",
    ],
    guards: [...engine, ...folders("geometry", "gradients")],
  },
  {
    name: "gradients",
    tests: [
      "test/gradients/bounce.test.ts",
      "test/gradients/boundSlots.test.ts",
      "test/gradients/conformance.test.ts",
      "test/gradients/division.test.ts",
      "test/gradients/halvedSteps.test.ts",
      "test/gradients/loopsAndGears.test.ts",
      "test/gradients/relativeKappa.test.ts",
      "test/gradients/slowBounces.test.ts",
      "test/gradients/twoKappas.test.ts",
      "test/gradients/checkpoints.test.ts",
    ],
    guards: [...engine, ...folders("gradients", "geometry", "coordinates")],
  },
  {
    name: "files",
    tests: [
      "test/formats/mjcfActuators.test.ts",
      "test/formats/mjcfCollisions.test.ts",
      "test/formats/mjcfFeatures.test.ts",
      "test/formats/mjcfMeshes.test.ts",
      "test/formats/mjcfModels.test.ts",
      "test/formats/mjcfSeveralJoints.test.ts",
      "test/formats/sameShapes.test.ts",
      "test/formats/urdfMalformed.test.ts",
    ],
    guards: folders("formats", "mechanism", "models"),
  },
  {
    name: "planning",
    tests: [
      "src/planning/mpc/controlLoop.test.ts",
      "test/environments/conformance.test.ts",
      "test/environments/vectorEnvironment.test.ts",
      "test/learning/search.test.ts",
      "test/learning/training.test.ts",
      "test/loop/costs.test.ts",
      "test/planning/furtherTasks.test.ts",
      "test/planning/paperTasks.test.ts",
    ],
    guards: folders("planning", "control", "learning", "environments", "quantities"),
  },
  {
    name: "identification",
    tests: [
      "src/identification/feasibleStarts.test.ts",
      "src/identification/fit.test.ts",
      "src/identification/fitEnds.test.ts",
      "test/identification/threads.test.ts",
    ],
    guards: folders("identification", "solver"),
  },
  {
    name: "work",
    tests: [
      "test/redis/faults.test.ts",
      "test/redis/redis.test.ts",
      "test/rollouts/faults.test.ts",
      "test/rollouts/source.test.ts",
    ],
    guards: folders("rollouts", "work", "node"),
  },
  {
    name: "command line",
    tests: [
      "test/cli/gradients.test.ts",
      "test/cli/hostile.test.ts",
      "test/cli/identify.test.ts",
      "test/cli/planControl.test.ts",
      "test/cli/train.test.ts",
      "test/cli/addresses.test.ts",
    ],
    guards: folders("cli", "replay", "pictures", "node"),
  },
  {
    name: "pages",
    tests: [
      "test/browser/balance.test.ts",
      "test/browser/creep.test.ts",
      "test/browser/identify.test.ts",
      "test/browser/lens.test.ts",
      "test/browser/lookAhead.test.ts",
      "test/browser/playgroundBuild.test.ts",
      "test/browser/playgroundFiles.test.ts",
      "test/browser/playgroundParts.test.ts",
      "test/browser/playgroundScene.test.ts",
      "test/browser/policy.test.ts",
      "test/browser/recording.test.ts",
      "test/browser/rolloutPool.test.ts",
      "test/browser/view.test.ts",
      "test/slow/replayBrowser.test.ts",
      "test/browser/playgroundLinks.test.ts",
    ],
    guards: ["apps/", "scripts/buildBrowser.ts", "scripts/buildViewer.ts", ...folders("replay", "pictures")],
  },
  {
    name: "Python",
    tests: ["python/tests/test_examples.py", "python/tests/test_stable_baselines.py"],
    guards: ["python/", ...folders("cli/serve", "environments")],
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
  const tests = subjects.flatMap((subject) => subject.tests).filter((path) => path.endsWith(".test.ts"));
  return tests.filter((path) => !makesFewerCases(root, path));
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
