/** The three robots of [residual_plot]: each is dropped on the floor, and the steps of its fall are solved again and again. */
import { compile, type MechanismDescription, models, Simulation, stateAt } from "dojo-sim";

export interface Robot {
  readonly name: "atlas" | "a1" | "hopper";
  readonly label: string;
  make(): MechanismDescription;
  readonly pose: string;
  /** Coordinate of the base that is the height, and how far it is lifted, m. */
  readonly height: number;
  readonly lift: number;
}

/** Steps of 0.01 s that a fall has. */
export const steps = 150;
/** A contact nearer than this has landed, m. */
const landed = 1e-5;

export const robots: readonly Robot[] = [
  {
    name: "atlas",
    label: "Atlas",
    make: () => models.atlas({ spring: 1, damper: 25, bodyContacts: true }),
    pose: "straight",
    height: 2,
    lift: 0.5,
  },
  { name: "a1", label: "A1", make: () => models.a1({ bodyContacts: true }), pose: "rest", height: 2, lift: 0.3 },
  { name: "hopper", label: "hopper", make: () => models.hopper(), pose: "rest", height: 0, lift: 0.3 },
];

export interface Fall {
  readonly simulation: Simulation;
  /** From the release on, by the engine's own steps. */
  readonly states: readonly Float64Array[];
  /** Iterations of each of these steps. */
  readonly iterations: readonly number[];
  /** The step in which the first contact lands. */
  readonly impact: number;
}

export function fallOf({ make, pose, height, lift }: Robot): Fall {
  const description = make();
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const named = Object.entries(description.states?.[pose] ?? {});
  const joints = Object.fromEntries(named.map(([joint, { position = [] }]) => [joint, { position: [...position] }]));
  joints.base.position[height] += lift;
  const states = [stateAt(simulation, joints)];
  const iterations: number[] = [];
  let impact = -1;
  for (let k = 0; k < steps; k++) {
    const result = simulation.step(states[k]);
    states.push(Float64Array.from(result.next));
    iterations.push(result.iterations);
    if (impact < 0 && simulation.smallestDistance < landed) impact = k;
  }
  return { simulation: new Simulation(mechanism), states, iterations, impact };
}
