/**
 * A place on the central path b∘c = κe, by one number of two:
 *   kappa           in SI, as in the paper: the same for every cone
 *   relativeKappa   κ', in the natural units of each cone (units.ts): b∘c = κ' m V² h e of a contact's gap, κ' m V² e of its slip, with
 *                   V = g h as a rule; as smooth for a 1 g die as for a 1 t crate
 */
import { ArgumentError, optionNamesOf } from "../../mechanism/index.ts";

export interface PathParameter {
  /** Central-path parameter in SI, as in the paper. */
  readonly kappa?: number | undefined;
  /** The same in the natural units of each cone: m V² h, or m V² for friction, with V = g h as a rule. */
  readonly relativeKappa?: number | undefined;
}

export const pathNames = optionNamesOf<PathParameter>()("kappa relativeKappa");

/**
 * κ' of gradients unless told otherwise: for robots at h = 0.01 nearest to the 3e-4 in SI of the paper's planning and fitting. Smaller ones
 * cost the same (decision 0010).
 */
export const defaultGradientPath = { relativeKappa: 0.1 } as const;

/** Its number, in whichever units. */
export function kappaOf({ kappa, relativeKappa }: PathParameter): number {
  return kappa ?? relativeKappa ?? defaultGradientPath.relativeKappa;
}

/** What gradients are asked for, or their default. */
export function gradientPath({ kappa, relativeKappa }: PathParameter): PathParameter {
  if (kappa === undefined && relativeKappa === undefined) return defaultGradientPath;
  const path = { kappa, relativeKappa };
  requirePath("", path, "leave both out for the default of gradients");
  return path;
}

/** What a second set of gradients is asked for: κ in the same units as the first. Default none. */
export function alsoPath(first: PathParameter, also: PathParameter | undefined): PathParameter | undefined {
  if (!also) return undefined;
  const path = { kappa: also.kappa, relativeKappa: also.relativeKappa };
  requirePath("also.", path, "leave also out for one set of gradients");
  requireSameUnits("also.", path, first);
  return path;
}

/** Refuses one κ in SI beside another in natural units: which of them lies further down would differ from cone to cone. */
export function requireSameUnits(owner: string, path: PathParameter, first: PathParameter): void {
  const wanted = first.kappa === undefined ? "relativeKappa" : "kappa";
  if (path[wanted] !== undefined) return;
  const message = `the first point on the path is given by ${wanted}; give this one by it too, or both by the other`;
  throw new ArgumentError("missing", `${owner}${wanted}`, message);
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
