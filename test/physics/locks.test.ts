/** Three hinges in a row and their lock, where the middle one is at 90° and the angles of the other two jump by half a turn. */
import { describe, expect, it } from "vitest";
import {
  checkGradients,
  checkState,
  compile,
  customBody,
  type JointDescription,
  maximalState,
  minimalState,
  Random,
  revolute,
  Simulation,
  serial,
  type Vector3,
} from "../../src/index.ts";
import { run } from "./measures.ts";

const inertia: Vector3 = [0.02, 0.03, 0.025];
const body = customBody({ mass: 1, inertia });
const ends = { parentAnchor: [0, 0, -0.1], childAnchor: [0, 0, 0.1] } as const;
const axes = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
] as const;

/** Three hinges on the world; with a second link the tree solver has them. */
function hinges(forces: Partial<JointDescription>, timestep: number, gravity: Vector3, isTree: boolean): Simulation {
  const mechanism = compile({
    timestep,
    gravity,
    bodies: isTree ? { body, link: body } : { body },
    joints: {
      hinges: serial({ ...ends, ...forces, parent: "world", child: "body", axes }),
      ...(isTree && { elbow: revolute({ ...ends, parent: "body", child: "link", axis: [1, 0, 0] }) }),
    },
  });
  return new Simulation(mechanism);
}

const features: Readonly<Record<string, Partial<JointDescription>>> = {
  armature: { armature: 0.01 },
  motors: { actuated: true },
  "motors with rotors": { actuated: true, armature: 0.01 },
  "effort limits": { actuated: true, effortLimit: 0.5 },
  friction: { friction: 0.02 },
  springs: { stiffness: 0.1 },
  servos: { servo: { stiffness: 0.5, damping: 0.05 } },
  "servos with effort limits": { servo: { stiffness: 5, damping: 0.2 }, effortLimit: 0.5 },
  dampers: { damping: 0.005 },
};

describe("three hinges in a row", () => {
  it.each(Object.keys(features))("swing through their lock with %s", (name) => {
    for (const isTree of [false, true]) {
      for (let seed = 1; seed <= 6; seed++) {
        const random = new Random(seed);
        const simulation = hinges(features[name], 0.01, [0, 0, seed % 2 === 0 ? -9.81 : 0], isTree);
        const { mechanism } = simulation;
        // straight through, or past
        const beside = seed <= 3 ? 0 : 2;
        const start = maximalState(mechanism, {
          hinges: {
            position: [random.uniform(-1, 1), 1.3, random.uniform(-1, 1)],
            velocity: [random.uniform(-beside, beside), random.uniform(1, 4), random.uniform(-beside, beside)],
          },
        });
        const input = new Float64Array(simulation.inputSize).map(() => random.uniform(-0.3, 0.3));
        run(simulation, start, 60, undefined, () => input);
      }
    }
  });

  it("keep the energy of body and rotors through it, to second order in h", () => {
    const errors = [0.01, 0.005].map((timestep) => {
      const simulation = hinges({ armature: 0.01 }, timestep, [0, 0, 0], false);
      const { mechanism } = simulation;
      const start = maximalState(mechanism, { hinges: { position: [0.4, 1.2, -0.3], velocity: [0, 2, 0] } });
      const first = simulation.energy(start).total;
      let [worst, crossings, before] = [0, 0, 0.4];
      run(simulation, start, 3 / timestep, (state) => {
        const [angle] = minimalState(mechanism, state);
        const hasJumped = Math.abs(Math.sin((angle - before) / 2)) > 0.5;
        before = angle;
        // the rates of angles that have just jumped are not those of hinges
        if (hasJumped) crossings++;
        else worst = Math.max(worst, Math.abs(simulation.energy(state).total / first - 1));
      });
      expect(crossings).toBeGreaterThan(1);
      return worst;
    });
    expect(errors[0]).toBeLessThan(0.01);
    expect(errors[1]).toBeLessThan(0.4 * errors[0]);
  });

  it("have exact gradients beside their lock and across it", () => {
    const simulation = hinges({ actuated: true, armature: 0.01, stiffness: 1, rest: 0.2 }, 0.02, [0, 0, -9.81], true);
    const input = Float64Array.of(0.1, -0.2, 0.3);
    for (const [middle, rate] of [
      [1.54, 0.3],
      [1.55, 1.5],
    ]) {
      const hinged = { position: [0.3, middle, -0.4], velocity: [0.2, rate, -0.3] };
      const start = maximalState(simulation.mechanism, { hinges: hinged, elbow: { position: [0.4] } });
      for (const coordinates of ["maximal", "minimal"] as const) {
        const { worst, entry } = checkGradients(simulation, start, input, { kappa: 1e-4, coordinates });
        expect(worst, `${middle}, ${coordinates}: ${entry}`).toBeLessThan(1e-6);
      }
    }
  });

  it("with limits on their angles end there, and the step names them", () => {
    const limits = [
      [-0.6, 0.6],
      [-3, 3],
      [-0.6, 0.6],
    ] as const;
    for (const isTree of [false, true]) {
      const simulation = hinges({ limits }, 0.01, [0, 0, 0], isTree);
      const start = maximalState(simulation.mechanism, { hinges: { position: [0.1, 1.4, 0.2], velocity: [0, 4, 0] } });
      const { reports } = simulation.rollout(start, { steps: 100 });
      const last = reports[reports.length - 1];
      expect(last).toMatchObject({ status: "singular", lockedJoint: "hinges" });
      expect(reports[0].lockedJoint).toBeUndefined();
    }
  });

  it("do not start on the very lock, unless nothing acts on them", () => {
    for (const [forces, codes] of [
      [{ armature: 0.01 }, ["at-lock"]],
      [{}, []],
    ] as const) {
      const simulation = hinges(forces, 0.01, [0, 0, -9.81], true);
      const start = maximalState(simulation.mechanism, { hinges: { position: [0.1, Math.PI / 2, 0.2] } });
      const faults = checkState(simulation, start);
      expect(faults.map(({ code }) => code)).toEqual(codes);
      if (faults.length > 0)
        expect(() => simulation.rollout(start, { steps: 1 })).toThrow(/hinges.*start 1e-3 rad beside/);
      else expect(simulation.rollout(start, { steps: 50 }).solved).toBe(true);
    }
  });
});
