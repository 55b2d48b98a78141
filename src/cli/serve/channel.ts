/**
 * Messages over two files, read and written without the event loop: an answer to a short question comes in tens of microseconds,
 * of which a stream of Node's would take a hundred.
 */
import { readSync, writeSync } from "node:fs";
import { type Frame, FrameError, frameOf, prefixSize, sizesOf } from "./frame.ts";

/** Bytes asked for at a time: most messages come whole. */
const chunkSize = 2 ** 16;
/** Milliseconds between looks at a file that would not wait by itself. */
const lookAgain = 1;

const cut = "the input ended in the middle of a message";

export class Channel {
  private readonly input: number;
  private readonly output: number;
  private readonly chunk = Buffer.alloc(chunkSize);
  /** What has been read of the chunk and not yet been used. */
  private begin = 0;
  private end = 0;

  constructor(input: number, output: number) {
    this.input = input;
    this.output = output;
  }

  /** The next message; undefined when there will be none. Throws a `FrameError` on what is none, and can read no further then. */
  read(): Frame | undefined {
    const prefix = new Uint8Array(prefixSize);
    const begun = this.fill(prefix);
    if (begun === 0) return undefined;
    if (begun < prefixSize) throw new FrameError(cut);
    const { head, body } = sizesOf(prefix);
    // memory of its own: arrays of a message may be kept
    const payload = new Uint8Array(head + body);
    if (this.fill(payload) < payload.length) throw new FrameError(cut);
    return frameOf(payload, head);
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      at += patiently(() => writeSync(this.output, bytes, at, bytes.length - at));
    }
  }

  /** How much could be filled: all, or less where the input ends before. */
  private fill(into: Uint8Array): number {
    let at = 0;
    while (at < into.length) {
      if (this.begin < this.end) {
        const size = Math.min(this.end - this.begin, into.length - at);
        into.set(this.chunk.subarray(this.begin, this.begin + size), at);
        this.begin += size;
        at += size;
        continue;
      }
      // large parts go where they belong, without a copy
      const isLarge = into.length - at >= chunkSize;
      const read = isLarge ? this.readInto(into, at, into.length - at) : this.readInto(this.chunk, 0, chunkSize);
      if (read === 0) return at;
      if (isLarge) at += read;
      else [this.begin, this.end] = [0, read];
    }
    return at;
  }

  private readInto(target: Uint8Array, offset: number, length: number): number {
    return patiently(() => {
      try {
        return readSync(this.input, target, offset, length, null);
      } catch (error) {
        // how Windows says that a pipe has ended
        if ((error as NodeJS.ErrnoException).code === "EOF") return 0;
        throw error;
      }
    });
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Again, after a pause, where the system says that the file is not ready. */
function patiently(attempt: () => number): number {
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(sleeper, 0, 0, lookAgain);
    }
  }
}
