/** What models take in common, and what follows from it. */
import type { ContactDescription, JointDescription, MechanismDescription, Servo, Vector3 } from "../mechanism/index.ts";
import type { SelfCollisionOptions } from "./selfCollisions.ts";

export interface ModelOptions {
  /** Seconds. Default 0.01. */
  readonly timestep?: number;
  /** Default [0, 0, -9.81]. */
  readonly gravity?: Vector3;
}

export interface FloorOptions {
  /** Contacts with the floor z ≥ 0. Default true. */
  readonly floor?: boolean;
  readonly frictionCoefficient?: number;
  /** Coefficient of restitution of these contacts, 0 to 1. Default none: nothing bounces. */
  readonly restitution?: number;
}

export interface DriveOptions {
  /** Motors whose inputs are forces and torques. Default true. */
  readonly actuated?: boolean;
  /** Position servos in place of the motors: inputs are then targets (`servoTargets` gives those of the rest state). */
  readonly servo?: Servo;
}

export interface BodyContactOptions {
  /** All of the robot touches the floor, so that it can fall: not only its feet, fingers or tool. Default true. */
  readonly bodyContacts?: boolean;
}

export interface LimitOptions {
  /** Hard limits of the joints. Default true. */
  readonly jointLimits?: boolean;
}

export interface EffortOptions {
  /** Motors and servos give no more than the robot's can. Default false. */
  readonly effortLimits?: boolean;
}

/** What every model of legs and arms takes. */
export interface LimbOptions extends ModelOptions, FloorOptions, BodyContactOptions, DriveOptions, LimitOptions {}

/** What the models of whole robots take. */
export interface RobotOptions extends LimbOptions, SelfCollisionOptions, EffortOptions {}

/** What makes the contacts of a model bounce, if it is asked for. */
export function bouncing({ restitution }: Pick<FloorOptions, "restitution">): Pick<ContactDescription, "restitution"> {
  return restitution === undefined ? {} : { restitution };
}

/** Fields of a description that every model fills alike. */
export function header(
  name: string,
  options: ModelOptions,
): Pick<MechanismDescription, "name" | "timestep" | "gravity"> {
  const { timestep = 0.01, gravity = [0, 0, -9.81] } = options;
  return { name, timestep, gravity };
}

/** A motor or a servo on every free axis of a joint, as the options ask. */
export function drive(
  options: DriveOptions & EffortOptions,
  effort?: JointDescription["effortLimit"],
): Pick<JointDescription, "actuated" | "servo" | "effortLimit"> {
  const { actuated = true, servo, effortLimits = false } = options;
  const limit = effortLimits && effort !== undefined && { effortLimit: effort };
  if (servo) return { servo, ...limit };
  return actuated ? { actuated: true, ...limit } : {};
}

/** Joint limits, unless they are not wanted. */
export function limited(
  options: LimitOptions,
  limits: NonNullable<JointDescription["limits"]>,
): Pick<JointDescription, "limits"> {
  return (options.jointLimits ?? true) ? { limits } : {};
}
