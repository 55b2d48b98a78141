/** Reads files that somebody else wrote or named: regular ones only, since a device may have no end and a pipe no beginning. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { InputError } from "./inputError.ts";
import { reason } from "./outputs/outputFile.ts";

/** No robot's description and none of its meshes is larger. */
const mostBytes = 200e6;

/** UTF-8 unless a byte-order mark, as editors and shells of Windows write it, says UTF-16. The mark is no part of the text. */
export function readText(path: string): string {
  const bytes = readBytes(path);
  const mark = bytes.subarray(0, 2).toString("hex");
  return new TextDecoder(mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : "utf-8").decode(bytes);
}

export function readBytes(path: string): Buffer {
  try {
    requireRegular(path, statSync(path));
    // should it be another by now: a pipe that nobody writes to would make `open` wait
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = fstatSync(file);
      requireRegular(path, stats);
      return readAll(file, path, stats.size);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`cannot read ${path}: ${reason(error)}`);
  }
}

function requireRegular(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  const kind = stats.isDirectory() ? "it is a folder" : "it is a device or a pipe; write its text to a file first";
  throw new InputError(`cannot read ${path}: ${kind}`);
}

/** Sizes may be wrong: a file can grow while it is read, and those of /proc say 0. */
function readAll(file: number, path: string, size: number): Buffer {
  const tooLarge = (): never => {
    throw new InputError(`cannot read ${path}: more than ${mostBytes / 1e6} MB is too large for a robot`);
  };
  if (size > mostBytes) tooLarge();
  let bytes = Buffer.allocUnsafe(size + 4096);
  let length = 0;
  for (;;) {
    const count = readSync(file, bytes, length, bytes.length - length, null);
    if (count === 0) return bytes.subarray(0, length);
    length += count;
    if (length > mostBytes) tooLarge();
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(length)]);
  }
}
