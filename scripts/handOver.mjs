/** Runs a program in our place: with our streams, our signals, and its exit code. */
import { spawn } from "node:child_process";
import { constants } from "node:os";

/** Its exit code; 128 + the number of the signal that ended it, as shells have it. */
export function handOver(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "inherit", ...options });
    // a terminal sends Ctrl-C to both of us: the program answers it, and we wait; other signals are sent to one process only
    const wait = () => {};
    const pass = (signal) => child.kill(signal);
    process.on("SIGINT", wait);
    process.on("SIGTERM", pass);
    const ended = () => {
      process.off("SIGINT", wait);
      process.off("SIGTERM", pass);
    };
    child.on("error", (error) => {
      ended();
      reject(error);
    });
    child.on("exit", (code, signal) => {
      ended();
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}
