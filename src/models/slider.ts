/** A weight on a vertical rail, hung from a spring: it rests at −m g/k. */
import { box, type MechanismDescription, prismatic } from "../mechanism/index.ts";
import { colors } from "./colors.ts";
import { type DriveOptions, drive, header, type ModelOptions } from "./options.ts";

export interface SliderOptions extends ModelOptions, DriveOptions {
  /** Default 1 kg. */
  readonly mass?: number;
  /** N/m. Default 50; with 0 the weight falls freely. */
  readonly stiffness?: number;
  /** N·s/m. Default 0. */
  readonly damping?: number;
}

export function slider(options: SliderOptions = {}): MechanismDescription {
  const { mass = 1, stiffness = 50, damping = 0 } = options;
  const { gravity = [0, 0, -9.81], ...common } = header("slider", options);
  const sag = stiffness > 0 ? (mass * gravity[2]) / stiffness : 0;
  return {
    ...common,
    gravity,
    bodies: { weight: box({ size: [0.2, 0.2, 0.3], mass, color: colors.teal }) },
    joints: { rail: prismatic({ parent: "world", child: "weight", stiffness, damping, ...drive(options) }) },
    states: { rest: { rail: { position: [sag] } }, lifted: { rail: { position: [0] } } },
  };
}
