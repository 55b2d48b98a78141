/**
 * Exclusions by the file's parts (links of a URDF file, bodies of an MJCF file) → exclusions by bodies of the description, of which
 * several parts may be one. Two bodies are excluded where every part of one that collides is excluded from every part of the other.
 */

export interface PartExclusions<Part> {
  /** Body that a part became; "world" for what stands still. */
  readonly bodyOf: (part: Part) => string;
  /** Parts with shapes that collide. */
  readonly colliding: Iterable<Part>;
  readonly isExcluded: (a: Part, b: Part) => boolean;
  /** Whether something of two bodies touches although all parts are excluded: then it is parts that are. Default never. */
  readonly touches?: (a: string, b: string) => boolean;
}

export interface BodyExclusions<Part> {
  readonly exclude: readonly (readonly [string, string])[];
  /** Parts that are excluded, though others of the same bodies are not, or some of their shapes are not. */
  readonly partial: readonly (readonly [Part, Part])[];
}

export function excludedPairs<Part>({
  bodyOf,
  colliding,
  isExcluded,
  touches,
}: PartExclusions<Part>): BodyExclusions<Part> {
  const partsOf = new Map<string, Part[]>();
  for (const part of colliding) partsOf.set(bodyOf(part), [...(partsOf.get(bodyOf(part)) ?? []), part]);
  const bodies = [...partsOf];
  const exclude: [string, string][] = [];
  const partial: [Part, Part][] = [];
  bodies.forEach(([one, ownParts], i) => {
    for (const [two, otherParts] of bodies.slice(i + 1)) {
      const pairs = ownParts.flatMap((a) => otherParts.map((b): [Part, Part] => [a, b]));
      const excluded = pairs.filter(([a, b]) => isExcluded(a, b));
      if (excluded.length === pairs.length && !touches?.(one, two)) exclude.push([one, two]);
      else partial.push(...excluded);
    }
  });
  return { exclude, partial };
}

/** Unordered pairs of names. */
export class NamePairs {
  readonly #keys = new Set<string>();

  add(a: string, b: string): void {
    this.#keys.add(JSON.stringify([a, b]));
    this.#keys.add(JSON.stringify([b, a]));
  }

  has(a: string, b: string): boolean {
    return this.#keys.has(JSON.stringify([a, b]));
  }
}
