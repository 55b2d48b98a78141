/** The inputs of a rollout: from a controller, from a list with one per step, one that is held, or none, which are zeros. */
import { ArgumentError, type Mechanism } from "../../mechanism/index.ts";

/**
 * Called before each step with the state, the step's number, an array of zeros, and the interval over which the state's velocities are
 * means (the time step, or a part of it); returns the input, or fills the array. What neither
 * returns nor fills throws, since that is a slip more often than a wish: to leave motors off, give no controller.
 */
export type Controller = (
  state: Float64Array,
  step: number,
  input: Float64Array,
  interval: number,
) => Float64Array | undefined;

/** One input for all steps, or a list with one per step. */
export type RolloutInputs = ArrayLike<number> | readonly ArrayLike<number>[];

export interface InputOptions {
  readonly steps?: number;
  readonly controller?: Controller;
  readonly inputs?: RolloutInputs;
}

/** Marks entries that a controller has not written: the smallest number there is changes nothing that it is added to. */
const unwritten = Number.MIN_VALUE;

/** How many steps a rollout has, and the input of each. */
export function inputsOf(
  { inputNames, inputSize }: Mechanism,
  { steps, controller, inputs }: InputOptions,
): { readonly steps: number; readonly inputAt: (state: Float64Array, step: number, interval: number) => Float64Array } {
  if (controller && inputs !== undefined) {
    throw new ArgumentError("contradiction", "inputs", "there is a controller too; give one of the two");
  }
  // an empty list is the one input that is held where there is nothing to drive, and steps are told
  const isHeldNothing = inputSize === 0 && inputs?.length === 0 && steps !== undefined;
  const perStep = inputs !== undefined && !isHeldNothing && isPerStep(inputs) ? inputs : undefined;
  const count = steps ?? perStep?.length;
  if (count === undefined || !Number.isInteger(count) || count < 0) {
    const way = "give a whole number, 0 or more, or a list with an input per step";
    throw new ArgumentError("out-of-range", "steps", `${steps}: ${way}`);
  }
  const buffer = new Float64Array(inputSize);
  if (controller) {
    return {
      steps: count,
      inputAt: (state, step, interval) => controlled(controller, state, step, interval, buffer, inputNames),
    };
  }
  if (perStep) {
    if (perStep.length < count) {
      const message = `has ${perStep.length} inputs for ${count} steps; give one per step, or leave out \`steps\``;
      throw new ArgumentError("wrong-length", "inputs", message);
    }
    const list = perStep.map((input, k) => copyOf(input, `inputs[${k}]`, inputNames));
    return { steps: count, inputAt: (_, step) => list[step] };
  }
  const held = inputs === undefined ? buffer : copyOf(inputs as ArrayLike<number>, "inputs", inputNames);
  return { steps: count, inputAt: () => held };
}

function isPerStep(inputs: RolloutInputs): inputs is readonly ArrayLike<number>[] {
  return Array.isArray(inputs) && (inputs.length === 0 || typeof inputs[0] !== "number");
}

function copyOf(input: ArrayLike<number>, path: string, names: readonly string[]): Float64Array {
  if (input?.length === names.length) return Float64Array.from(input);
  const expected = `give ${names.length}${names.length > 0 ? ": " : ""}${names.join(", ")}`;
  throw new ArgumentError("wrong-size", path, `has ${input?.length ?? "no"} numbers; ${expected}`);
}

function controlled(
  controller: Controller,
  state: Float64Array,
  step: number,
  interval: number,
  buffer: Float64Array,
  names: readonly string[],
): Float64Array {
  buffer.fill(unwritten);
  const returned = controller(state, step, buffer, interval);
  if (returned) return returned;
  let written = 0;
  for (let i = 0; i < buffer.length; i++) {
    if (buffer[i] === unwritten) buffer[i] = 0;
    else written++;
  }
  if (written > 0 || buffer.length === 0) return buffer;
  const message = `at step ${step} it neither returned an input nor filled the one it was given; return a Float64Array of ${names.length} (${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}), or write into its third argument, zeros too; without a controller all inputs are zero`;
  throw new ArgumentError("no-input", "controller", message);
}
