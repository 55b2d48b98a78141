/** A four-bar linkage: a closed loop. Its state is guessed, projected onto the loop, and swings. */
import { checkState, compile, cylinder, maximalState, projectState, revolute, Simulation } from "dojo-sim";

const axis = [0, 1, 0] as const;
const bar = (length: number) => cylinder({ radius: 0.02, length, mass: length });
const linkage = compile({
  timestep: 0.01,
  bodies: { crank: bar(0.3), coupler: bar(0.8), rocker: bar(0.6) },
  joints: {
    left: revolute({ parent: "world", child: "crank", axis, childAnchor: [0, 0, -0.15] }),
    elbow: revolute({ parent: "crank", child: "coupler", axis, parentAnchor: [0, 0, 0.15], childAnchor: [0, 0, -0.4] }),
    right: revolute({ parent: "world", child: "rocker", axis, parentAnchor: [0.7, 0, 0], childAnchor: [0, 0, -0.3] }),
    // this one closes the loop
    wrist: revolute({ parent: "coupler", child: "rocker", axis, parentAnchor: [0, 0, 0.4], childAnchor: [0, 0, 0.3] }),
  },
});
const simulation = new Simulation(linkage);
const guess = maximalState(linkage, { elbow: { position: [1.2] }, right: { position: [0.3] } });
console.log(
  `guess         ${checkState(simulation, guess).map((fault) => `${fault.path} ${fault.message.split(";")[0]}`)}`,
);
const start = projectState(simulation, guess);
console.log(`projected     ${checkState(simulation, start).length} faults`);

const swing = simulation.rollout(start, { steps: 500 });
const faults = swing.states.flatMap((state) => checkState(simulation, state, { tolerance: 1e-8 }));
const crank = swing.coordinates("left").map(([angle]) => angle);
const [before, after] = [swing.states[1], swing.final].map((state) => simulation.energy(state).total);
console.log(
  `five seconds  ${swing.solved ? "all" : "NOT all"} solved, ${faults.length} states with a joint off by over 1e-8`,
);
console.log(`crank         from ${Math.min(...crank).toFixed(2)} to ${Math.max(...crank).toFixed(2)} rad`);
console.log(`energy        ${before.toFixed(4)} J, then ${after.toFixed(4)} J`);
