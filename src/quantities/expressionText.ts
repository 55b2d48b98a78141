/**
 * Expressions as text → as data (expressionData.ts).
 *   (torso.position.z - 0.4)^2 + 1e-3 |input|^2
 *   clip(exp(-2 |torso.velocity|), 0, 1) if
 *
 *   sum      = product, then + product or - product …
 *   product  = signed, then * signed, / signed, or a power beside it …        2 x, 1e-3 |input|^2
 *   signed   = - signed, or a power
 *   power    = value, or value ^ exponent                                     -x^2 is -(x^2)
 *   value    = number, name, "name with blanks", f(sum, …), (sum), |sum|, [sum, …], if(sum < sum, sum, sum), value.x
 */
import { ArgumentError, nearestName } from "../mechanism/index.ts";
import { type ExpressionData, type ExpressionNode, functionNames } from "./expressionData.ts";

/** A text that was read: data, and where each node stands in it. */
export interface ReadText {
  readonly data: ExpressionData;
  /** `cost, column 8`, say. */
  readonly placeOf: (node: number) => string;
}

interface Token {
  readonly kind: "number" | "name" | "sign" | "end";
  readonly text: string;
  readonly column: number;
}

const tokenPattern =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}\p{N}_]+)*)|"([^"]+)"|(<=|>=|[-+*/^(),|[\]<>=.]))/uy;

/** `at` is what errors call the text: "cost", say. */
export function readExpressionText(text: string, at: string): ReadText {
  const reader = new TextReader(text, at);
  reader.sum();
  reader.end();
  return reader.result();
}

export type Comparison = "<=" | ">=" | "=";

/** The two sides of an equation or inequality: `foot.z >= 0.02`, `|com.x - 1| = 0`. */
export function readComparisonText(
  text: string,
  at: string,
): { readonly sign: Comparison; readonly left: number; readonly right: number } & ReadText {
  const reader = new TextReader(text, at);
  const left = reader.sum();
  const sign = reader.comparison();
  const right = reader.sum();
  reader.end();
  return { ...reader.result(), sign, left, right };
}

class TextReader {
  private readonly tokens: Token[] = [];
  private readonly nodes: ExpressionNode[] = [];
  private readonly columns: number[] = [];
  private readonly at: string;
  private next = 0;
  /** Number of open |…|: within one, a bar after a value closes it. */
  private bars = 0;

  constructor(text: string, at: string) {
    this.at = at;
    tokenPattern.lastIndex = 0;
    for (;;) {
      const from = tokenPattern.lastIndex;
      const rest = text.slice(from);
      if (rest.trim() === "") break;
      const found = tokenPattern.exec(text);
      const column = from + rest.length - rest.trimStart().length + 1;
      if (!found) throw this.fault(column, `"${text[column - 1]}" is not understood here`);
      const [, number, name, quoted, sign] = found;
      if (number !== undefined) this.tokens.push({ kind: "number", text: number, column });
      else if (sign !== undefined) this.tokens.push({ kind: "sign", text: sign, column });
      else this.tokens.push({ kind: "name", text: name ?? quoted, column });
    }
    this.tokens.push({ kind: "end", text: "", column: text.length + 1 });
  }

  result(): ReadText {
    const { nodes, columns, at } = this;
    return { data: { nodes }, placeOf: (node) => `${at}, column ${columns[node]}` };
  }

  end(): void {
    if (this.token.kind !== "end") throw this.unexpected("the end, or + - * / ^");
  }

  comparison(): Comparison {
    const { text } = this.token;
    if (text !== "<=" && text !== ">=" && text !== "=") throw this.unexpected("<=, >= or =");
    this.next++;
    return text;
  }

  sum(): number {
    let left = this.product();
    for (;;) {
      const { column } = this.token;
      if (this.takes("+")) left = this.node(column, "add", left, this.product());
      else if (this.takes("-")) left = this.node(column, "sub", left, this.product());
      else return left;
    }
  }

  private product(): number {
    let left = this.signed();
    for (;;) {
      const { column } = this.token;
      if (this.takes("*")) left = this.node(column, "mul", left, this.signed());
      else if (this.takes("/")) left = this.node(column, "div", left, this.signed());
      else if (this.beginsValue()) left = this.node(column, "mul", left, this.power());
      else return left;
    }
  }

  private signed(): number {
    const { column } = this.token;
    if (this.takes("-")) return this.node(column, "neg", this.signed());
    if (this.takes("+")) return this.signed();
    return this.power();
  }

