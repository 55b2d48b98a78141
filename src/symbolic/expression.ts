/**
 * Scalar expressions as a hash-consed graph: equal expressions are one object, so sharing needs no search.
 *
 * A constant is a plain number; everything else is an `Expr` of one `Graph`. Ids count up in order of creation, so
 * the arguments of a node always have smaller ids, and "ascending id" is a topological order.
 *   ifLess(a, b, then, otherwise) = a < b ? then : otherwise
 *   stopGradient(a) = a, whose derivative is zero
 */
export type Op =
  | "symbol"
  | "add"
  | "sub"
  | "mul"
  | "div"
  | "neg"
  | "sqrt"
  | "abs"
  | "min"
  | "max"
  | "sin"
  | "cos"
  | "atan2"
  | "ifLess"
  | "stopGradient";

export type Scalar = number | Expr;

/** One immutable node. Build it with the functions of `arithmetic.ts` and `trigonometry.ts`, which simplify. */
export class Expr {
  readonly graph: Graph;
  readonly id: number;
  readonly op: Op;
  readonly args: readonly Scalar[];
  /** The name of a symbol; empty for every other node. */
  readonly name: string;

  constructor(graph: Graph, id: number, op: Op, args: readonly Scalar[], name: string) {
    this.graph = graph;
    this.id = id;
    this.op = op;
    this.args = args;
    this.name = name;
  }
}

const opCode: Readonly<Record<Op, number>> = {
  symbol: 1,
  add: 2,
  sub: 3,
  mul: 4,
  div: 5,
  neg: 6,
  sqrt: 7,
  abs: 8,
  min: 9,
  max: 10,
  sin: 11,
  cos: 12,
  atan2: 13,
  ifLess: 14,
  stopGradient: 15,
};

/** Owns the nodes of one family of expressions. */
export class Graph {
  private readonly nodes: Expr[] = [];
  private readonly named = new Map<string, Expr>();
  // open addressing: a slot holds id + 1, or 0 when empty; never more than half full
  private slots = new Int32Array(1024);
  /** Hashes by id, for when there are more slots; and that of what was looked for last. */
  private readonly hashes: number[] = [];
  private lastHash = 0;
  private readonly float = new Float64Array(1);
  private readonly words = new Int32Array(this.float.buffer);

  /** Nodes made so far; ids run from 0 to size − 1. */
  get size(): number {
    return this.nodes.length;
  }

  /** The node with this id. */
  node(id: number): Expr {
    const node = this.nodes[id];
    if (node === undefined) throw new Error(`no node ${id} in a graph of ${this.nodes.length}`);
    return node;
  }

  /** The symbol of this name: the same object each time it is asked for. */
  symbol(name: string): Expr {
    const known = this.named.get(name);
    if (known !== undefined) return known;
    const made = new Expr(this, this.nodes.length, "symbol", [], name);
    this.nodes.push(made);
    this.hashes.push(0);
    this.named.set(name, made);
    return made;
  }

  /** `prefix0` … `prefix(n−1)`. */
  symbols(prefix: string, n: number): Expr[] {
    return Array.from({ length: n }, (_, i) => this.symbol(`${prefix}${i}`));
  }

  /** The node op(args), made if it is new. It does not simplify: callers outside this folder want `add`, `mul`, … */
  intern(op: Op, args: readonly Scalar[]): Expr {
    const slot = this.slotOf(op, args);
    const found = this.slots[slot];
    if (found !== 0) return this.nodes[found - 1];
    for (let i = 0; i < args.length; i++) {
      const arg = args[i];
      if (typeof arg !== "number" && arg.graph !== this) throw new Error(`${op} mixes expressions of two graphs`);
    }
    const made = new Expr(this, this.nodes.length, op, args, "");
    this.nodes.push(made);
    this.slots[slot] = made.id + 1;
    this.hashes.push(this.lastHash);
    if (2 * this.nodes.length > this.slots.length) this.grow();
    return made;
  }

  /** The node op(args) if it exists already. */
  find(op: Op, args: readonly Scalar[]): Expr | undefined {
    const found = this.slots[this.slotOf(op, args)];
    return found === 0 ? undefined : this.nodes[found - 1];
  }

  /** Where op(args) is, or where it would go. */
  private slotOf(op: Op, args: readonly Scalar[]): number {
    const { slots, nodes } = this;
    const mask = slots.length - 1;
    this.lastHash = this.hash(op, args);
    let slot = this.lastHash & mask;
    for (;;) {
      const found = slots[slot];
      if (found === 0) return slot;
      const node = nodes[found - 1];
      if (node.op === op && sameArguments(node.args, args)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private hash(op: Op, args: readonly Scalar[]): number {
    let h = opCode[op];
    for (let i = 0; i < args.length; i++) {
      const arg = args[i];
      let key: number;
      if (typeof arg === "number") {
        this.float[0] = arg;
        key = this.words[0] ^ Math.imul(this.words[1], 0x85ebca6b);
      } else {
        key = arg.id + 1;
      }
      h = Math.imul(h ^ key, 0x9e3779b1);
      h ^= h >>> 15;
    }
    return h;
  }

  private grow(): void {
    const { nodes, hashes } = this;
    const slots = new Int32Array(2 * this.slots.length);
    const mask = slots.length - 1;
    for (let id = 0; id < nodes.length; id++) {
      if (nodes[id].op === "symbol") continue;
      let slot = hashes[id] & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.slots = slots;
  }
}

function sameArguments(a: readonly Scalar[], b: readonly Scalar[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
