/** Runs the command line as a user does: built, in a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
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

/** An empty folder to work in. */
export function workFolder(): string {
  return mkdtempSync(join(tmpdir(), "cli-test-"));
}

/** The command in `cwd`; `signal` may send it one; `build` is another place of the built command. */
export async function dojo(
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
  const { stdout, stderr, code } = await dojo([...args, "--json"], cwd);
  if (stdout === "") throw new Error(`dojo ${args.join(" ")} printed nothing (${code}): ${stderr}`);
  return JSON.parse(stdout) as T;
}

/**
 * Waits until a process has used this many milliseconds of a processor, or has ended: others may be using the machine. Where there is
 * no /proc it waits four times as long.
 */
export async function busy({ pid }: ChildProcess, milliseconds: number): Promise<void> {
  if (!existsSync("/proc/self/stat")) return setTimeout(4 * milliseconds);
  const file = `/proc/${pid}/stat`;
  for (let used = 0; used < milliseconds && existsSync(file); ) {
    await setTimeout(50);
    // hundredths of a second, of the user's and of the system's
    const [user, system] = readFileSync(file, "utf8").split(" ").slice(13, 15).map(Number);
    used = 10 * (user + system);
  }
}
