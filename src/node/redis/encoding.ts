/**
 * Plain data ⇄ bytes, for work that goes to other machines. Numbers keep their bits, typed arrays their type.
 *
 *   bytes = length of the text (4 bytes, little-endian) · text, filled with blanks to a multiple of 8 · numbers of all arrays, one after the other
 *
 * The text is JSON, in which an object whose first key is "~" stands for what JSON cannot say: a typed array, a number that is not finite,
 * −0, undefined. Reading makes plain objects, arrays and typed arrays, and nothing else: no code, no class, no reference to a file.
 */

const arrayTypes = {
  Float64Array,
  Float32Array,
  Int32Array,
  Uint32Array,
  Int16Array,
  Uint16Array,
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
} as const;
type ArrayType = keyof typeof arrayTypes;
type TypedArray = InstanceType<(typeof arrayTypes)[ArrayType]>;

/** What stands for something that JSON cannot say. */
type Mark =
  | { readonly "~": ArrayType; readonly at: number; readonly length: number }
  | { readonly "~": "number"; readonly value: string }
  | { readonly "~": "undefined" };

const textUnit = 8;
const headSize = 4;

/** Throws where something is no plain data, with its place. `name` is what the whole is called there. */
export function encode(data: unknown, name = "data"): Uint8Array {
  const arrays: TypedArray[] = [];
  let size = 0;
  const plain = (value: unknown, path: string): unknown => {
    if (typeof value === "number") {
      if (Number.isFinite(value) && !Object.is(value, -0)) return value;
      return { "~": "number", value: Object.is(value, -0) ? "-0" : String(value) } satisfies Mark;
    }
    if (value === undefined) return { "~": "undefined" } satisfies Mark;
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (Array.isArray(value)) return value.map((entry, i) => plain(entry, `${path}[${i}]`));
    if (ArrayBuffer.isView(value) && value.constructor.name in arrayTypes) {
      const array = value as TypedArray;
      const mark: Mark = { "~": array.constructor.name as ArrayType, at: size, length: array.length };
      arrays.push(array);
      size += textUnit * Math.ceil(array.byteLength / textUnit);
      return mark;
    }
    if (typeof value === "object" && isPlainObject(value)) {
      for (const key of ["~", "__proto__"]) {
        if (Object.hasOwn(value, key)) throw new Error(`${path} has a key "${key}", which cannot be sent: rename it`);
      }
      return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, plain(entry, `${path}.${key}`)]));
    }
    const what = typeof value === "object" ? `a ${value.constructor.name}` : `a ${typeof value}`;
    throw new Error(
      `${path} is ${what}, which cannot be sent: give plain objects, arrays, typed arrays, numbers and text`,
    );
  };

  const text = new TextEncoder().encode(JSON.stringify(plain(data, name)));
  const start = arraysStart(text.length);
  const bytes = new Uint8Array(start + size).fill(0x20, headSize, start);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, headSize);
  let at = start;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += textUnit * Math.ceil(array.byteLength / textUnit);
  }
  return bytes;
}

/** Throws where the bytes are not what `encode` writes. */
export function decode(data: Uint8Array): unknown {
  // a Buffer slices without copying
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (bytes.length < headSize) throw unreadable("they are too few");
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const start = arraysStart(length);
  if (bytes.length < start) throw unreadable("the text is cut off");
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(headSize, headSize + length));
  const whole = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(whole);
    if ("~" in value) return unmarked(value as Mark, bytes.subarray(start));
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, whole(entry)]));
  };
  return whole(JSON.parse(text));
}

function unmarked(mark: Mark, bytes: Uint8Array): unknown {
  const kind = mark["~"];
  if (kind === "undefined") return undefined;
  if (kind === "number") return Number(mark.value);
  if (!Object.hasOwn(arrayTypes, kind)) throw unreadable(`"${kind}" is unknown`);
  const { at, length } = mark;
  const type = arrayTypes[kind];
  const end = at + length * type.BYTES_PER_ELEMENT;
  if (![at, length].every((value) => Number.isSafeInteger(value) && value >= 0) || end > bytes.length) {
    throw unreadable("an array is cut off");
  }
  // a copy, which is aligned, and ends with its owner
  return new type(bytes.slice(at, end).buffer);
}

function arraysStart(textLength: number): number {
  return textUnit * Math.ceil((headSize + textLength) / textUnit);
}

function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function unreadable(why: string): Error {
  return new Error(`bytes from Redis cannot be read: ${why}`);
}
