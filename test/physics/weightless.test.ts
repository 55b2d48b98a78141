/** Without gravity, what is pressed on a stop by a motor or a spring is solved in a few iterations, as it is with gravity. */
import { describe, expect, it } from "vitest";
import {
  box,
  compile,
  frictionContact,
  type MechanismDescription,
  maximalState,
  prismatic,
  revolute,
  Simulation,
} from "../../src/index.ts";

const body = box({ size: [0.3, 0.2, 0.4], mass: 1 });
const steps = 200;
/** With gravity these take 3 to 5; before the forces had a say in the units, 90 to 770. */
const fewIterations = 8;

const scenes: Record<string, Pick<MechanismDescription, "joints" | "contacts">> = {
  "a motor on a hinge's limit": {
    joints: { joint: revolute({ parent: "world", child: "body", limits: [null, 0.2], actuated: true }) },
  },
  "a spring on a hinge's limit": {
    joints: {
      joint: revolute({ parent: "world", child: "body", limits: [null, 0.2], stiffness: 20, rest: 1, actuated: true }),
    },
  },
  "a motor on a plane": {
    joints: { joint: prismatic({ parent: "world", child: "body", axis: [0, 0, -1], actuated: true }) },
    contacts: [
      frictionContact({
        body: "body",
        point: [0, 0, -0.2],
        frictionCoefficient: 0.5,
        halfSpace: { normal: [0, 0, 1], offset: -0.4 },
      }),
    ],
  },
};

describe("without gravity", () => {
  for (const [name, scene] of Object.entries(scenes)) {
    for (const push of [0.1, 10]) {
      it(`${name} presses with ${push} and rests`, () => {
        const mechanism = compile({ timestep: 0.005, gravity: [0, 0, 0], bodies: { body }, ...scene });
        const simulation = new Simulation(mechanism);
        const run = simulation.rollout(maximalState(mechanism), { steps, inputs: [push] });
        expect(run.solved).toBe(true);
        const late = run.reports.slice(steps / 2);
        expect(late.filter(({ substeps }) => substeps > 1)).toEqual([]);
        expect(Math.max(...late.map(({ iterations }) => iterations))).toBeLessThanOrEqual(fewIterations);
        // it stands at the stop and not beyond: 0.2 rad, or 0.2 m
        const [end] = run.coordinates("joint")[steps];
        if (push === 10) expect(Math.abs(end - 0.2)).toBeLessThan(1e-6);
        expect(end).toBeLessThanOrEqual(0.2 + 1e-12);
      });
    }
  }
});
