/**
 * The description of a mechanism with the parameters that have been set since it was compiled. A simulation of it has the same parameters to the
 * bit: those that no field says are in `parameters`.
 */
import { initialParameters } from "../../kernels/index.ts";
import {
  compile,
  DescriptionError,
  describedWith,
  type Mechanism,
  type MechanismDescription,
} from "../../mechanism/index.ts";

type Values = ReadonlyMap<string, number>;

/** `values`: all parameters of `present`. */
export function currentDescription(mechanism: Mechanism, present: Mechanism, values: Values): MechanismDescription {
  const { parameters: _, ...fields } = mechanism.description;
  const changed = differing(values, initialParameters(mechanism));
  try {
    const written = describedWith(fields, present, changed);
    return withParameters(written, differing(values, initialParameters(compile(written))));
  } catch (error) {
    // some numbers may be set that a description may not begin with
    if (error instanceof DescriptionError) return withParameters(fields, changed);
    throw error;
  }
}

function differing(values: Values, from: Values): Map<string, number> {
  return new Map([...values].filter(([path, value]) => !Object.is(value, from.get(path))));
}

function withParameters(description: MechanismDescription, values: Values): MechanismDescription {
  return values.size > 0 ? { ...description, parameters: Object.fromEntries(values) } : description;
}
