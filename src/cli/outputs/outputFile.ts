/**
 * Files that are whole or not there: written under another name in the same folder, and renamed. What can be known to fail
 * is refused before any work is done.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { requireReplayViewer } from "../../node/index.ts";
import { InputError } from "../inputError.ts";
import { Interruption } from "../interruption.ts";

/** Endings in small letters, with their dot. */
export function endingOf(path: string): string {
  return extname(path).toLowerCase();
}

/** Throws an `InputError` unless a file of one of the endings can be written there. */
export function requireWritable(path: string, endings: readonly string[], option = "--out"): void {
  if (!endings.includes(endingOf(path))) {
    throw new InputError(`${option} ${path}: the ending says what to write; have: ${endings.join(", ")}`);
  }
  if (/[\\/]$/.test(path)) throw new InputError(`${option} ${path}: that names a folder; give a file's name`);
  const target = targetOf(path);
  const folder = dirname(target);
  if (!existsSync(folder)) throw new InputError(`${option} ${path}: there is no folder ${folder}; make it first`);
  if (!statSync(folder).isDirectory()) throw new InputError(`${option} ${path}: ${folder} is no folder`);
  if (!isFileOrNothing(path, option)) throw new InputError(`${option} ${path}: that exists and is no file`);
  if (isProtected(target)) {
    throw new InputError(`${option} ${path}: that file is read-only; give another name, or make it writable`);
  }
  requireRoom(path, temporaryFor(target), option);
  if ([".html", ".htm"].includes(endingOf(path))) requireViewer(path, option);
}

/** Pages are replays, which need the viewer. */
function requireViewer(path: string, option: string): void {
  try {
    requireReplayViewer();
  } catch (error) {
    throw new InputError(`${option} ${path}: ${(error as Error).message}`);
  }
}

/**
 * The file that is written: where links lead, also to a file that is not there yet. A link stays a link.
 * One that leads to itself is for the system to refuse.
 */
function targetOf(path: string): string {
  let target = resolve(path);
  for (let links = 0; links < 40; links++) {
    if (existsSync(target)) return realpathSync(target);
    try {
      if (!lstatSync(target).isSymbolicLink()) return target;
    } catch {
      return target;
    }
    target = resolve(dirname(target), readlinkSync(target));
  }
  return target;
}

/**
 * Whether a file is there that must not be written. Renaming asks for leave to change the folder alone, so it would replace a file that
 * its owner has protected; an administrator may write every file, and so its mode is looked at too.
 */
function isProtected(target: string): boolean {
  if (!existsSync(target)) return false;
  try {
    accessSync(target, constants.W_OK);
    return (statSync(target).mode & 0o222) === 0;
  } catch {
    return true;
  }
}

/** Throws an `InputError` for a path that the system does not take, such as one that is too long. */
function isFileOrNothing(path: string, option: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
  } catch (error) {
    throw new InputError(`${option} ${path}: ${reason(error)}`);
  }
}

/** Throws an `InputError` unless a folder is there, or can be made in the one it stands in, and takes files. */
export function requireWritableFolder(path: string, option = "--out"): void {
  if (path.trim() === "") throw new InputError(`${option} is empty; give a folder, such as results`);
  const folder = resolve(path);
  const parent = dirname(folder);
  if (!existsSync(parent)) throw new InputError(`${option} ${path}: there is no folder ${parent}; make it first`);
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new InputError(`${option} ${path}: that is no folder`);
  }
  requireRoom(path, temporaryFor(existsSync(folder) ? join(folder, "result") : folder), option);
}

/** Writes an empty file and removes it: the only way to know is to try. */
function requireRoom(path: string, probe: string, option: string): void {
  try {
    writeFileSync(probe, "");
    rmSync(probe, { force: true });
  } catch (error) {
    throw new InputError(`${option} ${path}: cannot write in ${dirname(probe)}: ${reason(error)}`);
  }
}

/** Throws an `InputError` if two outputs are one file, or one of them is a file that is read. Inputs may be names of models too. */
export function requireDistinct(outputs: readonly string[], ...inputs: readonly (string | undefined)[]): void {
  const named = outputs.map((path) => ({ path, file: targetOf(path) }));
  const read = inputs.flatMap((path) => (path !== undefined && existsSync(path) ? [realpathSync(path)] : []));
  named.forEach(({ path, file }, i) => {
    if (read.includes(file)) throw new InputError(`${path} is read by this command; write to another file`);
    if (named.findIndex((other) => other.file === file) < i) throw new InputError(`${path} is to be written twice`);
  });
}

/** A name beside the file's that nobody else uses, and no longer than the system allows. */
function temporaryFor(target: string): string {
  return join(dirname(target), `${temporaryStart(target)}${process.pid}.tmp`);
}

