/**
 * κ is a dial for the smoothness of gradients. A block of mass m rests on the floor and is pushed by a force F: up to c_f m g it
 * sticks, beyond it slides. Its speed after a step answers to F by 0 or by h/m; a larger κ rounds the corner between the two.
 */
import { box, boxCorners, compile, floating, frictionContact, maximalState, Simulation, stepGradients } from "dojo-sim";

const block = box({ size: [0.4, 0.4, 0.2], mass: 1 });
const mechanism = compile({
  timestep: 0.05,
  bodies: { block },
  joints: { base: floating({ parent: "world", child: "block", actuated: [true, false, false, false, false, false] }) },
  contacts: boxCorners(block)
    .filter(([, , z]) => z < 0)
    .map((point) => frictionContact({ body: "block", point, frictionCoefficient: 0.5 })),
});
const simulation = new Simulation(mechanism);
const start = maximalState(mechanism, { base: { position: [0, 0, 0.1, 0, 0, 0] } });
const input = new Float64Array(mechanism.inputSize);
/** Row of the block's speed along x in an error state: position 3, attitude 3, velocity 3, angular velocity 3. */
const speedRow = 6;

/** Derivative of the block's speed along x by the force, in units of h/m. */
function answer(force: number, kappa: number): number {
  input[0] = force;
  const { dNext_dInput } = stepGradients(simulation, start, input, { kappa });
  return dNext_dInput[speedRow] / mechanism.timestep;
}

const kappas = [1e-1, 1e-2, 1e-3, 3e-4, 1e-5];
console.log("slip begins at F = 4.905 N");
console.log(
  ["F, N", ...kappas.map((kappa) => `κ = ${kappa.toExponential()}`)].map((name) => name.padStart(10)).join(""),
);
for (const force of [0, 2, 4, 4.8, 5, 6, 8]) {
  const row = kappas.map((kappa) => answer(force, kappa).toFixed(4));
  console.log([force.toFixed(1), ...row].map((entry) => entry.padStart(10)).join(""));
}
