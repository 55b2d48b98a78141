/** Warnings of an exporter, which have a path of the description instead of a line. */
import { visibleText } from "../../mechanism/index.ts";
import type { FormatWarning } from "../formatError.ts";

export class ExportWarnings {
  readonly warnings: FormatWarning[] = [];

  add(path: string, message: string): void {
    this.warnings.push({ code: "not-expressible", message: visibleText(`${path}: ${message}`), file: "", line: 0 });
  }
}
