/**
 * Runs the command line: from its sources in this process, where kernels are shared with all tests before, or as a user does, built and in
 * a process of its own. The latter is for signals, streams, threads and experiments, and for some plain runs of every command
 * (test/docs/outputs.test.ts).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { runCommand } from "../../src/cli/command.ts";
import { builtPackage } from "../built.ts";

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command. */
export async function buildCli(): Promise<string> {
  return join(builtPackage(), "cli/main.js");
}

/** The package as built, in another place, without the pages, which are most of it. */
export function copyBuild(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => basename(path) !== "playground" });
}

/** An empty folder to work in. */
export function workFolder(): string {
  return mkdtempSync(join(tmpdir(), "cli-test-"));
}

/** Runs in this process change its folder and its streams, so they take turns. */
let lastRun: Promise<unknown> = Promise.resolve();

/** The command from its sources, in `cwd`. */
export function dojo(args: readonly string[], cwd: string = tmpdir()): Promise<Outcome> {
  const run = lastRun.then(() => runHere(args, cwd));
  lastRun = run;
  return run;
}

async function runHere(args: readonly string[], cwd: string): Promise<Outcome> {
  const texts = { stdout: "", stderr: "" };
  const folder = process.cwd();
  const { exitCode } = process;
  const streams = (["stdout", "stderr"] as const).map((name) => {
    const stream = process[name];
    const { write, isTTY } = stream;
    stream.write = (chunk: string | Uint8Array): boolean => {
      texts[name] += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
      return true;
    };
    stream.isTTY = false;
    return { stream, write, isTTY };
  });
  try {
    process.chdir(cwd);
    process.exitCode = undefined;
    await runCommand(["node", "dojo", ...args]);
    return { code: Number(process.exitCode ?? 0), ...texts };
  } finally {
    for (const { stream, write, isTTY } of streams) Object.assign(stream, { write, isTTY });
    process.chdir(folder);
    process.exitCode = exitCode;
  }
}

/** The built command in `cwd`; `signal` may send it one; `build` is another place of the built command. */
export async function dojoProcess(
  args: readonly string[],
  cwd: string = tmpdir(),
  signal?: (child: ChildProcess) => void,
  build?: string,
): Promise<Outcome> {
  const main = build ?? (await buildCli());
  const child = spawn(process.execPath, [main, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  signal?.(child);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, ...texts };
}

/** The one JSON value that the command prints. */
export async function dojoJson<T>(args: readonly string[], cwd?: string): Promise<T> {
  return jsonOf(args, await dojo([...args, "--json"], cwd));
}

/** The same from a process of its own. */
export async function dojoProcessJson<T>(args: readonly string[], cwd?: string): Promise<T> {
  return jsonOf(args, await dojoProcess([...args, "--json"], cwd));
}

function jsonOf<T>(args: readonly string[], { stdout, stderr, code }: Outcome): T {
  if (stdout === "") throw new Error(`dojo ${args.join(" ")} printed nothing (${code}): ${stderr}`);
  return JSON.parse(stdout) as T;
}

/**
 * Waits until a process has used this many milliseconds of a processor more, or has ended: others may be using the machine. Where there
 * is no /proc it waits four times as long.
 */
export async function busy({ pid }: ChildProcess, milliseconds: number): Promise<void> {
  if (!hasProc) return setTimeout(4 * milliseconds);
  // hundredths of a second, of the user's and of the system's
  const used = (): number => {
    const [user, system] = (procFile(pid, "stat") ?? "").split(" ").slice(13, 15).map(Number);
    return 10 * (user + system);
  };
  const end = used() + milliseconds;
  // no number once it has ended
  while (used() < end) await setTimeout(50);
}

/** A block on the floor, in a file that gets a note. */
export const notedRobot = `<robot name="noted"><link name="block" colour="red">
  <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
  <collision><geometry><box size="0.3 0.3 0.3"/></geometry></collision>
</link></robot>`;

/** Waits until a run of the robot above is stepping: its note is printed when all is compiled, and signals are heard from then on. */
export async function stepping(child: ChildProcess): Promise<void> {
  if (child.stderr) await once(child.stderr, "data");
  await busy(child, 200);
}

const hasProc = existsSync("/proc/self/stat");

/** Undefined once the process is no more. */
function procFile(pid: number | undefined, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return undefined;
  }
}
