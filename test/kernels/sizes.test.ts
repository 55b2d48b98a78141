/**
 * How large the generated kernels are, beside the table in sizes.txt: a change of them is seen where changes are read. Per robot, the
 * instructions of all programs of a step, of those that a first step loads, and of its Jacobians; per call list, the instructions that one run of it executes.
 *   npx vitest run test/kernels/sizes.test.ts --update     writes the table anew
 */
import { expect, it } from "vitest";
import type { NumberedPrograms, Program } from "../../src/codegen/index.ts";
import { chooseTarget, compile, models, Simulation, startState, stepGradients, type Target } from "../../src/index.ts";

const robots = {
  block: models.block({}),
  fourBar: models.fourBar({}),
  panda: models.panda({}),
  a1: models.a1({}),
  atlas: models.atlas({}),
};
const lists = ["prepare", "evaluate", "linearise", "factor", "predict.1", "advance.1", "newton", "responses"];

/** A target that counts the instructions that it loads, and those that it executes. */
class CountingTarget implements Target {
  readonly name: Target["name"];
  loaded = 0;
  executed = 0;
  private readonly own = chooseTarget();

  constructor() {
    this.name = this.own.name;
  }

  load(programs: NumberedPrograms, bytes: number): ReturnType<Target["load"]> {
    const executable = this.own.load(programs, bytes);
    const words = new Int32Array(executable.memory);
    const known: Program[] = [];
    const count = (more: NumberedPrograms): void => {
      more.forEach((program, number) => {
        if (!program) return;
        known[number] = program;
        this.loaded += program.instructions.length;
      });
    };
    count(programs);
    const add = (more: NumberedPrograms): void => {
      count(more);
      executable.add(more);
    };
    const run = (list: number, entries: number): void => {
      for (let at = list / 4, i = 0; i < entries; i++, at += words[at + 1]) {
        const { instructions, loop } = known[words[at]];
        this.executed += instructions.length * (loop ? words[at + 2] : 1);
      }
      executable.run(list, entries);
    };
    return { memory: executable.memory, run, add };
  }
}

/** The size of each thing, by name. */
function sizesOf(description: (typeof robots)[keyof typeof robots]): [string, number][] {
  const target = new CountingTarget();
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism, { target });
  const { system } = simulation;
  const first = target.loaded;
  simulation.warmUp();
  const sizes: [string, number][] = [
    ["step kernels", target.loaded],
    ["of a first step", first],
  ];
  const executedBy = (list: string): number => {
    const before = target.executed;
    system.run(list);
    return target.executed - before;
  };
  for (const list of lists) if (system.has(list)) sizes.push([list, executedBy(list)]);
  const before = target.loaded;
  const start = startState(mechanism, Object.keys(description.states ?? {})[0]);
  stepGradients(simulation, start, new Float64Array(mechanism.inputSize));
  sizes.push(["Jacobian kernels", target.loaded - before]);
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
