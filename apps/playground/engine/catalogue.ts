/** The library's models and scenes as the playground shows them. */
import {
  type MechanismDescription,
  type ModelName,
  modelNames,
  models,
  namesOf,
  nearestName,
  type SceneName,
  sceneNames,
  scenes,
  selfCollisionModels,
} from "dojo-sim";
import type { Collisions, Drive } from "../protocol.ts";

interface Presentation {
  readonly make?: (options: object) => MechanismDescription;
  /** Default the first of the model's states, from which it moves when it is let go. */
  readonly start?: string;
  /** Default servos, which hold the start. Toys are left to themselves. */
  readonly drive?: Drive;
}

type CatalogueName = ModelName | SceneName;

const names: readonly CatalogueName[] = [...modelNames, ...sceneNames];
const makers: Readonly<Record<CatalogueName, (options: object) => MechanismDescription>> = { ...models, ...scenes };

const presentations: Partial<Record<CatalogueName, Presentation>> = {
  pendulum: { drive: "motor" },
  nPendulum: { drive: "motor" },
  cartpole: { drive: "motor" },
  slider: { drive: "motor" },
  fourBar: { drive: "motor" },
  atlas: { make: (options) => models.atlas({ rootActuated: false, ...options }) },
  // the thrusts that hold it are there to be played with
  skydioX2: { start: "hover" },
  // its fingers press
  gripper: { drive: "motor" },
};

export interface CatalogueEntry {
  readonly name: CatalogueName;
  readonly description: MechanismDescription;
  readonly start: string;
  readonly drive: Drive;
  /** Null where there is no choice. */
  readonly collisions: Collisions | null;
}

/** The entry by its name in any spelling: half-cheetah and HalfCheetah are halfCheetah. Limbs touch each other where the model has them do so. */
export function catalogueEntry(asked: string, collisions: Collisions = "shapes"): CatalogueEntry {
  const plain = (name: string): string => name.toLowerCase().replace(/[-_ ]/g, "");
  const name = names.find((known) => plain(known) === plain(asked));
  if (name === undefined) {
    const nearest = nearestName(asked, names);
    const hint = nearest === undefined ? "the list of models has all there are" : `did you mean "${nearest}"?`;
    throw new RangeError(`There is no model "${asked.slice(0, 60)}"; ${hint}`);
  }
  const { make = makers[name], start, drive = "servo" } = presentations[name] ?? {};
  const hasChoice = selfCollisionModels.some((known) => known === name);
  const description = make(hasChoice && collisions === "shapes" ? { selfCollisions: true } : {});
  const first = namesOf(description, "states")[0];
  return { name, description, start: start ?? first, drive, collisions: hasChoice ? collisions : null };
}
