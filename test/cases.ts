/** How many cases tests make: few in `npm test`, all in `npm run nightly`. */

export const isNightly: boolean = process.env.DOJO_TESTS === "nightly";

/** A number of random cases. The few are the first of all. */
export function cases(few: number, all: number): number {
  return isNightly ? all : few;
}

/** Every k-th of a list in `npm test`, from the first on, or all of them. */
export function some<T>(every: number, list: readonly T[]): readonly T[] {
  return isNightly ? list : list.filter((_, k) => k % every === 0);
}
