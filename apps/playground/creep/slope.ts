/**
 * A block of 1 kg at rest on a slope that its friction can hold. The floor is level and gravity leans, so that both engines see the
 * same numbers: x points down the slope, z away from it.
 */
import { box, boxCorners, floating, frictionContact, type MechanismDescription } from "dojo-sim";
import type { CreepSettings } from "./settings.ts";

export const gravity = 9.81;
export const mass = 1;
export const size: readonly [number, number, number] = [0.4, 0.4, 0.2];
const bodyName = "block";
export const corners = 4;

export function slopeDescription({ angle, friction, timestep }: CreepSettings): MechanismDescription {
  const theta = (angle * Math.PI) / 180;
  const body = box({ size, mass });
  return {
    name: "slope",
    timestep,
    gravity: [gravity * Math.sin(theta), 0, -gravity * Math.cos(theta)],
    bodies: { [bodyName]: body },
    joints: { base: floating({ parent: "world", child: bodyName }) },
    contacts: boxCorners(body)
      .filter(([, , z]) => z < 0)
      .map((point, i) => frictionContact({ name: `corner${i}`, body: bodyName, point, frictionCoefficient: friction })),
    states: { rest: { base: { position: [0, 0, size[2] / 2, 0, 0, 0] } } },
  };
}
