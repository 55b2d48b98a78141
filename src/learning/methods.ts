/** The methods of training by their names, with all that they are told as plain data. */
import type { Environment } from "../environments/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import { GradientSearch, type GradientSearchSettings, type GradientSource } from "./gradientSearch.ts";
import { trainingMethods } from "./methodNames.ts";
import { optimizerKinds } from "./optimizer.ts";
import { policyKinds } from "./policy.ts";
import { RandomSearch, type RandomSearchSettings } from "./randomSearch.ts";
import { recipeOf } from "./recipes.ts";
import type { Search } from "./search.ts";
import { ShortHorizonSearch, type ShortHorizonSettings } from "./shortHorizonSearch.ts";

export type TrainingSettings =
  | ({ readonly method: "ags" } & GradientSearchSettings)
  | ({ readonly method: "random" } & Omit<GradientSearchSettings, "gradient">)
  | ({ readonly method: "ars" } & RandomSearchSettings)
  | ({ readonly method: "shac" } & ShortHorizonSettings);

const gradientSources: readonly GradientSource[] = ["full", "published", "differences"];

/** Settings come as data too, of which no compiler has seen to it that they are among those there are. */
function requireChoices(given: object): void {
  const choices = { policy: policyKinds, optimizer: optimizerKinds, gradient: gradientSources };
  for (const [name, known] of Object.entries(choices)) {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || known.some((choice) => choice === value)) continue;
    throw new ArgumentError("unknown", name, `${JSON.stringify(value)} is not one of ${known.join(", ")}`);
  }
}

/** A training that has not begun. Settings that are left out are those known for the environment. Throws where one is out of range. */
export function searchOf(environment: Environment, given: TrainingSettings): Search {
  requireChoices(given);
  const settings = { ...recipeOf(environment.description.name, given.method, given.policy ?? "linear"), ...given };
  switch (settings.method) {
    case "ags":
      return new GradientSearch(environment, settings);
    case "random":
      return new GradientSearch(environment, { ...settings, gradient: "differences" });
    case "ars":
      return new RandomSearch(environment, settings);
    case "shac":
      return new ShortHorizonSearch(environment, settings);
    default: {
      const { method } = settings as { readonly method: unknown };
      const message = `${JSON.stringify(method)} is not one of ${trainingMethods.join(", ")}`;
      throw new ArgumentError("unknown", "method", message);
    }
  }
}
