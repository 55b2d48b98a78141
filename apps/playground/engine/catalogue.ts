/** The model library as the playground shows it, with a start that moves. */
import { type MechanismDescription, type ModelName, modelNames, models, nearestName } from "dojo-sim";
import type { Drive } from "../protocol.ts";

interface Presentation {
  readonly make?: () => MechanismDescription;
  readonly start?: string;
  /** Default servos, which hold the start. Toys are left to themselves. */
  readonly drive?: Drive;
}

const presentations: Partial<Record<ModelName, Presentation>> = {
  pendulum: { start: "upright", drive: "motor" },
  nPendulum: { start: "raised", drive: "motor" },
  cartpole: { start: "upright", drive: "motor" },
  slider: { start: "lifted", drive: "motor" },
  block: { start: "raised" },
  planarBlock: { start: "raised" },
  sphere: { start: "thrown" },
  dzhanibekov: { start: "spinning" },
  tippeTop: { start: "spinning" },
  rope: { start: "swung" },
  fourBar: { start: "swung", drive: "motor" },
  raibertHopper: { start: "raised" },
  atlas: { make: () => models.atlas({ rootActuated: false }) },
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
  const { make = models[name], start = "rest", drive = "servo" } = presentations[name] ?? {};
  return { name, description: make(), start, drive };
}
