/** Starts of windows in recordings of joints that turn far: balls, wheels over many turns, angles that were wrapped. */
import { describe, expect, it } from "vitest";
import { maximalState } from "../coordinates/index.ts";
import { box, type MechanismDescription, revolute, spherical } from "../mechanism/index.ts";
import { compile, Simulation } from "../simulation/index.ts";
import { fitParameters } from "./fit.ts";
import { namedParameters } from "./namedParameters.ts";
import { parseRecording } from "./recording.ts";

const interval = 0.01;
const body = box({ size: [0.2, 0.3, 0.1], mass: 1 });
const ball: MechanismDescription = {
  timestep: interval,
  bodies: { body },
  joints: { joint: spherical({ parent: "world", child: "body", childAnchor: [0.05, 0.02, 0.1], damping: 0.02 }) },
};
/** A spring, since windows that start in another turn would see another force. */
const wheel: MechanismDescription = {
  timestep: interval,
  bodies: { body },
  joints: { joint: revolute({ parent: "world", child: "body", axis: [0, 0, 1], stiffness: 1e-3, damping: 0.002 }) },
};
const damping = "joints.joint.damping.0";
const wrap = (angle: number): number => Math.atan2(Math.sin(angle), Math.cos(angle));

function recorded(description: MechanismDescription, velocity: readonly number[], as = (value: number) => value) {
  const mechanism = compile(description);
  const { states, coordinates } = runOf(mechanism, velocity);
  const rows = states.map((_, k) => [k * interval, ...coordinates[k].map(as)].join(","));
  return parseRecording([["time", ...mechanism.coordinateNames].join(","), ...rows].join("\n"), mechanism);
}

function runOf(mechanism: ReturnType<typeof compile>, velocity: readonly number[]) {
  const start = maximalState(mechanism, { joint: { velocity } });
  const run = new Simulation(mechanism).rollout(start, { steps: 80 });
  return { states: run.states, coordinates: run.coordinates("joint").map((values) => Array.from(values)) };
}

async function dampingRatio(description: MechanismDescription, log: ReturnType<typeof recorded>): Promise<number> {
  const set = namedParameters(new Simulation(compile(description)), [damping]);
  const truth = set.parameters[damping].start;
  const wrong = { ...set, parameters: { [damping]: { ...set.parameters[damping], start: 1.5 * truth } } };
  const fit = await fitParameters({ description, set: wrong, recordings: [log], starts: "fixed" });
  return fit.parameters[damping].value / truth;
}

describe("a window that starts from two frames gives the truth back", () => {
  it("of a ball joint, whose rates are no slopes of its rotation vector", async () => {
    expect(await dampingRatio(ball, recorded(ball, [3, -4, 5]))).toBeCloseTo(1, 6);
  });

  it("of a wheel after many turns", async () => {
    const log = recorded(wheel, [40]);
    expect(log.coordinates["joint.angle"][80]).toBeGreaterThan(8 * Math.PI);
    expect(await dampingRatio(wheel, log)).toBeCloseTo(1, 6);
  });

  it("of a wheel whose angle was wrapped to half a turn either way", async () => {
    const log = recorded(wheel, [40], wrap);
    const { coordinates } = runOf(compile(wheel), [40]);
    coordinates.forEach(([angle], k) => {
      expect(log.coordinates["joint.angle"][k]).toBeCloseTo(angle, 9);
    });
    expect(await dampingRatio(wheel, log)).toBeCloseTo(1, 6);
  });
});

it("an angle that jumps between limits is left as it was recorded", () => {
  const limited = compile({
    ...wheel,
    joints: { joint: revolute({ parent: "world", child: "body", axis: [0, 0, 1], limits: [-3, 3] }) },
  });
  const { coordinates } = parseRecording("time,joint.angle\n0,-2\n0.1,2\n0.2,-2\n0.3,1", limited);
  expect(Array.from(coordinates["joint.angle"])).toEqual([-2, 2, -2, 1]);
});
