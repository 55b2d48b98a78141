/** Small trajectories for the tests of replays. */
import {
  box,
  boxCorners,
  compile,
  floating,
  frictionContact,
  maximalState,
  revolute,
  Simulation,
  type Trajectory,
} from "dojo-sim";

export interface Scene {
  readonly simulation: Simulation;
  readonly trajectory: Trajectory;
}

/** A box thrown onto a floor and against a slope. */
export function thrownBox(steps: number, name = "thrownBox"): Scene {
  const crate = box({ size: [0.5, 0.4, 0.3], mass: 1, color: "#e8761a" });
  const slope = { normal: [-Math.SQRT1_2, 0, Math.SQRT1_2], offset: -1.5 } as const;
  const contacts = boxCorners(crate).flatMap((point) => [
    frictionContact({ body: "crate", point, frictionCoefficient: 0.5 }),
    { ...frictionContact({ body: "crate", point, frictionCoefficient: 0.5 }), halfSpace: slope },
  ]);
  const joints = { base: floating({ parent: "world", child: "crate" }) };
  const mechanism = compile({ name, timestep: 0.01, bodies: { crate }, joints, contacts });
  const simulation = new Simulation(mechanism);
  const start = maximalState(mechanism, {
    base: { position: [0, 0, 1, 0, 0.4, 0], velocity: [3, 0, 1, 1, 6, 0.5] },
  });
  return { simulation, trajectory: simulation.rollout(start, { steps }) };
}

/** A pendulum without shapes and without contacts. */
export function barePendulum(steps: number): Scene {
  const rod = {
    mass: 1,
    inertia: [
      [0.1, 0, 0],
      [0, 0.1, 0],
      [0, 0, 0.001],
    ],
  } as const;
  const hinge = revolute({ parent: "world", child: "rod", axis: [1, 0, 0], childAnchor: [0, 0, 0.5] });
  const mechanism = compile({ name: "pendulum", timestep: 0.02, bodies: { rod }, joints: { hinge } });
  const simulation = new Simulation(mechanism);
  const start = maximalState(mechanism, { hinge: { position: [1] } });
  return { simulation, trajectory: simulation.rollout(start, { steps }) };
}
