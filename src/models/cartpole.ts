/** A cart on a level rail, and a pole hinged to it. At zero the pole hangs; `upright` balances it, `leaning` does not quite. */
import { box, capsule, type MechanismDescription, prismatic, revolute } from "../mechanism/index.ts";
import { colors } from "./colors.ts";
import { type DriveOptions, drive, header, type ModelOptions } from "./options.ts";

export interface CartpoleOptions extends ModelOptions, DriveOptions {
  /** Default 1 kg. */
  readonly cartMass?: number;
  /** Default 0.2 kg. */
  readonly poleMass?: number;
  /** Length from the hinge to the far end. Default 1 m. */
  readonly length?: number;
  /** Damping of the hinge. Default 0. */
  readonly damping?: number;
}

/** The motor pushes the cart; the pole is free. */
export function cartpole(options: CartpoleOptions = {}): MechanismDescription {
  const { cartMass = 1, poleMass = 0.2, length = 1, damping = 0 } = options;
  return {
    ...header("cartpole", options),
    bodies: {
      cart: box({ size: [0.4, 0.2, 0.12], mass: cartMass, color: colors.dark }),
      pole: capsule({ radius: 0.025, length, mass: poleMass, color: colors.orange }),
    },
    joints: {
      rail: prismatic({ parent: "world", child: "cart", axis: [1, 0, 0], ...drive(options) }),
      hinge: revolute({ parent: "cart", child: "pole", axis: [0, 1, 0], childAnchor: [0, 0, length / 2], damping }),
    },
    states: {
      leaning: { hinge: { position: [Math.PI - 0.1] } },
      rest: { hinge: { position: [0] } },
      upright: { hinge: { position: [Math.PI] } },
    },
  };
}
