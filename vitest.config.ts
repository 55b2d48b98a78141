import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { leftToNightly } from "./scripts/nightly.ts";

/** Files that take longest, first, so that the two workers end together also in a clone that has never measured them. */
const slow = [
  "experiments/claims",
  "gradients/conformance",
  "browser/playground.test",
  "browser/policy",
  "browser/balance",
  "slow/",
  "browser/",
  "cli/",
  "formats/",
];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = slow.findIndex((part) => moduleId.includes(`test/${part}`));
      return place < 0 ? slow.length : place;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

const source = (file: string): string => fileURLToPath(new URL(`./src/${file}`, import.meta.url));

/**
 * Node loads these itself: through Vite's module runner every use of an import is a lookup, a tenth of all processor time, and loading them
 * takes a worker four seconds longer. While it watches, Vite has to know them.
 */
const sources = new RegExp(`^${source("").replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?!.*\\.test\\.ts$)`);
const watches = !process.argv.includes("run");

/** Files that `npm run nightly` runs, or whoever names them. */
const left =
  process.env.DOJO_TESTS === "nightly"
    ? []
    : leftToNightly(import.meta.dirname).filter((path) => !process.argv.some((argument) => argument.endsWith(path)));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^dojo-sim$/, replacement: source("index.ts") },
      { find: /^dojo-sim\/node$/, replacement: source("node/index.ts") },
      { find: /^dojo-sim\/tools$/, replacement: source("tools.ts") },
    ],
  },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "scripts/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...left],
    // nothing that tests leave stays among the temporary files of the machine
    globalSetup: "test/temporary/folder.ts",
    setupFiles: ["test/temporary/use.ts", "test/temporary/processorTime.ts"],
    // some seconds on two quiet cores, and far more on machines that have other things to do: a test that hangs is to end, no more
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // pages are polled until they show what is expected
    expect: { poll: { timeout: 100_000 } },
    // what is built runs as it is
    server: { deps: { external: [/\/dist\//, ...(watches ? [] : [sources])] } },
    // helpers of the garbage collector take the processor from other workers: without them it takes a fifteenth less in all
    execArgv: ["--import", "tsx", "--single-threaded-gc"],
    pool: "forks",
    // one more than most machines for this have cores: tests of pages wait for the clock as much as for the processor
    maxWorkers: 3,
    // files of a worker share their modules, and with them all kernels that were generated before: a third of the time
    isolate: false,
    sequence: { sequencer: SlowFirst },
    // tests print their tables with console.log; show them as they come
    disableConsoleIntercept: true,
    reporters: ["default"],
  },
});
