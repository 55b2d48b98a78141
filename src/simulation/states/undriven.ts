/**
 * Steps in which nothing can give energy to bodies but gravity, whose share is known (kineticGain.ts): no input, servo, gear, fluid or
 * wrench acts, and no spring or rotor of a joint keeps energy. Contacts, limits, dampers and friction only take it, joints do neither.
 */
import type { System } from "../../kernels/index.ts";
import type { Mechanism } from "../../mechanism/index.ts";

export class Undriven {
  /** Whether the mechanism has no parts that act by themselves. */
  private readonly canBe: boolean;
  /** Parameters that have to be 0. */
  private readonly stores: readonly string[];

  constructor({ joints, gears, fluid }: Mechanism) {
    const hasServos = joints.some(({ coordinates }) => coordinates.some(({ servo }) => servo));
    this.canBe = gears.length === 0 && !fluid && !hasServos;
    this.stores = joints.flatMap(({ name, coordinates }) =>
      coordinates.flatMap(({ passive, effortLimit }, i) => [
        ...(passive ? [`joints.${name}.stiffness.${i}`, `joints.${name}.armature.${i}`] : []),
        ...(effortLimit !== null ? [`joints.${name}.effortCenter.${i}`] : []),
      ]),
    );
  }

  /** Whether this holds of a step with the inputs, wrenches and parameters that are in memory. */
  holds({ f64, places, mechanism, parameters }: System): boolean {
    if (!this.canBe) return false;
    for (let i = 0; i < mechanism.inputSize; i++) if (f64[places.input + i] !== 0) return false;
    for (let i = 0; i < 6 * mechanism.bodies.length; i++) if (f64[places.wrench + i] !== 0) return false;
    for (const name of this.stores) if (f64[parameters.get(name) as number] !== 0) return false;
    return true;
  }
}
