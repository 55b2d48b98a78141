/** The usual target, with what it loads and every call of a list handed to whoever watches. */
import type { NumberedPrograms, Program } from "../../src/codegen/index.ts";
import { chooseTarget, type Target } from "../../src/index.ts";

export interface Watch {
  /** A program is made ready. */
  loads?(program: Program): void;
  /** A program is about to run, for the entry of a call list that begins at word `at`. */
  calls?(program: Program, words: Int32Array, at: number): void;
}

export function watchedTarget(watch: Watch): Target {
  const own = chooseTarget();
  return {
    name: own.name,
    load(programs, bytes) {
      const executable = own.load(programs, bytes);
      const words = new Int32Array(executable.memory);
      const known: Program[] = [];
      const know = (more: NumberedPrograms): void => {
        more.forEach((program, number) => {
          if (!program) return;
          known[number] = program;
          watch.loads?.(program);
        });
      };
      know(programs);
      return {
        ...executable,
        add(more) {
          know(more);
          executable.add(more);
        },
        run(list, entries) {
          for (let at = list / 4, i = 0; i < entries; i++, at += words[at + 1])
            watch.calls?.(known[words[at]], words, at);
          executable.run(list, entries);
        },
      };
    },
  };
}
