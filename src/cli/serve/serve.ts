/**
 * Answers messages, one after the other, until the input ends.
 *   asked      { id, method, params, release }   and arrays
 *   answered   { id, result } or { id, error: { kind, message, code?, path? } }   and arrays
 * `release` lists numbers of things that the client needs no more. The first message is the engine's: who it is. Input that is no message
 * cannot be read past: the engine says so and ends.
 */
import { Worker } from "node:worker_threads";
import { version } from "../../index.ts";
import { InputError } from "../inputError.ts";
import { reason } from "../outputs/outputFile.ts";
import { Channel } from "./channel.ts";
import { bytesOf, type Frame, FrameError, type Shaped } from "./frame.ts";
import { callMethod } from "./methods.ts";
import { type Answer, Session } from "./session.ts";

/** Counts changes of the messages; client and engine must have the same. */
export const protocol = 1;

/** True when the input ended as it should. */
export async function serve(input: number, output: number): Promise<boolean> {
  const channel = new Channel(input, output);
  const session = new Session();
  let watch: Worker | undefined;
  try {
    channel.write(bytesOf({ hello: "dojo-sim", protocol, version, node: process.version }));
    // after the greeting, which so comes earlier
    watch = endWithParent();
    for (;;) {
      let frame: Frame | undefined;
      try {
        frame = channel.read();
      } catch (error) {
        if (!(error instanceof FrameError)) throw error;
        channel.write(bytesOf({ id: null, error: { kind: "FrameError", message: error.message } }));
        return false;
      }
      if (!frame) return true;
      channel.write(await answer(session, frame));
    }
  } catch (error) {
    // whoever asked has gone
    if ((error as NodeJS.ErrnoException).code === "EPIPE") return true;
    throw error;
  } finally {
    await watch?.terminate();
  }
}

/** A promise only where the method has one: those without it are answered at once. */
async function answer(session: Session, { head, arrays }: Frame): Promise<Buffer> {
  const { id = null, method, params = {}, release = [] } = head;
  try {
    if (typeof method !== "string" || typeof params !== "object" || params === null || !isNumbers(release)) {
      throw new FrameError('a head needs "method", a text; "params", an object; "release", a list of numbers');
    }
    session.release(release);
    const given = callMethod(session, method, params as Record<string, unknown>, arrays);
    const { result = {}, arrays: answered = {} }: Answer = given instanceof Promise ? await given : given;
    return answerBytes({ id, result }, answered);
  } catch (error) {
    return bytesOf({ id, error: faultOf(error) });
  }
}

/** An answer that no message can hold is the fault of who asked for so much. */
function answerBytes(head: Readonly<Record<string, unknown>>, arrays: Readonly<Record<string, Shaped>>): Buffer {
  try {
    return bytesOf(head, arrays);
  } catch (error) {
    throw error instanceof FrameError ? new InputError(error.message) : error;
  }
}

function isNumbers(list: unknown): list is readonly number[] {
  return Array.isArray(list) && list.every((entry) => typeof entry === "number");
}

/** An error as data: its kind, what it says, and for errors of the library the code and the place. */
function faultOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { kind: "Error", message: String(error) };
  if ("syscall" in error) return { kind: "InputError", message: reason(error as NodeJS.ErrnoException) };
  const { code, path } = error as { code?: unknown; path?: unknown };
  return {
    kind: error.name,
    message: error.message,
    ...(typeof code === "string" && { code }),
    ...(typeof path === "string" && { path }),
    ...(error.stack !== undefined && { stack: error.stack }),
  };
}

/** Milliseconds between looks at the parent. */
const watchEvery = 1000;

/**
 * Work that takes long does not see its input end. So a thread looks after the process that started this one, and ends this one when it
 * is gone.
 */
function endWithParent(): Worker {
  const program = `
    const parent = process.ppid;
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, "SIGKILL"); }, ${watchEvery});`;
  const worker = new Worker(program, { eval: true, execArgv: [] });
  worker.unref();
  return worker;
}
