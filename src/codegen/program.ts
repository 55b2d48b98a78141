/**
 * The contract between kernel builders and the three targets (interpreter, JavaScript, WebAssembly).
 *
 * A program is straight-line code in single-assignment form: instruction k defines value k, and its arguments are
 * numbers of earlier instructions. Values are f64 or f64x2 (two lanes). A program reads and writes memory only
 * through operands: operand o is a base address that the caller supplies, and index i means the i-th f64 after it.
 *
 * A call list is what runs: entries in i32 words, one after another,
 *   [program number, words in this entry, trips, address of operand 0, address of operand 1, ...]
 * with addresses in bytes. A program with a loop runs its body `trips` times; after each trip the addresses of the
 * operands listed in `loop` move on by their stride. A program without a loop runs once whatever `trips` says.
 *
 * Every target executes the same operations in the same order, so that results agree to the bit.
 */
export type Instruction =
  | { readonly op: "const"; readonly value: number; readonly wide: boolean }
  | { readonly op: "load"; readonly operand: number; readonly index: number } // f64
  | { readonly op: "loadAdjacent"; readonly operand: number; readonly index: number } // f64x2: index, index + 1
  | { readonly op: "loadPair"; readonly operand: number; readonly operand2: number; readonly index: number } // lane 0, lane 1
  | { readonly op: "splat"; readonly a: number } // f64 → f64x2
  | { readonly op: "lane"; readonly a: number; readonly lane: 0 | 1 } // f64x2 → f64
  | { readonly op: "join"; readonly a: number; readonly b: number } // (f64, f64) → f64x2
  | { readonly op: "neg" | "sqrt" | "abs"; readonly a: number }
  | { readonly op: "add" | "sub" | "mul" | "div" | "min" | "max"; readonly a: number; readonly b: number }
  | { readonly op: "ifLess"; readonly a: number; readonly b: number; readonly then: number; readonly otherwise: number } // a < b ? then : otherwise
  | {
      readonly op: "store";
      readonly operand: number;
      readonly index: number;
      readonly a: number;
      readonly accumulate: boolean;
    }
  | {
      readonly op: "storeAdjacent";
      readonly operand: number;
      readonly index: number;
      readonly a: number;
      readonly accumulate: boolean;
    }
  /** Lane 0 is stored, accumulation included, before lane 1 is read: the two addresses may be the same. */
  | {
      readonly op: "storePair";
      readonly operand: number;
      readonly operand2: number;
      readonly index: number;
      readonly a: number;
      readonly accumulate: boolean;
    };

export interface Program {
  readonly name: string;
  readonly operandCount: number;
  readonly instructions: readonly Instruction[];
  /** Bytes by which each operand's address advances after a trip (0 for those that stay), one number per operand. */
  readonly loop?: readonly number[];
}

/** Programs by number, of which some may be missing as long as no list that runs calls them. */
export type NumberedPrograms = readonly (Program | undefined)[];

/** Programs made ready to run on one memory. */
export interface Executable {
  readonly memory: ArrayBuffer;
  /** Runs `entries` entries of the call list that starts at byte address `list`. */
  run(list: number, entries: number): void;
  /** Makes programs ready that were missing, under their numbers. */
  add(programs: NumberedPrograms): void;
}

/** A way of executing programs. `bytes` is the size of the memory to allocate (zeroed). */
export interface Target {
  readonly name: "interpreter" | "javascript" | "webassembly";
  load(programs: NumberedPrograms, bytes: number): Executable;
}
