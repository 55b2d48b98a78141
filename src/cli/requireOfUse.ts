/** Options that have no effect where a file brings its own mechanism are refused, not passed over. */
import { InputError } from "./inputError.ts";

/** Refuses the first of the flags that is given and not among those taken; `reason` says why it is of no use. */
export function requireOfUse(flags: object, taken: ReadonlySet<string>, reason: string): void {
  const useless = Object.entries(flags).find(([name, value]) => !taken.has(name) && isGiven(value));
  if (!useless) return;
  // simulate calls it --tolerance, since it has no other
  const name = useless[0] === "errorTolerance" ? "tolerance" : useless[0];
  throw new InputError(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${reason}`);
}

/** An option that collects values has an empty list without any. */
function isGiven(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}
