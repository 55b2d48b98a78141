/** Small faults for the code of a file: each is one change of one place. Types, imports and texts are left as they are. */
import { parseSync } from "vite";

export interface Mutation {
  /** Place in the source. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** From 1. */
  readonly line: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const binary: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&&": "||",
  "||": "&&",
};
const assignment: Readonly<Record<string, string>> = { "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=" };
const methods: Readonly<Record<string, string>> = {
  min: "max",
  max: "min",
  sin: "cos",
  cos: "sin",
  some: "every",
  every: "some",
};

/** Every mutation of a TypeScript source, in the order of their places. */
export function mutationsOf(source: string): readonly Mutation[] {
  const { program, errors } = parseSync("source.ts", source);
  if (errors.length > 0) throw new Error(errors[0].message);
  const found: Mutation[] = [];
  const lineEnds = [...source.matchAll(/\n/g)].map(({ index }) => index);
  const lineAt = (place: number): number => lineEnds.filter((end) => end < place).length + 1;
  const add = (start: number, end: number, replacement: string): void => {
    found.push({ start, end, replacement, line: lineAt(start) });
  };

  /** The operator stands last between its operands. */
  const addOperator = (left: Node, right: Node, operator: string, other: string | undefined): void => {
    const at = source.lastIndexOf(operator, right.start - operator.length);
    if (other !== undefined && at >= left.end) add(at, at + operator.length, other);
  };

  function visit(node: Node): void {
    if (isLeftAlone(node)) return;
    const { type, start, end } = node;
    if (type === "BinaryExpression" || type === "LogicalExpression") {
      const operator = node.operator as string;
      addOperator(node.left as Node, node.right as Node, operator, binary[operator]);
    } else if (type === "AssignmentExpression") {
      const operator = node.operator as string;
      addOperator(node.left as Node, node.right as Node, operator, assignment[operator]);
    } else if (type === "UnaryExpression" && (node.operator === "!" || node.operator === "-")) {
      const { argument } = node as unknown as { argument: Node };
      if (node.operator === "!" || argument.type !== "Literal") add(start, argument.start, "");
    } else if (type === "Literal" && typeof node.value === "number") {
      add(start, end, node.value === 0 ? "1" : `${2 * node.value}`);
    } else if (type === "Literal" && typeof node.value === "boolean") {
      add(start, end, `${!node.value}`);
    } else if (type === "IfStatement" || type === "ConditionalExpression") {
      const test = node.test as Node;
      add(test.start, test.end, "true");
      add(test.start, test.end, "false");
    } else if (type === "ExpressionStatement" && (node.expression as Node).type === "CallExpression") {
      add(start, end, ";");
    } else if (type === "MemberExpression" && node.computed === false) {
      const property = node.property as Node;
      const other = Object.hasOwn(methods, property.name as string) ? methods[property.name as string] : undefined;
      if (other !== undefined && source[end] === "(") add(property.start, property.end, other);
    }
    for (const child of childrenOf(node)) visit(child);
  }
  visit(program as unknown as Node);
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

export const mutated = (source: string, { start, end, replacement }: Mutation): string =>
  source.slice(0, start) + replacement + source.slice(end);

/** Types mean nothing when the code runs; the wording of errors is no behaviour. */
function isLeftAlone({ type }: Node): boolean {
  if (type === "TSAsExpression" || type === "TSNonNullExpression" || type === "TSSatisfiesExpression") return false;
  return type.startsWith("TS") || type.startsWith("Import") || type === "ThrowStatement" || type === "TemplateLiteral";
}

function childrenOf(node: Node): readonly Node[] {
  const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string";
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}
