/** The programs of an elimination whose ties change (arrangedTies.ts): one for each class of size of its nodes, or for each two of them. */
import type { Program } from "../../codegen/index.ts";
import { CallList, type Register } from "../memory/memory.ts";
import { vectorLoop } from "../memory/vectorKernels.ts";
import {
  eliminateProgram,
  factorRowProgram,
  forwardAllProgram,
  solveColumnsProgram,
  subtractMatVecProgram,
  subtractProductProgram,
} from "./blockKernels.ts";

/** Entries that a trip of the loop clears. */
export const clearWidth = 8;

export class TiePrograms {
  /** Sizes of nodes, each once. */
  readonly classes: readonly number[];
  /** Programs by class, and by two of them: (class of the first)·(number of classes) + (class of the second). */
  readonly factor: Int32Array;
  readonly solveVector: Int32Array;
  readonly eliminate: Int32Array;
  readonly forward: Int32Array;
  readonly columns: Int32Array;
  readonly matVec: Int32Array;
  /** Programs by class, size between them and class: see `productsOf`. */
  readonly product: Int32Array;
  readonly clear: number;
  private readonly inner: number;

  /** `inners`: sizes that products are summed over. */
  constructor(sizes: readonly number[], inners: readonly number[], register: Register) {
    const classes = [...new Set(sizes)];
    const pairsOf = (name: string, make: (a: number, b: number) => Program): Int32Array =>
      Int32Array.from(classes.flatMap((a) => classes.map((b) => register(`${name}.${a}.${b}`, () => make(a, b)))));
    this.classes = classes;
    this.factor = Int32Array.from(classes, (a) => register(`factor.${a}`, () => factorRowProgram(a, [])));
    this.solveVector = Int32Array.from(classes, (a) => register(`solveVector.${a}`, () => forwardAllProgram(a, [])));
    this.eliminate = pairsOf("eliminate", eliminateProgram);
    this.forward = pairsOf("forward", (a, b) => forwardAllProgram(a, [b]));
    this.columns = pairsOf("solveColumns", solveColumnsProgram);
    this.matVec = pairsOf("subtractMatVec", subtractMatVecProgram);
    this.inner = 1 + Math.max(0, ...inners);
    this.product = new Int32Array(classes.length * this.inner * classes.length);
    classes.forEach((rows, i) => {
      for (const inner of new Set(inners))
        classes.forEach((columns, j) => {
          const key = `subtractProduct.${rows}.${inner}.${columns}`;
          this.product[this.productsOf(i, inner) + j] = register(key, () =>
            subtractProductProgram(rows, inner, columns),
          );
        });
    });
    const cleared = new CallList();
    vectorLoop(cleared, register, "clear", [0], clearWidth);
    this.clear = cleared.words[0];
  }

  /** Where the products of blocks with rows of this class and so many columns begin; the class of the other block's columns is added. */
  productsOf(row: number, inner: number): number {
    return (row * this.inner + inner) * this.classes.length;
  }
}
