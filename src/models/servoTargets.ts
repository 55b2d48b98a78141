/** Inputs that hold a named state of a description: `stateInput`, for those who have no mechanism yet. */
import { compile, type MechanismDescription, stateInput } from "../mechanism/index.ts";

export function servoTargets(description: MechanismDescription, state = "rest"): Float64Array {
  return stateInput(compile(description), state);
}
