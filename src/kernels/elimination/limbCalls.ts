/**
 * What is known of a limb in an elimination whose ties change (arrangedTies.ts): the calls of its own sweeps, and those of its ties by class
 * of size, in which some operands are filled in when it is known which blocks they are.
 */
import type { CallList, Register } from "../memory/memory.ts";
import type { Segment } from "../memory/segments.ts";
import { sweepOf } from "../species/library.ts";
import { tieSweep, tiesDownSweep, tiesUpSweep } from "./tieSweeps.ts";
import { constraintsOf, isGrounded, type Limb } from "./treeLimbs.ts";
import type { Sweep } from "./treeSweeps.ts";

/** Operands of a limb's ties that change, by their negative numbers. */
export const operandCodes = {
  toTie: -1,
  fromTie: -2,
  weights: -3,
  shares: -4,
  fromAbove: -5,
  toAbove: -6,
  tieForce: -7,
  tieStep: -8,
} as const;

/** A call in which some operands are to be filled in. */
interface Template {
  readonly program: number;
  readonly operands: Int32Array;
}

/** Calls of a limb's own sweeps. */
export type LimbSweeps = Readonly<Record<"reduce" | "up" | "down", CallList>>;

export interface LimbCalls {
  readonly free: number;
  readonly above: number;
  readonly reduce: Int32Array;
  readonly up: Int32Array;
  readonly down: Int32Array;
  readonly tie: readonly Template[];
  readonly tieUp: readonly Template[];
  readonly tieDown: readonly Template[];
}

/** `known`: addresses of the operands of the limb's sweeps; `classes`: sizes of nodes that it can be tied to. */
export function limbCalls(
  limb: Limb,
  sweeps: LimbSweeps,
  known: ReadonlyMap<string, number>,
  classes: readonly number[],
  register: Register,
): LimbCalls {
  const [constraints, grounded] = [constraintsOf(limb), isGrounded(limb)];
  const template = (key: string, make: () => Sweep, codes: Readonly<Record<string, number>>): Template => {
    const { operands, program } = sweepOf(key, make);
    return {
      program: register(key, () => program),
      operands: Int32Array.from(operands, (operand) => codes[operand] ?? (known.get(operand) as number)),
    };
  };
  const { toTie, fromTie, weights, tieForce, tieStep } = operandCodes;
  return {
    free: 6 - constraints,
    above: limb.parent,
    reduce: Int32Array.from(sweeps.reduce.words),
    up: Int32Array.from(sweeps.up.words),
    down: Int32Array.from(sweeps.down.words),
    tie: classes.map((size) =>
      template(`tie.${constraints}.${size}.${grounded}`, () => tieSweep(constraints, size, grounded), operandCodes),
    ),
    tieUp: classes.map((size) =>
      template(`tie.up.${constraints}.${size}`, () => tiesUpSweep(constraints, [size]), {
        "fromTie.0": fromTie,
        "force.0": tieForce,
      }),
    ),
    tieDown: classes.map((size) =>
      template(`tie.down.${constraints}.${size}`, () => tiesDownSweep(constraints, [size]), {
        "step.0": tieStep,
        "toTie.0": toTie,
        "weights.0": weights,
      }),
    ),
  };
}

/** A call whose operands with negative numbers are those of `filled`. */
export function fillIn(words: Int32Array, segment: Segment, filled: Int32Array, { program, operands }: Template): void {
  const at = segment.call(program, operands.length);
  for (let o = 0; o < operands.length; o++) words[at + o] = operands[o] < 0 ? filled[-operands[o]] : operands[o];
}
