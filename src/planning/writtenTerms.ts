/**
 * Costs and constraints of plans as they are written in files and on command lines:
 *   "(torso.z - 0.4)^2 + 1e-3 |input|^2"      a sum of squares, at all knots
 *   "final: 10 |torso.velocity|^2"            before the colon a knot's number, or one of always, running, final
 *   "foot.z >= 0.02"                          rows; of a constraint
 */
import type { ExpressionSource, Names } from "../quantities/index.ts";
import { namesOf, type Quantities, readComparison, readSquares } from "../quantities/index.ts";
import { neg, type Scalar, symbolsOf } from "../symbolic/index.ts";
import { atMostZero, type ConstraintTerm, type CostTerm, cost, equals, type When } from "./terms.ts";

/** A text, which may say at which knots it counts, or data. */
export type WrittenCost = ExpressionSource;

const timed = /^\s*(?:(always|running|final)|(\d+))\s*:/;

/** The knots that a text names, and what remains of it. */
function knotsIn(text: string): { readonly at: When; readonly rest: string } {
  const found = timed.exec(text);
  if (!found) return { at: "always", rest: text };
  const [whole, word, knot] = found;
  // blanks keep the columns of what follows
  const rest = " ".repeat(whole.length) + text.slice(whole.length);
  return { at: word === undefined ? Number(knot) : (word as When), rest };
}

export function costTerms(written: readonly WrittenCost[], q: Quantities, at: string): CostTerm[] {
  return written.flatMap((source, i) => {
    const { at: knots, rest } = typeof source === "string" ? knotsIn(source) : { at: "always" as const, rest: source };
    const { residuals, weights } = readSquares(rest, namesOf(q), written.length === 1 ? at : `${at}[${i}]`);
    // what reads inputs counts at all knots but the last, and takes nothing else with it
    const isOfInputs = residuals.map((residual) => readsInput(q, residual));
    return [false, true].flatMap((ofInputs) => {
      const pick = <T>(list: readonly T[]): T[] => list.filter((_, k) => isOfInputs[k] === ofInputs);
      return pick(residuals).length === 0 ? [] : [cost(pick(residuals), pick(weights), knots)];
    });
  });
}

export function constraintTerms(written: readonly string[], q: Quantities, at: string): ConstraintTerm[] {
  return written.map((text, i) => constraintTerm(text, namesOf(q), written.length === 1 ? at : `${at}[${i}]`));
}

function constraintTerm(text: string, names: Names, at: string): ConstraintTerm {
  const { at: knots, rest } = knotsIn(text);
  const { sign, rows } = readComparison(rest, names, at);
  if (sign === "=") return equals(rows, knots);
  return atMostZero(sign === "<=" ? rows : rows.map(neg), knots);
}

function readsInput(q: Quantities, residual: Scalar): boolean {
  return symbolsOf([residual]).some((symbol) => q.places.get(symbol)?.section === "input");
}
