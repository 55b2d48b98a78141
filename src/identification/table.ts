/**
 * Tables of numbers as text: comment lines that begin with # and may hold `key: value`, a line of column names, then rows of numbers
 * between commas, semicolons or tabs. Faults are named with the file and its line.
 */
import { ArgumentError, visibleText } from "../mechanism/index.ts";

export interface NumberTable {
  readonly file: string;
  /** Notes of the comment lines above the header, keys in small letters. */
  readonly notes: ReadonlyMap<string, { readonly value: string; readonly line: number }>;
  readonly columns: readonly string[];
  readonly headerLine: number;
  readonly rows: readonly Float64Array[];
  /** Line of each row in the file, from 1. */
  readonly lines: readonly number[];
}

/** A fault of a file, at a line of it where there is one. */
export function fileFault(code: string, file: string, line: number | undefined, message: string): ArgumentError {
  return new ArgumentError(code, line === undefined ? file : `${file}:${line}`, message);
}

/** Reads a table. The first row may be empty, NaN, in columns for which `mayBegin` is true, asked with all of them. */
export function parseTable(
  text: string,
  file: string,
  mayBegin: (column: string, columns: readonly string[]) => boolean = () => false,
): NumberTable {
  const notes = new Map<string, { value: string; line: number }>();
  const rows: Float64Array[] = [];
  const lines: number[] = [];
  let columns: string[] | undefined;
  let headerLine = 0;
  let separator = ",";
  if (text.includes("\0")) throw fileFault("not-text", file, 1, "is no UTF-8 text; save it as CSV in UTF-8");
  text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .forEach((content, i) => {
      const line = i + 1;
      if (content.trim() === "") return;
      if (content.startsWith("#")) {
        const note = /^#\s*([\w-]+)\s*:\s*(.*?)\s*$/.exec(content);
        if (note && !columns) notes.set(note[1].toLowerCase(), { value: note[2], line });
        return;
      }
      if (!columns) {
        separator = [",", ";", "\t"].find((mark) => content.includes(mark)) ?? ",";
        columns = fieldsOf(content, separator);
        headerLine = line;
        requireHeader(columns, file, line);
        return;
      }
      const mayBeEmpty = rows.length === 0 ? mayBegin : () => false;
      rows.push(rowOf(fieldsOf(content, separator), columns, file, line, mayBeEmpty));
      lines.push(line);
    });
  if (!columns) throw fileFault("empty-file", file, undefined, "has no line of column names; write one, such as x,y,z");
  return { file, notes, columns, headerLine, rows, lines };
}

/** Fields without the quotation marks that some programs put around each. */
function fieldsOf(content: string, separator: string): string[] {
  return content.split(separator).map((field) => field.trim().replace(/^"(.*)"$/, "$1"));
}

function requireHeader(columns: readonly string[], file: string, line: number): void {
  if (columns.every((name) => name !== "" && Number.isFinite(Number(name)))) {
    const message = "begins with numbers; the first line names the columns, such as x,y,z,qw,qx,qy,qz";
    throw fileFault("no-header", file, line, message);
  }
  columns.forEach((name, i) => {
    if (name === "") throw fileFault("unnamed-column", file, line, `column ${i + 1} has no name`);
    if (columns.indexOf(name) < i) throw fileFault("repeated-column", file, line, `"${name}" names two columns`);
  });
}

/** Numbers as instruments write them; Number() also takes 0x10 and nothing at all. */
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

function rowOf(
  fields: readonly string[],
  columns: readonly string[],
  file: string,
  line: number,
  mayBeEmpty: (column: string, columns: readonly string[]) => boolean,
): Float64Array {
  if (fields.length !== columns.length) {
    const message = `has ${fields.length} fields where the header names ${columns.length} columns; fill the row or remove it`;
    throw fileFault("ragged-row", file, line, message);
  }
  return Float64Array.from(fields, (field, i) => {
    const value = decimal.test(field) ? Number(field) : Number.NaN;
    if (Number.isFinite(value) || (field === "" && mayBeEmpty(columns[i], columns))) return value;
    const message = `"${visibleText(field).slice(0, 40)}" in column "${columns[i]}" is no finite number; remove the row or fill the gap`;
    throw fileFault("not-finite", file, line, message);
  });
}
