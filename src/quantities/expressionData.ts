/**
 * Expressions as data: what costs, rewards and observations are where they come as text, in a file, or from another language.
 *   { nodes: [["quantity", "torso.position.z"], 0.4, ["sub", 0, 1], ["pow", 2, 2]] }        is (torso.position.z − 0.4)²
 * A node is a number, or an operation and its arguments: numbers of earlier nodes, or for a quantity its name. `outputs` are the nodes that
 * are meant, by default the last. Values are scalars and vectors; + and − take two of a kind, · and / scale vectors.
 */
import { ArgumentError, nearestName } from "../mechanism/index.ts";
import {
  abs,
  add,
  atan2,
  cos,
  cross,
  div,
  dot,
  exp,
  ifLess,
  log,
  max,
  min,
  mul,
  neg,
  type Scalar,
  sin,
  sqrt,
  square,
  sub,
  sum,
  tanh,
  vadd,
  vscale,
  vsub,
} from "../symbolic/index.ts";

export type ExpressionNode = number | readonly [string, ...(number | string)[]];

export interface ExpressionData {
  readonly nodes: readonly ExpressionNode[];
  /** Numbers of nodes. Default: the last alone. */
  readonly outputs?: readonly number[];
}

export type Value = Scalar | readonly Scalar[];

/** A lookup of names; `at` is the place that its errors give. */
export type Names = (name: string, at: string) => Value;

const isVector = (value: Value): value is readonly Scalar[] => Array.isArray(value);

/** Thrown by operations, which do not know where they stand. */
class OperationError extends Error {}

interface Operation {
  /** Number of values it takes; the least number if it `takesMore`. */
  readonly count: number;
  readonly takesMore?: boolean;
  readonly apply: (...values: Value[]) => Value;
}

function scalars(what: string, f: (...values: Scalar[]) => Scalar, count: number): Operation {
  return {
    count,
    apply: (...values) => {
      if (values.some(isVector))
        throw new OperationError(`${what} is of scalars; a vector has x, y and z, and |…| for its length`);
      return f(...(values as Scalar[]));
    },
  };
}

function sameKind(what: string, a: Value, b: Value): void {
  if (isVector(a) !== isVector(b) || (isVector(a) && isVector(b) && a.length !== b.length)) {
    const kind = (value: Value): string => (isVector(value) ? `a vector of ${value.length}` : "a scalar");
    throw new OperationError(`${what} takes two of a kind, not ${kind(a)} and ${kind(b)}`);
  }
}

function entrywise(what: string, ofScalars: (a: Scalar, b: Scalar) => Scalar, ofVectors: typeof vadd): Operation {
  return {
    count: 2,
    apply: (a, b) => {
      sameKind(what, a, b);
      return isVector(a) ? ofVectors(a, b as readonly Scalar[]) : ofScalars(a, b as Scalar);
    },
  };
}

function vectors(what: string, f: (a: readonly Scalar[], b: readonly Scalar[]) => Value): Operation {
  return {
    count: 2,
    apply: (a, b) => {
      if (!isVector(a) || !isVector(b)) throw new OperationError(`${what} is of two vectors`);
      sameKind(what, a, b);
      return f(a, b);
    },
  };
}

const folded = (what: string, f: (a: Scalar, b: Scalar) => Scalar): Operation => ({
  ...scalars(what, (...values) => values.reduce(f), 2),
  takesMore: true,
});

const operations: Readonly<Record<string, Operation>> = {
  add: entrywise("+", add, vadd),
  sub: entrywise("-", sub, vsub),
  mul: {
    count: 2,
    apply: (a, b) => {
      if (isVector(a) && isVector(b)) throw new OperationError("a product of two vectors is dot(a, b) or cross(a, b)");
      if (isVector(a)) return vscale(a, b as Scalar);
      return isVector(b) ? vscale(b, a) : mul(a, b);
    },
  },
  div: {
    count: 2,
    apply: (a, b) => {
      if (isVector(b)) throw new OperationError("nothing is divided by a vector");
      return isVector(a) ? a.map((entry) => div(entry, b)) : div(a, b);
    },
  },
  neg: { count: 1, apply: (a) => (isVector(a) ? a.map(neg) : neg(a)) },
  norm: { count: 1, apply: (a) => (isVector(a) ? sqrt(sum(a.map(square))) : abs(a)) },
  sum: { count: 1, apply: (a) => (isVector(a) ? sum(a) : a) },
  vector: { ...scalars("a vector", (a) => a, 1), takesMore: true, apply: (...entries) => entries.flat() },
  dot: vectors("dot", dot),
  cross: vectors("cross", (a, b) => {
    if (a.length !== 3) throw new OperationError("cross is of vectors of three");
    return cross(a, b);
  }),
  abs: scalars("abs", abs, 1),
  sqrt: scalars("sqrt", sqrt, 1),
  sin: scalars("sin", sin, 1),
  cos: scalars("cos", cos, 1),
  tan: scalars("tan", (a) => div(sin(a), cos(a)), 1),
  atan2: scalars("atan2", atan2, 2),
  exp: scalars("exp", exp, 1),
  log: scalars("log", log, 1),
  tanh: scalars("tanh", tanh, 1),
  min: folded("min", min),
  max: folded("max", max),
  clip: scalars("clip", (a, low, high) => max(low, min(high, a)), 3),
  /** ifLess(a, b, x, y) is x if a < b, else y. */
  ifLess: scalars("if", ifLess, 4),
};

