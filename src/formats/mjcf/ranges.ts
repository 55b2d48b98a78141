/** Attributes that joints and tendons share: ranges, and constants of springs and dampers. */
import { attributeError, elementError, readChoice, readNumberList, readNumbers, type XmlElement } from "../xml.ts";
import type { MjcfDocument } from "./document.ts";
import type { Ledger } from "./ledger.ts";

export const readAuto = readChoice(["true", "false", "auto"]);

/** Hard limits as the file gives them, times `unit`; undefined where there are none. */
export function readRange(
  element: XmlElement,
  { compilerOf, option }: MjcfDocument,
  ledger: Ledger,
  unit = 1,
): readonly [number, number] | undefined {
  const limited = readAuto(element, "limited") ?? "auto";
  const range = readNumbers(element, "range", 2);
  if (limited === "false" || option.disabled.has("limit")) return undefined;
  if (limited === "auto" && range && !compilerOf(element).autoLimits) {
    throw attributeError(element, "range", 'goes with limited="true" or "false" when autolimits is off');
  }
  if (!range && limited === "true") throw elementError(element, 'is limited without a range; add range="-1 1"');
  const kept = range && widthOf(element, "range", range, limited, ledger);
  return kept && [kept[0] * unit, kept[1] * unit];
}

/** A range without width is none, as in MuJoCo, unless its flag asks for it. */
export function widthOf(
  element: XmlElement,
  name: string,
  [low, high]: readonly number[],
  limited: "true" | "false" | "auto",
  ledger: Ledger,
): readonly [number, number] | undefined {
  if (low < high) return [low, high];
  if (limited === "true") throw attributeError(element, name, "must go from smaller to larger");
  if (low !== 0 || high !== 0) ledger.add("ignored", element, `${name} does not go from smaller to larger: no limit`);
  return undefined;
}

/** Bounds from here on stand for none: a range has two of them. */
const UNBOUNDED = 1e10;

/** Bounds of a range, null for none. */
export function boundsOf([lower, upper]: readonly [number, number]): [number | null, number | null] {
  return [lower <= -UNBOUNDED ? null : lower, upper >= UNBOUNDED ? null : upper];
}

/** A range of bounds of which one may be none. */
export function rangeOf(lower: number | null, upper: number | null): [number, number] {
  return [lower ?? -UNBOUNDED, upper ?? UNBOUNDED];
}

/** MuJoCo takes polynomials; the first coefficient is the linear one. */
export function readLinear(element: XmlElement, name: string, ledger: Ledger): number {
  const [first = 0, ...rest] = readNumberList(element, name) ?? [];
  if (rest.some((entry) => entry !== 0)) ledger.add("adjusted", element, `${name} is linear here: ${first}`);
  if (first < 0) throw attributeError(element, name, "must not be negative");
  return first;
}
