/** A ball with restitution over a floor. */
import { compile, floating, impactContact, maximalState, Simulation, sphere } from "../../src/index.ts";

export const g = 9.81;
export const radius = 0.1;

export function ball(restitution: number, timestep: number): Simulation {
  return new Simulation(
    compile({
      timestep,
      bodies: { ball: sphere({ radius, mass: 1 }) },
      joints: { base: floating({ parent: "world", child: "ball" }) },
      contacts: [impactContact({ body: "ball", point: [0, 0, 0], radius, restitution })],
    }),
  );
}

/** At rest in `height` above the floor; velocities are means over the step before. */
export function letGo({ mechanism, timestep: h }: Simulation, height: number): Float64Array {
  const state = maximalState(mechanism, { base: { position: [0, 0, radius + height, 0, 0, 0] } });
  state[9] = (g * h) / 2;
  return state;
}
