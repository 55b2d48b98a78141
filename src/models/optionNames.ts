/** What models and scenes may be asked for, by name: an option that there is none of is refused, with the nearest that there is. */
import { type OptionNames, requireOptionNames } from "../mechanism/index.ts";
import type {
  BodyContactOptions,
  DriveOptions,
  EffortOptions,
  FloorOptions,
  LimbOptions,
  LimitOptions,
  ModelOptions,
  RobotOptions,
} from "./options.ts";

/** Functions that make descriptions, by name. */
type Makers = Readonly<Record<string, (options?: never) => unknown>>;

/** The names of the options of each. */
export type OptionNamesOf<M> = {
  readonly [Name in keyof M]: M[Name] extends (options?: infer Options) => unknown
    ? OptionNames<NonNullable<Options>>
    : never;
};

/** The same functions, which refuse options that there are none of. `path` is what they belong to. */
export function withCheckedOptions<M extends Makers>(path: string, makers: M, names: OptionNamesOf<M>): M {
  const checked = Object.entries(makers).map(([name, make]) => [
    name,
    (options: object = {}): unknown => {
      requireOptionNames(`${path}.${name}`, options, names[name]);
      return make(options as never);
    },
  ]);
  return Object.fromEntries(checked) as M;
}

export const commonNames: OptionNames<ModelOptions> = { timestep: true, gravity: true };
export const floorNames: OptionNames<FloorOptions> = { floor: true, frictionCoefficient: true, restitution: true };
export const driveNames: OptionNames<DriveOptions> = { actuated: true, servo: true };
export const effortNames: OptionNames<EffortOptions> = { effortLimits: true };
const bodyContactNames: OptionNames<BodyContactOptions> = { bodyContacts: true };
const limitNames: OptionNames<LimitOptions> = { jointLimits: true };
export const limbNames: OptionNames<LimbOptions> = {
  ...commonNames,
  ...floorNames,
  ...bodyContactNames,
  ...driveNames,
  ...limitNames,
};
export const robotNames: OptionNames<RobotOptions> = { ...limbNames, ...effortNames, selfCollisions: true };
