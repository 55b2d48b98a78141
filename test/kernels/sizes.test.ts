/**
 * How large the generated kernels are, beside the table in sizes.txt: a change of them is seen where changes are read. Per robot, the
 * instructions of all programs of a step, of those that a first step loads, and of its Jacobians; per call list, the instructions that one run of it executes.
 *   npx vitest run test/kernels/sizes.test.ts --update     writes the table anew
 */
import { expect, it } from "vitest";
import type { Program } from "../../src/codegen/index.ts";
import { compile, models, Simulation, startState, stepGradients } from "../../src/index.ts";
import { type Watch, watchedTarget } from "./watchedTarget.ts";

const robots = {
  block: models.block({}),
  fourBar: models.fourBar({}),
  panda: models.panda({}),
  a1: models.a1({}),
  atlas: models.atlas({}),
  x2: models.skydioX2({ floor: false }),
};
const lists = ["prepare", "evaluate", "linearise", "factor", "predict.1", "advance.1", "newton", "responses"];

/** Counts the instructions that are loaded, and those that are executed. */
class Counter implements Watch {
  loaded = 0;
  executed = 0;

  loads({ instructions }: Program): void {
    this.loaded += instructions.length;
  }

  calls({ instructions, loop }: Program, words: Int32Array, at: number): void {
    this.executed += instructions.length * (loop ? words[at + 2] : 1);
  }
}

/** The size of each thing, by name. */
function sizesOf(description: (typeof robots)[keyof typeof robots]): [string, number][] {
  const counter = new Counter();
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism, { target: watchedTarget(counter) });
  const { system } = simulation;
  const first = counter.loaded;
  simulation.warmUp();
  const sizes: [string, number][] = [
    ["step kernels", counter.loaded],
    ["of a first step", first],
  ];
  const executedBy = (list: string): number => {
    const before = counter.executed;
    system.run(list);
    return counter.executed - before;
  };
  for (const list of lists) if (system.has(list)) sizes.push([list, executedBy(list)]);
  const before = counter.loaded;
  const start = startState(mechanism, Object.keys(description.states ?? {})[0]);
  stepGradients(simulation, start, new Float64Array(mechanism.inputSize));
  sizes.push(["Jacobian kernels", counter.loaded - before]);
  return sizes;
}

it("kernels and call lists have the sizes of the table", async () => {
  const rows = Object.entries(robots).flatMap(([robot, description]) =>
    sizesOf(description).map(([name, size]) => `${robot.padEnd(8)} ${name.padEnd(17)} ${String(size).padStart(6)}`),
  );
  await expect(
    `${rows.join("\n")}\n`,
    "kernels have changed: if they were meant to, npx vitest run test/kernels/sizes.test.ts --update writes sizes.txt anew",
  ).toMatchFileSnapshot("sizes.txt");
});
