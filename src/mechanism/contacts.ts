/**
 * Contacts, one constructor per model: a sphere (a point when its radius is 0) fixed to a body against a half-space.
 *   frictionContact  the exact friction cone
 *   linearContact    the four-sided pyramid inside it
 *   impactContact    no friction
 */
import type { ContactDescription, HalfSpace, Vector3 } from "./description.ts";

export interface ImpactOptions {
  readonly name?: string;
  readonly body: string;
  /** Centre of the contact sphere in the body's frame. */
  readonly point: Vector3;
  /** Default 0, a point. */
  readonly radius?: number;
  /** Coefficient of restitution, 0 to 1. Default none: an impact is inelastic at the contact. */
  readonly restitution?: number;
  /** Default the floor, z ≥ 0. */
  readonly halfSpace?: HalfSpace;
}

export interface FrictionOptions extends ImpactOptions {
  readonly frictionCoefficient: number;
}

export interface TurningFrictionOptions extends FrictionOptions {
  /** Torque about the normal that friction resists, per normal force, m. Default 0. */
  readonly torsionalFriction?: number;
  /** Torque across the normal that resists rolling, per normal force, m. Default 0. */
  readonly rollingFriction?: number;
}

export function frictionContact(options: TurningFrictionOptions): ContactDescription {
  return { model: "cone", ...options };
}

export function linearContact(options: FrictionOptions): ContactDescription {
  return { model: "linear", ...options };
}

export function impactContact(options: ImpactOptions): ContactDescription {
  return { model: "impact", ...options };
}

/** {p : normal·p ≥ offset}, fixed to a body or (the default) to the world. */
export function halfSpace(options: {
  readonly normal: Vector3;
  readonly offset?: number;
  readonly body?: string;
}): HalfSpace {
  return { ...options, offset: options.offset ?? 0 };
}
