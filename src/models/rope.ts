/** A rope: short links on ball joints, hung from the world. */
import { capsule, type JointDescription, type MechanismDescription, sphere, spherical } from "../mechanism/index.ts";
import { colors } from "./colors.ts";
import { header, type ModelOptions } from "./options.ts";

export interface RopeOptions extends ModelOptions {
  /** Default 10. */
  readonly links?: number;
  /** Length and mass of the whole rope. Default 1 m and 0.2 kg. */
  readonly length?: number;
  readonly mass?: number;
  /** Damping of each joint. Default 1e-4 N·m·s/rad. */
  readonly damping?: number;
  /** Hangs a ball of this mass from the end. Default 0, none. */
  readonly load?: number;
}

export function rope(options: RopeOptions = {}): MechanismDescription {
  const { links = 10, length = 1, mass = 0.2, damping = 1e-4, load = 0 } = options;
  const names = Array.from({ length: links }, (_, i) => `link${i + 1}`);
  const piece = length / links;
  const radius = 0.1 * piece;
  const link = (i: number) =>
    capsule({ radius, length: piece - 2 * radius, mass: mass / links, color: [colors.sand, colors.dark][i % 2] });
  const joint = (i: number): JointDescription =>
    spherical({
      parent: i === 0 ? "world" : names[i - 1],
      child: names[i],
      parentAnchor: i === 0 ? [0, 0, 0] : [0, 0, -piece / 2],
      childAnchor: [0, 0, piece / 2],
      damping,
    });
  return {
    ...header("rope", options),
    bodies: {
      ...Object.fromEntries(names.map((name, i) => [name, link(i)])),
      ...(load > 0 && { load: sphere({ radius: piece / 2, mass: load, color: colors.red }) }),
    },
    joints: {
      ...Object.fromEntries(names.map((_, i) => [`joint${i + 1}`, joint(i)])),
      ...(load > 0 && {
        hook: spherical({
          parent: names[links - 1],
          child: "load",
          parentAnchor: [0, 0, -piece / 2],
          childAnchor: [0, 0, piece / 2],
          damping,
        }),
      }),
    },
    states: {
      swung: { joint1: { position: [Math.PI / 4, 0, 0] } },
      rest: { joint1: { position: [0, 0, 0] } },
    },
  };
}
