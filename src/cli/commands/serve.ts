/** dojo serve: the engine for programs in other languages, over its standard input and output. */
import type { Command } from "commander";
import { exitCodes } from "../inputError.ts";
import { serve } from "../serve/serve.ts";

const examples = `
Examples:
  dojo serve
  import dojo_sim        (in Python, which starts it by itself)

Messages are binary frames with a JSON head; docs/python.md describes them. The engine ends when its input does.
Exit codes: 0 the input has ended, 2 it was no message.`;

export function addServe(program: Command): void {
  program
    .command("serve")
    .summary("the engine for programs in other languages, on standard input and output")
    .description("Answers messages on standard input until it ends. The Python package dojo_sim drives it.")
    .addHelpText("after", examples)
    .action(async () => {
      process.exitCode = (await serve(0, 1)) ? exitCodes.ok : exitCodes.badInput;
    });
}
