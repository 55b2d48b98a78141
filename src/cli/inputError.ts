/** Exit codes, and the error that means the second: what the user gave cannot be used. */
import { nearestName, visibleText } from "../index.ts";

export const exitCodes = {
  ok: 0,
  /** Steps that were not solved, or gradients that disagree with differences. */
  failed: 1,
  /** Bad input: nothing was written. */
  badInput: 2,
  /** A fault of the program itself. */
  internal: 3,
} as const;

/** A line for the person at the keyboard, or several: what is wrong and a way out. */
export class InputError extends Error {
  constructor(...lines: readonly string[]) {
    super(lines.map(visibleText).join("\n"));
    this.name = "InputError";
  }
}

/** "; did you mean …?" or nothing. */
export function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestKnown(name, known);
  return nearest === undefined ? "" : `; did you mean "${nearest}"?`;
}

/** Nearest by edits, or the only one that contains it. */
function nearestKnown(name: string, known: readonly string[]): string | undefined {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return nearest;
  const containing = known.filter((entry) => name.length > 2 && entry.toLowerCase().includes(name.toLowerCase()));
  return containing.length === 1 ? containing[0] : undefined;
}
