/** The methods of training by their names, with all that they are told as plain data. */
import type { Environment } from "../environments/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import { GradientSearch, type GradientSearchSettings } from "./gradientSearch.ts";
import { trainingMethods } from "./methodNames.ts";
import { RandomSearch, type RandomSearchSettings } from "./randomSearch.ts";
import { recipeOf } from "./recipes.ts";
import type { Search } from "./search.ts";
import { ShortHorizonSearch, type ShortHorizonSettings } from "./shortHorizonSearch.ts";

export type TrainingSettings =
  | ({ readonly method: "ags" } & GradientSearchSettings)
  | ({ readonly method: "random" } & Omit<GradientSearchSettings, "gradient">)
  | ({ readonly method: "ars" } & RandomSearchSettings)
  | ({ readonly method: "shac" } & ShortHorizonSettings);

/** A training that has not begun. Settings that are left out are those known for the environment. Throws where one is out of range. */
export function searchOf(environment: Environment, given: TrainingSettings): Search {
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
