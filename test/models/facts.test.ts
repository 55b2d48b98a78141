/** A physical fact about each model, at 100 Hz and at 20 Hz. */
import { describe, expect, test } from "vitest";
import { checkState, jointCoordinates, models, servoTargets, type Vector3 } from "../../src/index.ts";
import { quaternion, vector } from "../../src/math/index.ts";
import { constraintError } from "../physics/measures.ts";
import { bodyOf, largestMove, type ModelRun, runModel } from "./runs.ts";

const timesteps = [0.01, 0.05];
/** What a settled contact or servo may still move by: metres, or entries of a quaternion. */
const still = 1e-6;

function each(name: string, check: (timestep: number) => void): void {
  test(name, () => {
    for (const timestep of timesteps) check(timestep);
  });
}

/** Largest and smallest total energy after the first step. */
function energyBand(description: Parameters<typeof runModel>[0], state: string) {
  let [low, high, swing] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  const run = runModel(description, {
    seconds: 5,
    state,
    visit: (z, _step, _result, simulation) => {
      const { total, kinetic } = simulation.energy(z);
      low = Math.min(low, total);
      high = Math.max(high, total);
      swing = Math.max(swing, kinetic);
    },
  });
  return { run, band: (high - low) / swing, low, high };
}

describe("chains and rails", () => {
  each("a pendulum and a chain of five keep their energy", (timestep) => {
    // second order: the band falls with h²
    const single = energyBand(
      withState(models.pendulum({ timestep }), { hinge: { position: [Math.PI / 2] } }),
      "given",
    );
    expect(single.band).toBeLessThan(15 * timestep ** 2);
    const chain = energyBand(withState(models.nPendulum({ timestep }), { hinge1: { position: [0.5] } }), "given");
    expect(chain.band).toBeLessThan(100 * timestep ** 2);
  });

  each("a pole falls from a hundredth of a radian, and the cart's and pole's momentum stays zero", (timestep) => {
    const start = { hinge: { position: [Math.PI + 0.01] } };
    let lowest = Number.POSITIVE_INFINITY;
    runModel(withState(models.cartpole({ timestep }), start), {
      seconds: 5,
      state: "given",
      visit: (z, _step, _result, simulation) => {
        lowest = Math.min(lowest, z[13 + 2]);
        expect(Math.abs(simulation.momentum(z).linear[0])).toBeLessThan(1e-9);
      },
    });
    expect(lowest).toBeLessThan(-0.49);
  });

  each("a weight hangs at m g/k, and swings to twice that from above", (timestep) => {
    const description = models.slider({ timestep, mass: 2, stiffness: 80 });
    const { start, final } = runModel(description, { seconds: 5 });
    expect(start[2]).toBeCloseTo((-2 * 9.81) / 80, 12);
    expect(largestMove(start, final)).toBeLessThan(1e-9);
    let lowest = 0;
    runModel(description, {
      seconds: 5,
      state: "lifted",
      visit: (z) => {
        lowest = Math.min(lowest, z[2]);
      },
    });
    expect(lowest / (2 * start[2])).toBeCloseTo(1, 1);
  });

  each("a rope stays in one piece and gains no energy", (timestep) => {
    // at 20 Hz and 1e-4 it whips until links are too fast for the step, in one run of four that begin 1e-8 apart
    const damping = timestep > 0.02 ? 3e-3 : 1e-4;
    const { run, high } = energyBand(models.rope({ timestep, load: 0.1, damping }), "swung");
    expect(constraintError(run.simulation.mechanism, run.final)).toBeLessThan(1e-8);
    const first = run.simulation.energy(run.start).total;
    // of 0.12 J swung; it whips, and what the integrator oscillates by falls with h²
    expect(high - first).toBeLessThan(20 * timestep ** 2);
    expect(vector.norm(bodyOf(run, run.final, "link10").position)).toBeLessThan(1);
  });

  each("a four-bar linkage stays closed and keeps its energy", (timestep) => {
    const { run, band } = energyBand(models.fourBar({ timestep }), "swung");
    expect(constraintError(run.simulation.mechanism, run.final)).toBeLessThan(1e-8);
    expect(band).toBeLessThan(20 * timestep ** 2);
  });

  each("a delta robot's platform stays level, and comes to rest below", (timestep) => {
    const description = models.delta({ timestep, damping: 0.3 });
    const run = runModel(description, { seconds: 10, state: "raised" });
    const platform = bodyOf(run, run.final, "platform");
    expect(constraintError(run.simulation.mechanism, run.final)).toBeLessThan(1e-8);
    expect(vector.norm(quaternion.toRotationVector(platform.orientation))).toBeLessThan(1e-7);
    const rest = runModel(description, { seconds: 5 });
    expect(largestMove(rest.start, rest.final)).toBeLessThan(still);
    expect(platform.position[2]).toBeCloseTo(bodyOf(rest, rest.final, "platform").position[2], 3);
  });
});

