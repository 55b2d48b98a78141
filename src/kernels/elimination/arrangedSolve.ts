/**
 * The solve of an elimination that is arranged while it runs (arrangedTies.ts), as calls of a segment with one program per tie. c is the node
 * that goes, d a node that goes later; tieSweeps.ts has the letters.
 *   leaves first   a limb's own sweep, then q_d ← q_d − A_dc (o + s ν₀) of each tie; of other nodes x = D⁻¹ q, then q_d ← q_d − A_dc x
 *   and back       ν ← ν − W_d x_d of each tie of a limb, then its own sweep; of other nodes x ← x − X_d x_d, X_d = D⁻¹ A_cd
 */
import { Segment } from "../memory/segments.ts";
import type { Elimination } from "./arrangedTransposed.ts";
import { fillIn, type LimbCalls, operandCodes } from "./limbCalls.ts";
import type { TiePrograms } from "./tiePrograms.ts";

/** Each node's class of size, and addresses of its factors, its right-hand side and its step; calls of those that are limbs. */
export interface SolvedNodes {
  readonly classOf: Int32Array;
  readonly factors: Int32Array;
  readonly force: Int32Array;
  readonly step: Int32Array;
  readonly limbs: readonly (LimbCalls | undefined)[];
}

export class ArrangedSolve {
  readonly segment: Segment;
  private readonly nodes: SolvedNodes;
  private readonly programs: TiePrograms;
  private readonly filled = new Int32Array(9);
  private words: Int32Array = new Int32Array(0);

  /** `size`: words that its calls may take. */
  constructor(nodes: SolvedNodes, programs: TiePrograms, size: number) {
    this.nodes = nodes;
    this.programs = programs;
    this.segment = new Segment("solve", size);
  }

  load(words: Int32Array): void {
    this.words = words;
  }

  /** Writes the calls for the factors of this elimination. */
  write(elimination: Elimination): void {
    const { ordered, order, laterStart, later, toLater, fromLater, weightsOf } = elimination;
    const { segment: solve, words, filled, programs } = this;
    const { classOf, force, step, factors, limbs } = this.nodes;
    const classes = programs.classes.length;
    solve.begin();
    for (let i = 0; i < ordered; i++) {
      const node = order[i];
      const limb = limbs[node];
      let k = laterStart[i];
      const end = laterStart[i + 1];
      if (limb) {
        solve.copy(limb.up, 1);
        for (; k < end; k++) {
          filled[-operandCodes.fromTie] = fromLater[k];
          filled[-operandCodes.tieForce] = force[later[k]];
          fillIn(words, solve, filled, limb.tieUp[classOf[later[k]]]);
        }
        continue;
      }
      const own = classOf[node];
      if (k === end) {
        const at = solve.call(programs.solveVector[own], 2);
        words[at] = factors[node];
        words[at + 1] = step[node];
        continue;
      }
      const at = solve.call(programs.forward[own * classes + classOf[later[k]]], 4);
      words[at] = factors[node];
      words[at + 1] = step[node];
      words[at + 2] = fromLater[k];
      words[at + 3] = force[later[k]];
      for (k++; k < end; k++) this.matVec(later[k], force[later[k]], fromLater[k], node);
    }
    for (let i = ordered - 1; i >= 0; i--) {
      const node = order[i];
      const limb = limbs[node];
      for (let k = laterStart[i]; k < laterStart[i + 1]; k++) {
        if (!limb) {
          this.matVec(node, step[node], toLater[k], later[k]);
          continue;
        }
        filled[-operandCodes.tieStep] = step[later[k]];
        filled[-operandCodes.toTie] = toLater[k];
        filled[-operandCodes.weights] = weightsOf[k];
        fillIn(words, solve, filled, limb.tieDown[classOf[later[k]]]);
      }
      if (limb) solve.copy(limb.down, 1);
    }
    solve.finish();
  }

  /** target ← target − matrix·(step of `source`). */
  private matVec(row: number, target: number, matrix: number, source: number): void {
    const { segment, words, programs } = this;
    const { classOf, step } = this.nodes;
    const at = segment.call(programs.matVec[classOf[row] * programs.classes.length + classOf[source]], 3);
    words[at] = target;
    words[at + 1] = matrix;
    words[at + 2] = step[source];
  }
}