  private power(): number {
    const base = this.value();
    const { column } = this.token;
    if (!this.takes("^")) return base;
    const isNegative = this.takes("-");
    const { kind, text } = this.token;
    if (kind !== "number") throw this.unexpected("a number as exponent");
    this.next++;
    return this.node(column, "pow", base, isNegative ? -Number(text) : Number(text));
  }

  private value(): number {
    let value = this.bareValue();
    // entries of what has no name: (a - b).x
    while (this.token.text === "." && this.token.kind === "sign") {
      const { column } = this.token;
      this.next++;
      const { text } = this.token;
      if (!/^[xyz]$/.test(text)) throw this.unexpected("x, y or z");
      this.next++;
      value = this.node(column, "entry", value, text);
    }
    return value;
  }

  private bareValue(): number {
    const { kind, text, column } = this.token;
    this.next++;
    if (kind === "number") return this.constant(column, Number(text));
    if (kind === "name") {
      if (this.token.text === "(" && this.token.kind === "sign" && !this.isSpaced(column + text.length))
        return this.call(text, column);
      return text === "pi" ? this.constant(column, Math.PI) : this.node(column, "quantity", text);
    }
    if (kind === "sign") {
      if (text === "(") return this.bracketed(0, ")");
      if (text === "[") return this.node(column, "vector", ...this.list("]"));
      if (text === "|") {
        const inside = this.bracketed(this.bars + 1, "|");
        return this.node(column, "norm", inside);
      }
    }
    this.next--;
    throw this.unexpected("a number, a name or a bracket");
  }

  /** The expression between brackets; `bars` is the number of |…| open inside them. */
  private bracketed(bars: number, close: string): number {
    const outside = this.bars;
    this.bars = bars;
    const inside = this.sum();
    this.expect(close);
    this.bars = outside;
    return inside;
  }

  private call(name: string, column: number): number {
    this.expect("(");
    if (name === "if") return this.choice(column);
    if (!functionNames.includes(name)) {
      const nearest = nearestName(name, functionNames);
      throw this.fault(
        column,
        `there is no function "${name}"; ${nearest === undefined ? `have: ${functionNames.join(", ")}` : `did you mean "${nearest}"?`}`,
      );
    }
    return this.node(column, name, ...this.list(")"));
  }

  /** if(a < b, then, otherwise) */
  private choice(column: number): number {
    const outside = this.bars;
    this.bars = 0;
    const left = this.sum();
    const isLess = this.takes("<") || this.takes("<=");
    if (!isLess && !this.takes(">") && !this.takes(">=")) throw this.unexpected("< or >");
    const right = this.sum();
    this.expect(",");
    const values = this.list(")");
    this.bars = outside;
    if (values.length !== 2) throw this.fault(column, "if(a < b, x, y) has one value for yes and one for no");
    return this.node(column, "ifLess", ...(isLess ? [left, right] : [right, left]), ...values);
  }

  private list(close: string): number[] {
    const outside = this.bars;
    this.bars = 0;
    const values = [this.sum()];
    while (this.takes(",")) values.push(this.sum());
    this.expect(close);
    this.bars = outside;
    return values;
  }

  private get token(): Token {
    return this.tokens[this.next];
  }

  private takes(sign: string): boolean {
    const { kind, text } = this.token;
    if (kind !== "sign" || text !== sign) return false;
    this.next++;
    return true;
  }

  private expect(sign: string): void {
    if (!this.takes(sign)) throw this.unexpected(`"${sign}"`);
  }

  /** Whether a factor without a sign follows. A number does not: `2 3` is a slip. */
  private beginsValue(): boolean {
    const { kind, text } = this.token;
    return kind === "name" || (kind === "sign" && (text === "(" || text === "[" || (text === "|" && this.bars === 0)));
  }

  private isSpaced(end: number): boolean {
    return this.token.column > end;
  }

  private constant(column: number, value: number): number {
    this.columns.push(column);
    return this.nodes.push(value) - 1;
  }

  private node(column: number, name: string, ...given: (number | string)[]): number {
    this.columns.push(column);
    return this.nodes.push([name, ...given]) - 1;
  }

  private unexpected(wanted: string): ArgumentError {
    const { kind, text, column } = this.token;
    return this.fault(column, `${kind === "end" ? "it ends" : `"${text}" stands`} where ${wanted} was expected`);
  }

  private fault(column: number, message: string): ArgumentError {
    return new ArgumentError("not-understood", `${this.at}, column ${column}`, message);
  }
}
