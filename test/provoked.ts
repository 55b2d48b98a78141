/** A small valid description, and the faults of what is thrown. */
import { expect } from "vitest";
import {
  ArgumentError,
  box,
  DescriptionError,
  frictionContact,
  type MechanismDescription,
  revolute,
  StateError,
} from "../src/index.ts";

export const rod = box({ size: [0.1, 0.1, 1], mass: 1 });
export const hinge = revolute({
  parent: "world",
  child: "rod",
  axis: [1, 0, 0],
  parentAnchor: [0, 0, 0.8],
  childAnchor: [0, 0, 0.5],
  limits: [-2, 2],
  actuated: true,
});
export const foot = frictionContact({ name: "foot", body: "rod", point: [0, 0, -0.5], frictionCoefficient: 0.5 });
export const valid: MechanismDescription = { timestep: 0.01, bodies: { rod }, joints: { hinge }, contacts: [foot] };

export interface Provoked {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

/** The faults of what is thrown. */
export function faultsOf(provoke: () => unknown): readonly Provoked[] {
  try {
    provoke();
  } catch (error) {
    expect(error instanceof ArgumentError || error instanceof DescriptionError || error instanceof StateError).toBe(
      true,
    );
    const { faults, message } = error as ArgumentError | DescriptionError | StateError;
    // the message alone tells all of it
    for (const fault of faults) expect(message).toContain(`${fault.code} at ${fault.path}: ${fault.message}`);
    return faults;
  }
  return [];
}
