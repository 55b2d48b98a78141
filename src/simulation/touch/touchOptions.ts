/** What the options of a step mean where shapes touch. */
import type { PartBefore } from "../division/drive.ts";
import { isStepEnd } from "../step/pathParameter.ts";
import type { StepOptions } from "../step/stepReport.ts";

/** Whether the step ends where contacts act at a distance, or keeps such points. */
export function isSmooth(options: StepOptions): boolean {
  return !(isSharp(options) && (options.points === undefined || options.points.every(isStepEnd)));
}

/** Whether the step ends where contacts act on touching alone: at a larger κ they push what is near. */
export function isSharp({ kappa, relativeKappa }: StepOptions): boolean {
  return kappa === undefined && relativeKappa === undefined;
}

/** Whether a step is not to be taken as several. */
export function staysWhole({ fallback }: StepOptions): boolean {
  return fallback === false;
}

/** Whether the step is divided by a tolerance, or as its options say. */
export function isDivided({ errorTolerance, division }: StepOptions): boolean {
  return errorTolerance !== undefined || (division !== undefined && division.parts.length > 1);
}

/** The same step as if it were not to be divided, after this part. */
export function undivided(options: StepOptions, { before, drive }: PartBefore): StepOptions {
  const isPlain = before === 1 && drive === undefined;
  const division = isPlain ? undefined : { parts: [1], before, drive: drive && Array.from(drive) };
  return { ...options, errorTolerance: undefined, division };
}

/** How long the part was that led to where a step begins, in steps: other than 1 where a step of a run that a tolerance divides is not divided itself. */
export function partBefore({ division }: StepOptions): number {
  return division?.before ?? 1;
}

/**
 * Options of a part of the step, in seconds; `last` is the part before it, with which the mean is taken of how long forces act: none where they act for as
 * long as each part lasts. What drove the step before counts in the first part alone.
 */
export function afterPart(
  options: StepOptions,
  length: number,
  last: number | undefined,
  isFirst: boolean,
): StepOptions {
  const drive = isFirst ? options.division?.drive : undefined;
  const isPlain = last === undefined || (last === length && drive === undefined);
  const division = isPlain ? undefined : { parts: [1], before: last / length, drive };
  return { ...options, interval: undefined, division };
}
