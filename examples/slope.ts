/** A block on a slope that its friction can hold: how fast it creeps, how high it floats, and what κ does to both. */
import { box, boxCorners, compile, floating, frictionContact, maximalState, Simulation } from "dojo-sim";

const slope = Math.PI / 18;
const block = box({ size: [0.4, 0.4, 0.2], mass: 1 });
const mechanism = compile({
  timestep: 0.01,
  // the floor is level and gravity leans
  gravity: [9.81 * Math.sin(slope), 0, -9.81 * Math.cos(slope)],
  bodies: { block },
  joints: { base: floating({ parent: "world", child: "block" }) },
  contacts: boxCorners(block)
    .filter(([, , z]) => z < 0)
    .map((point) => frictionContact({ body: "block", point, frictionCoefficient: 1 })),
});

console.log("κ            creep, m/s  expected    hover, m    expected");
for (const kappa of [1e-4, 1e-6, 1e-8]) {
  const { creep, hover, gamma, beta } = rest(new Simulation(mechanism, { kappa, exact: true }));
  // on the central path a contact with impulses γ (normal) and β (friction) floats at κ/γ and slips at κ β / ((c_f γ)² − β²)
  print(kappa.toExponential(), [creep, (kappa * beta) / (gamma ** 2 - beta ** 2), hover, kappa / gamma]);
}
const { creep, hover } = rest(new Simulation(mechanism));
print("default", [creep, undefined, hover, undefined]);

/** Two seconds on the slope; what the first corner does at their end. */
function rest(simulation: Simulation): { creep: number; hover: number; gamma: number; beta: number } {
  const start = maximalState(mechanism, { base: { position: [0, 0, 0.1, 0, 0, 0] } });
  const trajectory = simulation.rollout(start, { steps: 200 });
  const { distance, normal, friction } = trajectory.contact("contact0")[199];
  const creep = trajectory.velocities("block")[200][0];
  return { creep, hover: distance, gamma: normal * 0.01, beta: Math.hypot(...friction) * 0.01 };
}

function print(name: string, numbers: readonly (number | undefined)[]): void {
  console.log(name.padEnd(12), numbers.map((number) => (number?.toExponential(2) ?? "").padEnd(11)).join(" "));
}
