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
  /** Parts that may be excluded from each other. Default all pairs. */
  readonly candidates?: readonly (readonly [Part, Part])[];
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
  candidates,
  touches,
}: PartExclusions<Part>): BodyExclusions<Part> {
  const partsOf = new Map<string, Part[]>();
  for (const part of colliding) {
    const others = partsOf.get(bodyOf(part));
    if (others) others.push(part);
    else partsOf.set(bodyOf(part), [part]);
  }
  const bodies = [...partsOf.keys()];
  const exclude: [string, string][] = [];
  const partial: [Part, Part][] = [];
  const numberOf = new Map(bodies.map((body, i) => [body, i]));
  // for each body those after it that it may be excluded from
  const after = bodies.map((): Set<number> => new Set());
  for (const pair of candidates ?? []) {
    const [i, j] = pair.map((part) => numberOf.get(bodyOf(part)) ?? -1).sort((a, b) => a - b);
    if (i >= 0 && i < j) after[i].add(j);
  }
  bodies.forEach((one, i) => {
    const others = candidates ? [...after[i]].sort((a, b) => a - b).map((j) => bodies[j]) : bodies.slice(i + 1);
    for (const two of others) {
      const [ownParts, otherParts] = [partsOf.get(one) as Part[], partsOf.get(two) as Part[]];
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
