/** Lists of a keyframe: short ones end in zeros, as in MuJoCo, and with a long one the keyframe is left out. */
import { readNumberList, type XmlElement } from "../xml.ts";
import type { Ledger } from "./ledger.ts";

/** Undefined, with a warning, where a list has more numbers than the model; a list that is not there is undefined. */
export function readKeyLists<Name extends string>(
  element: XmlElement,
  lengths: Readonly<Record<Name, number>>,
  ledger: Ledger,
): Partial<Record<Name, number[]>> | undefined {
  const lists: Partial<Record<Name, number[]>> = {};
  for (const [name, length] of Object.entries(lengths) as [Name, number][]) {
    const numbers = readNumberList(element, name);
    if (!numbers) continue;
    const missing = length - numbers.length;
    const counts = `${name} has ${numbers.length} numbers, this model ${length}`;
    if (missing < 0) {
      ledger.add("not-expressible", element, `${counts}: the keyframe is left out`);
      return undefined;
    }
    if (missing > 0) ledger.add("adjusted", element, `${counts}: the others are 0`);
    lists[name] = [...numbers, ...Array<number>(missing).fill(0)];
  }
  return lists;
}
