/**
 * A place on the central path b∘c = κe, by one number of two:
 *   kappa           in SI, as in the paper: the same for every cone
 *   relativeKappa   κ', in the natural units of each cone (units.ts): b∘c = κ' m V² h e of a contact's gap, κ' m V² e of its slip, with
 *                   V = g h as a rule; as smooth for a 1 g die as for a 1 t crate
 */
import { ArgumentError, moreOptionNamesOf, optionNamesOf } from "../../mechanism/index.ts";

export interface PathParameter {
  /** Central-path parameter in SI, as in the paper. */
  readonly kappa?: number | undefined;
  /** The same in the natural units of each cone: m V² h, or m V² for friction, with V = g h as a rule. */
  readonly relativeKappa?: number | undefined;
}

export const pathNames = optionNamesOf<PathParameter>()("kappa relativeKappa");

/** Where gradients are taken: at the end of the step, or on the central path, smoothed. */
export interface GradientPath extends PathParameter {
  /**
   * κ' of a smoothed point: contacts act a little before they touch there, and what sticks creeps a little. 0.1 is usual, 1 is very soft. Where there
   * is gravity its velocities count in |g| h. 0: the end of the step.
   */
  readonly smoothing?: number | undefined;
}

export const gradientPathNames = moreOptionNamesOf<GradientPath>()(pathNames, "smoothing");

/** κ' of smoothed gradients for who looks for one: for robots at h = 0.01 nearest to the 3e-4 in SI of the paper's planning and fitting. */
export const usualSmoothing = 0.1;
/** The end of a step: no place of its own. */
export const stepEnd: PathParameter = {};
/** Where gradients are taken that are not told where. */
export const defaultGradientPath = stepEnd;

/** Whether it is the end of the step. */
export function isStepEnd({ kappa, relativeKappa }: PathParameter): boolean {
  return kappa === undefined && relativeKappa === undefined;
}

/** Where gradients are asked for, or their default. */
export function gradientPath(options: GradientPath): PathParameter {
  const { smoothing, kappa, relativeKappa } = options;
  if (smoothing === undefined && kappa === undefined && relativeKappa === undefined) return defaultGradientPath;
  return pathOf("", options, "leave it out for the default of gradients");
}

/** Where a second set of gradients is asked for. Default none. */
export function alsoPath(also: GradientPath | undefined): PathParameter | undefined {
  return also && pathOf("also.", also, "leave also out for one set of gradients");
}

/** The place that one of the three numbers says. `owner` is empty, or ends in a dot. */
function pathOf(owner: string, { smoothing, kappa, relativeKappa }: GradientPath, wayOut: string): PathParameter {
  if (smoothing === undefined) {
    requirePath(owner, { kappa, relativeKappa }, wayOut);
    return { kappa, relativeKappa };
  }
  if (kappa !== undefined || relativeKappa !== undefined) {
    const other = kappa === undefined ? "relativeKappa" : "kappa";
    throw new ArgumentError("both-given", `${owner}smoothing`, `${other} is given as well; give one of them`);
  }
  if (smoothing === 0) return stepEnd;
  requireOnPath(owner, "smoothing", smoothing, "give 0 for the end of the step, or 0.1");
  return { relativeKappa: smoothing };
}

/** Refuses both at once, and numbers that no path has. `owner` is empty, or ends in a dot. */
export function requirePath(owner: string, { kappa, relativeKappa }: PathParameter, wayOut: string): void {
  if (kappa !== undefined && relativeKappa !== undefined) {
    const message = `kappa, in SI, is given as well; give one of them, or ${wayOut}`;
    throw new ArgumentError("both-given", `${owner}relativeKappa`, message);
  }
  // without a list of the two: this is asked in every step
  if (kappa !== undefined) requireOnPath(owner, "kappa", kappa, wayOut);
  if (relativeKappa !== undefined) requireOnPath(owner, "relativeKappa", relativeKappa, wayOut);
}

function requireOnPath(owner: string, name: string, value: number, wayOut: string): void {
  requirePositive(`${owner}${name}`, value, wayOut);
  if (value <= largestPath) return;
  const message = `${value} must be above 0 and at most ${largestPath}; ${wayOut}`;
  throw new ArgumentError("out-of-range", `${owner}${name}`, message);
}

/** Contacts are as soft as can be long before; the squares of numbers far beyond are infinite. */
const largestPath = 1e12;

export function requirePositive(path: string, value: number, wayOut: string): void {
  if (value > 0 && value < Number.POSITIVE_INFINITY) return;
  const code = Number.isFinite(value) ? "non-positive" : "not-finite";
  throw new ArgumentError(code, path, `${value} must be above 0 and finite; ${wayOut}`);
}
