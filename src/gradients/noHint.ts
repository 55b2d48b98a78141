/** What is said of gradients by inputs that are all exactly 0, taken at the ends of steps: a search learns nothing from them. */
import { isStepEnd, type PathParameter } from "../simulation/index.ts";

const note =
  "the gradient by every input is exactly 0: nothing that they drive touches or moves what it is of; `smoothing: 0.1` lets contacts act before they touch";

/** Undefined where any of them is not 0, where there are none, and where gradients are smoothed already. */
export function noHintNote(path: PathParameter, byInputs: readonly Float64Array[]): string | undefined {
  const hasInputs = byInputs.some(({ length }) => length > 0);
  return hasInputs && isStepEnd(path) && byInputs.every(isZero) ? note : undefined;
}

function isZero(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] !== 0) return false;
  return true;
}
