/** No gradient leaves this folder unless all its numbers are finite. */
import { ArgumentError } from "../mechanism/index.ts";

export function allFinite(values: Float64Array): boolean {
  // 0·x is NaN for all that is not finite
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += 0 * values[i];
  return sum === 0;
}

/** What a caller hands in to be differentiated along. */
export function requireFiniteArgument(path: string, values: Float64Array): void {
  if (allFinite(values)) return;
  const bad = values.findIndex((entry) => !Number.isFinite(entry));
  throw new ArgumentError("not-finite", `${path}[${bad}]`, `${values[bad]}; give finite numbers`);
}
