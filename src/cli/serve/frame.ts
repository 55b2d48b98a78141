/**
 * A message of `dojo serve`, the same in both directions; numbers are little-endian:
 *   bytes 0–3     "DOJO"
 *   bytes 4–7     size of the head, u32
 *   bytes 8–11    size of the body, u32
 *   bytes 12–15   zero
 *   head          JSON in UTF-8, padded with blanks to a multiple of 8 bytes
 *   body          the arrays that the head lists, one after the other, each padded to a multiple of 8 bytes
 * The head lists arrays as { name: [kind, ...shape] }, row-major, in the order of the body.
 */
export type NumberArray = Float64Array | Int32Array | Uint8Array;

export interface Head {
  readonly arrays?: Readonly<Record<string, readonly [string, ...number[]]>>;
  readonly [key: string]: unknown;
}

export interface Frame {
  readonly head: Head;
  readonly arrays: Readonly<Record<string, NumberArray>>;
}

/** An array with its shape; without one it is a row. */
export type Shaped = NumberArray | { readonly data: NumberArray; readonly shape: readonly number[] };

export const prefixSize = 16;
/** "DOJO" */
const magic = 0x4f4a4f44;
/** Beyond these a message is taken for a slip, not for a wish: a head holds a description, a body the states of a batch. */
const largestHead = 64 * 2 ** 20;
const largestBody = 2 ** 30;

const kinds = { f8: Float64Array, i4: Int32Array, u1: Uint8Array } as const;
type Kind = keyof typeof kinds;

/** What came in is no message. */
export class FrameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FrameError";
  }
}

/** Sizes of the head and the body that follow these 16 bytes. */
export function sizesOf(prefix: Uint8Array): { readonly head: number; readonly body: number } {
  const view = new DataView(prefix.buffer, prefix.byteOffset, prefixSize);
  const [mark, head, body, zero] = [0, 4, 8, 12].map((at) => view.getUint32(at, true));
  if (mark !== magic || zero !== 0) throw new FrameError("a message does not begin as one");
  if (head > largestHead) throw new FrameError(`a head of ${head} bytes is more than ${largestHead}`);
  if (body > largestBody) throw new FrameError(`a body of ${body} bytes is more than ${largestBody}`);
  if (head % 8 !== 0 || body % 8 !== 0 || head === 0) throw new FrameError("sizes of a message are no multiples of 8");
  return { head, body };
}

/** A message from its head and body; the arrays are views of `payload`, which must begin at a multiple of 8 bytes. */
export function frameOf(payload: Uint8Array<ArrayBuffer>, headSize: number): Frame {
  let head: unknown;
  try {
    head = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload.subarray(0, headSize)));
  } catch (error) {
    throw new FrameError(`a head is no JSON: ${(error as Error).message}`);
  }
  if (!isRecord(head)) throw new FrameError("a head is no JSON object");
  const arrays: Record<string, NumberArray> = Object.create(null);
  const listed = head.arrays ?? {};
  if (!isRecord(listed)) throw new FrameError('"arrays" is no JSON object');
  let at = headSize;
  for (const [name, entry] of Object.entries(listed)) {
    const [kind, ...shape] = Array.isArray(entry) ? entry : [];
    if (!isKind(kind) || !shape.every((size) => Number.isInteger(size) && size >= 0)) {
      throw new FrameError(`array "${name}" has no kind and shape`);
    }
    const length = shape.reduce((product: number, size: number) => product * size, 1);
    const bytes = length * kinds[kind].BYTES_PER_ELEMENT;
    if (at + bytes > payload.length) throw new FrameError(`array "${name}" reaches beyond the body`);
    arrays[name] = new kinds[kind](payload.buffer, payload.byteOffset + at, length);
    at += padded(bytes);
  }
  if (at !== payload.length) throw new FrameError(`the body has ${payload.length - at} bytes too many`);
  return { head: head as Head, arrays };
}

/** The bytes of a message. */
export function bytesOf(
  head: Readonly<Record<string, unknown>>,
  arrays: Readonly<Record<string, Shaped>> = {},
): Buffer {
  const parts = Object.entries(arrays).map(([name, shaped]) => {
    const { data, shape } = "shape" in shaped ? shaped : { data: shaped, shape: [shaped.length] };
    return { name, data, entry: [kindOf(data), ...shape] };
  });
  const listed = Object.fromEntries(parts.map(({ name, entry }) => [name, entry]));
  const text = JSON.stringify(parts.length > 0 ? { ...head, arrays: listed } : head);
  const headBytes = Buffer.byteLength(text);
  const headSize = padded(headBytes);
  const bodySize = parts.reduce((sum, { data }) => sum + padded(data.byteLength), 0);
  if (headSize > largestHead || bodySize > largestBody) {
    throw new FrameError(
      `an answer of ${headSize + bodySize} bytes is more than a message can hold; ask for fewer steps or fewer rollouts at a time`,
    );
  }
  const bytes = Buffer.alloc(prefixSize + headSize + bodySize);
  bytes.writeUInt32LE(magic, 0);
  bytes.writeUInt32LE(headSize, 4);
  bytes.writeUInt32LE(bodySize, 8);
  bytes.write(text, prefixSize);
  bytes.fill(0x20, prefixSize + headBytes, prefixSize + headSize);
  let at = prefixSize + headSize;
  for (const { data } of parts) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += padded(data.byteLength);
  }
  return bytes;
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function kindOf(data: NumberArray): Kind {
  return data instanceof Float64Array ? "f8" : data instanceof Int32Array ? "i4" : "u1";
}

function isKind(kind: unknown): kind is Kind {
  return typeof kind === "string" && Object.hasOwn(kinds, kind);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
