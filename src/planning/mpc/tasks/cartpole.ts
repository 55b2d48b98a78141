/** A cart swings its pole up from hanging, and keeps it there when the pole is knocked. */
import { startState } from "../../../coordinates/index.ts";
import { models } from "../../../models/index.ts";
import { compile, Simulation } from "../../../simulation/index.ts";
import { cos, mul, sub } from "../../../symbolic/index.ts";
import type { PlanningTask } from "../../plan.ts";
import { cost, effort } from "../../terms.ts";
import type { ControlTask } from "../controlTask.ts";
import { alongX } from "../pushes.ts";
import { RailGuide } from "../railGuide.ts";
import { uprightness } from "../readings.ts";

const timestep = 0.01;
const planTimestep = 0.05;
const steps = 25;
const largestForce = 10;
/** Farthest way from the cart to the place that leads it, m. */
const farthest = 2;
const [cart, pole] = [0, 1];

export function cartpoleBalance(): ControlTask {
  const plant = new Simulation(compile(models.cartpole({ timestep })));
  const guide = new RailGuide(cart, farthest);
  return {
    name: "cartpole",
    plant,
    start: startState(plant.mechanism, "rest"),
    seconds: 8,
    every: 5,
    plan: swingUp(guide),
    options: { path: { relativeKappa: 0.1 } },
    push: { body: "pole", at: [3, 4.5, 6], duration: 0.1, direction: alongX, impulse: 0.2 },
    guide,
    isLost: (state) => guide.distance(state) > 50,
    isKept: (state) => uprightness(state, pole) < -0.95 && guide.distance(state) < 1,
  };
}

function swingUp(guide: RailGuide): PlanningTask {
  const mechanism = compile(models.cartpole({ timestep: planTimestep }));
  return {
    name: "cartpole",
    simulation: new Simulation(mechanism),
    start: startState(mechanism, "rest"),
    steps,
    parameters: { target: () => guide.target },
    cost: (q) => {
      // 1 + cos θ = 2 cos²(θ/2): zero where the pole stands, whichever way round it went
      const height = cos(mul(0.5, q.coordinate("hinge.angle")));
      const place = sub(q.coordinate("rail.slide"), q.parameter("target"));
      const rates = [q.rate("hinge.angle"), q.rate("rail.slide")];
      return [
        cost([height, place], [1, 0.1]),
        cost(rates, [0.01, 0.01]),
        effort(q, 1e-3),
        cost([height, place, ...rates], [20, 1, 0.5, 0.5], "final"),
      ];
    },
    inputBounds: { lower: [-largestForce], upper: [largestForce] },
    // hanging at rest is a stationary point: begin with a nudge
    guess: { inputs: Array.from({ length: steps }, (_, k) => [k < steps / 2 ? 2 : -2]) },
  };
}
