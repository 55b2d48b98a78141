/** One run of the `dojo` command: arguments in, text and an exit code out. */
import { CommanderError } from "commander";
import { ArgumentError, DescriptionError, FormatError, StateError } from "../index.ts";
import { exitCodes, InputError } from "./inputError.ts";
import { reason } from "./outputs/outputFile.ts";
import { makeProgram, unknownCommand } from "./program.ts";
import { paint, printError } from "./terminal.ts";

/** `argv` as Node has it, the program and its script first. The exit code is left in process.exitCode. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  try {
    const program = await makeProgram(argv[2]);
    // asked to explain a command that there is not, commander would explain all others
    const unknown = unknownCommand(argv);
    await program.parseAsync(unknown === undefined ? argv : [...argv.slice(0, 2), unknown]);
  } catch (error) {
    report(error);
  }
}

/** Errors of the library that mean what was given, not what was done. */
const inputErrors = [InputError, ArgumentError, DescriptionError, FormatError, StateError];

/** Says what went wrong, and sets the exit code. */
export function report(error: unknown): void {
  if (error instanceof CommanderError) {
    // commander has said it; help and version are no errors
    const fine = error.exitCode === 0 || error.code === "commander.help";
    process.exitCode = fine ? exitCodes.ok : exitCodes.badInput;
  } else if (inputErrors.some((kind) => error instanceof kind)) {
    printError(`${paint("red", "error:", process.stderr)} ${(error as Error).message}`);
    process.exitCode = exitCodes.badInput;
  } else if (isSystemError(error)) {
    printError(`${paint("red", "error:", process.stderr)} ${error.path ?? "the system"}: ${reason(error)}`);
    process.exitCode = exitCodes.badInput;
  } else {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    printError(`${paint("red", "internal error:", process.stderr)} ${text}`);
    process.exitCode = exitCodes.internal;
  }
}

/** What the system refused: a file that vanished meanwhile, a full disk, no permission. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && "code" in error;
}
