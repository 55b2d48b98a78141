/** What a fit warns of: what the data do not determine, and what makes its intervals wrong. */
import { startsInContact } from "./groundCheck.ts";
import { type Determination, type FitEquations, type IntervalKind, isNothing, serialCorrelation } from "./intervals.ts";
import type { ProfileEnds } from "./profile.ts";
import type { FitContext, RecordingCost } from "./residuals.ts";
import { usualStarts } from "./windowRuns.ts";

export interface FitWarning {
  readonly code:
    | "undetermined"
    | "at-bound"
    | "unused"
    | "failed-windows"
    | "stalled"
    | "iteration-limit"
    | "unrecorded-inputs"
    | "unrecorded-coordinates"
    | "moved-out"
    | "starts-in-contact"
    | "inertia-held"
    | "correlated-residuals";
  readonly parameter?: string;
  readonly message: string;
}

export function determinationWarnings(
  { map }: RecordingCost["runs"],
  theta: Float64Array,
  { deviations, factor, undetermined, atBound }: Determination,
  ends: ProfileEnds,
  { failures }: FitEquations,
): FitWarning[] {
  const { names, lower } = map;
  const typical = typicalSizes(map, theta);
  const unused = map.unused;
  const warnings = names.flatMap((parameter, i): FitWarning[] => {
    if (unused.includes(parameter)) {
      return [{ code: "unused", parameter, message: `${parameter} is in no formula, so it moves nothing` }];
    }
    if (atBound.includes(i)) {
      const side = theta[i] <= lower[i] ? "lower" : "upper";
      const message = `${parameter} ended on its ${side} bound, ${theta[i]}; the data want it beyond, or something else is wrong`;
      return [{ code: "at-bound", parameter, message }];
    }
    const others = undetermined.get(i);
    const open = ends.get(i) ?? [0, 0];
    if (open.some((end) => !Number.isFinite(end))) {
      return [{ code: "undetermined", parameter, message: openMessage(parameter, open) }];
    }
    if (!others && !(factor * deviations[i] > typical[i])) return [];
    const beside = others?.length ? ` beside ${others.map((other) => names[other]).join(", ")}` : "";
    const message = `${parameter} is not determined by these data${beside}; record motions that it matters for, or leave it out`;
    return [{ code: "undetermined", parameter, message }];
  });
  for (const { body, parameter } of map.massesAlone) {
    const message = `${parameter}: the mass of ${body} was found with its inertia held; bodies.${body}.massAndInertia scales both, bodies.${body}.inertia finds it too`;
    warnings.push({ code: "inertia-held", parameter, message });
  }
  if (failures === 0) return warnings;
  const message = `${failures} windows were not simulated to their end and to full precision, or have no gradients, so what they leave is not the model's; leave their frames out, begin nearer, or take more steps per frame`;
  return [...warnings, { code: "failed-windows", message }];
}

function openMessage(parameter: string, [low, high]: readonly [number, number]): string {
  const fits = Number.isFinite(low)
    ? `any above ${figure(low)}`
    : Number.isFinite(high)
      ? `any below ${figure(high)}`
      : "any";
  return `${parameter} is not determined by these data: ${fits} predicts them as well; record motions that it matters for, or leave it out`;
}

const figure = (value: number): string => String(Number(value.toPrecision(3)));

/** Sizes that would be no surprise: half of the bounds, or the larger of value and start. */
export function typicalSizes({ lower, upper, start }: RecordingCost["runs"]["map"], theta: Float64Array): Float64Array {
  return theta.map((value, i) => {
    const range = upper[i] - lower[i];
    return Number.isFinite(range) ? range / 2 : Math.max(Math.abs(value), Math.abs(start[i]));
  });
}

export const stalled: FitWarning = {
  code: "stalled",
  message:
    "the search came to a halt where derivatives promise a better fit and no step finds one: predictions jump there, as impacts and slips make them do, and the values may be far off; begin nearer, compare shorter windows first, take more steps per frame, or search (a stage of kind search)",
};

export const spent: FitWarning = {
  code: "iteration-limit",
  message:
    "the search still found better values when its iterations were spent; give it more of them, begin from these values, or leave out what the data hardly determine",
};

/** Motors of which a recording says nothing are taken to be idle. */
export function inputWarning(names: readonly string[], { recordings }: FitContext): FitWarning[] {
  const missing = names.filter((name) => recordings.some(({ inputs }) => !inputs[name]));
  if (missing.length === 0) return [];
  const columns = missing.map((name) => `inputs.${name}`).join(", ");
  const message = `${columns}: not recorded, so taken to be 0; where motors were driven, record their inputs, or parameters will make up for them`;
  return [{ code: "unrecorded-inputs", message }];
}

/** Joints of which no recording says where they are begin each window as the mechanism stands by itself. */
export function coordinateWarning(missing: readonly string[], { starts = usualStarts }: FitContext): FitWarning[] {
  if (missing.length === 0) return [];
  const { length } = missing;
  const names = length > 6 ? `${missing.slice(0, 5).join(", ")} and ${length - 5} more` : missing.join(", ");
  const found =
    starts === "free"
      ? "which its free numbers begin from"
      : 'at rest, as if they were known; starts: "free" finds them';
  const message = `${names}: not recorded, so every window starts with them where the mechanism stands by itself, ${found}; record them if they move`;
  return [{ code: "unrecorded-coordinates", message }];
}

/** Starts that are held where something touches; those that are found are where bodies can be, with intervals that allow for what is not known of them. */
export function contactWarning({
  description,
  recordings,
  sampling = {},
  starts = usualStarts,
}: FitContext): FitWarning[] {
  if (starts === "free") return [];
  const { count, of } = startsInContact(description, recordings, sampling);
  if (count === 0) return [];
  const message = `${count} of ${of} windows start in contact. The 95% intervals do not include the bias of those windows, so they are too narrow; find starts with the parameters (starts: "free")`;
  return [{ code: "starts-in-contact", message }];
}

/** Residuals that go together by more than this make intervals a fifth too narrow or more. */
const telling = 0.2;

/**
 * Intervals by the Hessian take frames to err independently. With a correlation c from each frame to the next, and less to those after it,
 * they are narrower than they should be, by √((1 + c)/(1 − c)) where a parameter acts on all of them alike. Chance makes c ± 1/√rows.
 */
export function correlationWarning(equations: FitEquations, intervals: IntervalKind): FitWarning[] {
  const { laggedRows } = equations;
  const c = serialCorrelation(equations);
  if (intervals !== "hessian" || isNothing(equations)) return [];
  if (!(c > Math.max(telling, 4 / Math.sqrt(laggedRows)))) return [];
  const narrow = Math.sqrt((1 + c) / Math.max(1 - c, 1e-3)).toPrecision(2);
  const message = `residuals go together from frame to frame (correlation ${c.toFixed(2)}), so more than noise is left: the model, its steps, times, or a slow sensor err, and intervals are up to ${narrow} times too narrow; try more steps per frame, and intervals by "recordings" where there are many of them`;
  return [{ code: "correlated-residuals", message }];
}
