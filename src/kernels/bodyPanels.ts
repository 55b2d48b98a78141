/** Panel programs of a body (two columns at a time, in a loop over panels; see panelKernels.ts). */
import { type Program, ProgramBuilder, type Value } from "../codegen/index.ts";
import { panelBytes } from "./panelKernels.ts";

const axes = [0, 1, 2] as const;

/** M v for a 3 × 3 in memory. */
function turned(b: ProgramBuilder, matrix: number, v: readonly Value[]): Value[] {
  return axes.map((i) =>
    axes.map((k) => b.mul(b.splat(b.load(matrix, 3 * i + k)), v[k])).reduce((sum, term) => b.add(sum, term)),
  );
}

/**
 * Velocity rows of a state from its pose now and before: v = (x − x₋)/h, ω = Ω δθ + Ω₋ δθ₋.
 * Operands: state panels (12 rows of `rows`), before panels (6 rows of `beforeRows`), Ω, Ω₋, globals.
 */
export function velocityPanelProgram(rows: number, beforeRows: number): Program {
  const b = new ProgramBuilder(`velocityPanel.${rows}.${beforeRows}`, 5);
  const inverse = b.splat(b.div(b.constant(1, false), b.load(4, 0)));
  const now = [0, 1, 2, 3, 4, 5].map((i) => b.loadAdjacent(0, 2 * i));
  const before = [0, 1, 2, 3, 4, 5].map((i) => b.loadAdjacent(1, 2 * i));
  const spinNow = turned(b, 2, now.slice(3));
  const spinBefore = turned(b, 3, before.slice(3));
  for (const k of axes) {
    b.storeAdjacent(0, 2 * (6 + k), b.mul(inverse, b.sub(now[k], before[k])));
    b.storeAdjacent(0, 2 * (9 + k), b.add(spinNow[k], spinBefore[k]));
  }
  return b.finish([panelBytes(rows), panelBytes(beforeRows), 0, 0, 0]);
}

/**
 * Error of the next state: x₊ = δx + h v₊, φ₊ = Tδθ + T_ω ω₊, v₊, ω₊.
 * Operands: error panels (12 rows of `rows`), state panels (of `rows` too), step panels (6 rows of `stepRows`), T, T_ω, globals.
 */
export function nextPanelProgram(rows: number, stepRows: number): Program {
  const b = new ProgramBuilder(`nextPanel.${rows}.${stepRows}`, 6);
  const h = b.splat(b.load(5, 0));
  const pose = [0, 1, 2, 3, 4, 5].map((i) => b.loadAdjacent(1, 2 * i));
  const step = [0, 1, 2, 3, 4, 5].map((i) => b.loadAdjacent(2, 2 * i));
  const carried = turned(b, 3, pose.slice(3));
  const turnedStep = turned(b, 4, step.slice(3));
  for (const k of axes) {
    b.storeAdjacent(0, 2 * k, b.add(pose[k], b.mul(h, step[k])));
    b.storeAdjacent(0, 2 * (3 + k), b.add(carried[k], turnedStep[k]));
    b.storeAdjacent(0, 2 * (6 + k), step[k]);
    b.storeAdjacent(0, 2 * (9 + k), step[3 + k]);
  }
  return b.finish([panelBytes(rows), panelBytes(rows), panelBytes(stepRows), 0, 0, 0]);
}
