/** What models and scenes may be asked for, by name: an option that there is none of is refused, with the nearest that there is. */
import { type Complete, requireOptionNames, type Words } from "../mechanism/index.ts";

/** Functions that make descriptions, by name. */
type Makers = Readonly<Record<string, (options?: never) => unknown>>;

/** What the lists of names lack or have too much of, for the compiler to show. */
type WholeLists<M, Lists> = {
  readonly [Name in keyof M & keyof Lists]: M[Name] extends (options?: infer Options) => unknown
    ? Lists[Name] extends string
      ? Complete<keyof NonNullable<Options>, Words<Lists[Name]>>
      : never
    : never;
};

/** The same functions, which refuse options that there are none of. `path` is what they belong to; `lists` has the names of the options of each. */
export function withCheckedOptions<M extends Makers, const Lists extends Readonly<Record<keyof M, string>>>(
  path: string,
  makers: M,
  lists: Lists & WholeLists<M, Lists>,
): M {
  const checked = Object.entries(makers).map(([name, make]) => {
    const names = Object.fromEntries(lists[name].split(" ").map((option) => [option, true]));
    return [
      name,
      (options: object = {}): unknown => {
        requireOptionNames(`${path}.${name}`, options, names);
        return make(options as never);
      },
    ];
  });
  return Object.fromEntries(checked) as M;
}

export const common = "timestep gravity";
export const floor = "floor frictionCoefficient restitution";
export const drive = "actuated servo";
export const limb = `${common} ${floor} ${drive} bodyContacts jointLimits` as const;
export const robot = `${limb} effortLimits selfCollisions` as const;