describe("single bodies", () => {
  each("a dropped block and a tilted planar one come to rest on a face", (timestep) => {
    const block = runModel(models.block({ timestep }), { seconds: 5, state: "raised" });
    expect(block.final[2]).toBeCloseTo(0.25, 6);
    const planar = runModel(models.planarBlock({ timestep }), { seconds: 5, state: "raised" });
    expect(planar.final[2]).toBeCloseTo(0.25, 6);
    expect(planar.final[1]).toBe(0);
  });

  each("a thrown ball rolls at 5/7 of its speed in the end", (timestep) => {
    const run = runModel(models.sphere({ timestep }), { seconds: 5, state: "thrown" });
    const { velocity, spin } = bodyOf(run, run.final, "sphere");
    // friction takes the first steps at their end points: an error of first order in h
    expect(Math.abs(velocity[0] - 10 / 7)).toBeLessThan(0.5 * timestep);
    expect(vector.norm(spin) * 0.5).toBeCloseTo(velocity[0], 6);
  });

  each("a wing nut turns over and keeps its angular momentum", (timestep) => {
    let least = 1;
    let before: Vector3 | undefined;
    runModel(models.dzhanibekov({ timestep }), {
      seconds: 20,
      state: "spinning",
      visit: (z, _step, _result, simulation) => {
        const { angular } = simulation.momentum(z);
        before ??= angular;
        expect(vector.norm(vector.sub(angular, before))).toBeLessThan(1e-10);
        least = Math.min(least, quaternion.rotate([z[3], z[4], z[5], z[6]], vector.unitX)[0]);
      },
    });
    expect(least).toBeLessThan(-0.9);
  });

  test("a tippe top turns over when it is spun", () => {
    let least = 1;
    const description = models.tippeTop({ timestep: 0.01 });
    runModel(description, {
      seconds: 12,
      state: "spinning",
      visit: (z) => {
        least = Math.min(least, quaternion.rotate([z[3], z[4], z[5], z[6]], vector.unitZ)[2]);
      },
    });
    expect(least).toBeLessThan(-0.9);
  });

  each("a quadrotor hovers on a quarter of its weight each, and lands without", (timestep) => {
    const description = models.skydioX2({ timestep });
    const weight = description.bodies.x2.mass * 9.81;
    expect(weight / 4).toBeCloseTo(3.2495625, 6);
    const input = new Float64Array(4).fill(weight / 4);
    const high = runModel(models.skydioX2({ timestep, floor: false }), { seconds: 5, state: "hover", input });
    expect(largestMove(high.start, high.final)).toBeLessThan(1e-9);
    // contacts with the floor 0.3 m below still push by κ over their distance
    const hover = runModel(description, { seconds: 5, state: "hover", input });
    expect(largestMove(hover.start, hover.final)).toBeLessThan(1e-5);
    const landed = runModel(description, { seconds: 5, state: "hover" });
    const rest = runModel(description, { seconds: 1 });
    expect(landed.final[2]).toBeCloseTo(rest.final[2], 6);
  });
});

