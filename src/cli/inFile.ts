/** Faults of what a file holds, told with the file's name. */
import { ArgumentError, DescriptionError, StateError, visibleText } from "../index.ts";
import { InputError } from "./inputError.ts";

/** What the library throws without knowing where its arguments come from. */
const unplaced = [ArgumentError, DescriptionError, StateError];

/** Does what needs the file's content; with no file, just does it. */
export function inFile<T>(path: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (path === undefined || !unplaced.some((kind) => error instanceof kind)) throw error;
    // several faults have a line each
    const [first, ...more] = (error as Error).message.split("\n");
    throw new InputError(`${visibleText(path)}: ${first}`, ...more);
  }
}
