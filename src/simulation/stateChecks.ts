/**
 * What a state and an input must be before a step is tried: finite, of the right size, and slower than a quarter turn a
 * step, |ω| < √2/h, beyond which the rotational balance has no root.
 */
import type { Mechanism } from "../mechanism/index.ts";

export function requireSteppable(mechanism: Mechanism, state: Float64Array, input: Float64Array, h: number, step?: number): void {
  const when = step === undefined ? "" : ` at step ${step}`;
  if (state.length !== mechanism.stateSize) throw new RangeError(`state has ${state.length} numbers${when}, ${mechanism.name} needs ${mechanism.stateSize} (13 a body)`);
  if (input.length !== mechanism.inputSize) {
    throw new RangeError(`input has ${input.length} numbers${when}, ${mechanism.name} needs ${mechanism.inputSize} (${mechanism.inputNames.join(", ") || "no actuators"})`);
  }
  for (let i = 0; i < input.length; i++) {
    if (!Number.isFinite(input[i])) throw new RangeError(`${input[i]} in input[${i}] (${mechanism.inputNames[i]})${when}`);
  }
  for (let i = 0; i < state.length; i++) {
    if (!Number.isFinite(state[i])) throw new RangeError(`${state[i]} in state[${i}] (body ${mechanism.bodies[Math.floor(i / 13)].name})${when}`);
  }
  for (let i = 0; i < mechanism.bodies.length; i++) {
    const at = 13 * i + 10;
    const square = state[at] ** 2 + state[at + 1] ** 2 + state[at + 2] ** 2;
    if (h * h * square >= 2) {
      const speed = Math.sqrt(square);
      throw new RangeError(
        `body "${mechanism.bodies[i].name}" spins at ${speed.toPrecision(4)} rad/s${when}, more than √2/h = ${(Math.SQRT2 / h).toPrecision(4)}: ` +
          `take a timestep below ${(Math.SQRT2 / speed).toPrecision(3)} s`,
      );
    }
  }
}
