/** Expressions as text and as data, against what they say. */
import { expect, test } from "vitest";
import { startState } from "../../src/coordinates/index.ts";
import { models } from "../../src/models/index.ts";
import { Quantities } from "../../src/quantities/quantities.ts";
import { QuantityFunction } from "../../src/quantities/quantityFunction.ts";
import {
  type ExpressionSource,
  namesOf,
  readComparison,
  readExpression,
  readScalar,
  readSquares,
} from "../../src/quantities/readExpression.ts";
import { compile } from "../../src/simulation/index.ts";
import { evaluate, Graph, type Scalar, sub } from "../../src/symbolic/index.ts";

const numbers: Readonly<Record<string, Scalar | readonly Scalar[]>> = {
  a: 2,
  b: -3,
  v: [1, 2, 2],
  w: [0, 1, 0],
  "left foot": 5,
  "t.x": 7,
};
const named = (name: string): Scalar | readonly Scalar[] => numbers[name];

const graph = new Graph();
const symbols = (name: string): Scalar | readonly Scalar[] =>
  name === "u" ? [graph.symbol("x"), graph.symbol("y")] : graph.symbol(name);

function read(source: ExpressionSource): number[] {
  return evaluate(readExpression(source, named, "cost"), () => Number.NaN);
}

test.each<[string, number]>([
  ["1 + 2 * 3 - 4 / 2", 5],
  ["-a^2", -4],
  ["(-a)^2", 4],
  ["2^-2 * 8", 2],
  ["9^0.5", 3],
  ["1e-1 a b", -0.6],
  ["2 (a + 1) |b|", 18],
  ["2 |v|^2", 18],
  ["|v|", 3],
  ["||b| - 1|", 2],
  ["|v - w| |b|", 3 * Math.sqrt(6)],
  ["|a| |b| |v|", 18],
  ["dot(v, [1, 0, 2]) + cross(v, w).z", 6],
  ["(v + 2 w).y / 2", 2],
  ["sum(v)", 5],
  ["if(a < b, 1, max(3, 5, 4))", 5],
  ["if(a > b, 1, 2)", 1],
  ["clip(a, 0, 1) + min(a, b)", -2],
  ["exp(0) + log(1) + tanh(0) + sin(pi / 2) + atan2(1, 1) * 4 / pi + cos(0) + tan(0)", 4],
  ['"left foot" - t.x', -2],
])("%s is %f", (text, value) => {
  expect(read(text)).toHaveLength(1);
  expect(read(text)[0]).toBeCloseTo(value, 12);
});

test.each<[ExpressionSource, RegExp]>([
  ["1 +", /cost, column 4: it ends where a number, a name or a bracket was expected/],
  ["(1 + 2", /column 7: it ends where "\)"/],
  ["a § b", /column 3: "§" is not understood/],
  ["2 3", /column 3: "3" stands where the end/],
  ["sinn(a)", /column 1: there is no function "sinn"; did you mean "sin"\?/],
  ["v^2", /column 2: a power of a vector is \|v\|\^2/],
  ["v * w", /column 3: a product of two vectors is dot/],
  ["v + a", /column 3: \+ takes two of a kind, not a vector of 3 and a scalar/],
  ["1 / v", /divided by a vector/],
  ["a^2.3", /exponents are whole numbers/],
  ["sin(v)", /sin is of scalars/],
  ["v.w", /expected|not understood|no/],
  [{ nodes: [1, ["ad", 0, 0]] }, /cost\.nodes\[1\]: there is no operation "ad"; did you mean "add"\?/],
  [{ nodes: [1, ["add", 0, 1]] }, /argument 2 of "add" is no earlier node/],
  [{ nodes: [1, ["add", 0]] }, /"add" takes 2, not 1/],
  [{ nodes: [1], outputs: [3] }, /3 is no node; there are 1/],
  [{} as never, /an expression is a number, a text, or/],
])("%j is refused with its place", (source, message) => {
  expect(() => read(source)).toThrow(message);
});

