/**
 * Unitree's A1 goes to a place on the floor at a trot, facing it where it is far, and stands there; it is pushed on its way. The plan has
 * the trot as its reference, and steps as it must: nothing holds the feet to it.
 */
import { startState } from "../../../coordinates/index.ts";
import { models } from "../../../models/index.ts";
import { compile, Simulation } from "../../../simulation/index.ts";
import type { ControlTask } from "../controlTask.ts";
import { closeEnough, GaitGuide } from "../gaitGuide.ts";
import { horizontally } from "../pushes.ts";
import { uprightness } from "../readings.ts";
import { a1Plan, conditions, damping, planTimestep, timestep } from "./a1Plan.ts";
import { stands } from "./a1Stand.ts";
import { type LegName, trot, trotAngles } from "./a1Trot.ts";

const trunk = 0;
const home = [1, 0.5] as const;

export function a1Walk(): ControlTask {
  const plant = new Simulation(compile({ ...models.a1({ timestep, damping }), damperCentering: 0 }));
  const { period } = trot;
  const guide = new GaitGuide({ body: trunk, home, period, strides: 2, speed: 0.5, acceleration: 1, turning: 1 });
  return {
    name: "a1-walk",
    plant,
    conditions,
    start: startState(plant.mechanism, "rest"),
    seconds: 6,
    every: 2,
    plan: a1Plan({
      name: "a1-walk",
      // a trunk that lags behind its feet falls over them
      velocityWeight: 10,
      reference: {
        coordinate: (name, k, rest) => coordinateAt(guide, name, k * planTimestep) ?? rest,
        rate: (name, k) => rateAt(guide, name, k * planTimestep),
      },
    }),
    options: { path: { relativeKappa: 0.01 } },
    push: { body: "trunk", at: [1, 2.5], duration: 0.1, direction: horizontally, impulse: 15 },
    guide,
    isLost: (state) => uprightness(state, trunk) < 0.2,
    isKept: (state) => stands(state) && guide.distance(state) < closeEnough,
  };
}

/** The reference of a coordinate, t seconds into the plan; undefined where it is that of the rest pose. */
function coordinateAt(guide: GaitGuide, name: string, t: number): number | undefined {
  if (name === "base.x") return guide.placeAt(t)[0];
  if (name === "base.y") return guide.placeAt(t)[1];
  if (name === "base.rotationZ") return guide.headingAt(t);
  const [, leg, part] = /^(FR|FL|RR|RL)_(hip|thigh|calf)_/.exec(name) ?? [];
  if (!leg || !guide.isWalking) return undefined;
  const heading = guide.headingAt(t);
  const [cos, sin] = [Math.cos(heading), Math.sin(heading)];
  const [vx, vy] = guide.velocity;
  const { turnRate } = guide;
  const motion = { velocity: [cos * vx + sin * vy, cos * vy - sin * vx], turnRate } as const;
  return trotAngles(leg as LegName, guide.phaseAt(t), motion)[part as "hip" | "thigh" | "calf"];
}

/** Rates of the trunk are those of the guide; those of the legs are differences of their angles. */
function rateAt(guide: GaitGuide, name: string, t: number): number {
  if (name === "base.x") return guide.velocity[0];
  if (name === "base.y") return guide.velocity[1];
  if (name === "base.rotationZ") return guide.turnRate;
  const half = planTimestep / 2;
  const [before, after] = [coordinateAt(guide, name, t - half), coordinateAt(guide, name, t + half)];
  return before === undefined || after === undefined ? 0 : (after - before) / planTimestep;
}
