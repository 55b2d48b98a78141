/**
 * Raibert's hopper keeps standing on its foot when its body is pushed: it leans, turns and hops. To get somewhere it hops in a rhythm: its
 * height goes up and down as a sine of 0.6 s and 12 cm, which falls faster than bodies do, so that the foot has to leave the floor. The
 * leg shortens in the upper half.
 */
import { startState } from "../../../coordinates/index.ts";
import { models } from "../../../models/index.ts";
import { compile, Simulation } from "../../../simulation/index.ts";
import { sub } from "../../../symbolic/index.ts";
import type { PlanningTask } from "../../plan.ts";
import { withJoint } from "../../tasks/withJoint.ts";
import { cost, effort } from "../../terms.ts";
import type { ControlTask } from "../controlTask.ts";
import { closeEnough, GaitGuide } from "../gaitGuide.ts";
import { horizontally } from "../pushes.ts";
import { heightOf, speedOf, uprightness } from "../readings.ts";

const timestep = 0.01;
const planTimestep = 0.02;
const steps = 25;
const standing = 0.55;
const bodyMass = 4.18;
const gravity = 9.81;
const bounds = { torque: 10, leg: 150 } as const;
const body = 0;
const hop = { period: 0.6, rise: 0.12, tuck: 0.05 } as const;

const description = (h: number) => ({
  ...withJoint(models.raibertHopper({ timestep: h }), "leg", { damping: 0.1 }),
  damperCentering: 0,
});

export function hopperBalance(): ControlTask {
  const plant = new Simulation(compile(description(timestep)));
  const guide = new GaitGuide({ body, period: hop.period, strides: 1, speed: 0.6, acceleration: 1, turning: 0 });
  return {
    name: "hopper",
    plant,
    start: startState(plant.mechanism, "rest"),
    seconds: 2.5,
    every: 2,
    plan: standingPlan(guide),
    options: { path: { relativeKappa: 0.03 } },
    push: { body: "body", at: [0.2], duration: 0.1, direction: horizontally, impulse: 3 },
    guide,
    isLost: (state) => heightOf(state, body) < 0.15,
    isKept: (state) =>
      heightOf(state, body) > 0.45 &&
      uprightness(state, body) > 0.95 &&
      speedOf(state, body) < 0.3 &&
      guide.distance(state) < closeEnough,
  };
}

function standingPlan(guide: GaitGuide): PlanningTask {
  const mechanism = compile(description(planTimestep));
  const holding = [0, 0, 0, -bodyMass * gravity];
  const omega = (2 * Math.PI) / hop.period;
  const wave = (k: number) => {
    if (!guide.isWalking) return { sin: 0, cos: 0 };
    // downwards first: it crouches, then jumps
    const phase = Math.PI + 2 * Math.PI * guide.phaseAt(k * planTimestep);
    return { sin: Math.sin(phase), cos: Math.cos(phase) };
  };
  const turns = ["rotationX", "rotationY", "rotationZ"].map((name) => `base.${name}`);
  const axes = ["x", "y", "z"].map((name) => `base.${name}`);
  return {
    name: "hopper",
    simulation: new Simulation(mechanism),
    start: startState(mechanism, "rest"),
    steps,
    parameters: {
      x: (k) => guide.placeAt(k * planTimestep)[0],
      y: (k) => guide.placeAt(k * planTimestep)[1],
      vx: () => guide.velocity[0],
      vy: () => guide.velocity[1],
      z: (k) => standing + hop.rise * wave(k).sin,
      vz: (k) => hop.rise * omega * wave(k).cos,
      tuck: (k) => hop.tuck * Math.max(0, wave(k).sin),
    },
    cost: (q) => {
      const errors = [
        sub(q.coordinate("base.x"), q.parameter("x")),
        sub(q.coordinate("base.y"), q.parameter("y")),
        sub(q.coordinate("base.z"), q.parameter("z")),
        ...turns.map((name) => q.coordinate(name)),
        sub(q.coordinate("leg.slide"), q.parameter("tuck")),
      ];
      const rates = [
        ...["vx", "vy", "vz"].map((name, i) => sub(q.rate(axes[i]), q.parameter(name))),
        ...[...turns, "leg.slide"].map((name) => q.rate(name)),
      ];
      const errorWeights = [1, 1, 10, 5, 5, 1, 5];
      const rateWeights = [4, 4, 0.5, 0.05, 0.05, 0.05, 0.05];
      return [
        cost(errors, errorWeights),
        cost(rates, rateWeights),
        effort(q, [1e-3, 1e-3, 1e-3, 1e-4], holding),
        cost(
          errors,
          errorWeights.map((weight) => 5 * weight),
          "final",
        ),
        cost(
          rates,
          rateWeights.map((weight) => 5 * weight),
          "final",
        ),
      ];
    },
    inputBounds: {
      lower: [-bounds.torque, -bounds.torque, -bounds.torque, -bounds.leg],
      upper: [bounds.torque, bounds.torque, bounds.torque, bounds.leg],
    },
    guess: { inputs: Array.from({ length: steps }, () => holding) },
  };
}
