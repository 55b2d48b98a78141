/** A fit says that it has converged only where it has: not where predictions jump, nor where simulations fail. */
import { describe, expect, it } from "vitest";
import { maximalState, minimalState } from "../coordinates/index.ts";
import { box, floating, frictionContact, type MechanismDescription, prismatic, revolute } from "../mechanism/index.ts";
import { compile, Simulation } from "../simulation/index.ts";
import { fitParameters } from "./fit.ts";
import { identify } from "./identify.ts";
import { namedParameters } from "./namedParameters.ts";
import type { Recording } from "./recording.ts";

const interval = 0.01;
const radius = 0.1;
const points = 16;

/** A chassis on two wheels with a ring of contact points each, and a skid behind. */
function rover(damping: number, mass: number): MechanismDescription {
  const sides = { left: 0.2, right: -0.2 };
  const wheel = box({ size: [0.14, 0.04, 0.14], mass: 0.5 });
  const ring = (body: string) =>
    Array.from({ length: points }, (_, k) => {
      const angle = (2 * Math.PI * k) / points;
      const point = [radius * Math.sin(angle), 0, -radius * Math.cos(angle)] as const;
      return frictionContact({ body, point, frictionCoefficient: 0.8 });
    });
  const axle = (child: string, y: number, damping: number) =>
    revolute({ parent: "chassis", child, axis: [0, 1, 0], parentAnchor: [0, y, 0], damping, actuated: true });
  return {
    timestep: interval,
    bodies: { chassis: box({ size: [0.5, 0.3, 0.1], mass }), left: wheel, right: wheel },
    joints: {
      base: floating({ parent: "world", child: "chassis" }),
      leftAxle: axle("left", sides.left, damping),
      rightAxle: axle("right", sides.right, 0.1),
    },
    contacts: [
      ...Object.keys(sides).flatMap(ring),
      frictionContact({ body: "chassis", point: [-0.2, 0, -radius], frictionCoefficient: 0.01 }),
    ],
  };
}

function drive(): Recording {
  const mechanism = compile(rover(0.1, 5));
  const frames = 101;
  const inputs = Array.from({ length: frames }, (_, k) =>
    Float64Array.from([0, 0.5], (phase) => 0.6 * Math.sin(k / 15 + phase)),
  );
  const start = maximalState(mechanism, { base: { position: [0, 0, radius + 1e-4, 0, 0, 0] } });
  const { states, solved } = new Simulation(mechanism).rollout(start, { steps: frames - 1, inputs });
  expect(solved).toBe(true);
  const rows = states.map((state) => minimalState(mechanism, state));
  const column = (names: readonly string[], rows: readonly Float64Array[]) =>
    Object.fromEntries(names.map((name, i) => [name, Float64Array.from(rows, (row) => row[i])]));
  return {
    name: "drive",
    frames,
    interval,
    poses: {},
    coordinates: column(mechanism.coordinateNames, rows),
    inputs: column(mechanism.inputNames, inputs),
    lines: [],
  };
}

describe("wheels with many contact points", () => {
  const name = "joints.leftAxle.damping.0";
  const description = rover(0.2, 6);
  const problem = {
    description,
    set: namedParameters(new Simulation(compile(description)), [name, "bodies.chassis.massAndInertia"]),
    recordings: [drive()],
  };

  it("stall a fit of a whole run, which says so, and gives no interval", async () => {
    const stage = { kind: "fit", name: "whole", sampling: { window: "whole" } } as const;
    const { converged, stages, warnings, parameters } = await identify(problem, [stage]);
    expect(stages[0].residual).toBeGreaterThan(5);
    expect(stages[0].end).toBe("stalled");
    expect(converged).toBe(false);
    expect(warnings.map(({ code }) => code)).toContain("stalled");
    expect(parameters[name].interval).toBeNull();
  });

  it("are warned of where a recording has no inputs, and where iterations are spent", async () => {
    const recordings = problem.recordings.map((recording) => ({ ...recording, inputs: {} }));
    const context = { ...problem, recordings, sampling: { window: 5 }, starts: "fixed" } as const;
    const { end, warnings } = await fitParameters(context, { maxIterations: 1 });
    expect(end).toBe("iterationLimit");
    const codes = warnings.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(["iteration-limit", "unrecorded-inputs"]));
    const whole = await fitParameters({ ...context, recordings: problem.recordings }, { maxIterations: 1 });
    expect(whole.warnings.map(({ code }) => code)).not.toContain("unrecorded-inputs");
  });

  it("are warned of where windows start from noisy frames in contact, and where coordinates are missing", async () => {
    const stage = { kind: "fit", name: "windows", sampling: { window: 5 }, maxIterations: 1 } as const;
    const codes = async (starts: "fixed" | "free", recordings = problem.recordings) => {
      const { warnings } = await identify({ ...problem, recordings }, [{ ...stage, starts }]);
      return warnings.map(({ code }) => code);
    };
    expect(await codes("fixed")).toContain("starts-in-contact");
    expect(await codes("free")).not.toContain("starts-in-contact");
    const recordings = problem.recordings.map((recording) => {
      const { "base.z": _, "base.rotationY": __, ...coordinates } = recording.coordinates;
      return { ...recording, coordinates };
    });
    const { warnings } = await identify({ ...problem, recordings }, [stage]);
    const missing = warnings.find(({ code }) => code === "unrecorded-coordinates");
    expect(missing?.message).toContain("base.z, base.rotationY: not recorded");
    expect(await codes("fixed")).not.toContain("unrecorded-coordinates");
  });

  it("give their damper back from short windows", async () => {
    const { end, parameters } = await fitParameters({ ...problem, sampling: { window: 5 }, starts: "fixed" });
    expect(end).toBe("converged");
    expect(parameters[name].value).toBeCloseTo(0.1, 5);
  });
});

it("a fit of simulations that fail has not converged", async () => {
  // the floor is above the end of the rail, so no step has a solution
  const description: MechanismDescription = {
    timestep: interval,
    bodies: { crate: box({ size: [0.1, 0.1, 0.1], mass: 1 }) },
    joints: {
      rail: prismatic({
        parent: "world",
        child: "crate",
        axis: [0, 0, 1],
        damping: 1,
        limits: [-1, 0.04],
      }),
    },
    contacts: [frictionContact({ body: "crate", point: [0, 0, -0.05], frictionCoefficient: 0.5 })],
  };
  const frames = 12;
  const heights = Float64Array.from({ length: frames }, (_, k) => 0.03 - 0.004 * k);
  const recording = {
    name: "sunk",
    frames,
    interval,
    poses: {},
    coordinates: { "rail.slide": heights },
    inputs: {},
    lines: [],
  };
  const set = namedParameters(new Simulation(compile(description)), ["joints.rail.damping.0"]);
  const { end, warnings } = await fitParameters({ description, set, recordings: [recording], sampling: { window: 3 } });
  expect(warnings.map(({ code }) => code)).toContain("failed-windows");
  expect(end).not.toBe("converged");
});
