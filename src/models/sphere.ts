/** A solid sphere on the floor. */
import { floating, frictionContact, type MechanismDescription, sphere as sphereBody } from "../mechanism/index.ts";
import { colors } from "./colors.ts";
import { bouncing, type FloorOptions, header, type ModelOptions } from "./options.ts";

export interface SphereOptions extends ModelOptions, FloorOptions {
  /** Default 0.5 m. */
  readonly radius?: number;
  /** Default 1 kg. */
  readonly mass?: number;
  /** Six inputs, force and torque on the sphere. Default false. */
  readonly actuated?: boolean;
}

export function sphere(options: SphereOptions = {}): MechanismDescription {
  const { radius = 0.5, mass = 1, floor = true, frictionCoefficient = 0.8, actuated = false } = options;
  const where = { name: "bottom", body: "sphere", point: [0, 0, 0], radius } as const;
  const contact = frictionContact({ ...where, frictionCoefficient, ...bouncing(options) });
  return {
    ...header("sphere", options),
    bodies: { sphere: sphereBody({ radius, mass, color: colors.red }) },
    joints: { base: floating({ parent: "world", child: "sphere", actuated }) },
    contacts: floor ? [contact] : [],
    states: {
      // slides first, and rolls at 5/7 of this speed in the end
      thrown: { base: { position: [0, 0, radius, 0, 0, 0], velocity: [2, 0, 0, 0, 0, 0] } },
      dropped: { base: { position: [0, 0, radius + 1, 0, 0, 0] } },
      rest: { base: { position: [0, 0, radius, 0, 0, 0] } },
    },
  };
}
