/**
 * A wing nut that floats in free fall: a thread and two wings, one body. Spun about the axis of its thread, the middle one of
 * its three moments, it turns over again and again.
 */
import { floating, type MechanismDescription } from "../mechanism/index.ts";
import { assemble, linkFromShapes, rollPitchYaw } from "./builder.ts";
import { colors } from "./colors.ts";
import { header, type ModelOptions } from "./options.ts";

export interface DzhanibekovOptions extends ModelOptions {
  /** Spin about the thread. Default 6 rad/s. */
  readonly spin?: number;
  /** Across it: what makes it turn over sooner. Default 0.01 rad/s. */
  readonly disturbance?: number;
}

/** Gravity is off unless given. */
export function dzhanibekov(options: DzhanibekovOptions = {}): MechanismDescription {
  const { spin = 6, disturbance = 0.01, gravity = [0, 0, 0] } = options;
  const nut = linkFromShapes([
    {
      kind: "cylinder",
      radius: 0.05,
      length: 0.4,
      mass: 0.3,
      color: colors.steel,
      orientation: rollPitchYaw(0, Math.PI / 2, 0),
    },
    { kind: "cylinder", radius: 0.04, length: 0.7, mass: 0.7, color: colors.orange, position: [0.2, 0, 0] },
  ]);
  const { bodies } = assemble({ links: { nut }, joints: {} }, { frictionCoefficient: 0 });
  return {
    ...header("dzhanibekov", { ...options, gravity }),
    bodies,
    joints: { base: floating({ parent: "world", child: "nut" }) },
    states: {
      spinning: { base: { velocity: [0, 0, 0, spin, disturbance, disturbance] } },
      rest: { base: {} },
    },
  };
}
