import type { System } from "../kernels/index.ts";
import { copyInto } from "./copyInto.ts";

/** Copies parameters, turns, wrenches and input into another system of the same mechanism: the same nodes in the same order, whatever slots. */
export function copyParameters(from: System, to: System): void {
  const copy = (start: number, there: number, size: number): void => copyInto(to.f64, there, from.f64, start, size);
  const { globals, bodyParameters, wrench, input, state } = from.places;
  const there = to.places;
  const { mechanism, nodeParameters } = from;
  const [start, end] = nodeParameters;
  copy(globals, there.globals, bodyParameters - globals);
  copy(bodyParameters, there.bodyParameters, state - bodyParameters);
  copy(start, to.nodeParameters[0], end - start);
  copy(wrench, there.wrench, 6 * mechanism.bodies.length);
  copy(input, there.input, mechanism.inputSize);
}
