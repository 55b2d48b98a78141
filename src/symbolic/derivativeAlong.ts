/** Derivatives of functions at points that are expressions themselves. */
import { directional } from "./derivative.ts";
import { Graph, type Scalar } from "./expression.ts";
import { substitute } from "./rebuild.ts";
import { graphOf } from "./traversal.ts";

/**
 * f'(x) v, the derivative of f at x along v: f is built of symbols, differentiated, and x is put in their place. What f takes besides x, and x
 * and v themselves, are held.
 */
export function derivativeAlong(
  f: (x: readonly Scalar[]) => readonly Scalar[],
  x: readonly Scalar[],
  v: readonly Scalar[],
): Scalar[] {
  const graph = graphOf([...x, ...v]) ?? new Graph();
  // names that are new, so that one derivative may stand within another
  const symbols = graph.symbols(`along ${graph.size}.`, x.length);
  const outputs = f(symbols);
  const tangents = directional(outputs, new Map(symbols.map((symbol, k) => [symbol, v[k]])));
  return substitute(tangents, new Map(symbols.map((symbol, k) => [symbol, x[k]])));
}
