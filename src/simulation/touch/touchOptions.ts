/** What the options of a step mean where shapes touch. */
import type { StepOptions } from "../step/stepReport.ts";

/** Whether the step ends where contacts act at a distance, or keeps such points. */
export function isSmooth(options: StepOptions): boolean {
  return options.hold !== undefined || !isSharp(options);
}

/** Whether the step ends where contacts act on touching alone: at a larger κ they push what is near. */
export function isSharp({ kappa, relativeKappa }: StepOptions): boolean {
  return kappa === undefined && relativeKappa === undefined;
}

/** Whether a step is not to be taken as several: points that are kept on the way belong to steps whose features stay. */
export function staysWhole({ fallback, hold }: StepOptions): boolean {
  return fallback === false || hold !== undefined;
}

/** Whether the step is divided by a tolerance, or as its options say. */
export function isDivided({ errorTolerance, division }: StepOptions): boolean {
  return errorTolerance !== undefined || division !== undefined;
}

/** The same step as if it were not to be divided. */
export function undivided(options: StepOptions): StepOptions {
  return { ...options, errorTolerance: undefined, division: undefined };
}
