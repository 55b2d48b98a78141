/**
 * A look at the tags of an XML text before the parser sees it, in one pass without recursion. It refuses what could make the parser slow
 * or deep, and tags that do not match, of which the parser knows neither line.
 */
import { emptyText } from "./emptyText.ts";
import { FormatError } from "./formatError.ts";

/** The largest published robots have a megabyte, 10,000 elements and depth 60. */
export const MAX_CHARACTERS = 20e6;
const MAX_ELEMENTS = 100_000;
export const MAX_DEPTH = 200;

/** Throws a `FormatError` with the place of the first fault. */
export function guardXml(text: string, file: string): void {
  const lineOf = (at: number): number => text.slice(0, at).split("\n").length;
  const refuse = (at: number, problem: string): never => {
    throw new FormatError({ file, line: lineOf(at), column: at - text.lastIndexOf("\n", at - 1) }, problem);
  };
  if (text.length > MAX_CHARACTERS)
    refuse(0, `${text.length} characters, more than ${MAX_CHARACTERS}; is this a model?`);
  if (text.trim() === "") refuse(0, emptyText);
  const open: { readonly name: string; readonly at: number }[] = [];
  let elements = 0;
  let at = text.indexOf("<");
  while (at >= 0) {
    let end: number;
    if (text.startsWith("<!--", at)) end = text.indexOf("-->", at + 4);
    else if (text.startsWith("<![CDATA[", at)) end = text.indexOf("]]>", at);
    else if (text.startsWith("<?", at)) end = text.indexOf("?>", at);
    else if (text.startsWith("<!", at)) {
      end = refuse(at, "document types and entities are refused; write the values out and delete the <!DOCTYPE …>");
    } else {
      end = tagEnd(text, at);
      elements++;
      if (elements > 2 * MAX_ELEMENTS) refuse(at, `more than ${MAX_ELEMENTS} elements; is this a model?`);
      if (text[at + 1] === "/") {
        const name = tagName(text, at + 2);
        const begun = open.pop();
        if (begun?.name !== name && end >= 0) refuse(at, mismatch(name, begun && { ...begun, line: lineOf(begun.at) }));
      } else if (text[end - 1] !== "/") open.push({ name: tagName(text, at + 1), at });
      if (open.length > MAX_DEPTH) refuse(at, `elements nest deeper than ${MAX_DEPTH}; is a closing tag missing?`);
    }
    // a tag or comment that does not end: the parser says which
    if (end < 0) return;
    at = text.indexOf("<", end);
  }
  const last = open.pop();
  if (last) refuse(last.at, `${notWellFormed}: <${shown(last.name)}> is never closed; ${wayOut}`);
}

export const notWellFormed = "not well-formed XML";
export const wayOut = "close every tag, quote every attribute, and have one root element";

function mismatch(name: string, begun: { readonly name: string; readonly line: number } | undefined): string {
  const what = begun
    ? `tags mismatch: </${shown(name)}> where <${shown(begun.name)}> of line ${begun.line} is open`
    : `tags mismatch: </${shown(name)}> where nothing is open`;
  return `${notWellFormed}: ${what}; ${wayOut}`;
}

/** The name at a place, up to what ends it. */
function tagName(text: string, start: number): string {
  const name = /[^\s/>]*/y;
  name.lastIndex = start;
  return name.exec(text)?.[0] ?? "";
}

function shown(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

/** Index of the ">" that closes a tag, past quoted values; −1 if there is none. */
function tagEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === ">") return at;
    if (character === '"' || character === "'") {
      at = text.indexOf(character, at + 1);
      if (at < 0) return -1;
    }
  }
  return -1;
}
