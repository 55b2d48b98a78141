/**
 * What two surfaces have together. Friction coefficients a and b combine by a rule of the mechanism:
 *   geometricMean √(ab)     max, min     product ab
 * unless one of the surfaces has a higher priority: then what it says is taken, as it is.
 */
import { derivative, evaluate, Graph, max, min, mul, type Scalar, sqrt } from "../symbolic/index.ts";

export type FrictionRule = "geometricMean" | "max" | "min" | "product";

/** Makes one number of two. `priority`: that of the first over that of the second. */
export function combinedFriction<T extends Scalar>(rule: FrictionRule, a: T, b: T, priority = 0): T {
  if (priority !== 0) return priority > 0 ? a : b;
  switch (rule) {
    case "geometricMean":
      // equal numbers stay what they are, to the bit
      return a === b ? a : (sqrt(mul(a, b)) as T);
    case "max":
      return max(a, b) as T;
    case "min":
      return min(a, b) as T;
    case "product":
      return mul(a, b) as T;
  }
}

/** The rule by which the restitution of two surfaces is combined, and their friction against turning. */
export const largerRule: FrictionRule = "max";

/** The combined coefficient at two numbers, and its derivatives with respect to both. */
export function frictionSlopes(
  rule: FrictionRule,
  a: number,
  b: number,
  priority = 0,
): { value: number; slopes: number[] } {
  const [own, other] = new Graph().symbols("surface", 2);
  const together = combinedFriction<Scalar>(rule, own, other, priority);
  const outputs = [together, derivative(together, own), derivative(together, other)];
  const [value, ...slopes] = evaluate(outputs, (symbol) => (symbol === own ? a : b));
  return { value, slopes };
}
