/**
 * The order of what a description names. Objects of JavaScript have names that are whole numbers first, in ascending order, whatever order they
 * were written in; where that is not the order that counts, `order` of the description says it.
 */
import type { DescriptionOrder, MechanismDescription } from "./description.ts";
import { type FaultList, fieldsOf, member } from "./faults.ts";

const kinds = ["bodies", "joints", "gears", "thrusters", "states"] as const;
type Kind = (typeof kinds)[number];

/** Names of a kind, in the order that counts: those that `order` lists, then the others. */
export function namesOf(description: Partial<MechanismDescription>, kind: Kind): string[] {
  return [...new Set([...(description.order?.[kind] ?? []), ...Object.keys(description[kind] ?? {})])];
}

/** What is named, in the order that counts. */
export function entriesOf<K extends Kind>(
  description: MechanismDescription,
  kind: K,
): [string, NonNullable<MechanismDescription[K]>[string]][] {
  const all = (description[kind] ?? {}) as Readonly<Record<string, NonNullable<MechanismDescription[K]>[string]>>;
  return namesOf(description, kind).map((name) => [name, all[name]]);
}

/** The `order` with which names keep this order; nothing where objects keep it by themselves. */
export function orderOf(names: Readonly<Partial<Record<Kind, Iterable<string>>>>): Pick<MechanismDescription, "order"> {
  const lists = kinds.flatMap((kind) => {
    const wanted = [...(names[kind] ?? [])];
    const kept = Object.keys(Object.fromEntries(wanted.map((name) => [name, undefined])));
    return wanted.every((name, i) => name === kept[i]) ? [] : [[kind, wanted] as const];
  });
  return lists.length > 0 ? { order: Object.fromEntries(lists) } : {};
}

const orderFields = fieldsOf<DescriptionOrder>()("bodies joints gears thrusters states");

export function checkOrder(faults: FaultList, value: unknown, names: (kind: Kind) => readonly string[]): void {
  const fields = faults.record("order", value, orderFields, "an order");
  for (const kind of kinds) {
    const path = member("order", kind);
    if (fields?.get(kind) === undefined) continue;
    const list = faults.array(path, fields.get(kind), "a list of names") ?? [];
    list.forEach((name, i) => {
      if (faults.known("out-of-range", `${path}[${i}]`, name, names(kind)) === undefined) return;
      if (list.indexOf(name) < i)
        faults.add("out-of-range", `${path}[${i}]`, `"${name}" is listed before; list each once`);
    });
  }
}
