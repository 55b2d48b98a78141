/**
 * Springs and dampers under an error tolerance. Weights ρ below 1 (`springConservation`, `damperCentering`) make forces of first order: they damp or delay a
 * motion a little in every part, alike in parts of all sizes, so that no estimate of a part's error sees it. So a tolerance implies ρ = 1.
 */
import type { Mechanism } from "../../mechanism/index.ts";
import type { StepOptions } from "../step/stepReport.ts";
import { hasSprings } from "./springEnergy.ts";

const weights = ["springConservation", "damperCentering"] as const;

/** The weights that a simulation with these options has in place of the defaults, by name: those that the description does not set. */
export function impliedWeights(
  { description }: Mechanism,
  { errorTolerance }: Pick<StepOptions, "errorTolerance">,
): Record<string, number> {
  if (errorTolerance === undefined) return {};
  return Object.fromEntries(weights.filter((name) => description[name] === undefined).map((name) => [name, 1]));
}

/** Says which weights of a description cost accuracy that no error tolerance sees; undefined where none does. */
export function toleranceNote(
  mechanism: Mechanism,
  { errorTolerance }: Pick<StepOptions, "errorTolerance">,
): string | undefined {
  if (errorTolerance === undefined) return undefined;
  const acts = { springConservation: hasSprings(mechanism), damperCentering: hasDampers(mechanism) };
  const set = weights.filter((name) => (mechanism.description[name] ?? 1) !== 1 && acts[name]);
  if (set.length === 0) return undefined;
  const values = set.map((name) => `${name} ${mechanism.description[name]}`).join(" and ");
  return `${values}: the error tolerance does not see the error of first order that this makes; leave it out, or give 1`;
}

/** Whether any joint or gear has a damper or a servo. */
function hasDampers({ joints, gears }: Mechanism): boolean {
  const onJoints = joints.some(({ coordinates }) => coordinates.some(({ damping, servo }) => damping !== 0 || servo));
  return onJoints || gears.some(({ kind }) => kind === "spring");
}
