/**
 * Which settings long work knows: a keyword that is none of them was mistyped, and is refused with the one that was meant. The compiler
 * keeps the lists whole.
 */
import {
  type Complete,
  type FitContext,
  type FitOptions,
  type GradientSearchSettings,
  intervalKinds,
  type Loss,
  type Noise,
  type RandomSearchSettings,
  type Sampling,
  type ShortHorizonSettings,
  startFreedoms,
  type TrainingMethod,
  type Words,
} from "../../index.ts";
import { InputError, suggestion } from "../inputError.ts";

type Given = Readonly<Record<string, unknown>>;
type Names = readonly string[];

/** The names of all settings, as words with blanks between them. */
const namesOf =
  <Settings>() =>
  <const Text extends string>(text: Text & Complete<keyof Settings, Words<Text>>): Names =>
    text.split(" ");

const gradient = namesOf<Omit<GradientSearchSettings, "seed">>()(
  "policy hiddenUnits updates optimizer step largestNorm steady skipFrom kappa relativeKappa gradient directions noise",
);
const differences = gradient.filter((name) => name !== "gradient");
const random = namesOf<Omit<RandomSearchSettings, "seed">>()("policy hiddenUnits updates directions noise step");
const shortHorizon = namesOf<Omit<ShortHorizonSettings, "seed">>()(
  "policy hiddenUnits updates actors horizon discount lambda step criticStep criticFits largestNorm kappa relativeKappa",
);
const training: Readonly<Record<TrainingMethod, Names>> = {
  ags: gradient,
  random: differences,
  ars: random,
  shac: shortHorizon,
};

/** What is compared with the recordings, and how. */
const compared = namesOf<Omit<FitContext, "description" | "set" | "recordings">>()(
  "sampling starts noise loss weighting",
);
/** How the search goes. */
const searched = namesOf<Pick<FitOptions, "tolerance" | "schedule" | "intervals">>()("tolerance schedule intervals");
const inside: Readonly<Record<string, Names>> = {
  sampling: namesOf<Sampling>()("every stepsPerFrame window horizon stride startFrames begin"),
  noise: namesOf<Noise>()("position rotation coordinates"),
  loss: namesOf<Loss>()("kind size"),
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
  requireKnown("a fit", given, [...compared, ...searched]);
  for (const [name, known] of Object.entries(inside)) {
    const part = given[name];
    if (typeof part === "object" && part !== null) requireKnown(name, part as Given, known);
    else if (part !== undefined)
      throw new InputError(`${name}: ${JSON.stringify(part)}; give ${known.join(", ")} by name`);
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
  const of = (names: Names): Given =>
    Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
  return { context: of(compared), options: of(searched) };
}

function requireKnown(owner: string, given: Given, names: Names): void {
  const wrong = Object.keys(given).find((name) => !names.includes(name));
  if (wrong === undefined) return;
  throw new InputError(`${owner} has no "${wrong}"${suggestion(wrong, names) || `; have: ${names.join(", ")}`}`);
}
