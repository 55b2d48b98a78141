import fc from "fast-check";
import { expect, test } from "vitest";
import { decode, encode } from "./encoding.ts";

const sent = (value: unknown): unknown => decode(Buffer.from(encode(value).buffer));

test("plain data comes back as it was, numbers to the bit", () => {
  const leaf = fc.oneof(
    fc.double(),
    fc.string(),
    fc.boolean(),
    fc.constantFrom(null, undefined, -0, Number.NaN, Number.POSITIVE_INFINITY, 5e-324),
    fc.float64Array(),
    fc.int32Array(),
    fc.uint8Array(),
  );
  const key = fc.string().filter((text) => text !== "~" && text !== "__proto__");
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.array(tie("tree")),
      fc.dictionary(key, tie("tree"), { noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(sent(value)).toStrictEqual(value);
    }),
  );
});

test("bits of every NaN are kept", () => {
  const bits = BigUint64Array.of(0x7ff8000000000001n, 0xfff0dead0000beefn);
  const back = sent([new Float64Array(bits.buffer)]) as Float64Array[];
  expect(new BigUint64Array(back[0].buffer)).toEqual(bits);
});

test("arrays in shared memory and parts of arrays are sent, as arrays of their own", () => {
  const shared = new Float64Array(new SharedArrayBuffer(32)).fill(2);
  const back = sent({ part: shared.subarray(1, 3) }) as { part: Float64Array };
  expect(back.part).toEqual(Float64Array.of(2, 2));
  expect(back.part.buffer.byteLength).toBe(16);
});

test.each([
  [{ jobs: [{ run: () => 1 }] }, "data.jobs[0].run is a function"],
  [{ table: new Map() }, "data.table is a Map"],
  [[1n], "data[0] is a bigint"],
  [{ a: { "~": 1 } }, 'data.a has a key "~"'],
])("what is no plain data is refused with its place: %o", (value, message) => {
  expect(() => encode(value)).toThrow(message);
});

test("bytes of somebody else are refused, and make nothing but data", () => {
  expect(() => decode(Uint8Array.of(1))).toThrow(/too few/);
  expect(() => decode(Uint8Array.of(255, 255, 0, 0, 1))).toThrow(/cut off/);
  const forged = (text: string): Uint8Array => {
    const bytes = Buffer.alloc(4 + text.length);
    bytes.writeUInt32LE(text.length);
    bytes.write(text, 4);
    return Buffer.concat([bytes, Buffer.alloc(8)]);
  };
  expect(() => decode(forged('{"~":"Function","at":0,"length":1}'))).toThrow(/"Function" is unknown/);
  expect(() => decode(forged('{"~":"constructor","at":0,"length":1}'))).toThrow(/unknown/);
  expect(() => decode(forged('{"~":"Float64Array","at":0,"length":1e9}'))).toThrow(/cut off/);
  expect(() => decode(forged('{"~":"Float64Array","at":-8,"length":1}'))).toThrow(/cut off/);
  const odd = decode(forged('{"__proto__":{"polluted":1}}')) as { polluted?: number };
  expect(odd.polluted).toBeUndefined();
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
