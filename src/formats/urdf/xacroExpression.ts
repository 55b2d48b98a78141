/**
 * Expressions of xacro files, ${…}: the arithmetic of Python with numbers, texts, truth values and lists, read by a parser of its own.
 *   conditional   or   and   not   comparisons   + −   * / // %   unary −   **   call, index
 */

export type XacroValue = number | string | boolean | null | readonly XacroValue[];

/** What is wrong with an expression; the caller knows the place. */
export class ExpressionError extends Error {}

/** Finds a name, or says that there is none. */
export type Lookup = (name: string) => XacroValue | undefined;

const LONGEST = 10_000;
const DEEPEST = 100;

const constants: Readonly<Record<string, XacroValue>> = {
  pi: Math.PI,
  tau: 2 * Math.PI,
  e: Math.E,
  inf: Number.POSITIVE_INFINITY,
  True: true,
  False: false,
  true: true,
  false: false,
  None: null,
};

/** Python rounds halves to even. */
function rounded(value: number, digits = 0): number {
  const scaled = value * 10 ** digits;
  const down = Math.floor(scaled);
  const isHalf = scaled - down === 0.5;
  return (isHalf ? down + Math.abs(down % 2) : Math.round(scaled)) / 10 ** digits;
}

const functions: Readonly<Record<string, (...numbers: number[]) => number>> = {
  ...{ sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan },
  ...{ atan2: Math.atan2, sqrt: Math.sqrt, hypot: Math.hypot, exp: Math.exp, floor: Math.floor, ceil: Math.ceil },
  ...{ abs: Math.abs, fabs: Math.abs, min: Math.min, max: Math.max, pow: Math.pow, log10: Math.log10 },
  log: (value, base) => (base === undefined ? Math.log(value) : Math.log(value) / Math.log(base)),
  radians: (degrees) => degrees * (Math.PI / 180),
  degrees: (radians) => radians * (180 / Math.PI),
  round: rounded,
};

const token =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|"([^"]*)"|'([^']*)'|(\*\*|\/\/|<=|>=|==|!=|[-+*/%()[\],<>.{}:]))/y;

interface Token {
  readonly kind: "number" | "name" | "text" | "sign";
  readonly text: string;
}

function tokensOf(text: string): Token[] {
  if (text.length > LONGEST) throw new ExpressionError(`has more than ${LONGEST} characters`);
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  for (let at = 0; at < end; ) {
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found) throw new ExpressionError(`has "${text.slice(at, at + 20).trim()}", which is not understood`);
    const [, number, name, double, single, sign] = found;
    if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign });
    else tokens.push({ kind: "text", text: double ?? single });
    at = token.lastIndex;
  }
  return tokens;
}

export function evaluate(text: string, lookup: Lookup): XacroValue {
  const parser = new Parser(tokensOf(text), lookup);
  return parser.all();
}

class Parser {
  private at = 0;
  private depth = 0;
  private readonly tokens: readonly Token[];
  private readonly lookup: Lookup;

  constructor(tokens: readonly Token[], lookup: Lookup) {
    this.tokens = tokens;
    this.lookup = lookup;
  }

  all(): XacroValue {
    const value = this.conditional();
    const rest = this.tokens[this.at];
    if (rest) throw new ExpressionError(`has "${rest.text}" where it should end`);
    return value;
  }

  private takes(kind: Token["kind"], ...texts: readonly string[]): string | undefined {
    const next = this.tokens[this.at];
    if (next?.kind !== kind || !texts.includes(next.text)) return undefined;
    this.at++;
    return next.text;
  }

  private needs(sign: string): void {
    if (this.takes("sign", sign) === undefined) throw new ExpressionError(`misses a "${sign}"`);
  }

  private conditional(): XacroValue {
    if (++this.depth > DEEPEST) throw new ExpressionError("nests too deep");
    const value = this.either();
    let chosen = value;
    if (this.takes("name", "if")) {
      const condition = isTrue(this.either());
      if (!this.takes("name", "else")) throw new ExpressionError('misses "else"');
      const other = this.conditional();
      chosen = condition ? value : other;
    }
    this.depth--;
    return chosen;
  }

  private either(): XacroValue {
    let value = this.both();
    while (this.takes("name", "or")) {
      const other = this.both();
      value = isTrue(value) ? value : other;
    }
    return value;
  }

  private both(): XacroValue {
    let value = this.negation();
    while (this.takes("name", "and")) {
      const other = this.negation();
      value = isTrue(value) ? other : value;
    }
    return value;
  }

  private negation(): XacroValue {
    let count = 0;
    while (this.takes("name", "not")) count++;
    const value = this.comparison();
    return count === 0 ? value : isTrue(value) === (count % 2 === 0);
  }

  private comparison(): XacroValue {
    let left = this.sum();
    let result: XacroValue | undefined;
    for (;;) {
      const isNot = this.tokens[this.at]?.text === "not" && this.tokens[this.at + 1]?.text === "in";
      if (isNot) this.at++;
      const sign = this.takes("sign", "<", "<=", ">", ">=", "==", "!=") ?? this.takes("name", "in");
      if (sign === undefined) return result ?? left;
      const right = this.sum();
      const holds = sign === "in" ? contains(right, left) !== isNot : compared(sign, left, right);
      result = result === false ? false : holds;
      left = right;
    }
  }

