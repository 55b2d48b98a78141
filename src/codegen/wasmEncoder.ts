/**
 * Bytes of a WebAssembly module: LEB128 numbers, sections, and the opcodes the emitter uses.
 * [WebAssembly core specification, "Binary Format"]
 */

/** A byte array that grows. */
export class ByteWriter {
  private content = new Uint8Array(256);
  private length = 0;
  private readonly float = new Float64Array(1);
  private readonly floatBytes = new Uint8Array(this.float.buffer);

  byte(value: number): void {
    if (this.length === this.content.length) this.grow(this.length + 1);
    this.content[this.length++] = value;
  }

  bytes(values: ArrayLike<number>): void {
    this.grow(this.length + values.length);
    this.content.set(values, this.length);
    this.length += values.length;
  }

  /** Unsigned LEB128 of a 32-bit number: seven bits a byte, lowest first, the top bit says that more follow. */
  unsigned(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  /** A byte, then an unsigned number: what most instructions are, in one call. */
  pair(first: number, value: number): void {
    if (this.length + 6 > this.content.length) this.grow(this.length + 6);
    const { content } = this;
    let at = this.length;
    content[at++] = first;
    let rest = value;
    while (rest >= 0x80) {
      content[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    content[at++] = rest;
    this.length = at;
  }

  /** Signed LEB128 of a 32-bit number: ends where the rest is the sign of the last byte. */
  signed(value: number): void {
    let rest = value | 0;
    for (;;) {
      const low = rest & 0x7f;
      rest >>= 7;
      if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) {
        this.byte(low);
        return;
      }
      this.byte(low | 0x80);
    }
  }

  /** Little-endian, as all machines are on which WebAssembly runs. */
  float64(value: number): void {
    this.float[0] = value;
    this.bytes(this.floatBytes);
  }

  name(text: string): void {
    const encoded = new TextEncoder().encode(text);
    this.unsigned(encoded.length);
    this.bytes(encoded);
  }

  /** The length of `content`, then its bytes. */
  sized(content: Uint8Array): void {
    this.unsigned(content.length);
    this.bytes(content);
  }

  section(id: number, write: (content: ByteWriter) => void): void {
    const content = new ByteWriter();
    write(content);
    this.byte(id);
    this.sized(content.finish());
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.content.slice(0, this.length);
  }

  /** Begins anew. */
  clear(): void {
    this.length = 0;
  }

  private grow(wanted: number): void {
    if (wanted <= this.content.length) return;
    const larger = new Uint8Array(Math.max(wanted, 2 * this.content.length));
    larger.set(this.content);
    this.content = larger;
  }
}

export const preamble = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

export const sectionId = { type: 1, import: 2, function: 3, table: 4, export: 7, element: 9, code: 10 } as const;

export const wasmType = { i32: 0x7f, f64: 0x7c, v128: 0x7b, funcref: 0x70, func: 0x60, empty: 0x40 } as const;

export const opcode = {
  block: 0x02,
  loop: 0x03,
  end: 0x0b,
  branch: 0x0c,
  branchIf: 0x0d,
  callIndirect: 0x11,
  select: 0x1b,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  i32Load: 0x28,
  f64Load: 0x2b,
  f64Store: 0x39,
  i32Const: 0x41,
  f64Const: 0x44,
  i32Eqz: 0x45,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  i32Shl: 0x74,
  f64Lt: 0x63,
  f64: { abs: 0x99, neg: 0x9a, sqrt: 0x9f, add: 0xa0, sub: 0xa1, mul: 0xa2, div: 0xa3, min: 0xa4, max: 0xa5 },
} as const;

/** Opcodes behind the SIMD prefix. */
export const simdPrefix = 0xfd;

export const simd = {
  load: 0x00,
  load64Splat: 0x0a,
  store: 0x0b,
  const: 0x0c,
  f64x2Splat: 0x14,
  extractLane: 0x21,
  replaceLane: 0x22,
  f64x2Lt: 0x49,
  bitselect: 0x52,
  load64Lane: 0x57,
  store64Lane: 0x5b,
  load64Zero: 0x5d,
  f64x2: { abs: 0xec, neg: 0xed, sqrt: 0xef, add: 0xf0, sub: 0xf1, mul: 0xf2, div: 0xf3, min: 0xf4, max: 0xf5 },
} as const;
