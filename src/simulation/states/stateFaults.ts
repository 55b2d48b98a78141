/**
 * Faults of a state that can be seen body by body: it has the right size, its numbers are finite, its quaternions are of length 1, and no
 * body spins past √2/h, a quarter turn a step, beyond which the rotational balance has no root.
 */

import { bodyAt, bodyStateSize, stateOffsets } from "../../math/index.ts";
import { type Mechanism, visibleText } from "../../mechanism/index.ts";

export type StateFaultCode =
  | "wrong-size"
  | "not-finite"
  | "not-unit"
  | "too-fast"
  | "joint-violated"
  | "limit-exceeded"
  | "penetration"
  | "held-contact"
  | "at-lock";

export interface StateFault {
  /** Stable, for programs. */
  readonly code: StateFaultCode;
  /** Where, such as joints.hinge or bodies.rod.orientation. */
  readonly path: string;
  /** What is wrong and a way out. */
  readonly message: string;
}

/** Faults that a message lists. */
const mostListed = 12;

/** A state that cannot be simulated; the message lists its faults, one per line, and counts the rest of many. */
export class StateError extends RangeError {
  readonly faults: readonly StateFault[];

  constructor(faults: readonly StateFault[], heading: string) {
    const listed = faults.slice(0, mostListed).map(({ code, path, message }) => `${code} at ${path}: ${message}`);
    const rest = faults.length - listed.length;
    const lines = [heading, ...listed, ...(rest > 0 ? [`and ${rest} more`] : [])];
    super(lines.map(visibleText).join("\n"));
    this.name = "StateError";
    this.faults = faults;
  }
}

/** Quaternions may be off length 1 by this much; the step takes them as they are. */
const unitTolerance = 1e-6;
const { orientation, velocity, angularVelocity } = stateOffsets;
const parts = [
  { name: "position", start: 0, end: orientation },
  { name: "orientation", start: orientation, end: velocity },
  { name: "velocity", start: velocity, end: angularVelocity },
  { name: "angularVelocity", start: angularVelocity, end: bodyStateSize },
] as const;

export function basicFaults(mechanism: Mechanism, state: Float64Array, h: number): StateFault[] {
  if (state.length !== mechanism.stateSize) {
    const message =
      `has ${state.length} numbers, ${mechanism.name} needs ${mechanism.stateSize}, ${bodyStateSize} per body; ` +
      "maximalState(mechanism) makes one";
    return [{ code: "wrong-size", path: "state", message }];
  }
  return mechanism.bodies.flatMap(({ name, index }) =>
    bodyFaults(name, state.subarray(bodyAt(index), bodyAt(index + 1)), h),
  );
}

/** −1 where all are finite. */
function firstNotFinite(state: Float64Array, start: number, end: number): number {
  for (let i = start; i < end; i++) if (!Number.isFinite(state[i])) return i;
  return -1;
}

function bodyFaults(name: string, state: Float64Array, h: number): StateFault[] {
  const faults: StateFault[] = [];
  for (const part of parts) {
    const bad = firstNotFinite(state, part.start, part.end) - part.start;
    if (bad < 0) continue;
    const message = `is ${state[part.start + bad]}; look for it in what made the state, such as a division by zero or an unsolved step`;
    faults.push({ code: "not-finite", path: `bodies.${name}.${part.name}[${bad}]`, message });
  }
  if (faults.length > 0) return faults;
  const length = Math.sqrt(state[3] ** 2 + state[4] ** 2 + state[5] ** 2 + state[6] ** 2);
  if (Math.abs(length - 1) > unitTolerance) {
    const wayOut = length > 0 ? "divide it by its length" : "no rotation is [1, 0, 0, 0]";
    faults.push({
      code: "not-unit",
      path: `bodies.${name}.orientation`,
      message: `has length ${Number(length.toPrecision(9))}, not 1; ${wayOut}, or take projectState(simulation, state)`,
    });
  }
  const speed = Math.sqrt(
    state[angularVelocity] ** 2 + state[angularVelocity + 1] ** 2 + state[angularVelocity + 2] ** 2,
  );
  if (h * speed >= Math.SQRT2) {
    const bound = (Math.SQRT2 / h).toPrecision(4);
    const enough = (Math.SQRT2 / speed).toPrecision(3);
    faults.push({
      code: "too-fast",
      path: `bodies.${name}.angularVelocity`,
      message: `spins at ${speed.toPrecision(4)} rad/s, more than √2/h = ${bound}; take a timestep below ${enough} s, or slow it down`,
    });
  }
  return faults;
}