test("data says what its text says", () => {
  const data = { nodes: [["quantity", "a"], 0.5, ["sub", 0, 1], ["pow", 2, 2]] } as const;
  expect(read(data)).toEqual(read("(a - 0.5)^2"));
  expect(read({ ...data, outputs: [0, 3] })).toEqual([2, 2.25]);
  expect(() => readScalar("v", named, "cost")).toThrow(/it has 3 values/);
});

test("a sum of squares is taken apart", () => {
  const { residuals, weights } = readSquares("2 (p - 1)^2 + |u|^2 / 4 - -(p p) + dot(u, u) + 3", symbols, "cost");
  const [p, x, y] = ["p", "x", "y"].map((name) => graph.symbol(name));
  expect(residuals).toEqual([sub(p, 1), x, y, p, x, y, 1]);
  expect(weights).toEqual([2, 0.25, 0.25, 1, 1, 1, 3]);
  for (const text of ["(p - 1)^2 + p", "-(p)^2", "p", "p^2 - 3", "p^3", "p x"]) {
    expect(() => readSquares(text, symbols, "cost"), text).toThrow(/a cost is a sum of weight · square/);
  }
});

test("comparisons are rows", () => {
  expect(readComparison("a >= 1", named, "limit")).toEqual({ sign: ">=", rows: [1] });
  expect(readComparison("v = [1, 1, 1]", named, "limit")).toEqual({ sign: "=", rows: [0, 1, 1] });
  expect(readComparison("v <= 2", named, "limit")).toEqual({ sign: "<=", rows: [-1, 0, 0] });
  expect(() => readComparison("a", named, "limit")).toThrow(/it ends where <=, >= or =/);
});

const mechanism = compile(models.cartpole());
const quantities = new Quantities(mechanism);

test("short names of quantities stand for their paths", () => {
  const names = namesOf(quantities);
  const same = (short: string, paths: readonly string[]): void =>
    expect(readExpression(short, names, "cost")).toEqual(paths.map((path) => quantities.named(path)));
  same("pole.z", ["bodies.pole.position.z"]);
  same("pole.position", ["bodies.pole.position.x", "bodies.pole.position.y", "bodies.pole.position.z"]);
  same("pole.axes.z.x", ["bodies.pole.axes.z.x"]);
  same("hinge.angle", ["joints.hinge.angle"]);
  same("hinge.angle.rate", ["rates.hinge.angle"]);
  same("bodies.pole.velocity.x", ["bodies.pole.velocity.x"]);
  same("time", ["time"]);
  same(
    "coordinates",
    mechanism.coordinateNames.map((name) => `coordinates.${name}`),
  );
  same(
    "input",
    mechanism.inputNames.map((name) => `inputs.${name}`),
  );
  expect(() => readExpression("2 pole.positon.z", names, "cost")).toThrow(
    'unknown-quantity at cost, column 3: there is no quantity "pole.positon.z"; did you mean "pole.position.z"?',
  );
});

test("a coordinate comes before a body's position; what may be two things asks which", () => {
  const { bodies, joints, contacts: _, ...rest } = models.block();
  const [body, joint] = [Object.values(bodies)[0], Object.values(joints ?? {})[0]];
  const named = (name: string): Quantities =>
    new Quantities(
      compile({ ...rest, states: {}, bodies: { base: body }, joints: { [name]: { ...joint, child: "base" } } }),
    );
  const q = named("base");
  expect(readExpression("base.z", namesOf(q), "cost")).toEqual([q.coordinate("base.z")]);
  expect(readExpression("base.position", namesOf(q), "cost")).toEqual([...q.body("base").position]);
  expect(() => readExpression("base.position", namesOf(named("base.position")), "cost")).toThrow(
    '"base.position" may be bodies.base.position or joints.base.position; write the one you mean',
  );
});

test("numbers at a state are those of the state", () => {
  const state = startState(mechanism);
  const q = new Quantities(mechanism);
  const rows = readExpression("pole.z^2 + |pole.velocity|^2", namesOf(q), "cost");
  const f = new QuantityFunction(q, rows);
  f.evaluate({ state });
  const index = mechanism.bodies.findIndex(({ name }) => name === "pole");
  expect(f.values[0]).toBeCloseTo(state[13 * index + 2] ** 2, 14);
});
