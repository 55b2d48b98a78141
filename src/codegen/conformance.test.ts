/** Every target must give the same bits as the others, and the values of the symbolic interpreter. */
import { describe, expect, test } from "vitest";
import {
  abs,
  add,
  atan2,
  cos,
  div,
  type Expr,
  evaluate,
  Graph,
  ifLess,
  jacobian,
  max,
  min,
  mul,
  neg,
  type Scalar,
  sin,
  sqrt,
  square,
  sub,
} from "../symbolic/index.ts";
import {
  interpreter,
  javascript,
  kernelProgram,
  type Place,
  type Program,
  ProgramBuilder,
  type Target,
  webassembly,
} from "./index.ts";

const targets: readonly Target[] = [interpreter, javascript, webassembly];
const dataBytes = 8 * 512;
const listAddress = dataBytes;

/** A seeded stream of numbers in [0, 1). [mulberry32] */
function randomStream(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** An entry of a call list: program, trips, byte addresses. */
interface Call {
  readonly program: number;
  readonly trips?: number;
  readonly addresses: readonly number[];
}

/** Runs the calls on one target, from the given data; returns the data afterwards. */
function run(target: Target, programs: readonly Program[], calls: readonly Call[], data: Float64Array): Float64Array {
  const words = calls.flatMap(({ program, trips = 1, addresses }) => [
    program,
    3 + addresses.length,
    trips,
    ...addresses,
  ]);
  const executable = target.load(programs, dataBytes + 4 * words.length);
  new Float64Array(executable.memory).set(data);
  new Int32Array(executable.memory, listAddress).set(words);
  executable.run(listAddress, calls.length);
  return new Float64Array(executable.memory).slice(0, data.length);
}

/** The bits of each number; all NaNs count as one. */
function bits(numbers: Float64Array): string[] {
  const one = new Float64Array(1);
  const word = new BigUint64Array(one.buffer);
  return Array.from(numbers, (value) => {
    one[0] = value;
    return Number.isNaN(value) ? "NaN" : word[0].toString(16);
  });
}

/** Runs on all targets, checks that they agree to the bit, and returns the data. */
function runOnAll(programs: readonly Program[], calls: readonly Call[], data: Float64Array, note = ""): Float64Array {
  const expected = run(interpreter, programs, calls, data);
  for (const target of targets) {
    expect(bits(run(target, programs, calls, data)), `${target.name} ${note}`).toEqual(bits(expected));
  }
  return expected;
}

/** A random expression over the symbols that uses every operation and stays finite. */
function randomExpressions(symbols: readonly Expr[], random: () => number, operations: number): Scalar[] {
  const made: Scalar[] = [...symbols, 0.5, -2, 3];
  const pick = () => made[Math.floor(random() * made.length)];
  const makers: ((a: Scalar, b: Scalar) => Scalar)[] = [
    add,
    sub,
    (a, b) => mul(min(a, 3), max(b, -3)),
    (a, b) => div(a, add(square(b), 0.25)),
    neg,
    (a) => sqrt(abs(a)),
    abs,
    min,
    max,
    (a) => sin(a),
    (a) => cos(a),
    atan2,
    (a, b) => ifLess(a, b, pick(), pick()),
    (a, b) => sub(neg(a), b),
    (a) => neg(mul(a, 1.5)),
  ];
  for (let k = 0; k < operations; k++) {
    const value = makers[Math.floor(random() * makers.length)](pick(), pick());
    // sines keep the magnitudes in check
    made.push(typeof value !== "number" && random() < 0.2 ? sin(value) : value);
  }
  return made.slice(-12);
}

function randomData(random: () => number): Float64Array {
  return Float64Array.from({ length: dataBytes / 8 }, () => (random() < 0.05 ? 0 : 8 * random() - 4));
}

describe("kernels from expressions", () => {
  for (const lanes of [1, 2] as const) {
    test(`random graphs give the same bits on every target and the values of evaluate, with ${lanes} lane(s)`, () => {
      for (let seed = 1; seed <= 60; seed++) {
        const random = randomStream(seed);
        const symbols = new Graph().symbols("x", 6);
        const values = randomExpressions(symbols, random, 80);
        const inputs = new Map<Expr, Place>(symbols.map((symbol, index) => [symbol, { operand: 0, index }]));
        const outputs = values.map((value, index) => ({ operand: 1, index, value, accumulate: index % 3 === 0 }));
        const program = kernelProgram({ name: "random", operands: 2, inputs, outputs, lanes });
        const data = randomData(random);
        // inputs of lane l at 10 l, outputs at 100 + 50 l
        const addresses = [0, 1].flatMap((operand) =>
          Array.from({ length: lanes }, (_, lane) => 8 * (operand === 0 ? 10 * lane : 100 + 50 * lane)),
        );
        const after = runOnAll([program], [{ program: 0, addresses }], data, `seed ${seed}`);
        for (let lane = 0; lane < lanes; lane++) {
          const expected = evaluate(values, (symbol) => data[10 * lane + symbols.indexOf(symbol)]);
          expected.forEach((value, i) => {
            const place = 100 + 50 * lane + i;
            const total = i % 3 === 0 ? data[place] + value : value;
            expect(after[place] === total || (Number.isNaN(total) && Number.isNaN(after[place])), `seed ${seed}`).toBe(
              true,
            );
          });
        }
      }
    });
  }

  test("two lanes may accumulate into one address", () => {
    const [x] = new Graph().symbols("x", 1);
    const program = kernelProgram({
      name: "alias",
      operands: 2,
      inputs: new Map([[x, { operand: 0, index: 0 }]]),
      outputs: [{ operand: 1, index: 0, value: mul(x, x), accumulate: true }],
      lanes: 2,
    });
    const data = Float64Array.from([2, 3, 100]);
    expect(runOnAll([program], [{ program: 0, addresses: [0, 8, 16, 16] }], data)[2]).toBe(113);
  });

  test("a kernel that writes over its inputs reads them first", () => {
    const [x, y] = new Graph().symbols("x", 2);
    const program = kernelProgram({
      name: "swap",
      operands: 1,
      inputs: new Map([
        [x, { operand: 0, index: 0 }],
        [y, { operand: 0, index: 1 }],
      ]),
      outputs: [
        { operand: 0, index: 0, value: y },
        { operand: 0, index: 1, value: x },
      ],
      lanes: 1,
    });
    expect([...runOnAll([program], [{ program: 0, addresses: [0] }], Float64Array.from([1, 2]))]).toEqual([2, 1]);
  });

  test("a kernel of thousands of operations runs alike on every target", () => {
    const random = randomStream(7);
    const symbols = new Graph().symbols("x", 20);
    const values = randomExpressions(symbols, random, 600);
    const entries = jacobian(values, symbols).flat();
    const program = kernelProgram({
      name: "large",
      operands: 2,
      inputs: new Map(symbols.map((symbol, index) => [symbol, { operand: 0, index }])),
      outputs: entries.map((value, index) => ({ operand: 1, index, value })),
      lanes: 1,
    });
    expect(program.instructions.length).toBeGreaterThan(2000);
    runOnAll([program], [{ program: 0, addresses: [0, 8 * 100] }], randomData(random));
  });
});

describe("programs written by hand", () => {
  /** y += a x for two columns a trip. */
  function axpy(): Program {
    const b = new ProgramBuilder("axpy", 3);
    const scaled = b.mul(b.splat(b.load(0, 0)), b.loadAdjacent(1, 0));
    b.storeAdjacent(2, 0, scaled, true);
    return b.finish([0, 16, 16]);
  }

  /** A bit of everything a builder offers, with loads and stores interleaved. */
  function mixture(): Program {
    const b = new ProgramBuilder("mixture", 2);
    const early = b.load(0, 0);
    const pair = b.loadPair(0, 1, 1);
    b.store(0, 0, b.sqrt(b.abs(b.lane(pair, 1))));
    const late = b.load(0, 0);
    b.store(0, 2, b.sub(early, late));
    const joined = b.join(late, b.neg(early));
    const wide = b.ifLess(joined, pair, b.min(joined, pair), b.constant(-0.75, true));
    b.storePair(1, 0, 3, b.max(wide, b.div(pair, b.splat(late))), true);
    b.storeAdjacent(1, 4, wide);
    b.storeAdjacent(1, 4, b.join(b.constant(2), early), true);
    b.storePair(0, 1, 6, b.constant(1.25, true));
    return b.finish();
  }

  test("a loop moves its operands on by their strides", () => {
    const data = Float64Array.from([3, 0, 1, 2, 3, 4, 10, 20, 30, 40]);
    const after = runOnAll([axpy()], [{ program: 0, trips: 2, addresses: [0, 16, 48] }], data);
    expect([...after.slice(6)]).toEqual([13, 26, 39, 52]);
  });

  test("a loop of no trips does nothing", () => {
    const data = Float64Array.from([3, 0, 1, 2, 3, 4]);
    expect([...runOnAll([axpy()], [{ program: 0, trips: 0, addresses: [0, 16, 32] }], data)]).toEqual([...data]);
  });

  test("a load is not moved past a store to the same place", () => {
    const b = new ProgramBuilder("keep", 1);
    const early = b.load(0, 0);
    b.store(0, 0, b.constant(4));
    b.store(0, 1, b.mul(early, b.load(0, 0)));
    const program = b.finish();
    expect([...runOnAll([program], [{ program: 0, addresses: [0] }], Float64Array.from([5, 0]))]).toEqual([4, 20]);
  });

  test("constants of every kind survive", () => {
    const b = new ProgramBuilder("constants", 1);
    const values = [-2, -0, 1e-320, 0.1, -1.7976931348623157e308, 6755399441055744, Number.POSITIVE_INFINITY];
    values.forEach((value, i) => {
      b.store(0, 2 * i, b.constant(value));
      b.store(0, 2 * i + 1, b.neg(b.constant(value)));
    });
    const after = runOnAll([b.finish()], [{ program: 0, addresses: [0] }], new Float64Array(14));
    expect([...after]).toEqual(values.flatMap((value) => [value, -value]));
  });

  test("call lists mix programs, with operands that overlap", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = randomStream(seed);
      const programs = [axpy(), mixture()];
      const address = () => 8 * Math.floor(40 * random());
      const calls = Array.from({ length: 30 }, (): Call => {
        const program = random() < 0.5 ? 0 : 1;
        const addresses = program === 0 ? [address(), address(), address()] : [address(), address()];
        return { program, trips: Math.floor(5 * random()), addresses };
      });
      runOnAll(programs, calls, randomData(random), `seed ${seed}`);
    }
  });

  test("an empty call list is no error", () => {
    runOnAll([axpy()], [], Float64Array.from([1]));
  });
});

describe.each(targets)("$name", (target) => {
  test("programs that are added later run under their numbers, beside those that were there", () => {
    const scaled = (factor: number): Program => {
      const b = new ProgramBuilder(`scaled.${factor}`, 1);
      b.store(0, 0, b.mul(b.load(0, 0), b.constant(factor)));
      return b.finish();
    };
    const executable = target.load([undefined, scaled(3), undefined, undefined], 64);
    const [numbers, words] = [new Float64Array(executable.memory), new Int32Array(executable.memory)];
    words.set([1, 4, 1, 0, 0, 4, 1, 0, 3, 4, 1, 0], 4);
    numbers[0] = 1;
    executable.run(16, 1);
    expect(numbers[0]).toBe(3);
    expect(() => executable.run(32, 1)).toThrow();
    executable.add([scaled(5), undefined, undefined, scaled(7)]);
    executable.run(16, 3);
    expect(numbers[0]).toBe(3 * 3 * 5 * 7);
  });
});
