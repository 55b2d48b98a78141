/**
 * Points and directions of the solver in the system's memory, and the call lists that move them:
 *   direction.k   −residual → rhs → solve → recover → direction k            one call a solve
 *   keep.k        direction k ← unknowns and cone variables
 *   advance.k     unknowns and cone variables ← (point 0) + α·(direction k)
 * Direction 0 holds the point that a step starts from.
 */
import type { Register } from "./elimination.ts";
import { address, CallList, type MemoryPlan } from "./memory.ts";
import { addScaledProgram, copyProgram, negateProgram } from "./vectorKernels.ts";

/** The saved point, the predictor, the corrector, one for whoever measures, and a point put aside. */
export const directionCount = 5;

export interface DirectionPlaces {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export function reserveDirections(memory: MemoryPlan, unknowns: number, coneSize: number): DirectionPlaces[] {
  return Array.from({ length: directionCount }, () => ({
    a: memory.reserve(unknowns),
    b: memory.reserve(coneSize),
    c: memory.reserve(coneSize),
  }));
}

interface Vectors {
  /** Where the solver's vectors start. */
  readonly places: Readonly<Record<"unknown" | "residual" | "step" | "coneB" | "coneC" | "stepB" | "stepC", number>>;
  readonly directions: readonly DirectionPlaces[];
  readonly alpha: number;
  readonly unknowns: number;
  readonly coneSize: number;
}

/** `solving` are the lists rhs, solve and recover. */
export function directionLists(
  vectors: Vectors,
  solving: readonly CallList[],
  register: Register,
): Map<string, CallList> {
  const { places, directions, alpha, unknowns, coneSize } = vectors;
  const loop = (
    list: CallList,
    name: string,
    make: typeof negateProgram,
    at: readonly number[],
    length: number,
  ): void => {
    if (length > 0) list.call(register(`vector.${name}`, make), at.map(address), (length + 1) >> 1);
  };
  const lists = new Map<string, CallList>();
  directions.forEach(({ a, b, c }, k) => {
    const direction = new CallList();
    loop(direction, "negate", negateProgram, [places.step, places.residual], unknowns);
    for (const list of solving) direction.append(list);
    loop(direction, "copy", copyProgram, [a, places.step], unknowns);
    loop(direction, "copy", copyProgram, [b, places.stepB], coneSize);
    loop(direction, "copy", copyProgram, [c, places.stepC], coneSize);
    lists.set(`direction.${k}`, direction);

    const keep = new CallList();
    loop(keep, "copy", copyProgram, [a, places.unknown], unknowns);
    loop(keep, "copy", copyProgram, [b, places.coneB], coneSize);
    loop(keep, "copy", copyProgram, [c, places.coneC], coneSize);
    lists.set(`keep.${k}`, keep);

    const advance = new CallList();
    const base = directions[0];
    loop(advance, "addScaled", addScaledProgram, [places.unknown, base.a, a, alpha], unknowns);
    loop(advance, "addScaled", addScaledProgram, [places.coneB, base.b, b, alpha], coneSize);
    loop(advance, "addScaled", addScaledProgram, [places.coneC, base.c, c, alpha], coneSize);
    lists.set(`advance.${k}`, advance);
  });
  return lists;
}
