/** A pendulum let go at 45°: its period, and what the integrator does to its energy in five minutes. */
import { capsule, compile, revolute, Simulation, stateAt } from "dojo-sim";

const pendulum = compile({
  timestep: 0.01,
  bodies: { rod: capsule({ radius: 0.05, length: 1, mass: 1 }) },
  joints: { hinge: revolute({ parent: "world", child: "rod", axis: [1, 0, 0], childAnchor: [0, 0, 0.5] }) },
});
const simulation = new Simulation(pendulum);
// stateAt takes the position and the velocity of one instant; the state itself holds the velocity of half a step before
const start = stateAt(simulation, { hinge: { position: [Math.PI / 4], velocity: [0] } });
const swing = simulation.rollout(start, { steps: 30_000 });

// period: time between the first and the last passage downwards through zero
const angles = swing.coordinates("hinge").map(([angle]) => angle);
const passages: number[] = [];
for (let k = 1; k < angles.length; k++) {
  if (angles[k - 1] > 0 && angles[k] <= 0) {
    passages.push(swing.timestep * (k - angles[k] / (angles[k] - angles[k - 1])));
  }
}
const period = (passages[passages.length - 1] - passages[0]) / (passages.length - 1);
const energies = swing.states.slice(1).map((state) => simulation.energy(state).total);
const { kinetic } = simulation.energy(swing.states[Math.round(period / 4 / swing.timestep)]);
console.log(`period          ${period.toFixed(4)} s`);
console.log(
  `largest angle   ${Math.max(...angles.slice(-200)).toFixed(6)} rad in the last two seconds, ${angles[0].toFixed(6)} at first`,
);
console.log(
  `energy          within ${(Math.max(...energies) - Math.min(...energies)).toExponential(1)} J of ${kinetic.toFixed(2)} J swung`,
);
