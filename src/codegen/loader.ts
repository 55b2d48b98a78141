/** Loads programs into targets that make a function of each. */
import { OutOfMemory } from "./outOfMemory.ts";
import type { NumberedPrograms, Program, Target } from "./program.ts";

/** Runs a program on the operands of the call at word `entry`. */
export type Made = (numbers: Float64Array, words: Int32Array, entry: number) => void;

function reserved(bytes: number): ArrayBuffer {
  try {
    return new ArrayBuffer(bytes);
  } catch {
    throw new OutOfMemory(`no memory of ${bytes} bytes is left`);
  }
}

export function loader(make: (program: Program) => Made): Target["load"] {
  return (programs, bytes) => {
    const made: Made[] = [];
    const add = (more: NumberedPrograms): void => {
      more.forEach((program, number) => {
        if (program) made[number] = make(program);
      });
    };
    add(programs);
    const memory = reserved(8 * Math.ceil(bytes / 8));
    const numbers = new Float64Array(memory);
    const words = new Int32Array(memory);
    return {
      memory,
      add,
      run(list, entries) {
        let entry = list >> 2;
        for (let k = 0; k < entries; k++) {
          made[words[entry]](numbers, words, entry);
          entry += words[entry + 1];
        }
      },
    };
  };
}
