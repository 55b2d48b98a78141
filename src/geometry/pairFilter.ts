/**
 * Which shapes may touch at all, from integers: the body of each shape, bits for groups and masks, and lists of exceptions. The order of
 * the rules is MuJoCo's: a pair that is named may touch whatever else is said; two shapes of one body, or of the world, never do; nor
 * do those of bodies that exclude each other; the rest by their bits.
 */
import type { PairFilter } from "./broadPhase.ts";

export interface FilterTable {
  /** The body that each shape is fixed in; −1 for the world. */
  readonly owners: ArrayLike<number>;
  /** Bits per shape. A pair may touch if (group a & mask b) | (group b & mask a) is not 0. Default 1 and 1 for all. */
  readonly groups?: ArrayLike<number>;
  readonly masks?: ArrayLike<number>;
  /** Bodies that never touch each other, adjacent links for one. Default none. */
  readonly excludedBodies?: Iterable<readonly [number, number]>;
  /** Shapes that may touch whatever the other rules say. Default none. */
  readonly namedPairs?: Iterable<readonly [number, number]>;
  /** Whether the named pairs are the only ones. Default false. */
  readonly onlyNamed?: boolean;
}

export function pairFilter(table: FilterTable): PairFilter {
  const { owners, groups, masks, onlyNamed = false } = table;
  let bodies = 1;
  for (let i = 0; i < owners.length; i++) bodies = Math.max(bodies, owners[i] + 2);
  // the world is body −1
  const excluded = keysOf(table.excludedBodies ?? [], bodies, 1);
  const named = keysOf(table.namedPairs ?? [], owners.length, 0);
  return (a, b) => {
    if (named.size > 0 && named.has(keyOf(a, b, owners.length))) return true;
    if (onlyNamed || owners[a] === owners[b]) return false;
    if (excluded.size > 0 && excluded.has(keyOf(owners[a] + 1, owners[b] + 1, bodies))) return false;
    const [groupA, groupB] = [groups?.[a] ?? 1, groups?.[b] ?? 1];
    const [maskA, maskB] = [masks?.[a] ?? 1, masks?.[b] ?? 1];
    return ((groupA & maskB) | (groupB & maskA)) !== 0;
  };
}

function keysOf(pairs: Iterable<readonly [number, number]>, radix: number, shift: number): Set<number> {
  const keys = new Set<number>();
  for (const [a, b] of pairs) keys.add(keyOf(a + shift, b + shift, radix));
  return keys;
}

function keyOf(a: number, b: number, radix: number): number {
  return Math.min(a, b) * radix + Math.max(a, b);
}