describe("robots", () => {
  /** A run from rest in which servos hold the pose. */
  const held = (description: Parameters<typeof runModel>[0], seconds = 5): ModelRun =>
    runModel(description, { seconds, input: servoTargets(description) });

  each("a snake lies still, an ant stands on its limits, a half-cheetah on its springs", (timestep) => {
    for (const description of [
      models.snake({ timestep }),
      models.ant({ timestep }),
      models.halfCheetah({ timestep }),
    ]) {
      const { start, final } = runModel(description, { seconds: 5 });
      expect([description.name, largestMove(start, final) < still]).toEqual([description.name, true]);
    }
  });

  each("Raibert's hopper sinks on its leg's limit, and a servo holds it up", (timestep) => {
    const limp = runModel(models.raibertHopper({ timestep, actuated: false }), { seconds: 5 });
    expect(limp.final[2]).toBeCloseTo(0.2, 6);
    const run = held(models.raibertHopper({ timestep, servo: { stiffness: 5000, damping: 100 } }));
    expect(run.final[2]).toBeCloseTo(0.55 - (4.18 * 9.81) / 5000, 4);
  });

  each("hopper and walker stand on servos, and the walker falls without", (timestep) => {
    const servo = { stiffness: 1000, damping: 100 };
    for (const make of [models.hopper, models.walker]) {
      const { start, final } = held(make({ timestep, servo }));
      expect(Math.abs(final[2] - start[2])).toBeLessThan(0.02);
    }
    const fallen = runModel(models.walker({ timestep }), { seconds: 5 });
    expect(fallen.final[2]).toBeLessThan(0.5);
  });

  each("A1, Atlas and humanoid fall without motors and lie on the floor", (timestep) => {
    const a1 = runModel(models.a1({ timestep }), { seconds: 3 });
    expect(bodyOf(a1, a1.final, "trunk").position[2]).toBeLessThan(0.2);
    expect(bodyOf(a1, a1.final, "trunk").position[2]).toBeGreaterThan(0.05);
    const atlas = runModel(models.atlas({ timestep, spring: 1, damper: 25 }), { seconds: 3 });
    expect(bodyOf(atlas, atlas.final, "utorso").position[2]).toBeLessThan(0.8);
    const humanoid = runModel(models.humanoid({ timestep }), { seconds: 3 });
    expect(bodyOf(humanoid, humanoid.final, "torso").position[2]).toBeLessThan(0.8);
    for (const run of [a1, atlas, humanoid]) expect(run.smallest).toBeGreaterThan(0);
  });

  each("Panda holds its pose on its published servos, xArm 6 on stiff ones, and the box stays", (timestep) => {
    const panda = models.panda({ timestep, servo: "published" });
    const arm = held(panda);
    const { mechanism } = arm.simulation;
    const [before, after] = [arm.start, arm.final].map((z) => jointCoordinates(mechanism, z));
    before.forEach((angle, i) => {
      expect(Math.abs(after[i] - angle), mechanism.coordinateNames[i]).toBeLessThan(0.02);
    });
    // the gear: both fingers as one
    expect(after[7]).toBeCloseTo(after[8], 9);

    const xarm = held(models.xarm6WithBox({ timestep, servo: { stiffness: 2000, damping: 100 } }));
    const angles = jointCoordinates(xarm.simulation.mechanism, xarm.final);
    const rest = jointCoordinates(xarm.simulation.mechanism, xarm.start);
    for (let i = 0; i < 6; i++) expect(Math.abs(angles[i] - rest[i])).toBeLessThan(0.03);
    const box = 13 * 6;
    expect(largestMove(xarm.start.subarray(box), xarm.final.subarray(box))).toBeLessThan(still);
  });
});

function withState(
  description: Parameters<typeof runModel>[0],
  given: NonNullable<Parameters<typeof runModel>[0]["states"]>[string],
): Parameters<typeof runModel>[0] {
  return { ...description, states: { ...description.states, given } };
}

test("all named states of all models are valid", () => {
  for (const make of Object.values(models)) {
    const description = make({ timestep: 0.01 });
    for (const state of Object.keys(description.states ?? {})) {
      const { simulation, start } = runModel(description, { seconds: 0, state });
      expect(checkState(simulation, start)).toEqual([]);
    }
  }
});
