/** Loops over whole vectors, two entries a trip: what the solver does to its unknowns without looking at them. */
import { type Program, ProgramBuilder } from "../codegen/index.ts";

const pair = 16;

/** target = −source. */
export function negateProgram(): Program {
  const b = new ProgramBuilder("vector.negate", 2);
  b.storeAdjacent(0, 0, b.neg(b.loadAdjacent(1, 0)));
  return b.finish([pair, pair]);
}

/** target = source. */
export function copyProgram(): Program {
  const b = new ProgramBuilder("vector.copy", 2);
  b.storeAdjacent(0, 0, b.loadAdjacent(1, 0));
  return b.finish([pair, pair]);
}

/** target = base + α·direction. Operands: target, base, direction, α. */
export function addScaledProgram(): Program {
  const b = new ProgramBuilder("vector.addScaled", 4);
  b.storeAdjacent(0, 0, b.add(b.loadAdjacent(1, 0), b.mul(b.splat(b.load(3, 0)), b.loadAdjacent(2, 0))));
  return b.finish([pair, pair, pair, 0]);
}
