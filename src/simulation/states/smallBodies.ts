import { vector } from "../../math/index.ts";
import { looseBodies } from "../step/components.ts";
import { type MechanismSubject, mechanismOf } from "./currentMechanism.ts";

export interface SmallBody {
  readonly body: string;
  /** |g| h² over the body's radius of gyration: how far gravity moves it in one step from rest, in its own size. */
  readonly fall: number;
  /** The longest time step for which it is not too small, s. */
  readonly timestep: number;
}

/**
 * From here on steps of bodies that fall on each other are hard: what lands turns by radians within the step. Bodies of all kinds take 10 to 14
 * iterations per step up to it; at ten times as much, 65, and most runs end after two or three steps. It is the same for 1 mm at 10 ms as for
 * 10 cm at 0.1 s.
 */
const mostFall = 0.25;

/** Loose bodies with shapes that touch which are too small for the time step of a simulation, or of a mechanism as compiled, the worst first. */
export function smallBodies(subject: MechanismSubject): SmallBody[] {
  const mechanism = mechanismOf(subject);
  const { bodies, gravity, timestep, touch } = mechanism;
  const fallen = vector.norm(gravity) * timestep ** 2;
  const loose = looseBodies(mechanism);
  const touches = new Set(touch?.shapes.map(({ body }) => body));
  return bodies
    .filter(({ index }) => loose[index] && touches.has(index))
    .map(({ name, gravityScale, gyration }) => {
      const fall = (Math.abs(gravityScale) * fallen) / gyration;
      return { body: name, fall, timestep: timestep * Math.sqrt(mostFall / fall) };
    })
    .filter(({ fall }) => fall > mostFall)
    .sort((a, b) => b.fall - a.fall);
}
