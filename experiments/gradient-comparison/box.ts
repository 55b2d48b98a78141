/**
 * The box of [gradient_compare]: 1 kg at rest on a plane, pushed for one step of 0.1 s, up (through lift-off) or along the plane
 * (through slipping). The exact answers:
 *   up     Δ = max(0, f − m g) h²/m        along   Δ = max(0, f − c_f m g) h²/m
 */
export const mass = 1;
export const gravity = 9.81;
export const timestep = 0.1;
export const frictionCoefficient = 0.8;
export const edge = 0.5;

export type Direction = "impact" | "friction";

export function exact(
  direction: Direction,
  force: number,
): { readonly displacement: number; readonly gradient: number } {
  const threshold = direction === "impact" ? mass * gravity : frictionCoefficient * mass * gravity;
  const factor = timestep ** 2 / mass;
  return { displacement: Math.max(0, force - threshold) * factor, gradient: force > threshold ? factor : 0 };
}
