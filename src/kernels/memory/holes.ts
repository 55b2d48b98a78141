/** Lists with calls that are written at run time (segments.ts): what stands for them, and how such lists run. */
import { headerWords, type Program, ProgramBuilder } from "../../codegen/index.ts";
import type { CallList, Register } from "./memory.ts";

export function registerNothing(register: Register): number {
  return register("nothing", (): Program => new ProgramBuilder("nothing", 0).finish());
}

/** Runs a list with holes that begins at word `at`. */
export function runnerWithHoles(
  words: Int32Array,
  at: number,
  list: CallList,
  run: (start: number, entries: number) => void,
): () => void {
  const segments = list.holes.map(({ segment }) => segment);
  const ways = Int32Array.from(list.holes, (hole) => at + hole.at + headerWords);
  if (new Set(segments).size < segments.length) throw new RangeError("a segment has one place in a list");
  list.holes.forEach((hole) => {
    words[at + hole.at + 1] = hole.segment.at - (at + hole.at);
  });
  return () => {
    let { entries } = list;
    for (let i = 0; i < segments.length; i++) {
      const segment = segments[i];
      words[segment.end + 1] = ways[i] - segment.end;
      entries += segment.entries;
    }
    run(4 * at, entries);
  };
}
