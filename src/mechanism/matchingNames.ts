/**
 * Names that a pattern means: each * stands for one character or more. A pattern is compared with a name in at most pattern × name
 * operations, however many * it has.
 */

/** All names that fit; * stands for one name between dots or a part of it. Without * the name itself. */
export function matchingNames(pattern: string, names: readonly string[]): string[] {
  if (!pattern.includes("*")) return names.filter((name) => name === pattern);
  return names.filter((name) => fits(pattern, name, false));
}

/** The same, but where nothing fits * may stand for dots as well, since names may contain them. */
export function matchingNamesWithDots(pattern: string, names: readonly string[]): string[] {
  const strict = matchingNames(pattern, names);
  return strict.length > 0 ? strict : names.filter((name) => fits(pattern, name, true));
}

/** Parameters that fit. A pattern names a kind of them: without a dot, as "*" is, it would mix time step and whatever else the whole has. */
export function matchingParameters(pattern: string, names: readonly string[]): string[] {
  if (pattern.includes("*") && !pattern.includes(".")) return [];
  return matchingNamesWithDots(pattern, names);
}

/** Follows all ways at once: `reached[i]` says whether the pattern so far can end before character i of the name. */
function fits(pattern: string, name: string, overDots: boolean): boolean {
  // every character of the pattern takes one of the name at least, and what stands before and after all * is in every name
  if (pattern.length > name.length) return false;
  if (!name.startsWith(pattern.slice(0, pattern.indexOf("*")))) return false;
  if (!name.endsWith(pattern.slice(pattern.lastIndexOf("*") + 1))) return false;
  let reached = new Uint8Array(name.length + 1);
  reached[0] = 1;
  for (let k = 0; k < pattern.length; k++) {
    const next = new Uint8Array(name.length + 1);
    for (let i = 0; i < name.length; i++) {
      if (pattern[k] !== "*") next[i + 1] = pattern[k] === name[i] ? reached[i] : 0;
      else if (overDots || name[i] !== ".") next[i + 1] = reached[i] | next[i];
    }
    reached = next;
  }
  return reached[name.length] === 1;
}
