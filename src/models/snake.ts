/** A chain of capsules that lies on the floor; each end of a link touches it. */
import { floating, type MechanismDescription, type Vector3 } from "../mechanism/index.ts";
import { assemble, between, type Link, type LinkJoint, linkFromShapes } from "./builder.ts";
import { colors } from "./colors.ts";
import { type DriveOptions, drive, type FloorOptions, header, type ModelOptions } from "./options.ts";
import { standingState } from "./placement.ts";

export interface SnakeOptions extends ModelOptions, FloorOptions, DriveOptions {
  /** Default 5. */
  readonly links?: number;
  /** Mass and length of each link. Default 0.5 kg, 0.3 m between the ends' centres. */
  readonly mass?: number;
  readonly length?: number;
  readonly radius?: number;
  /** "universal" turns and lifts (the default), "revolute" only turns, "spherical" twists too. */
  readonly joints?: "universal" | "revolute" | "spherical";
  readonly damping?: number;
}

export function snake(options: SnakeOptions = {}): MechanismDescription {
  const { links: count = 5, mass = 0.5, length = 0.3, radius = 0.05, joints: kind = "universal" } = options;
  const { damping = 0.05, frictionCoefficient = 0.5 } = options;
  const names = Array.from({ length: count }, (_, i) => `link${i + 1}`);
  const tail: Vector3 = [-length, 0, 0];
  const link = (i: number): Link =>
    linkFromShapes(
      [{ kind: "capsule", radius, ...between(tail, [0, 0, 0]), mass, color: [colors.green, colors.teal][i % 2] }],
      [
        { name: `${names[i]}.front`, point: [0, 0, 0], radius },
        { name: `${names[i]}.back`, point: tail, radius },
      ],
    );
  const axes = { universal: { axes: [[0, 0, 1], [0, 1, 0]] }, revolute: { axis: [0, 0, 1] }, spherical: {} } as const; // biome-ignore format: a table
  const joint = (i: number): LinkJoint => ({
    kind,
    parent: names[i - 1],
    child: names[i],
    position: tail,
    ...axes[kind],
    damping,
    ...drive(options),
  });
  const robot = {
    links: Object.fromEntries(names.map((name, i) => [name, link(i)])),
    joints: {
      base: floating({ parent: "world", child: names[0] }),
      ...Object.fromEntries(names.slice(1).map((_, i) => [`joint${i + 1}`, joint(i + 1)])),
    },
  };
  return {
    ...header("snake", options),
    ...assemble(robot, { ...options, frictionCoefficient }),
    states: {
      // head down: it comes to lie link by link
      raised: standingState(robot, "base", { base: [0, 0, 0, 0, 0.4, 0] }, 0.2),
      rest: standingState(robot, "base", {}),
    },
  };
}
