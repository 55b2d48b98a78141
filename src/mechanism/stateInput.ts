/** The input that goes with a state, so that a robot that a file shows standing stands. */
import type { Mechanism } from "./mechanism.ts";

/**
 * All inputs for a named state: those that the description gives it in `stateInputs`; of the others, a servo holds its joint at
 * `positions` (all joint coordinates; default those of the state), and everything else is zero.
 */
export function stateInput(mechanism: Mechanism, state: string, positions?: ArrayLike<number>): Float64Array {
  const { states = {}, stateInputs = {} } = mechanism.description;
  const input = new Float64Array(mechanism.inputSize);
  for (const { name, coordinates, coordinateOffset } of mechanism.joints) {
    const own = Object.hasOwn(states, state) ? states[state][name]?.position : undefined;
    coordinates.forEach(({ servo, input: at }, i) => {
      if (servo) input[at] = positions ? positions[coordinateOffset + i] : (own?.[i] ?? 0);
    });
  }
  const given = Object.hasOwn(stateInputs, state) ? stateInputs[state] : {};
  mechanism.inputNames.forEach((name, i) => {
    if (Object.hasOwn(given, name)) input[i] = given[name];
  });
  return input;
}
