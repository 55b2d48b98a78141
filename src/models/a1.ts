/**
 * Unitree's A1: a trunk and four legs of hip, thigh and calf. Published URDF of the robot: masses, inertias, frames, damping and
 * efforts; the feet belong to the calves. Right and left differ in the sign of y, front and rear hips in the sign of x.
 */
import { vector } from "../math/index.ts";
import { floating, type MechanismDescription, type Vector3 } from "../mechanism/index.ts";
import {
  assemble,
  between,
  type ContactSpot,
  inertiaOf,
  type Link,
  type LinkJoint,
  type Robot,
  rollPitchYaw,
} from "./builder.ts";
import { colors } from "./colors.ts";
import { drive, header, limited, type RobotOptions } from "./options.ts";
import { standingState } from "./placement.ts";
import { withSelfCollisions } from "./selfCollisions.ts";

export interface A1Options extends RobotOptions {
  /** Damping of all hinges. Default 0.05 N·m·s/rad, as in the file. */
  readonly damping?: number;
}

const effort = 33.5;
const ranges = { hip: [-0.5, 0.5], thigh: [-0.5, 1.5], calf: [-2.5, -1] } as const;
const legs = { FR: [1, -1], FL: [1, 1], RR: [-1, -1], RL: [-1, 1] } as const;
const pose = { hip: 0, thigh: Math.PI / 4, calf: -Math.PI / 2 };

/** Twelve motors. In the rest pose the trunk's frame is 0.303 m above the floor. */
export function a1(options: A1Options = {}): MechanismDescription {
  const { damping = 0.05, bodyContacts = true, frictionCoefficient = 0.8 } = options;
  const links: Record<string, Link> = { trunk: trunkLink(bodyContacts) };
  const joints: Record<string, LinkJoint> = { base: floating({ parent: "world", child: "trunk" }) };
  const rest: Record<string, readonly number[]> = {};
  for (const [leg, [x, y]] of Object.entries(legs)) {
    const parts = { hip: hipLink(x, y), thigh: thighLink(y), calf: calfLink() };
    const hinges = [
      ["hip", "trunk", [0.183 * x, 0.047 * y, 0], vector.unitX],
      ["thigh", `${leg}_hip`, [0, 0.08505 * y, 0], vector.unitY],
      ["calf", `${leg}_thigh`, [0, 0, -0.2], vector.unitY],
    ] as const;
    for (const [part, parent, position, axis] of hinges) {
      const name = `${leg}_${part}`;
      const link = parts[part];
      links[name] = { ...link, spots: spots(part, name, link.center ?? vector.zero, y, bodyContacts) };
      joints[`${name}_joint`] = {
        kind: "revolute",
        parent,
        child: name,
        position,
        axis,
        damping,
        ...limited(options, ranges[part]),
        ...drive(options, effort),
      };
      rest[`${name}_joint`] = [pose[part]];
    }
  }
  const robot: Robot = { links, joints };
  const description = {
    ...header("a1", options),
    ...assemble(robot, { ...options, frictionCoefficient }),
    states: { rest: standingState(robot, "base", rest), raised: standingState(robot, "base", rest, 0.3) },
  };
  return withSelfCollisions(description, options, frictionCoefficient);
}

function trunkLink(bodyContacts: boolean): Link {
  // corners of the box that covers the trunk, rounded by 2 cm
  const corners = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => [x, y, z] as const)));
  const spots = corners.map(([x, y, z], i): ContactSpot => {
    return { name: `trunk${i + 1}`, point: [0.1135 * x, 0.077 * y, 0.037 * z], radius: 0.02 };
  });
  return {
    mass: 6,
    center: [0, 0.0041, -0.0005],
    inertia: inertiaOf(0.0158533, -3.66e-5, -6.11e-5, 0.0377999, -2.75e-5, 0.0456542),
    shapes: [
      { kind: "box", size: [0.267, 0.194, 0.114], color: colors.dark },
      { kind: "box", size: [0.08, 0.1, 0.08], position: [0.195, 0, 0], color: colors.black },
      { kind: "box", size: [0.06, 0.1, 0.09], position: [-0.2, 0, 0], color: colors.black },
    ],
    spots: bodyContacts ? spots : [],
  };
}

function hipLink(x: number, y: number): Link {
  const lying = rollPitchYaw(Math.PI / 2, 0, 0);
  return {
    mass: 0.696,
    center: [-0.003311 * x, 0.000635 * y, 3.1e-5],
    inertia: inertiaOf(0.000469246, -9.409e-6 * x * y, -3.42e-7 * x, 0.00080749, -4.66e-7 * y, 0.000552929),
    shapes: [
      { kind: "cylinder", radius: 0.046, length: 0.04, orientation: lying, color: colors.steel },
      {
        kind: "cylinder",
        radius: 0.04,
        length: 0.06,
        position: [0, 0.055 * y, 0],
        orientation: lying,
        color: colors.steel,
      },
    ],
  };
}

function thighLink(y: number): Link {
  return {
    mass: 1.013,
    center: [-0.003237, -0.022327 * y, -0.027326],
    inertia: inertiaOf(0.005529065, 4.825e-6 * y, 0.000343869, 0.005139339, 2.2448e-5 * y, 0.001367788),
    shapes: [{ kind: "box", size: [0.034, 0.0245, 0.2], position: [0, 0, -0.1], color: colors.black }],
  };
}

function calfLink(): Link {
  return {
    mass: 0.166,
    center: [0.006435, 0, -0.107388],
    inertia: inertiaOf(0.002997972, 0, -0.000141163, 0.003014022, 0, 3.2426e-5),
    shapes: [
      { kind: "capsule", radius: 0.009, ...between([0, 0, 0], [0, 0, -0.19]), color: colors.steel },
      { kind: "sphere", radius: 0.021, position: [0, 0, -0.2], color: colors.black },
    ],
  };
}

/** Contact points, from the link's centre of mass. */
function spots(
  part: "hip" | "thigh" | "calf",
  name: string,
  center: Vector3,
  y: number,
  bodyContacts: boolean,
): ContactSpot[] {
  const table = {
    hip: { point: [0, 0.05 * y, 0], radius: 0.05 },
    thigh: { point: [-0.005, 0.023 * y, -0.16], radius: 0.023 },
    calf: { point: [-0.006, 0, -0.092], radius: 0.021 },
  } as const;
  if (part !== "calf" && !bodyContacts) return [];
  const { point, radius } = table[part];
  return [{ name, point: vector.add(center, point), radius }];
}
