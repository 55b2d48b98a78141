import { expect, test } from "vitest";
import { ProgramBuilder } from "./index.ts";

test("a program lists its instructions in order", () => {
  const b = new ProgramBuilder("double", 1);
  const x = b.load(0, 0);
  b.store(0, 0, b.add(x, x));
  expect(b.finish()).toEqual({
    name: "double",
    operandCount: 1,
    instructions: [
      { op: "load", operand: 0, index: 0 },
      { op: "add", a: 0, b: 0 },
      { op: "store", operand: 0, index: 0, a: 1, accumulate: false },
    ],
  });
});

test("f64 and f64x2 do not mix", () => {
  const b = new ProgramBuilder("mix", 1);
  const narrow = b.load(0, 0);
  const wide = b.splat(narrow);
  expect(wide.wide).toBe(true);
  expect(() => b.add(narrow, wide)).toThrow(/mix: add wants f64/);
  expect(() => b.store(0, 0, wide)).toThrow(/store wants f64/);
  expect(() => b.storeAdjacent(0, 0, narrow)).toThrow(/storeAdjacent wants f64x2/);
  expect(() => b.lane(narrow, 0)).toThrow(/lane wants f64x2/);
  expect(() => b.ifLess(wide, wide, wide, narrow)).toThrow(/ifLess wants f64x2/);
});

test("an operand beyond the last is refused", () => {
  expect(() => new ProgramBuilder("short", 1).load(1, 0)).toThrow(/no operand 1/);
});

test("a value of another program is refused", () => {
  const other = new ProgramBuilder("other", 1).load(0, 0);
  expect(() => new ProgramBuilder("one", 1).neg(other)).toThrow(/another program/);
});

test("a loop has one stride an operand", () => {
  expect(() => new ProgramBuilder("loop", 2).finish([8])).toThrow(/1 strides for 2 operands/);
});
