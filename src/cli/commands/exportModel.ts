/** dojo export: a model or a file in another format. */
import type { Command } from "commander";
import { type FormatWarning, type MechanismDescription, toJson, toMjcf, toUrdf, visibleText } from "../../index.ts";
import { InputError } from "../inputError.ts";
import { endingOf, requireDistinct, requireWritable, writeWhole } from "../outputs/outputFile.ts";
import { addDescriptionOptions, type DescriptionFlags, loadDescription, printNotes } from "../setUp.ts";
import { fileSize, print, printJson } from "../terminal.ts";

interface Flags extends DescriptionFlags {
  readonly out?: string;
  readonly json?: boolean;
}

const examples = `
Examples:
  dojo export atlas --out atlas.urdf
  dojo export a1 --out a1.xml                     MJCF, for MuJoCo
  dojo export robot.urdf --base fixed --out robot.json
  dojo export robot.urdf --collisions shapes --out robot.xml

What the other format cannot say is listed on standard error.`;

interface Exported {
  readonly text: string;
  /** An SRDF file beside a URDF file: links that do not touch. */
  readonly srdf?: string | undefined;
  readonly warnings: readonly FormatWarning[];
}

const exporters: Readonly<Record<string, (description: MechanismDescription) => Exported>> = {
  ".urdf": (description) => {
    const { xml, srdf, warnings } = toUrdf(description);
    return { text: xml, srdf, warnings };
  },
  ".xml": (description) => written(toMjcf(description)),
  ".json": (description) => ({ text: toJson(description), warnings: [] }),
};

function written({ xml, warnings }: { readonly xml: string; readonly warnings: readonly FormatWarning[] }): Exported {
  return { text: xml, warnings };
}

export function addExport(program: Command): void {
  const command = program
    .command("export")
    .summary("write a model as URDF, MJCF or JSON")
    .description("Writes a model of the library or a robot file as .urdf, .xml (MJCF) or .json.")
    .argument("<model>", "a model's name or a file")
    .option("--out <file>", "what to write: .urdf, .xml or .json");
  addDescriptionOptions(command)
    .option("--json", "what was written and what was lost, as JSON")
    .addHelpText("after", examples)
    .action((model: string, flags: Flags) => {
      const { out } = flags;
      if (out === undefined) throw new InputError("--out is missing; give a file ending in .urdf, .xml or .json");
      requireWritable(out, Object.keys(exporters));
      requireDistinct([out], model);
      const { name, description, warnings } = loadDescription(model, flags);
      const exported = exporters[endingOf(out)](description);
      const srdf = exported.srdf === undefined ? undefined : out.replace(/\.urdf$/i, ".srdf");
      if (srdf !== undefined && flags.srdf !== undefined) requireDistinct([srdf], flags.srdf);
      const bytes = writeWhole(out, exported.text);
      if (srdf !== undefined) writeWhole(srdf, exported.srdf as string);
      const notes = [...warnings, ...exported.warnings].map(({ message }) => message);
      if (flags.json) printJson({ model: name, file: out, bytes, notes, ...(srdf !== undefined && { srdf }) });
      else {
        printNotes(notes);
        print(visibleText(`${name} → ${out} (${fileSize(bytes)})${srdf === undefined ? "" : `, and ${srdf}`}`));
      }
    });
}
