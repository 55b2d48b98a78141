/** Little-endian bytes that grow, and the checksum that zip and MCAP share. */
const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

/** CRC-32 of IEEE 802.3. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = table[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

export class ByteWriter {
  private buffer = new Uint8Array(1024);
  private view = new DataView(this.buffer.buffer);
  length = 0;

  u8(value: number): this {
    const at = this.room(1);
    this.view.setUint8(at, value);
    return this;
  }

  u16(value: number): this {
    const at = this.room(2);
    this.view.setUint16(at, value, true);
    return this;
  }

  u32(value: number): this {
    const at = this.room(4);
    this.view.setUint32(at, value, true);
    return this;
  }

  u64(value: bigint | number): this {
    const at = this.room(8);
    this.view.setBigUint64(at, BigInt(value), true);
    return this;
  }

  bytes(values: Uint8Array): this {
    const at = this.room(values.length);
    this.buffer.set(values, at);
    return this;
  }

  /** UTF-8 behind its length in 32 bits. */
  string(text: string): this {
    const encoded = new TextEncoder().encode(text);
    return this.u32(encoded.length).bytes(encoded);
  }

  done(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  /** Makes room, in a new buffer if need be, and returns where it begins. */
  private room(count: number): number {
    const at = this.length;
    this.length += count;
    if (this.length > this.buffer.length) {
      const larger = new Uint8Array(Math.max(this.length, 2 * this.buffer.length));
      larger.set(this.buffer);
      this.buffer = larger;
      this.view = new DataView(larger.buffer);
    }
    return at;
  }
}
