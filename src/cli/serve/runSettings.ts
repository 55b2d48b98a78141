/**
 * Which settings long work knows: a keyword that is none of them was mistyped, and is refused with the one that was meant. The compiler
 * keeps the lists whole.
 */
import {
  type FitContext,
  type FitOptions,
  type GradientSearchSettings,
  intervalKinds,
  type Loss,
  type Noise,
  type RandomSearchSettings,
  type RunsContext,
  type Sampling,
  type ShortHorizonSettings,
  startFreedoms,
  type TrainingMethod,
} from "../../index.ts";
import { InputError, suggestion } from "../inputError.ts";

type All<Names extends string> = Readonly<Record<Names, true>>;
type Given = Readonly<Record<string, unknown>>;

const gradient: All<Exclude<keyof GradientSearchSettings, "seed">> = {
  policy: true,
  hiddenUnits: true,
  updates: true,
  optimizer: true,
  step: true,
  largestNorm: true,
  skipFrom: true,
  kappa: true,
  relativeKappa: true,
  gradient: true,
  directions: true,
  noise: true,
};
const { gradient: _, ...differences } = gradient;
const random: All<Exclude<keyof RandomSearchSettings, "seed">> = {
  policy: true,
  hiddenUnits: true,
  updates: true,
  directions: true,
  noise: true,
  step: true,
};
const shortHorizon: All<Exclude<keyof ShortHorizonSettings, "seed">> = {
  policy: true,
  hiddenUnits: true,
  updates: true,
  actors: true,
  horizon: true,
  discount: true,
  lambda: true,
  step: true,
  criticStep: true,
  criticFits: true,
  largestNorm: true,
  kappa: true,
  relativeKappa: true,
};
const training: Readonly<Record<TrainingMethod, Given>> = {
  ags: gradient,
  random: differences,
  ars: random,
  shac: shortHorizon,
};

/** What is compared with the recordings, and how. */
const compared: All<Exclude<keyof FitContext, "description" | "set" | "recordings">> = {
  sampling: true,
  starts: true,
  noise: true,
  loss: true,
  weighting: true,
} satisfies All<Exclude<keyof FitContext, keyof RunsContext> | "sampling" | "starts">;
/** How the search goes. */
const searched: All<"tolerance" | "schedule" | "intervals"> = { tolerance: true, schedule: true, intervals: true };
const inside: Readonly<Record<string, Given>> = {
  sampling: {
    every: true,
    stepsPerFrame: true,
    window: true,
    horizon: true,
    stride: true,
    startFrames: true,
    begin: true,
  } satisfies All<keyof Sampling>,
  noise: { position: true, rotation: true, coordinates: true } satisfies All<keyof Noise>,
  loss: { kind: true, size: true } satisfies All<keyof Loss>,
};

const choices: Readonly<Record<string, readonly string[]>> = {
  starts: startFreedoms,
  weighting: ["frames", "recordings"] satisfies FitContext["weighting"][],
  intervals: intervalKinds,
};

/** Throws at the first setting that the method has not. An unknown method is for the search to refuse. */
export function requireTrainingSettings(method: string, given: Given): void {
  if (Object.hasOwn(training, method)) requireKnown(`method "${method}"`, given, training[method as TrainingMethod]);
}

/** Settings of a fit, as those of its context and of its search. */
export function fitSettings(given: Given): { readonly context: Given; readonly options: Partial<FitOptions> } {
  requireKnown("a fit", given, { ...compared, ...searched });
  for (const [name, known] of Object.entries(inside)) {
    const part = given[name];
    if (typeof part === "object" && part !== null) requireKnown(name, part as Given, known);
    else if (part !== undefined)
      throw new InputError(`${name}: ${JSON.stringify(part)}; give ${wanted(known)} by name`);
  }
  for (const [name, known] of Object.entries(choices)) {
    const value = given[name];
    if (value === undefined || known.some((choice) => choice === value)) continue;
    throw new InputError(`${name}: ${JSON.stringify(value)} is not one of ${known.join(", ")}`);
  }
  const { tolerance = 1 } = given;
  if (!(typeof tolerance === "number" && tolerance > 0)) {
    throw new InputError(`tolerance: ${JSON.stringify(tolerance)}; give a number above 0`);
  }
  const of = (names: Given): Given => Object.fromEntries(Object.entries(given).filter(([name]) => name in names));
  return { context: of(compared), options: of(searched) };
}

function requireKnown(owner: string, given: Given, known: Given): void {
  const names = Object.keys(known);
  const wrong = Object.keys(given).find((name) => !names.includes(name));
  if (wrong === undefined) return;
  throw new InputError(`${owner} has no "${wrong}"${suggestion(wrong, names) || `; have: ${names.join(", ")}`}`);
}

const wanted = (known: Given): string => Object.keys(known).join(", ");
