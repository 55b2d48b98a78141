/**
 * Costs and constraints of plans as they are written in files and on command lines:
 *   "(torso.z - 0.4)^2 + 1e-3 |input|^2"      a sum of squares, at all knots
 *   "final: 10 |torso.velocity|^2"            before the colon a knot's number, or one of always, running, final
 *   "foot.z >= 0.02"                          rows; of a constraint
 */
import { ArgumentError } from "../mechanism/index.ts";
import {
  type Comparison,
  type ExpressionSource,
  type Names,
  namesOf,
  type Quantities,
  readComparison,
  readExpression,
  readSquares,
} from "../quantities/index.ts";
import { neg, type Scalar, symbolsOf } from "../symbolic/index.ts";
import { atMostZero, type ConstraintTerm, type CostTerm, cost, equals, type When } from "./terms.ts";

/** A text, which may say at which knots it counts, or data. */
export type WrittenCost = ExpressionSource | { readonly cost: ExpressionSource; readonly at?: When };

/** A text, or the difference of its two sides as data. */
export type WrittenConstraint =
  | string
  | { readonly difference: ExpressionSource; readonly sign: Comparison; readonly at?: When };

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
    const { at: knots, rest } = timedCost(source);
    const { residuals, weights } = readSquares(rest, namesOf(q), written.length === 1 ? at : `${at}[${i}]`);
    // what reads inputs counts at all knots but the last, and takes nothing else with it
    const isOfInputs = residuals.map((residual) => readsInput(q, residual));
    return [false, true].flatMap((ofInputs) => {
      const pick = <T>(list: readonly T[]): T[] => list.filter((_, k) => isOfInputs[k] === ofInputs);
      return pick(residuals).length === 0 ? [] : [cost(pick(residuals), pick(weights), knots)];
    });
  });
}

function timedCost(source: WrittenCost): { readonly at: When; readonly rest: ExpressionSource } {
  if (typeof source === "string") return knotsIn(source);
  if (typeof source === "object" && source !== null && "cost" in source) {
    return { at: source.at ?? "always", rest: source.cost };
  }
  return { at: "always", rest: source };
}

export function constraintTerms(written: readonly WrittenConstraint[], q: Quantities, at: string): ConstraintTerm[] {
  return written.map((source, i) => constraintTerm(source, namesOf(q), written.length === 1 ? at : `${at}[${i}]`));
}

function constraintTerm(source: WrittenConstraint, names: Names, at: string): ConstraintTerm {
  if (typeof source === "string") {
    const { at: knots, rest } = knotsIn(source);
    const { sign, rows } = readComparison(rest, names, at);
    return rowsTerm(sign, rows, knots);
  }
  if (typeof source !== "object" || source === null || !["=", "<=", ">="].includes(source.sign)) {
    throw new ArgumentError(
      "wrong-type",
      at,
      'a constraint is a text, or { "difference": …, "sign": "=", "<=" or ">=" }',
    );
  }
  return rowsTerm(source.sign, readExpression(source.difference, names, at), source.at ?? "always");
}

function rowsTerm(sign: Comparison, rows: readonly Scalar[], knots: When): ConstraintTerm {
  if (sign === "=") return equals(rows, knots);
  return atMostZero(sign === "<=" ? rows : rows.map(neg), knots);
}

function readsInput(q: Quantities, residual: Scalar): boolean {
  return symbolsOf([residual]).some((symbol) => q.places.get(symbol)?.section === "input");
}