function temporaryStart(target: string): string {
  return `.${[...basename(target)].slice(0, 50).join("")}.`;
}

/** A file that is being written grows all the time; one that has not for so many milliseconds is of a program that was ended on the way. */
const abandonedAfter = 600_000;

/** Removes what programs that were ended while they wrote this file have left beside it. */
function removeAbandoned(target: string): void {
  const folder = dirname(target);
  const start = temporaryStart(target);
  try {
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(start) || !/^\d+\.tmp$/.test(name.slice(start.length))) continue;
      const path = join(folder, name);
      if (Date.now() - statSync(path).mtimeMs > abandonedAfter) removeQuietly(path);
    }
  } catch {
    // a folder that cannot be listed, or a file that another has just removed: nothing depends on it
  }
}

/** All at once, or in pieces of text. */
export type Content = string | Uint8Array | Iterable<string>;

/** Writes all of it or nothing; returns the number of bytes. */
export function writeWhole(path: string, content: Content): number {
  const file = new UnfinishedFile(path);
  return file.orNothing(() => {
    for (const batch of batchesOf(content)) file.write(batch);
    return file.finish();
  });
}

/** Ctrl-C or SIGTERM while a file was being written. It is as it was before. */
export class WriteInterrupted extends Error {
  readonly exitCode: number;

  constructor(path: string, exitCode: number) {
    super(`interrupted while ${path} was being written: it is as it was before`);
    this.name = "WriteInterrupted";
    this.exitCode = exitCode;
  }
}

/** The same for what takes a while: signals are heard between batches, and then it throws `WriteInterrupted`. */
export function writeLong(path: string, content: Content): Promise<number> {
  return Interruption.during(async (interruption) => {
    const file = new UnfinishedFile(path);
    const batches = batchesOf(content);
    for (;;) {
      const { done, value } = file.orNothing(() => batches.next());
      if (done) return file.orNothing(() => file.finish());
      file.orNothing(() => file.write(value));
      await setImmediate();
      if (!interruption.requested) continue;
      file.abandon();
      throw new WriteInterrupted(path, interruption.exitCode);
    }
  });
}

/** A file under another name, until it is whole. */
class UnfinishedFile {
  private readonly path: string;
  private readonly target: string;
  private readonly temporary: string;
  private descriptor: number | undefined;

  constructor(path: string) {
    this.path = path;
    this.target = targetOf(path);
    this.temporary = temporaryFor(this.target);
    removeAbandoned(this.target);
  }

  write(batch: string | Uint8Array): void {
    this.descriptor ??= this.open();
    writeFileSync(this.descriptor, batch);
  }

  /** It may be read and written by whoever might the file that it replaces. */
  private open(): number {
    const before = statSync(this.target, { throwIfNoEntry: false });
    const descriptor = openSync(this.temporary, "w");
    try {
      if (before) fchmodSync(descriptor, before.mode & 0o777);
    } catch {
      // file systems without modes: nothing depends on them there
    }
    return descriptor;
  }

  /** Returns the number of bytes. */
  finish(): number {
    this.write("");
    this.close();
    const { size } = statSync(this.temporary);
    renameSync(this.temporary, this.target);
    return size;
  }

  abandon(): void {
    this.close();
    removeQuietly(this.temporary);
  }

  /** Does a part of the work; what fails leaves nothing. */
  orNothing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.abandon();
      throw new InputError(`cannot write ${this.path}: ${reason(error)}`);
    }
  }

  private close(): void {
    const { descriptor } = this;
    this.descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Removes after a fault, which counts more than one of the removal. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

/** Letters or bytes that are written at a time. */
const batchLength = 1 << 20;

function* batchesOf(content: Content): Generator<string | Uint8Array, undefined> {
  if (typeof content === "string" || content instanceof Uint8Array) {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    for (let at = 0; at < bytes.length; at += batchLength) yield bytes.subarray(at, at + batchLength);
    return;
  }
  let batch = "";
  for (const piece of content) {
    batch += piece;
    if (batch.length < batchLength) continue;
    yield batch;
    batch = "";
  }
  yield batch;
}

/** What the system said, in words. */
export function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const words: Readonly<Record<string, string>> = {
    ENOENT: "no such file or folder",
    EACCES: "no permission",
    EPERM: "not permitted",
    EISDIR: "it is a folder",
    ENOTDIR: "a part of its path is no folder",
    ENOSPC: "the disk is full",
    EDQUOT: "no room is left for you",
    EFBIG: "the file is too large",
    EIO: "the device fails",
    ELOOP: "a link leads to itself",
    ENAMETOOLONG: "the name is too long",
    EMFILE: "too many files are open",
    EINVAL: "the name cannot be one of a file",
    EROFS: "the file system is read-only",
  };
  return (code !== undefined && words[code]) || message || String(error);
}
