/** Texts of xacro files: brackets, values, and the parameters of macros. */
import { elementError, readString, type XmlElement } from "../xml.ts";
import type { XacroValue } from "./xacroExpression.ts";

export interface Parameter {
  readonly name: string;
  /** "*" for an element of the call, "**" for the children of one. */
  readonly stars: string;
  readonly fallback: string | undefined;
  /** Taken from outside where there is one. */
  readonly inherits: boolean;
}

/** Where the bracket at `open` closes, past those inside it and past quoted texts; −1 if nowhere. */
export function closingOf(text: string, open: number): number {
  const [opening, closing] = text[open] === "{" ? ["{", "}"] : ["(", ")"];
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const character = text[at];
    if (character === '"' || character === "'") {
      const end = text.indexOf(character, at + 1);
      if (end > 0) at = end;
    } else if (character === opening) depth++;
    else if (character === closing && --depth === 0) return at;
  }
  return -1;
}

/** A text that is a number or a truth value is one; quotes around a text go. */
export function literal(value: XacroValue): XacroValue {
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (/^'[^']*'$|^"[^"]*"$/.test(text)) return text.slice(1, -1);
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  return value;
}

/** Names between blanks, with := or = before a default, and stars before blocks. */
export function parametersOf(element: XmlElement): Parameter[] {
  const text = readString(element, "params") ?? "";
  const words: string[] = [];
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at])) {
      at++;
      continue;
    }
    let end = at;
    while (end < text.length && !/\s/.test(text[end])) {
      const isQuote = text[end] === "'" || text[end] === '"';
      const isOpen = text[end] === "$" && /[({]/.test(text[end + 1] ?? "");
      const close = isQuote ? text.indexOf(text[end], end + 1) : isOpen ? closingOf(text, end + 1) : end;
      end = (close < 0 ? text.length : close) + 1;
    }
    words.push(text.slice(at, end));
    at = end;
  }
  return words.map((word): Parameter => {
    const found = /^(\*{0,2})([A-Za-z_][\w-]*)(?::?=(\^\|?)?([\s\S]*))?$/.exec(word);
    if (!found)
      throw elementError(
        element,
        `params has "${word.slice(0, 60)}", which is no parameter; write name or name:=default`,
      );
    const [, stars, name, inherited, fallback] = found;
    const isAlone = inherited === "^";
    return { stars, name, inherits: inherited !== undefined, fallback: isAlone ? undefined : fallback };
  });
}
