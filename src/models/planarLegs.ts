/** Gym's hopper and walker: legs of thigh, shank and foot under a torso that moves in the x–z plane. */
import { quaternion, vector } from "../math/index.ts";
import type { MechanismDescription, Quaternion } from "../mechanism/index.ts";
import { assemble, type Link, type LinkJoint, type Robot } from "./builder.ts";
import { colors } from "./colors.ts";
import { drive, header, type LimbOptions, limited } from "./options.ts";
import { standingState } from "./placement.ts";

export interface PlanarLegOptions extends LimbOptions {
  /** Damping of the hinges, N·m·s/rad. */
  readonly damping?: number;
}

interface LegTable {
  readonly name: "hopper" | "walker";
  /** Suffixes of the legs' names. */
  readonly legs: readonly string[];
  readonly foot: { readonly center: number; readonly length: number };
  /** Angles at which the centre of mass is above the middle of the foot. */
  readonly rest: { readonly thigh: number; readonly leg: number; readonly foot: number };
  readonly damping: number;
}

/** Ranges of the hinges in Gym's models: they bend backwards. */
const ranges = { thigh: [-2.61799, 0.2], leg: [-2.61799, 0.2], foot: [-0.785398, 0.785398] } as const;

/** Published URDF of Gym's hopper and walker: capsules of 1000 kg/m³, figures as printed there. */
const figures = {
  torso: { mass: 3.53429, inertia: [0.06185, 0.06185, 0.00441], length: 0.4, radius: 0.05 },
  thigh: { mass: 3.92699, inertia: [0.08426, 0.08426, 0.0049], length: 0.45, radius: 0.05 },
  leg: { mass: 2.71433, inertia: [0.06704, 0.06704, 0.00217], length: 0.5, radius: 0.04 },
  foot: { mass: 5.08938, inertia: [0.09046, 0.09046, 0.00916], radius: 0.06 },
} as const;
/** How far from the middle the legs of the walker are drawn, in metres. */
const sideways = 0.07;
/** The foot lies along x; the file prints π/2 with five digits. */
const lying: Quaternion = quaternion.fromAxisAngle(vector.unitY, 1.57079);

export function planarLegs(table: LegTable, options: PlanarLegOptions): MechanismDescription {
  const { frictionCoefficient = 0.9, bodyContacts = true } = options;
  const links: Record<string, Link> = { torso: torsoLink(bodyContacts) };
  const joints: Record<string, LinkJoint> = {
    base: { kind: "planarAxis", parent: "world", child: "torso", axis: vector.unitY },
  };
  const rest: Record<string, readonly number[]> = {};
  for (const suffix of table.legs) {
    const color = suffix === "" ? colors.orange : colors.teal;
    // two legs move in one plane, and are drawn side by side
    const aside = table.legs.length === 1 ? 0 : suffix === "" ? -sideways : sideways;
    links[`thigh${suffix}`] = limbLink("thigh", `thigh${suffix}`, color, aside, bodyContacts);
    links[`leg${suffix}`] = limbLink("leg", `leg${suffix}`, color, aside, false);
    links[`foot${suffix}`] = footLink(table, suffix, aside);
    const hinge = (part: "thigh" | "leg" | "foot", parent: string, drop: number): void => {
      joints[`${part}${suffix}`] = {
        kind: "revolute",
        parent,
        child: `${part}${suffix}`,
        position: [0, 0, -drop],
        axis: vector.unitY,
        damping: options.damping ?? table.damping,
        ...limited(options, ranges[part]),
        ...drive(options),
      };
      rest[`${part}${suffix}`] = [table.rest[part]];
    };
    hinge("thigh", "torso", 0.2);
    hinge("leg", `thigh${suffix}`, 0.45);
    hinge("foot", `leg${suffix}`, 0.5);
  }
  const robot: Robot = { links, joints };
  return {
    ...header(table.name, options),
    ...assemble(robot, { ...options, frictionCoefficient }),
    states: {
      // it lands tilted, and falls over
      raised: standingState(robot, "base", { ...rest, base: [0, 0, 0.2] }, 0.3),
      rest: standingState(robot, "base", rest),
    },
  };
}

function torsoLink(bodyContacts: boolean): Link {
  const { mass, inertia, length, radius } = figures.torso;
  const ends = [-1, 1].map((side) => ({
    name: side > 0 ? "torso.top" : "torso.bottom",
    point: [0, 0, (side * length) / 2] as const,
    radius,
  }));
  const shapes = [{ kind: "capsule", radius, length, color: colors.blue }] as const;
  return { mass, inertia, shapes, spots: bodyContacts ? ends : [] };
}

/** A limb along −z from its hinge; it may touch the floor with its lower end. */
function limbLink(part: "thigh" | "leg", name: string, color: string, aside: number, contact: boolean): Link {
  const { mass, inertia, length, radius } = figures[part];
  const center = [0, 0, -length / 2] as const;
  return {
    mass,
    center,
    inertia,
    shapes: [{ kind: "capsule", radius, length, position: [0, aside, -length / 2], color }],
    spots: contact ? [{ name, point: [0, 0, -length], radius }] : [],
  };
}

function footLink({ foot: { center, length } }: LegTable, suffix: string, aside: number): Link {
  const { mass, inertia, radius } = figures.foot;
  const spot = (end: string, along: number) => ({
    name: `foot${suffix}.${end}`,
    point: [center + along, 0, 0] as const,
    radius,
  });
  return {
    mass,
    center: [center, 0, 0],
    inertia,
    inertiaFrame: lying,
    shapes: [{ kind: "capsule", radius, length, position: [center, aside, 0], orientation: lying, color: colors.dark }],
    spots: [spot("heel", -length / 2), spot("toe", length / 2)],
  };
}
