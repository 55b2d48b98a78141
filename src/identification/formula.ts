/**
 * Formulas as text, read into expressions: numbers, names, + − * /, powers by whole numbers (^), parentheses, and the functions below.
 *   "halfWidth - comX"     "2 * {left wheel.radius} ^ 2"     "sqrt(a^2 + b^2)"
 * A name is letters, digits, _ and dots; any other stands in braces. As plain text they travel in files and to workers, and their
 * derivatives are generated as those of any expression.
 */
import { ArgumentError, nearestName } from "../mechanism/index.ts";
import { abs, add, cos, div, mul, neg, type Scalar, sin, sqrt, sub } from "../symbolic/index.ts";

const functions: Readonly<Record<string, (x: Scalar) => Scalar>> = { sqrt, sin, cos, abs };
const largestPower = 16;

/** `symbolOf` gives the expression of a name, or undefined for one that it does not know. */
export function parseFormula(
  text: string,
  names: readonly string[],
  symbolOf: (name: string) => Scalar | undefined,
  path: string,
): Scalar {
  const tokens = tokensOf(text, path);
  let at = 0;
  const fail = (message: string): never => {
    throw new ArgumentError("bad-formula", path, `"${text}": ${message}`);
  };
  const take = (mark: string): boolean => {
    if (tokens[at]?.text !== mark || tokens[at]?.kind !== "mark") return false;
    at++;
    return true;
  };
  const sum = (): Scalar => {
    let value = product();
    for (;;) {
      if (take("+")) value = add(value, product());
      else if (take("-")) value = sub(value, product());
      else return value;
    }
  };
  const product = (): Scalar => {
    let value = signed();
    for (;;) {
      if (take("*")) value = mul(value, signed());
      else if (take("/")) value = div(value, signed());
      else return value;
    }
  };
  const signed = (): Scalar => {
    if (take("-")) return neg(signed());
    if (take("+")) return signed();
    const base = atom();
    if (!take("^")) return base;
    const power = Number(tokens[at++]?.text);
    if (!(Number.isInteger(power) && power >= 1 && power <= largestPower)) {
      return fail(`a power is a whole number from 1 to ${largestPower}`);
    }
    let value = base;
    for (let k = 1; k < power; k++) value = mul(value, base);
    return value;
  };
  const atom = (): Scalar => {
    const token = tokens[at++];
    if (!token) return fail("ends where a number or a name is due");
    if (token.kind === "number") return Number(token.text);
    if (token.kind === "name") {
      const of = functions[token.text];
      if (of && take("(")) return of(closed());
      const symbol = symbolOf(token.text);
      if (symbol !== undefined) return symbol;
      const nearest = nearestName(token.text, names);
      const hint = nearest === undefined ? `have: ${names.join(", ") || "none"}` : `did you mean "${nearest}"?`;
      throw new ArgumentError("unknown-parameter", path, `"${text}": no parameter is called "${token.text}"; ${hint}`);
    }
    if (token.text === "(") return closed();
    return fail(`"${token.text}" stands where a number or a name is due`);
  };
  const closed = (): Scalar => {
    const value = sum();
    if (!take(")")) fail("a parenthesis is not closed");
    return value;
  };
  const value = sum();
  if (at < tokens.length) fail(`"${tokens[at].text}" is not expected there`);
  return value;
}

interface Token {
  readonly kind: "number" | "name" | "mark";
  readonly text: string;
}

function tokensOf(text: string, path: string): Token[] {
  const pattern =
    /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_][\w.]*)|\{([^{}]+)\}|([-+*/^()]))/y;
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) {
      throw new ArgumentError("bad-formula", path, `"${text}": "${text.slice(from).trim()[0]}" cannot be read`);
    }
    const [, digits, name, braced, mark] = match;
    if (digits !== undefined) tokens.push({ kind: "number", text: digits });
    else if (mark !== undefined) tokens.push({ kind: "mark", text: mark });
    else tokens.push({ kind: "name", text: name ?? braced });
  }
  return tokens;
}

/** A name as formulas take it. */
export function formulaName(name: string): string {
  return /^[A-Za-z_][\w.]*$/.test(name) ? name : `{${name}}`;
}
