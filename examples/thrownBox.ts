/** A box thrown onto the floor. Says what happened, and draws it: npx tsx examples/thrownBox.ts [figure.svg]. */
import { writeFileSync } from "node:fs";
import { box, boxCorners, compile, floating, frictionContact, maximalState, pullback, Simulation } from "dojo-sim";
import { drawThrow } from "../scripts/drawThrow.ts";

const crate = box({ size: [0.5, 0.4, 0.3], mass: 1 });
const corners = boxCorners(crate);
const contacts = corners.map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.5 }));
const joints = { base: floating({ parent: "world", child: "crate" }) };
const mechanism = compile({ timestep: 0.01, bodies: { crate }, joints, contacts });
const simulation = new Simulation(mechanism);
const start = maximalState(mechanism, { base: { position: [0, 0, 1, 0, 0.4, 0], velocity: [3, 0, 2, 1, 12, 0.5] } });

// how the last x answers to the throw: its gradient, pulled back through every step
const recorded = simulation.rollout(start, { steps: 200, gradients: { kappa: 1e-5 } });
const lastX = Float64Array.from({ length: 13 }, (_, i) => (i === 0 ? 1 : 0));
const friction = "contacts.*.frictionCoefficient";
const gradient = pullback(recorded, (k) => (k === recorded.steps ? lastX : undefined), { parameters: [friction] });

// again without gradients, against the clock
const begin = performance.now();
const flight = simulation.rollout(start, { steps: 200 });
const wall = (performance.now() - begin) / 1000;
const iterations = flight.reports.map((report) => report.iterations);
const retries = flight.reports.reduce((sum, report) => sum + report.retries, 0);
const gaps = mechanism.contacts.flatMap(({ name }) => flight.contact(name).map(({ distance }) => distance));
const restStep = flight.velocities("crate").reduce((last, v, k) => (Math.hypot(...v) > 1e-3 ? k : last), 0) + 1;
const [before, after] = [start, flight.final].map((state) => simulation.energy(state).total.toFixed(2));
console.log(`steps         ${flight.steps} of ${flight.timestep} s, ${flight.solved ? "all" : "NOT all"} solved
iterations    ${(iterations.reduce((a, b) => a + b) / flight.steps).toFixed(1)} a step, at most ${Math.max(...iterations)}; retries: ${retries}
smallest gap  ${Math.min(...gaps).toExponential(1)} m: no corner ever enters the floor
energy        ${before} J before, ${after} J after
at rest       from ${(restStep * flight.timestep).toFixed(2)} s at ${flight.positions("crate")[flight.steps].map((x) => x.toFixed(3))} m
d(last x)     by the velocity ${Array.from(gradient.state.slice(6, 9), (d) => d.toFixed(2))}, by the friction ${gradient.parameters[friction].toFixed(2)}
wall time     ${(1000 * wall).toFixed(0)} ms, compilation left out: ${((flight.steps * flight.timestep) / wall).toFixed(0)} times real time`);
const file = process.argv[2] ?? new URL("thrownBox.svg", import.meta.url);
writeFileSync(file, drawThrow({ simulation, trajectory: flight, body: "crate", corners }));
