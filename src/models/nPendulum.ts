/** A chain of rods on parallel hinges, from the world down. */
import { capsule, type JointDescription, type MechanismDescription, revolute } from "../mechanism/index.ts";
import { colors } from "./colors.ts";
import { type DriveOptions, drive, header, type ModelOptions } from "./options.ts";

export interface NPendulumOptions extends ModelOptions, DriveOptions {
  /** Default 5. */
  readonly links?: number;
  /** Mass and length of each link. Default 1 kg and 0.5 m. */
  readonly mass?: number;
  readonly length?: number;
  readonly damping?: number;
}

export function nPendulum(options: NPendulumOptions = {}): MechanismDescription {
  const { links = 5, mass = 1, length = 0.5, damping = 0 } = options;
  const names = Array.from({ length: links }, (_, i) => `link${i + 1}`);
  const tones = [colors.blue, colors.steel];
  const joint = (i: number): JointDescription =>
    revolute({
      parent: i === 0 ? "world" : names[i - 1],
      child: names[i],
      axis: [1, 0, 0],
      parentAnchor: i === 0 ? [0, 0, 0] : [0, 0, -length / 2],
      childAnchor: [0, 0, length / 2],
      damping,
      ...drive(options),
    });
  return {
    ...header("nPendulum", options),
    bodies: Object.fromEntries(
      names.map((name, i) => [name, capsule({ radius: length / 10, length, mass, color: tones[i % 2] })]),
    ),
    joints: Object.fromEntries(names.map((_, i) => [`hinge${i + 1}`, joint(i)])),
    states: { raised: { hinge1: { position: [Math.PI / 2] } }, rest: { hinge1: { position: [0] } } },
  };
}
