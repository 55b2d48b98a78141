/** Expressions from outside, as text or data, over named quantities. */
import { ArgumentError } from "../mechanism/index.ts";
import { type Scalar, sub } from "../symbolic/index.ts";
import { type ExpressionData, type ExpressionNode, type Names, type Value, valuesOf } from "./expressionData.ts";
import { type Comparison, readComparisonText, readExpressionText } from "./expressionText.ts";
import type { Quantities } from "./quantities.ts";
import { quantityNamed } from "./quantityNamed.ts";

/** A number, a text such as "(torso.z - 0.4)^2 + 1e-3 |input|^2", or data. */
export type ExpressionSource = number | string | ExpressionData;

/** The names of a mechanism's quantities. */
export const namesOf =
  (q: Quantities): Names =>
  (name, at) =>
    quantityNamed(q, name, at);

interface Read {
  readonly data: ExpressionData;
  readonly placeOf: (node: number) => string;
}

function dataOf(source: ExpressionSource, at: string): Read {
  const placeOf = (node: number): string => `${at}.nodes[${node}]`;
  if (typeof source === "number") return { data: { nodes: [source] }, placeOf: () => at };
  if (typeof source === "string") return readExpressionText(source, at);
  if (typeof source === "object" && source !== null && Array.isArray(source.nodes)) return { data: source, placeOf };
  throw new ArgumentError("wrong-type", at, 'an expression is a number, a text, or { "nodes": […] }');
}

/** All outputs of an expression in one list, entries of vectors one by one. `at` is what errors call it. */
export function readExpression(source: ExpressionSource, names: Names, at: string): Scalar[] {
  const { data, placeOf } = dataOf(source, at);
  return valuesOf(data, names, at, placeOf).flat();
}

/** An expression that is one scalar. */
export function readScalar(source: ExpressionSource, names: Names, at: string): Scalar {
  const values = readExpression(source, names, at);
  if (values.length === 1) return values[0];
  throw new ArgumentError(
    "wrong-type",
    at,
    `it has ${values.length} values; give one, such as a length |…| or an entry`,
  );
}

/** The rows of an equation or inequality: left less right, entry by entry. */
export interface ReadRows {
  readonly sign: Comparison;
  readonly rows: readonly Scalar[];
}

export function readComparison(text: string, names: Names, at: string): ReadRows {
  const { data, placeOf, sign, left, right } = readComparisonText(text, at);
  const [a, b] = valuesOf({ ...data, outputs: [left, right] }, names, at, placeOf).map((value) => [value].flat());
  if (a.length === b.length) return { sign, rows: a.map((entry, i) => sub(entry, b[i])) };
  // a vector beside one number is compared entry by entry
  if (b.length === 1) return { sign, rows: a.map((entry) => sub(entry, b[0])) };
  if (a.length === 1) return { sign, rows: b.map((entry) => sub(a[0], entry)) };
  throw new ArgumentError("wrong-type", at, `${a.length} values cannot be compared with ${b.length}`);
}

/** Σ weight · residual². */
export interface Squares {
  readonly residuals: readonly Scalar[];
  readonly weights: readonly number[];
}

/** An expression that is a sum of weight · square, as its squares. */
export function readSquares(source: ExpressionSource, names: Names, at: string): Squares {
  const { data, placeOf } = dataOf(source, at);
  const { nodes, outputs = [nodes.length - 1] } = data;
  const values = valuesOf({ nodes, outputs: nodes.map((_, node) => node) }, names, at, placeOf);
  const found = { residuals: [] as Scalar[], weights: [] as number[] };
  for (const output of outputs) collect(output, 1, { nodes, values, placeOf }, found);
  return found;
}

interface Evaluated {
  readonly nodes: readonly ExpressionNode[];
  readonly values: readonly Value[];
  readonly placeOf: (node: number) => string;
}

/** Adds the squares of weight · node. */
function collect(
  node: number,
  weight: number,
  evaluated: Evaluated,
  found: { readonly residuals: Scalar[]; readonly weights: number[] },
): void {
  const { nodes, values, placeOf } = evaluated;
  const entry = nodes[node];
  const [name, a, b] = (typeof entry === "number" ? [] : entry) as readonly [string?, number?, number?];
  const add = (residuals: readonly Scalar[]): void => {
    if (weight < 0) throw noSquare(placeOf(node), "has a negative weight");
    for (const residual of residuals) {
      found.residuals.push(residual);
      found.weights.push(weight);
    }
  };
  const value = values[node];
  if (typeof value === "number") {
    if (value * weight < 0) throw noSquare(placeOf(node), "is a negative constant");
    found.residuals.push(1);
    found.weights.push(value * weight);
    return;
  }
  const [first, second] = [values[a as number], values[b as number]];
  if (name === "add" || name === "sub") {
    collect(a as number, weight, evaluated, found);
    collect(b as number, name === "add" ? weight : -weight, evaluated, found);
  } else if (name === "neg") collect(a as number, -weight, evaluated, found);
  else if (name === "mul" && typeof first === "number") collect(b as number, weight * first, evaluated, found);
  else if (name === "mul" && typeof second === "number") collect(a as number, weight * second, evaluated, found);
  else if (name === "div" && typeof second === "number") collect(a as number, weight / second, evaluated, found);
  else if (name === "mul" && first === second) add([first].flat());
  else if (name === "dot" && areSame(first, second)) add([first].flat());
  else if (name === "pow" && b === 2) {
    const base = nodes[a as number];
    const inside = typeof base !== "number" && base[0] === "norm" ? values[base[1] as number] : first;
    add([inside].flat());
  } else throw noSquare(placeOf(node), "is none");
}

function areSame(a: Value, b: Value): boolean {
  const [first, second] = [[a].flat(), [b].flat()];
  return first.length === second.length && first.every((entry, i) => entry === second[i]);
}

function noSquare(at: string, fault: string): ArgumentError {
  return new ArgumentError(
    "not-expressible",
    at,
    `a cost is a sum of weight · square, such as 2 (x - 1)^2 + 0.1 |v|^2, and this term ${fault}`,
  );
}