  private sum(): XacroValue {
    let value = this.product();
    for (;;) {
      const sign = this.takes("sign", "+", "-");
      if (sign === undefined) return value;
      const other = this.product();
      if (sign === "+" && typeof value === "string" && typeof other === "string") value = value + other;
      else if (sign === "+" && Array.isArray(value) && Array.isArray(other)) value = [...value, ...other];
      else value = sign === "+" ? numberOf(value) + numberOf(other) : numberOf(value) - numberOf(other);
    }
  }

  private product(): XacroValue {
    let value = this.unary();
    for (;;) {
      const sign = this.takes("sign", "*", "/", "//", "%");
      if (sign === undefined) return value;
      const [a, b] = [numberOf(value), numberOf(this.unary())];
      if (sign !== "*" && b === 0) throw new ExpressionError("divides by 0");
      value =
        sign === "*" ? a * b : sign === "/" ? a / b : sign === "//" ? Math.floor(a / b) : a - b * Math.floor(a / b);
    }
  }

  private unary(): XacroValue {
    let sign = 1;
    let isSigned = false;
    for (let found = this.takes("sign", "+", "-"); found; found = this.takes("sign", "+", "-")) {
      isSigned = true;
      if (found === "-") sign = -sign;
    }
    const value = this.power();
    return isSigned ? sign * numberOf(value) : value;
  }

  private power(): XacroValue {
    const value = this.indexed();
    if (!this.takes("sign", "**")) return value;
    if (++this.depth > DEEPEST) throw new ExpressionError("nests too deep");
    const result = numberOf(value) ** numberOf(this.unary());
    this.depth--;
    return result;
  }

  private indexed(): XacroValue {
    let value = this.primary();
    while (this.takes("sign", "[")) {
      const index = numberOf(this.conditional());
      this.needs("]");
      if (!Array.isArray(value) && typeof value !== "string")
        throw new ExpressionError("takes an entry of what is no list");
      const entry = value.at(index) as XacroValue | undefined;
      if (entry === undefined) throw new ExpressionError(`has no entry ${index} in a list of ${value.length}`);
      value = entry;
    }
    return value;
  }

  private primary(): XacroValue {
    const next = this.tokens[this.at++];
    if (!next) throw new ExpressionError("ends too early");
    if (next.kind === "number") return Number(next.text);
    if (next.kind === "text") return next.text;
    if (next.kind === "name") return this.named(next.text);
    if (next.text === "(") {
      const value = this.conditional();
      this.needs(")");
      return value;
    }
    if (next.text === "[") return this.entries("]");
    throw new ExpressionError(`has "${next.text}", which is not read here`);
  }

  private entries(end: string): XacroValue[] {
    const values: XacroValue[] = [];
    while (!this.takes("sign", end)) {
      values.push(this.conditional());
      if (this.takes("sign", ",")) continue;
      this.needs(end);
      break;
    }
    return values;
  }

  /** Functions may be named as members of modules: math.sin, python.round. */
  private named(first: string): XacroValue {
    let name = first;
    while (this.takes("sign", ".")) {
      const member = this.tokens[this.at++];
      if (member?.kind !== "name") throw new ExpressionError('has a "." that no name follows');
      name = `${name}.${member.text}`;
    }
    const plain = name.replace(/^(?:math|python|numpy|np)\./, "");
    if (this.takes("sign", "(")) return called(plain, this.entries(")"));
    const value = this.lookup(name);
    if (value !== undefined) return value;
    if (Object.hasOwn(constants, plain)) return constants[plain];
    throw new ExpressionError(`names "${name}", which nothing defines`);
  }
}

function called(name: string, values: readonly XacroValue[]): XacroValue {
  const [first = null] = values;
  switch (name) {
    case "int":
      return Math.trunc(numberOf(first));
    case "float":
      return numberOf(first);
    case "str":
      return textOf(first);
    case "bool":
      return isTrue(first);
    case "len":
      if (typeof first === "string" || Array.isArray(first)) return first.length;
      throw new ExpressionError("takes the length of what is no list");
    case "list":
      return Array.isArray(first) ? first : [];
    default:
  }
  if (!Object.hasOwn(functions, name)) {
    throw new ExpressionError(`calls "${name}", which is not read here; have: ${Object.keys(functions).join(", ")}`);
  }
  const list = values.length === 1 && Array.isArray(first) ? first : values;
  return functions[name](...list.map(numberOf));
}

export function isTrue(value: XacroValue): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function numberOf(value: XacroValue): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  if (!Number.isNaN(read)) return read;
  throw new ExpressionError(`computes with ${JSON.stringify(value)}, which is no number`);
}

function compared(sign: string, a: XacroValue, b: XacroValue): boolean {
  if (sign === "==" || sign === "!=") return (same(a, b) ? "==" : "!=") === sign;
  const texts = typeof a === "string" && typeof b === "string";
  const [x, y] = texts ? [a, b] : [numberOf(a), numberOf(b)];
  return sign === "<" ? x < y : sign === "<=" ? x <= y : sign === ">" ? x > y : x >= y;
}

function same(a: XacroValue, b: XacroValue): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((entry, i) => same(entry, b[i]));
  return typeof a === "boolean" || typeof b === "boolean" ? Number(a) === Number(b) : a === b;
}

function contains(list: XacroValue, value: XacroValue): boolean {
  if (typeof list === "string") return typeof value === "string" && list.includes(value);
  if (Array.isArray(list)) return list.some((entry) => same(entry, value));
  throw new ExpressionError('has "in" before what is no list');
}

/** As it stands in the expanded file. */
export function textOf(value: XacroValue): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value === null) return "None";
  if (typeof value === "object")
    return `[${value.map((entry) => (typeof entry === "string" ? `'${entry}'` : textOf(entry))).join(", ")}]`;
  return String(value);
}
