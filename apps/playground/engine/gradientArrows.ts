/** d(velocity of a body after the step)/d(input), one vector an input, at the smoothness of κ. */
import { bodyTangentSize, type Simulation, stepGradients, tangentOffsets } from "dojo-sim";
import type { ArrowOptions } from "../protocol.ts";

/** Null where the step has no gradients. */
export function gradientArrows(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array,
  { body, kappa, interval }: ArrowOptions & { readonly interval: number },
): Float32Array | null {
  if (input.length === 0) return null;
  const gradients = stepGradients(simulation, state, input, { kappa, interval });
  if (!gradients.differentiable) return null;
  const { dNext_dInput } = gradients;
  const arrows = new Float32Array(3 * input.length);
  for (let u = 0; u < input.length; u++) {
    for (let axis = 0; axis < 3; axis++) {
      const row = bodyTangentSize * body + tangentOffsets.velocity + axis;
      arrows[3 * u + axis] = dNext_dInput[row * input.length + u];
    }
  }
  return arrows;
}
