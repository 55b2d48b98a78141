/** Runs under a limit on addresses (`ulimit -v`): V8 reserves 10 GB of them for each memory of WebAssembly, unless it is told not to. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { exitCodes } from "./inputError.ts";
import { warn } from "./terminal.ts";

/** Has Node check bounds instead, and reserve what memories need. */
const flag = "--disable-wasm-trap-handler";
const limited = "addresses are limited (ulimit -v), and WebAssembly reserves 10 GB for each memory";

/** Runs the command in a Node that reserves less, where there is such a limit; false where there is none, or no such Node. */
export async function ranWithoutReserve(argv: readonly string[]): Promise<boolean> {
  if (!isLimited() || process.execArgv.includes(flag)) return false;
  if (!process.allowedNodeEnvironmentFlags.has(flag)) {
    warn(`${limited}: kernels run as JavaScript where they run out; Node 20.15 or newer can do without`);
    return false;
  }
  warn(`${limited}: this run checks bounds instead, and is slower`);
  const child = spawn(process.execPath, [flag, ...process.execArgv, ...argv.slice(1)], { stdio: "inherit" });
  // a terminal sends its signals to both
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, "exit")) as [number | null];
  process.exitCode = code ?? exitCodes.internal;
  return true;
}

/** Linux alone says so, and elsewhere such limits hardly hold. */
function isLimited(): boolean {
  try {
    return /^Max address space +\d/m.test(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return false;
  }
}
