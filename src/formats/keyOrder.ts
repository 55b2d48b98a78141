/** The order in which a JSON text has the names of a description, which `JSON.parse` does not keep for whole numbers. */
import { type MechanismDescription, orderOf } from "../mechanism/index.ts";

const kinds = ["bodies", "joints", "gears", "thrusters", "states"] as const;
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
const wholeNumber = /^\d+$/;

/** The `order` of a description that was read from `text`, a member of its outermost object; nothing where it has one, or needs none. */
export function orderInText(text: string, description: MechanismDescription): Pick<MechanismDescription, "order"> {
  const needsNone = kinds.every((kind) => !Object.keys(description[kind] ?? {}).some((name) => wholeNumber.test(name)));
  if (needsNone || description.order) return {};
  const names = new Map(kinds.map((kind) => [`description.${kind}`, new Set<string>()]));
  /** Keys of the objects that are open, the last key of each; undefined in lists. */
  const open: (string | undefined)[] = [];
  let last = "";
  for (const [token] of text.matchAll(tokens)) {
    if (token === "{") open.push("");
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      open[open.length - 1] = JSON.parse(last) as string;
      if (open.length === 3) names.get(`${open[0]}.${open[1]}`)?.add(open[2] as string);
    } else if (token !== ",") last = token;
  }
  return orderOf(Object.fromEntries(kinds.map((kind) => [kind, names.get(`description.${kind}`) ?? []])));
}
