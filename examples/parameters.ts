/** Masses, springs, gravity and the time step are numbers of the simulation: they change between steps without a new compilation. */
import { compile, prismatic, Simulation, sphere, stateAt } from "dojo-sim";

const mechanism = compile({
  timestep: 0.01,
  bodies: { weight: sphere({ radius: 0.1, mass: 1 }) },
  joints: { spring: prismatic({ parent: "world", child: "weight", stiffness: 100, damping: 20 }) },
});
const simulation = new Simulation(mechanism);
console.log(
  `${simulation.parameterNames.length} parameters, such as ${simulation.parameterNames.slice(0, 6).join(", ")}`,
);

for (const mass of [1, 4]) {
  simulation.setParameter("bodies.weight.mass", mass);
  console.log(`${mass} kg hang at ${rest().toFixed(5)} m; m g / k is ${((mass * 9.81) / 100).toFixed(5)}`);
}
simulation.setParameters({ "gravity.z": -1.62, "joints.spring.stiffness.0": 50 });
console.log(`on the moon, by half the spring, at ${rest().toFixed(5)} m; m g / k is ${((4 * 1.62) / 50).toFixed(5)}`);

// a state belongs to its time step; changeTimestep carries it over, momentum and all
const state = stateAt(simulation, { spring: { position: [0.1] } });
const before = simulation.momentum(state).linear[2];
const carried = simulation.changeTimestep(state, 0.002);
console.log(`time step ${simulation.timestep} s: momentum ${simulation.momentum(carried).linear[2]}, before ${before}`);

// what would do nothing is refused
try {
  simulation.setParameter("joints.spring.friction.0", 1);
} catch (error) {
  console.log((error as Error).message);
}

/** Where the weight is after ten seconds. */
function rest(): number {
  const start = stateAt(simulation, { spring: { position: [0] } });
  return simulation.rollout(start, { steps: 1000 }).coordinates("spring")[1000][0];
}
