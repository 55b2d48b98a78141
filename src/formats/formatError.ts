/** What an importer says: an error that names the file and line and a way out, and warnings that do the same. */
import { visibleText } from "../mechanism/index.ts";

/** Where in a file. Lines and columns count from 1. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A file that cannot be read. The message is `file:line: <element name="…">: what is wrong; the way out`. */
export class FormatError extends Error {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** What is wrong and a way out, without the place. */
  readonly problem: string;

  constructor(place: FilePlace, problem: string, subject = "") {
    super(visibleText(`${place.file}:${place.line}: ${subject === "" ? "" : `${subject}: `}${problem}`));
    this.name = "FormatError";
    this.file = place.file;
    this.line = place.line;
    this.column = place.column;
    this.problem = problem;
  }
}

/** Something of a file that the result leaves out or changes. */
export interface FormatWarning {
  /** Stable, for programs. */
  readonly code: FormatWarningCode;
  /** `file:line: <element name="…">: what became of it`; warnings of an exporter have a path of the description instead. */
  readonly message: string;
  readonly file: string;
  readonly line: number;
}

export type FormatWarningCode =
  /** An element or attribute that the importer does not know. */
  | "unknown"
  /** Known, but without meaning here: sensors, visual meshes, velocity limits. */
  | "ignored"
  /** A value was changed so that it can be simulated. */
  | "adjusted"
  /** A choice that the file left open. */
  | "assumed"
  /** What the format cannot express. */
  | "not-expressible";
