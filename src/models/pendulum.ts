/** A rod on a hinge. At zero it hangs; `raised` it is level, and swings. */
import { capsule, type MechanismDescription, revolute } from "../mechanism/index.ts";
import { colors } from "./colors.ts";
import { type DriveOptions, drive, header, type ModelOptions } from "./options.ts";

export interface PendulumOptions extends ModelOptions, DriveOptions {
  /** Default 1 kg. */
  readonly mass?: number;
  /** Length between the centres of the rod's round ends. Default 1 m. */
  readonly length?: number;
  readonly radius?: number;
  /** N·m·s/rad. Default 0. */
  readonly damping?: number;
}

export function pendulum(options: PendulumOptions = {}): MechanismDescription {
  const { mass = 1, length = 1, radius = 0.05, damping = 0 } = options;
  return {
    ...header("pendulum", options),
    bodies: { rod: capsule({ radius, length, mass, color: colors.blue }) },
    joints: {
      hinge: revolute({
        parent: "world",
        child: "rod",
        axis: [1, 0, 0],
        childAnchor: [0, 0, length / 2],
        damping,
        ...drive(options),
      }),
    },
    states: {
      raised: { hinge: { position: [Math.PI / 2] } },
      rest: { hinge: { position: [0] } },
      upright: { hinge: { position: [Math.PI] } },
    },
  };
}
