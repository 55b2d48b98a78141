#!/usr/bin/env node
/** Entry of the `dojo` command: arguments in, text and an exit code out. */
import { CommanderError } from "commander";
import { ArgumentError, DescriptionError, FormatError, StateError } from "../index.ts";
import { exitCodes, InputError } from "./inputError.ts";
import { makeProgram } from "./program.ts";
import { paint } from "./terminal.ts";

// what reads us may stop early: dojo list | head -3
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(exitCodes.ok);
  throw error;
});

/** Errors of the library that mean what was given, not what was done. */
const inputErrors = [InputError, ArgumentError, DescriptionError, FormatError, StateError];

try {
  await makeProgram().parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    // commander has said it; help and version are no errors
    const fine = error.exitCode === 0 || error.code === "commander.help";
    process.exitCode = fine ? exitCodes.ok : exitCodes.badInput;
  } else if (inputErrors.some((kind) => error instanceof kind)) {
    process.stderr.write(`${paint("red", "error:", process.stderr)} ${(error as Error).message}\n`);
    process.exitCode = exitCodes.badInput;
  } else {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${paint("red", "internal error:", process.stderr)} ${text}\n`);
    process.exitCode = exitCodes.internal;
  }
}
