/** Named states of a description as states of its mechanism. */
import { ArgumentError, type Mechanism, namesOf, nearestName } from "../mechanism/index.ts";
import { maximalState } from "./jointStates.ts";

/**
 * A named state of the mechanism's description, by default its first, which is where tools start; all coordinates at zero where the
 * description has no states.
 *   const start = startState(mechanism)          const hanging = startState(mechanism, "rest")
 */
export function startState(mechanism: Mechanism, name?: string, timestep = mechanism.timestep): Float64Array {
  const { states = {} } = mechanism.description;
  const names = namesOf(mechanism.description, "states");
  if (name !== undefined && !names.includes(name)) {
    const nearest = nearestName(name, names);
    const have = names.length > 0 ? `(have: ${names.join(", ")})` : "the description has no states";
    throw new ArgumentError(
      "unknown-state",
      "states",
      `"${name}"${nearest ? `, did you mean "${nearest}"?` : ""} ${have}`,
    );
  }
  return maximalState(mechanism, states[name ?? names[0]], timestep);
}
