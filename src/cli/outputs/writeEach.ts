/** Several files of one result: each that can be written is, and what is wrong with the others is told when all else is said. */
import { endingOf } from "./outputFile.ts";

export interface Written {
  readonly path: string;
  readonly bytes: number;
}

/** `write` returns the number of bytes. The result itself, as JSON, comes before pictures of it. */
export function writeEach(
  paths: readonly string[],
  write: (path: string) => number,
): { readonly files: readonly Written[]; readonly faults: readonly unknown[] } {
  const isResult = (path: string): boolean => endingOf(path) === ".json";
  const files: Written[] = [];
  const faults: unknown[] = [];
  for (const path of [...paths.filter(isResult), ...paths.filter((each) => !isResult(each))]) {
    try {
      files.push({ path, bytes: write(path) });
    } catch (error) {
      faults.push(error);
    }
  }
  return { files, faults };
}
