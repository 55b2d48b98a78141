/**
 * What A1's planner believes and wants: twice the plant's time step, the contacts of the feet alone, and a cost of every coordinate and
 * rate from a reference. Without one that is the rest pose.
 */

import { gravityCompensation } from "../../../control/index.ts";
import { minimalState, startState } from "../../../coordinates/index.ts";
import { models } from "../../../models/index.ts";
import type { Quantities } from "../../../quantities/index.ts";
import { compile, Simulation } from "../../../simulation/index.ts";
import { type Scalar, sub } from "../../../symbolic/index.ts";
import type { PlanningTask } from "../../plan.ts";
import { cost, effort } from "../../terms.ts";

export const timestep = 0.01;
export const planTimestep = 0.02;
const steps = 20;
/** Damping of all hinges, in plant, plan and servos: N·m·s/rad. */
export const damping = 0.5;
const largestTorque = 33.5;
export const conditions = `joint dampers of ${damping} N·m·s/rad, torques within ±${largestTorque} N·m`;

const weights = {
  place: 0.2,
  height: 200,
  tilt: 10,
  joint: 1,
  spin: 0.1,
  rate: 0.02,
  torque: 4e-3,
  /** Those of positions again, at the end of the horizon. */
  final: 5,
} as const;

export interface A1PlanOptions {
  readonly name: string;
  /** Weight of the trunk's velocity from its reference. */
  readonly velocityWeight: number;
  /** Coordinates and rates at a knot, given those of the rest pose; whole knots and parts of them. Default: the rest pose. */
  readonly reference?: { readonly coordinate: Reference; readonly rate: Reference };
}

/** What the coordinate with this name is to be at a knot. */
type Reference = (name: string, knot: number, rest: number) => number;

export function a1Plan({ name: task, velocityWeight, reference }: A1PlanOptions): PlanningTask {
  const mechanism = compile({
    ...models.a1({ timestep: planTimestep, damping, bodyContacts: false }),
    damperCentering: 0,
  });
  const simulation = new Simulation(mechanism);
  const start = startState(mechanism, "rest");
  const { coordinateNames: names } = mechanism;
  const rest = minimalState(mechanism, start);
  const holding = gravityCompensation(simulation, start).input;
  const positionWeights = names.map((name) => {
    if (name === "base.x" || name === "base.y") return weights.place;
    if (name === "base.z") return weights.height;
    return name.startsWith("base") ? weights.tilt : weights.joint;
  });
  const rateWeights = names.map((name) => {
    if (name.startsWith("base.rotation")) return weights.spin;
    return name.startsWith("base") ? velocityWeight : weights.rate;
  });
  const errorsOf = (q: Quantities): readonly [Scalar[], Scalar[]] => [
    names.map((name, i) => sub(q.coordinate(name), reference ? q.parameter(name) : rest[i])),
    names.map((name) => (reference ? sub(q.rate(name), q.parameter(`${name} rate`)) : q.rate(name))),
  ];
  return {
    name: task,
    simulation,
    start,
    steps,
    ...(reference && {
      parameters: Object.fromEntries(
        names.flatMap((name, i) => [
          [name, (k: number) => reference.coordinate(name, k, rest[i])],
          [`${name} rate`, (k: number) => reference.rate(name, k, 0)],
        ]),
      ),
    }),
    cost: (q) => {
      const [errors, rates] = errorsOf(q);
      return [
        cost(errors, positionWeights),
        cost(rates, rateWeights),
        effort(q, weights.torque, Array.from(holding)),
        cost(
          errors,
          positionWeights.map((weight) => weights.final * weight),
          "final",
        ),
        cost(rates, rateWeights, "final"),
      ];
    },
    inputBounds: {
      lower: Array(mechanism.inputSize).fill(-largestTorque),
      upper: Array(mechanism.inputSize).fill(largestTorque),
    },
    guess: { inputs: Array.from({ length: steps }, () => holding) },
  };
}
