import { expect, test } from "vitest";
import { LinearTape } from "./linearTape.ts";
import { Random } from "./random.ts";

test("a cotangent that was pulled and a tangent have the product that the cotangent and the pushed tangent have", () => {
  const random = new Random(3);
  const [inputs, between, outputs] = [5, 40, 6];
  const tape = new LinearTape();
  const size = inputs + between + outputs;
  // more additions than the first arrays have room for, through numbers that others are made of
  for (let k = 0; k < 1500; k++) {
    const to = inputs + Math.floor(random.uniform() * (between + outputs));
    tape.add(to, Math.floor(random.uniform() * to), 0.1 * random.normal());
  }
  const [x, y] = [new Float64Array(size), new Float64Array(size)];
  for (let i = 0; i < inputs; i++) x[i] = random.normal();
  for (let i = size - outputs; i < size; i++) y[i] = random.normal();
  const [pushed, pulled] = [x.slice(), y.slice()];
  tape.push(pushed, 0, tape.length);
  tape.pull(pulled, 0, tape.length);
  const product = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const there = product(y, pushed);
  expect(Math.abs(product(x, pulled) - there)).toBeLessThan(1e-12 * Math.abs(there));
});

test("what is zero adds nothing, by a weight that is no number either", () => {
  const tape = new LinearTape();
  tape.add(1, 0, Number.NaN);
  tape.add(2, 1, 3);
  const x = Float64Array.of(0, 1, 0);
  tape.push(x, 0, tape.length);
  expect([...x]).toEqual([0, 1, 3]);
  const back = Float64Array.of(1, 0, 0);
  tape.pull(back, 0, tape.length);
  expect([...back]).toEqual([1, 0, 0]);
});
