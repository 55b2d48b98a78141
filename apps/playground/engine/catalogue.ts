/** The model library as the playground shows it. */
import { type MechanismDescription, type ModelName, modelNames, models, nearestName } from "dojo-sim";
import type { Drive } from "../protocol.ts";

interface Presentation {
  readonly make?: () => MechanismDescription;
  /** Default the first of the model's states, from which it moves when it is let go. */
  readonly start?: string;
  /** Default servos, which hold the start. Toys are left to themselves. */
  readonly drive?: Drive;
}

const presentations: Partial<Record<ModelName, Presentation>> = {
  pendulum: { drive: "motor" },
  nPendulum: { drive: "motor" },
  cartpole: { drive: "motor" },
  slider: { drive: "motor" },
  fourBar: { drive: "motor" },
  atlas: { make: () => models.atlas({ rootActuated: false }) },
  // the thrusts that hold it are there to be played with
  skydioX2: { start: "hover" },
};

export interface CatalogueEntry {
  readonly name: ModelName;
  readonly description: MechanismDescription;
  readonly start: string;
  readonly drive: Drive;
}

/** By name in any spelling: half-cheetah and HalfCheetah are halfCheetah. */
export function catalogueEntry(asked: string): CatalogueEntry {
  const plain = (name: string): string => name.toLowerCase().replace(/[-_ ]/g, "");
  const name = modelNames.find((known) => plain(known) === plain(asked));
  if (name === undefined) {
    const nearest = nearestName(asked, modelNames);
    const hint = nearest === undefined ? "the list of models has all there are" : `did you mean "${nearest}"?`;
    throw new RangeError(`There is no model "${asked.slice(0, 60)}"; ${hint}`);
  }
  const { make = models[name], start, drive = "servo" } = presentations[name] ?? {};
  const description = make();
  return { name, description, start: start ?? Object.keys(description.states ?? {})[0], drive };
}
