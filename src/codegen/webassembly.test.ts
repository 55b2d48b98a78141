import { describe, expect, test } from "vitest";
import { add, Graph, mul, type Scalar } from "../symbolic/index.ts";
import { chooseTarget, kernelProgram, ProgramBuilder } from "./index.ts";
import { ByteWriter } from "./wasmEncoder.ts";
import { wasmPlan } from "./wasmPlan.ts";
import { compileWasm, supportsWasmSimd, webassembly } from "./webassembly.ts";

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

describe("programs that are compiled already", () => {
  const increment = (by: number) => {
    const b = new ProgramBuilder(`increment by ${by}`, 1);
    b.store(0, 0, b.constant(by), true);
    return b.finish();
  };
  const list = 16;
  const run = ({ memory, run }: ReturnType<typeof webassembly.load>, number: number): number => {
    new Int32Array(memory, list).set([number, 4, 1, 0]);
    run(list, 1);
    return new Float64Array(memory)[0];
  };
  /** How many modules are compiled meanwhile. */
  const compiled = (act: () => void): number => {
    const { Module } = WebAssembly;
    let count = 0;
    WebAssembly.Module = new Proxy(Module, {
      construct(target, args) {
        count++;
        return Reflect.construct(target, args);
      },
    });
    try {
      act();
    } finally {
      WebAssembly.Module = Module;
    }
    return count;
  };

  test("serve several memories, under other numbers and beside others, without being compiled again", () => {
    const [one, two, three] = [increment(1), increment(2), increment(3)];
    const first = webassembly.load([one, two, undefined], 64);
    let second = first;
    expect(compiled(() => (second = webassembly.load([undefined, two, one], 64)))).toBe(0);
    expect(compiled(() => second.add([three, undefined, undefined]))).toBe(1);
    expect([run(first, 0), run(first, 1)]).toEqual([1, 3]);
    expect([run(second, 2), run(second, 1), run(second, 0)]).toEqual([1, 3, 6]);
    expect(new Float64Array(first.memory)[0]).toBe(3);
  });

  test("one program may have two numbers", () => {
    const one = increment(1);
    const both = webassembly.load([one, one], 64);
    expect([run(both, 0), run(both, 1)]).toEqual([1, 2]);
  });
});

test("Node offers WebAssembly with SIMD, so it is chosen", () => {
  expect(supportsWasmSimd()).toBe(true);
  expect(chooseTarget().name).toBe("webassembly");
});