/** Names of functions, as texts call them. */
export const functionNames: readonly string[] = Object.keys(operations).filter(
  (name) => !/^(add|sub|mul|div|neg|vector|ifLess)$/.test(name),
);

const letters = ["x", "y", "z"];

/** The values of the outputs; `at` is where errors say that the expression stands, followed by the node's number or its place in a text. */
export function valuesOf(
  { nodes, outputs = [nodes.length - 1] }: ExpressionData,
  names: Names,
  at: string,
  placeOf: (node: number) => string = (node) => `${at}.nodes[${node}]`,
): Value[] {
  const values: Value[] = [];
  nodes.forEach((node, index) => {
    try {
      values.push(nodeValue(node, index, nodes, values, names, placeOf(index)));
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      throw new ArgumentError("not-expressible", placeOf(index), error.message);
    }
  });
  return outputs.map((output) => {
    const value = values[output];
    if (value === undefined)
      throw new ArgumentError("out-of-range", `${at}.outputs`, `${output} is no node; there are ${nodes.length}`);
    return value;
  });
}

function nodeValue(
  node: ExpressionNode,
  index: number,
  nodes: readonly ExpressionNode[],
  values: readonly Value[],
  names: Names,
  at: string,
): Value {
  if (typeof node === "number") {
    if (!Number.isFinite(node)) throw new OperationError(`${node} is no finite number`);
    return node;
  }
  if (!Array.isArray(node) || typeof node[0] !== "string") {
    throw new OperationError('a node is a number or an operation, such as ["add", 0, 1]');
  }
  const [name, ...given] = node;
  if (name === "quantity") {
    if (typeof given[0] !== "string") throw new OperationError('a quantity has a name: ["quantity", "time"]');
    return names(given[0], at);
  }
  const argument = (k: number): Value => {
    const number = given[k];
    if (typeof number === "number" && Number.isInteger(number) && number >= 0 && number < index) return values[number];
    throw new OperationError(`argument ${k + 1} of "${name}" is no earlier node`);
  };
  if (name === "pow") return power(argument(0), given[1], nodes[given[0] as number], values);
  if (name === "entry") return entryOf(argument(0), given[1]);
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (!operation) {
    const nearest = nearestName(name, [...Object.keys(operations), "pow", "quantity", "entry"]);
    throw new OperationError(
      `there is no operation "${name}"${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`,
    );
  }
  const { count, takesMore, apply } = operation;
  if (given.length < count || (given.length > count && !takesMore)) {
    throw new OperationError(`"${name}" takes ${takesMore ? `at least ${count}` : count}, not ${given.length}`);
  }
  return apply(...given.map((_, k) => argument(k)));
}

/** A square of a length is a sum of squares: the root's derivative at 0 is none. */
function power(base: Value, exponent: number | string, node: ExpressionNode, values: readonly Value[]): Value {
  if (typeof exponent !== "number" || !(Number.isInteger(exponent) || exponent === 0.5) || Math.abs(exponent) > 16) {
    throw new OperationError("exponents are whole numbers from -16 to 16, and 0.5");
  }
  if (isVector(base)) throw new OperationError("a power of a vector is |v|^2 or dot(v, v)");
  if (exponent === 0.5) return sqrt(base);
  if (exponent < 0) return div(1, power(base, -exponent, node, values) as Scalar);
  const inside = typeof node !== "number" && node[0] === "norm" ? values[node[1] as number] : undefined;
  if (inside !== undefined && isVector(inside) && exponent % 2 === 0)
    return raised(sum(inside.map(square)), exponent / 2);
  return raised(base, exponent);
}

function raised(base: Scalar, exponent: number): Scalar {
  if (exponent === 0) return 1;
  const half = raised(base, Math.floor(exponent / 2));
  const even = half === 1 ? 1 : square(half);
  return exponent % 2 === 0 ? even : mul(even, base);
}

function entryOf(value: Value, which: number | string): Scalar {
  const index = typeof which === "string" ? letters.indexOf(which) : which;
  const entry = isVector(value) ? value[index] : undefined;
  if (entry === undefined)
    throw new OperationError(
      isVector(value) ? `it has ${value.length} entries, and no ${which}` : `a scalar has no entry ${which}`,
    );
  return entry;
}
