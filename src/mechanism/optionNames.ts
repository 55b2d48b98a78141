/** Options by name: one that there is none of is refused, with the nearest that there is, instead of having no effect. */
import { ArgumentError } from "./argumentError.ts";
import { nearestName } from "./nearestName.ts";

/** The names that an object of options may have. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** The words of a text with blanks between them. @internal */
export type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text;

/** What a list lacks of the names there are, and what it has besides, for the compiler to show. @internal */
export type Complete<Names, Listed> = [Exclude<Names, Listed> | Exclude<Listed, Names>] extends [never]
  ? unknown
  : { readonly missing: Exclude<Names, Listed>; readonly unknown: Exclude<Listed, Names> };

/** The names of all options, as words with blanks between them. Typed by the options, so that it cannot fall behind them. @internal */
export function optionNamesOf<Options>() {
  return <const Text extends string>(
    ...texts: readonly (Text & Complete<keyof Options, Words<Text>>)[]
  ): OptionNames<Options> => listed(texts) as OptionNames<Options>;
}

/** The same of options that extend others, whose names are known. @internal */
export function moreOptionNamesOf<Options>() {
  return <Known extends object, const Text extends string>(
    known: Known,
    ...texts: readonly (Text & Complete<Exclude<keyof Options, keyof Known>, Words<Text>>)[]
  ): OptionNames<Options> & Known => ({ ...known, ...listed(texts) }) as OptionNames<Options> & Known;
}

function listed(texts: readonly string[]): object {
  return Object.fromEntries(texts.flatMap((text) => text.split(" ")).map((name) => [name, true]));
}

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
