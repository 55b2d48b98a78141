/** What a step may be told: every option that is given must be one with which a solve can end. */
import { ArgumentError, requireOptionNames } from "../../mechanism/index.ts";
import type { StepDivision } from "../division/stepDivision.ts";
import { requirePath, requirePositive } from "./pathParameter.ts";
import { precisions, type StepOptions, stepOptionNames } from "./stepReport.ts";

export function requireStepOptions(options: StepOptions, timestep?: number): void {
  const { precision, tolerance, pathTolerance, interval, maxIterations } = options;
  requirePath("options.", options, "leave it out for 1e-8 in units of each contact; kappa 1e-4 is smooth");
  if (precision !== undefined && !precisions.includes(precision)) {
    const message = `${String(precision)}: give "exact", which is the default, or "fast"`;
    throw new ArgumentError("out-of-range", "options.precision", message);
  }
  if (tolerance !== undefined) requirePositive("options.tolerance", tolerance, "leave it out for 1e-8");
  const { errorTolerance, division } = options;
  if (errorTolerance !== undefined)
    requirePositive("options.errorTolerance", errorTolerance, "leave it out for whole steps; 1e-3 is a millimetre");
  if (division !== undefined) requireDivision(division);
  if (pathTolerance !== undefined) requirePositive("options.pathTolerance", pathTolerance, "leave it out for 1e-3");
  if (interval !== undefined && timestep !== undefined) {
    const parts = timestep / interval;
    if (!(parts >= 1 && Math.abs(Math.log2(parts) - Math.round(Math.log2(parts))) < 1e-9)) {
      const message = `${interval} must be the time step over 1, 2, 4 …; give the interval that the last step reported`;
      throw new ArgumentError("out-of-range", "options.interval", message);
    }
  }
  if (maxIterations === undefined || (Number.isInteger(maxIterations) && maxIterations >= 1)) return;
  const message = `${maxIterations} must be a whole number, 1 or more; leave it out for 30`;
  throw new ArgumentError("out-of-range", "options.maxIterations", message);
}

/** Parts of a step are positive and make it whole. */
function requireDivision({ parts, before }: StepDivision): void {
  const sum = parts.reduce((total, part) => total + part, 0);
  if ([...parts, before].every((part) => part > 0 && part <= 1) && Math.abs(sum - 1) < 1e-9) return;
  const message = `parts that add up to ${sum}, after one of ${before}; give what simulation.division was, fractions that add up to 1`;
  throw new ArgumentError("out-of-range", "options.division", message);
}

/** Throws where a name is none of these; steps that are asked to hold for gradients, as they once could be, are told whom to ask. */
export function requireStepOptionNames(options: StepOptions, names: object): void {
  for (const name of ["hold", "alsoHold"]) {
    if (!(typeof options === "object" && options !== null && name in options)) continue;
    const message =
      "a step keeps no point for gradients on its way; ask for smoothed gradients instead: `smoothing: 0.1` in stepGradients, or in `gradients` of a rollout";
    throw new ArgumentError("unsupported", `options.${name}`, message);
  }
  requireOptionNames("options", options, names);
}

/** Options of one step on top of those of all: a κ of its own stands for theirs, in whatever units. */
export function optionsOver(all: StepOptions, own: StepOptions): StepOptions {
  requireStepOptionNames(own, stepOptionNames);
  const hasPath = own.kappa !== undefined || own.relativeKappa !== undefined;
  return hasPath ? { ...all, kappa: undefined, relativeKappa: undefined, ...own } : { ...all, ...own };
}
