/**
 * What the engine's block does in theory. On the central path at κ a sticking contact with normal impulse γ and friction impulse β
 * slips at
 *   κ β / ((c_f γ)² − β²).
 * With the weight shared by n corners, γ = m g h cosθ / n and β = m g h sinθ / n.
 *
 * A κ that is asked for is met. Left to itself, the engine ends below κ = κ' m (g h)², κ' = 1e-8, so the formula is a bound.
 */
import type { CreepSettings } from "./settings.ts";
import { corners, gravity, mass } from "./slope.ts";

/** κ' of the engine's default, in units of the contact. */
const defaultKappa = 1e-8;

export interface CreepTheory {
  /** m/s; undefined where friction cannot hold the block. */
  readonly creep: number | undefined;
  /** Whether the block may creep less than that. */
  readonly isBound: boolean;
}

/** Whether friction can hold a block: tanθ < c_f. */
export function holds({ angle, friction }: CreepSettings): boolean {
  return Math.tan((angle * Math.PI) / 180) < friction;
}

export function creepTheory(settings: CreepSettings): CreepTheory {
  const { angle, friction, timestep: h, kappa: asked } = settings;
  const isBound = asked === undefined;
  if (!holds(settings)) return { creep: undefined, isBound };
  const kappa = asked ?? defaultKappa * mass * (gravity * h) ** 2;
  const theta = (angle * Math.PI) / 180;
  const share = (mass * gravity * h) / corners;
  const gamma = share * Math.cos(theta);
  const beta = share * Math.sin(theta);
  return { creep: (kappa * beta) / ((friction * gamma) ** 2 - beta ** 2), isBound };
}
