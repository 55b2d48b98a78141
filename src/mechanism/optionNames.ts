/** Options by name: one that there is none of is refused, with the nearest that there is, instead of having no effect. */
import { ArgumentError } from "./argumentError.ts";
import { nearestName } from "./nearestName.ts";

/** The names that an object of options may have. Typed by the options, so that it cannot fall behind them. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** Throws at a name that is none of `names`, and where no object is given at all. It allocates nothing: steps ask it. */
export function requireOptionNames(path: string, given: object, names: object): void {
  if (typeof given !== "object" || given === null)
    throw new ArgumentError("wrong-type", path, `${String(given)}: give an object of options, or nothing`);
  for (const name in given)
    if (!Object.hasOwn(names, name)) throw unknownName("option", name, Object.keys(names), `${path}.${name}`);
}

/** A name that is none of those there are, with the nearest of them. */
export function unknownName(what: string, name: string, names: readonly string[], path = what): ArgumentError {
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  return new ArgumentError(`unknown-${what}`, path, `there is no "${name}" (have: ${names.join(", ")})${hint}`);
}
