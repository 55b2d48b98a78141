/** Settings in the part of the address behind #. */

/** The numbers of these names; NaN for what is absent. */
export function numbersOf<Name extends string>(
  given: URLSearchParams,
  names: Readonly<Record<Name, unknown>>,
): Record<Name, number> {
  const entries = (Object.keys(names) as Name[]).map((name) => [name, Number(given.get(name) || Number.NaN)]);
  return Object.fromEntries(entries) as Record<Name, number>;
}

export function parametersOf(hash: string): URLSearchParams {
  return new URLSearchParams(hash.replace(/^#/, ""));
}

/** Writes the address a moment later, the last one of several only: browsers refuse more than some a second. */
export function addressWriter(): (hash: string) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (hash) => {
    clearTimeout(timer);
    timer = setTimeout(() => history.replaceState(null, "", hash), 200);
  };
}
