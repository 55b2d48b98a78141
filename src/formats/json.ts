/**
 * Descriptions as JSON text, in an envelope that names the format and its version:
 *   { "format": "dojo-sim", "version": 1, "description": { … } }
 * A file of the same version can be read by every later release.
 */
import { assertDescription, type MechanismDescription } from "../mechanism/index.ts";
import { emptyText } from "./emptyText.ts";
import { FormatError } from "./formatError.ts";
import { orderInText } from "./keyOrder.ts";

const FORMAT = "dojo-sim";
const VERSION = 1;
const envelope = `{"format": "${FORMAT}", "version": ${VERSION}, "description": {…}}`;

/** Throws `DescriptionError` on a description that is not valid: NaN would turn to null in silence. */
export function toJson(description: MechanismDescription): string {
  assertDescription(description);
  return `${JSON.stringify({ format: FORMAT, version: VERSION, description }, null, 2)}\n`;
}

/** Throws `FormatError` on what is no such file, with the line of a slip, and `DescriptionError` on a faulty description. */
export function fromJson(text: string, fileName = "json"): MechanismDescription {
  const top = { file: fileName, line: 1, column: 1 };
  let value: unknown;
  if (text.trim() === "") throw new FormatError(top, emptyText);
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw syntaxError(text, fileName, error);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new FormatError(top, `no object; a description file reads ${envelope}`);
  }
  const { format, version, description } = value as Record<string, unknown>;
  if (format !== FORMAT) {
    const wayOut = "bodies" in value ? `put the description into ${envelope}` : "is this another kind of file?";
    throw new FormatError(top, `"format" is not "${FORMAT}"; ${wayOut}`);
  }
  if (version !== VERSION) {
    throw new FormatError(
      top,
      `version ${JSON.stringify(version)?.slice(0, 20)} is not known; this release reads version ${VERSION}`,
    );
  }
  assertDescription(description);
  return { ...description, ...orderInText(text, description) };
}

/** The fault with the place of the slip where the engine names it; at the end of the text otherwise, where a cut file ends. */
function syntaxError(text: string, file: string, error: unknown): FormatError {
  const message = error instanceof Error ? error.message : String(error);
  // engines name the place in different ways: "position 12", "line 2 column 3", or not at all
  const position = /position (\d+)/.exec(message)?.[1];
  const lineColumn = /line (\d+) column (\d+)/.exec(message);
  const before = position === undefined ? text : text.slice(0, Number(position));
  const place = lineColumn
    ? { file, line: Number(lineColumn[1]), column: Number(lineColumn[2]) }
    : { file, line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") };
  return new FormatError(place, `not JSON: ${message.replace(/\s+/g, " ").slice(0, 200)}`);
}
