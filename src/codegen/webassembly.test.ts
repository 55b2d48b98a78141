import { describe, expect, test } from "vitest";
import { add, Graph, mul, type Scalar } from "../symbolic/index.ts";
import { chooseTarget, kernelProgram, ProgramBuilder } from "./index.ts";
import { ByteWriter } from "./wasmEncoder.ts";
import { wasmPlan } from "./wasmPlan.ts";
import { compileWasm, instantiateWasm, supportsWasmSimd } from "./webassembly.ts";

describe("encoding", () => {
  test("LEB128 numbers are those of the specification", () => {
    const writer = new ByteWriter();
    writer.unsigned(624485);
    writer.signed(-123456);
    writer.signed(64);
    writer.signed(-64);
    expect([...writer.finish()]).toEqual([0xe5, 0x8e, 0x26, 0xc0, 0xbb, 0x78, 0xc0, 0x00, 0x40]);
  });

  test("no programs make a valid module", () => {
    expect(WebAssembly.validate(compileWasm([]))).toBe(true);
  });

  test("the same programs give the same bytes", () => {
    const build = () => {
      const b = new ProgramBuilder("p", 1);
      b.store(0, 0, b.load(0, 1));
      return compileWasm([b.finish()]);
    };
    expect(build()).toEqual(build());
  });
});

describe("locals", () => {
  test("values read once need none", () => {
    const b = new ProgramBuilder("sum", 1);
    b.store(0, 0, b.add(b.mul(b.load(0, 1), b.load(0, 2)), b.load(0, 3)));
    expect(wasmPlan(b.finish()).f64Locals).toBe(0);
  });

  test("a thousand values that follow one another share a few", () => {
    const [x, y] = new Graph().symbols("x", 2);
    let value: Scalar = x;
    for (let i = 0; i < 1000; i++) value = mul(add(value, y), add(value, 1));
    const program = kernelProgram({
      name: "chain",
      operands: 1,
      inputs: new Map([
        [x, { operand: 0, index: 0 }],
        [y, { operand: 0, index: 1 }],
      ]),
      outputs: [{ operand: 0, index: 2, value }],
      lanes: 1,
    });
    expect(wasmPlan(program).f64Locals).toBeLessThanOrEqual(3);
  });

  test("a dead value is not computed", () => {
    const b = new ProgramBuilder("dead", 1);
    b.sqrt(b.load(0, 0));
    expect([...wasmPlan(b.finish()).isStatement]).toEqual([0, 0]);
  });
});

test("one compiled module serves several memories", () => {
  const b = new ProgramBuilder("increment", 1);
  b.store(0, 0, b.constant(1), true);
  const module = new WebAssembly.Module(compileWasm([b.finish()]));
  const [first, second] = [instantiateWasm(module, 64), instantiateWasm(module, 64)];
  new Int32Array(first.memory, 16).set([0, 4, 1, 0]);
  first.run(16, 1);
  expect(new Float64Array(first.memory)[0]).toBe(1);
  expect(new Float64Array(second.memory)[0]).toBe(0);
});

test("Node offers WebAssembly with SIMD, so it is chosen", () => {
  expect(supportsWasmSimd()).toBe(true);
  expect(chooseTarget().name).toBe("webassembly");
});
