/** What a step may be told: every option that is given must be one with which a solve can end. */
import { ArgumentError } from "../mechanism/index.ts";
import type { StepOptions } from "./stepper.ts";

const positive = ["kappa", "hold", "tolerance", "pathTolerance"] as const;
/** What each is for, and a value to fall back on. */
const wayOut = {
  kappa: "leave it out for 1e-8 in units of each contact; 1e-4 is smooth",
  hold: "leave it out for no gradients; 1e-4 is smooth",
  tolerance: "leave it out for 1e-8",
  pathTolerance: "leave it out for 1e-3",
} as const;

export function requireStepOptions(options: StepOptions, timestep?: number): void {
  for (const name of positive) {
    const value = options[name];
    if (value === undefined || (value > 0 && value < Number.POSITIVE_INFINITY)) continue;
    const code = Number.isFinite(value) ? "non-positive" : "not-finite";
    throw new ArgumentError(code, `options.${name}`, `${value} must be above 0 and finite; ${wayOut[name]}`);
  }
  const { interval } = options;
  if (interval !== undefined && timestep !== undefined) {
    const parts = timestep / interval;
    if (!(parts >= 1 && Math.abs(Math.log2(parts) - Math.round(Math.log2(parts))) < 1e-9)) {
      const message = `${interval} must be the time step over 1, 2, 4 …; give the interval that the last step reported`;
      throw new ArgumentError("out-of-range", "options.interval", message);
    }
  }
  const { maxIterations } = options;
  if (maxIterations === undefined || (Number.isInteger(maxIterations) && maxIterations >= 1)) return;
  const message = `${maxIterations} must be a whole number, 1 or more; leave it out for 30`;
  throw new ArgumentError("out-of-range", "options.maxIterations", message);
}
