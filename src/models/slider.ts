/** A weight on a vertical rail, hung from a spring: it rests at −m g/k. */
import { type BodyDescription, box, type MechanismDescription, prismatic, type Shape } from "../mechanism/index.ts";
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
    bodies: { weight: weight(mass) },
    joints: { rail: prismatic({ parent: "world", child: "weight", stiffness, damping, ...drive(options) }) },
    states: { lifted: { rail: { position: [0] } }, rest: { rail: { position: [sag] } } },
  };
}

/** It weighs as a box, and looks as weights do that hang from an eye. */
function weight(mass: number): BodyDescription {
  const shapes: Shape[] = [
    { kind: "cylinder", radius: 0.11, length: 0.2, position: [0, 0, -0.05], color: colors.teal },
    { kind: "cylinder", radius: 0.07, length: 0.05, position: [0, 0, 0.075], color: colors.teal },
    { kind: "cylinder", radius: 0.02, length: 0.1, position: [0, 0, 0.14], color: colors.steel },
    { kind: "sphere", radius: 0.04, position: [0, 0, 0.2], color: colors.steel },
  ];
  return { ...box({ size: [0.2, 0.2, 0.3], mass }), shapes };
}
