/**
 * The transposed solve of an elimination that is arranged while it runs (arrangedTies.ts), as calls of a segment: R⁻ᵀ for right-hand sides
 * in panels, by the factors of the step. It is that of transposedSolve.ts with one program per tie:
 *   leaves first   a limb's own sweep, then g_d ← g_d − W_dᵀ ḡ of each tie; of other nodes g_d ← g_d − X_dᵀ g
 *   and back       g ← g − A_dcᵀ μ_d of each tie, then a limb's own sweep; of other nodes D⁻ᵀ
 * Since S_d = A_dc s, what is taken from g on the way back is what its free parts ḡ = sᵀg have to lose as well.
 */

import { callOverPanels, registerPanels } from "../jacobians/panelBuilder.ts";
import { solveTransposedPanels, subtractTransposedPanels } from "../jacobians/panelKernels.ts";
import { CallList, type Register } from "../memory/memory.ts";
import { Segment } from "../memory/segments.ts";
import { type OwnRows, type PanelSweep, transposedDown, transposedTieUp, transposedUp } from "./transposedSweeps.ts";

/** Right-hand sides: where a node has its rows in the first panel, how many panels there are, and how many rows each has. */
export interface TransposedRows {
  readonly vectorOf: (node: number) => number;
  readonly panels: number;
  readonly unknowns: number;
}

/** A limb as its sweeps know it. */
export interface TransposedLimbPlace {
  readonly constraints: number;
  readonly grounded: boolean;
  /** −1 for the world. */
  readonly above: number;
  readonly own: OwnRows;
  /** Address of the joint's own rows in the first panel. */
  readonly ownRows: number;
  /** Operands of its sweeps, by name. */
  readonly known: ReadonlyMap<string, number>;
}

interface LimbCalls {
  readonly up: Int32Array;
  readonly down: Int32Array;
  readonly motions: number;
  /** Programs of its ties on the way up, by class of size; −1 where nothing is free. */
  readonly tieUp: Int32Array;
}

/** The order of an elimination, and where its factors lie: of each node's later neighbours, number, X or A_cd, A_dc, W. */
export interface Elimination {
  readonly ordered: number;
  readonly order: Int32Array;
  readonly laterStart: Int32Array;
  readonly later: Int32Array;
  readonly toLater: Int32Array;
  readonly fromLater: Int32Array;
  readonly weightsOf: Int32Array;
}

export class ArrangedTransposed {
  readonly segment: Segment;

  private readonly panels: number;
  private readonly vectors: Int32Array;
  private readonly classOf: Int32Array;
  private readonly classes: number;
  private readonly factors: Int32Array;
  private readonly limbs: (LimbCalls | undefined)[];
  /** Programs by classes of source and target, and by class. */
  private readonly subtractOf: Int32Array;
  private readonly solveOf: Int32Array;
  private words: Int32Array = new Int32Array(0);

  constructor(
    nodes: { readonly classes: readonly number[]; readonly classOf: Int32Array; readonly factors: Int32Array },
    limbs: ReadonlyMap<number, TransposedLimbPlace>,
    { vectorOf, panels, unknowns }: TransposedRows,
    edges: number,
    register: Register,
  ) {
    const { classes, classOf, factors } = nodes;
    this.panels = panels;
    this.classes = classes.length;
    this.classOf = classOf;
    this.factors = factors;
    this.vectors = Int32Array.from(classOf, (_, node) => vectorOf(node));
    const count = classOf.length;
    this.subtractOf = Int32Array.from(
      classes.flatMap((source) =>
        classes.map((target) => registerPanels(register, subtractTransposedPanels(source, target, unknowns))),
      ),
    );
    this.solveOf = Int32Array.from(classes, (size) =>
      registerPanels(register, solveTransposedPanels(size, 0, unknowns)),
    );
    this.limbs = Array.from({ length: count }, (_, node): LimbCalls | undefined => {
      const limb = limbs.get(node);
      if (!limb) return undefined;
      const { constraints, grounded, above, own, ownRows } = limb;
      const known = new Map(limb.known);
      known.set("step", this.vectors[node]);
      known.set("own", ownRows);
      if (!grounded) known.set("above", this.vectors[above]);
      const call = ({ operands, program }: PanelSweep): Int32Array => {
        const list = new CallList();
        const at = operands.map((operand) => known.get(operand) as number);
        callOverPanels(list, register, program, at, [0, panels]);
        return Int32Array.from(list.words);
      };
      const untied = { constraints, grounded, ties: [] };
      return {
        up: call(transposedUp(untied, unknowns)),
        down: call(transposedDown(untied, own, true, unknowns)),
        motions: known.get("motions") as number,
        tieUp: Int32Array.from(classes, (size) =>
          constraints === 6 ? -1 : registerPanels(register, transposedTieUp(constraints, size, unknowns).program),
        ),
      };
    });
    this.segment = new Segment("transposed", 13 * edges + 40 * count);
  }

  load(words: Int32Array): void {
    this.words = words;
  }

  /** Writes the lists for the factors of this elimination. */
  write(elimination: Elimination): void {
    const { segment, limbs, vectors, classOf, words } = this;
    const { ordered, order, laterStart, later, toLater, fromLater, weightsOf } = elimination;
    segment.begin();
    for (let i = 0; i < ordered; i++) {
      const node = order[i];
      const limb = limbs[node];
      if (limb) segment.copy(limb.up, 1);
      for (let k = laterStart[i]; k < laterStart[i + 1]; k++) {
        if (!limb) {
          this.subtract(later[k], toLater[k], node);
          continue;
        }
        const program = limb.tieUp[classOf[later[k]]];
        if (program < 0) continue;
        const at = this.call(program, 4);
        words[at] = vectors[node];
        words[at + 1] = limb.motions;
        words[at + 2] = vectors[later[k]];
        words[at + 3] = weightsOf[k];
      }
    }
    for (let i = ordered - 1; i >= 0; i--) {
      const node = order[i];
      const limb = limbs[node];
      for (let k = laterStart[i]; k < laterStart[i + 1]; k++) this.subtract(node, fromLater[k], later[k]);
      if (limb) {
        segment.copy(limb.down, 1);
        continue;
      }
      const at = this.call(this.solveOf[classOf[node]], 2);
      words[at] = this.factors[node];
      words[at + 1] = vectors[node];
    }
    segment.finish();
  }

  /** target ← target − Mᵀ source. */
  private subtract(target: number, matrix: number, source: number): void {
    const { words, vectors, classOf } = this;
    const at = this.call(this.subtractOf[classOf[source] * this.classes + classOf[target]], 3);
    words[at] = vectors[target];
    words[at + 1] = matrix;
    words[at + 2] = vectors[source];
  }

  /** A call over all panels. */
  private call(program: number, addresses: number): number {
    const at = this.segment.call(program, addresses);
    this.words[at - 1] = this.panels;
    return at;
  }
}
