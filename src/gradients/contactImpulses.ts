/**
 * Impulses of contacts in a step, and their Jacobians: cone variables that the solver has eliminated, at the point on the central path that
 * is differentiated. Each row is one cotangent that goes back through the step (stepChain.ts). A step in parts has the sum over them.
 */
import type { CoordinateMaps } from "../coordinates/index.ts";
import { impulseSize, type System } from "../kernels/index.ts";
import { bodyTangentSize } from "../math/index.ts";
import { ArgumentError, type Mechanism, namedContact } from "../mechanism/index.ts";
import { contactImpulse } from "../simulation/index.ts";
import { piecesOf, type SolvedStep } from "./point.ts";
import type { StepChain } from "./stepChain.ts";
import { pullThrough } from "./touchingSteps.ts";

/** Numbers of the contacts of these names, −1 of one that joints hold. */
export function contactIndices(mechanism: Mechanism, names: readonly string[]): number[] {
  return names.map((name) => namedContact(mechanism, name).index);
}

/** Normal impulse, N·s, and friction along the two tangents, of each contact. */
export function impulsesInto(out: Float64Array, system: System, step: SolvedStep, contacts: readonly number[]): void {
  out.fill(0);
  for (const { points, bounces, taken } of piecesOf(step)) {
    const { mechanism, nodes, unknowns } = taken?.system ?? system;
    contacts.forEach((contact, i) => {
      const node = nodes.find(({ kind, index }) => kind === "contact" && index === contact);
      if (!node) return;
      points.forEach((point, part) => {
        const bounce = bounces?.[part];
        const impulse = bounce
          ? bounce.readings.subarray(impulseSize * contact, impulseSize * (contact + 1))
          : contactImpulse(mechanism.contacts[contact].model, point, mechanism.stateSize + unknowns + node.cone);
        for (let k = 0; k < impulseSize; k++) out[impulseSize * i + k] += impulse[k];
      });
    });
  }
}

/** Where the Jacobians go: three rows per contact. */
export interface ImpulseJacobians {
  readonly byState: Float64Array;
  readonly byInput: Float64Array;
}

/** `maps`, about the state before the step, where the columns are joint coordinates. Chains have scope "contacts". */
export function impulseJacobiansInto(
  { byState, byInput }: ImpulseJacobians,
  chainOf: (piece: SolvedStep) => StepChain,
  step: SolvedStep,
  contacts: readonly number[],
  maps: CoordinateMaps | undefined,
): void {
  const [first] = piecesOf(step);
  const { mechanism, places } = chainOf(first).sensitivity.system;
  const { inputSize, bodies } = mechanism;
  const impulses = new Float64Array(impulseSize * mechanism.contacts.length);
  const state = new Float64Array(bodyTangentSize * bodies.length);
  const rows = impulseSize * contacts.length;
  const columns = byState.length / Math.max(1, rows);
  if (!first.taken) chainOf(first).clear();
  for (let row = 0; row < rows; row++) {
    const contact = contacts[Math.floor(row / impulseSize)];
    state.fill(0);
    impulses.fill(0);
    const input = byInput.subarray(row * inputSize, (row + 1) * inputSize).fill(0);
    if (contact >= 0) impulses[impulseSize * contact + (row % impulseSize)] = 1;
    pullThrough(step, state, chainOf, impulses, (_, { mirror }) => {
      for (let u = 0; u < inputSize; u++) input[u] += mirror[places.input + u];
    });
    const own = byState.subarray(row * columns, (row + 1) * columns);
    if (maps) maps.pullMaximalInto(own.fill(0), state);
    else own.set(state);
  }
}

/**
 * Cotangents of contact impulses in a step: of the normal one, and of friction along the two tangents, by the contacts' names; or those of
 * all contacts in one array.
 */
export type ImpulseWeights = Readonly<Record<string, readonly number[]>> | Float64Array;

/** The same as numbers, three per contact of the mechanism. */
export function impulseCotangent(mechanism: Mechanism, weights: ImpulseWeights, step: number): Float64Array {
  const size = impulseSize * mechanism.contacts.length;
  if (weights instanceof Float64Array) {
    if (weights.length === size && weights.every(Number.isFinite)) return weights;
    const message = `has ${weights.length} numbers; give ${size} finite ones, ${impulseSize} per contact`;
    throw new ArgumentError("wrong-size", `impulses[${step}]`, message);
  }
  const out = new Float64Array(size);
  for (const [name, values] of Object.entries(weights)) {
    const { index } = namedContact(mechanism, name);
    if (values.length > impulseSize || !values.every(Number.isFinite)) {
      const message = `[${values.join(", ")}]; give up to ${impulseSize} finite numbers: of the normal impulse, and of friction along two tangents`;
      throw new ArgumentError("wrong-size", `impulses[${step}].${name}`, message);
    }
    if (index >= 0) out.set(values, impulseSize * index);
  }
  return out;
}
