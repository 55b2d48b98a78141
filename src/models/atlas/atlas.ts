/**
 * Atlas v5 of Boston Dynamics, as in the paper: 31 bodies, thirty hinges and a floating base, 403 numbers of state, 36 inputs
 * (thirty motors and the six of the root), four contact spheres under each foot, and twelve on hands, head, knees, shoulders, elbows,
 * back and pelvis.
 */
import { quaternion, vector } from "../../math/index.ts";
import type { MechanismDescription, Quaternion, Vector3 } from "../../mechanism/index.ts";
import { assemble, type ContactSpot, type Link, type LinkJoint, merge, type Robot } from "../builder.ts";
import { drive, header, limited, type RobotOptions } from "../options.ts";
import { standingState } from "../placement.ts";
import { withSelfCollisions } from "../selfCollisions.ts";
import { bodySpots, footRadius, footSpots, type HingeFigures, hinges, links, sensors } from "./figures.ts";
import { restPose } from "./restPose.ts";
import { apart, shapesOf } from "./shapes.ts";

export interface AtlasOptions extends RobotOptions {
  /** Springs of all hinges towards zero, N·m/rad. Default 0; the paper's drop has 1. */
  readonly spring?: number;
  /** Damping of all hinges, N·m·s/rad. Default 0.1, as in the file; the paper's drop has 25. */
  readonly damper?: number;
  /** Inputs for force and torque on the pelvis. Default true when `actuated` is. */
  readonly rootActuated?: boolean;
  /** Cameras, laser scanner and force sensors, 1.07 kg in all, that the short version of the file leaves out. Default false. */
  readonly sensors?: boolean;
}

/** States: `rest` stands balanced with bent knees, `straight` is at zero angles with the feet on the floor, `raised` is 0.4 m above it. */
export function atlas(options: AtlasOptions = {}): MechanismDescription {
  const { actuated = true, rootActuated = actuated, frictionCoefficient = 0.8 } = options;
  const joints: Record<string, LinkJoint> = {
    base: { kind: "floating", parent: "world", child: "pelvis", actuated: rootActuated },
  };
  for (const [name, figures] of Object.entries(hinges)) joints[name] = hinge(figures, options);
  const names = ["pelvis", ...Object.values(hinges).map(({ child }) => child)];
  const robot: Robot = { links: Object.fromEntries(names.map((name) => [name, link(name, options)])), joints };
  const description = {
    ...header("atlas", options),
    ...assemble(robot, { ...options, frictionCoefficient }),
    states: {
      rest: standingState(robot, "base", restPose),
      straight: standingState(robot, "base", {}),
      raised: standingState(robot, "base", restPose, 0.4),
    },
  };
  return withSelfCollisions(description, options, frictionCoefficient, apart);
}

function hinge(figures: HingeFigures, options: AtlasOptions): LinkJoint {
  const { spring = 0, damper = 0.1 } = options;
  const { parent, child, position, turn, axis, range, effort } = figures;
  return {
    kind: "revolute",
    parent,
    child,
    position,
    ...(turn && { orientation: turnAbout(...turn) }),
    axis,
    stiffness: spring,
    damping: damper,
    ...limited(options, range),
    ...drive(options, effort),
  };
}

function turnAbout(axis: "y" | "z", angle: number): Quaternion {
  return quaternion.fromAxisAngle(axis === "y" ? vector.unitY : vector.unitZ, angle);
}

function link(name: string, options: AtlasOptions): Link {
  const bare = links[name];
  const center = bare.center ?? vector.zero;
  const whole = options.sensors ? merge([bare, ...(sensors[name] ?? [])]) : bare;
  return { ...whole, shapes: shapesOf(name), spots: spotsOf(name, center, options) };
}

function spotsOf(name: string, center: Vector3, { bodyContacts = true }: AtlasOptions): ContactSpot[] {
  const spots = (points: readonly Vector3[], radius: number): ContactSpot[] =>
    points.map((point, i) => {
      return { name: points.length > 1 ? `${name}${i + 1}` : name, point: vector.add(center, point), radius };
    });
  if (name.endsWith("_foot")) return spots(footSpots, footRadius);
  const others = bodySpots[name];
  return bodyContacts && others ? spots(others.points, others.radius) : [];
}
