#!/usr/bin/env node
/** Entry of the `dojo` command: its streams and its arguments. What it does is in command.ts. */
import * as modules from "node:module";

// newer versions of Node keep what they have compiled for the next run
(modules as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.();
const { ranWithoutReserve } = await import("./addresses.ts");
const { report, runCommand } = await import("./command.ts");
const { InputError } = await import("./inputError.ts");
const { reason } = await import("./outputs/outputFile.ts");

const writesFiles = process.argv.some((argument) => /^--out(=|$)/.test(argument));
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // what reads us may stop early: dojo list | head -3; what is to be written to files is done all the same
  if (error.code === "EPIPE" && writesFiles) return;
  if (error.code === "EPIPE") process.exit();
  report(new InputError(`cannot write to standard output: ${reason(error)}`));
  process.exit();
});
// notes that nobody can read are no fault of the work
process.stderr.on("error", () => {});

if (!(await ranWithoutReserve(process.argv))) await runCommand(process.argv);
