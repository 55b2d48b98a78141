/** A body that feels a share γ of gravity g moves as one that feels all of γ g, rising ones too: steps are divided and watched alike. */
import { describe, expect, test } from "vitest";
import {
  box,
  boxCorners,
  compile,
  floating,
  frictionContact,
  type MechanismDescription,
  maximalState,
  Simulation,
  type SimulationOptions,
  type Trajectory,
} from "../../src/index.ts";

const g = 9.81;
const crate = box({ size: [0.2, 0.3, 0.25], mass: 1.3 });
const base = { base: floating({ parent: "world", child: "crate" }) };

function onCorners(gravity: number, gravityScale: number): MechanismDescription {
  return {
    ...{ timestep: 0.02, gravity: [0, 0, -gravity], bodies: { crate: { ...crate, gravityScale } }, joints: base },
    contacts: boxCorners(crate).map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.5 })),
  };
}

function asShape(gravity: number, gravityScale: number): MechanismDescription {
  const shapes = [{ kind: "box", size: [0.2, 0.3, 0.25], contact: true }] as const;
  return {
    ...{ timestep: 0.02, gravity: [0, 0, -gravity], joints: base },
    bodies: { crate: { ...crate, gravityScale, shapes } },
    shapes: [{ kind: "halfSpace", contact: true }],
  };
}

function thrown(description: MechanismDescription, options: SimulationOptions, steps: number): Trajectory {
  const mechanism = compile(description);
  const position = [0, 0, 0.4, 0.3, 0.2, 0.1];
  const start = maximalState(mechanism, { base: { position, velocity: [0.5, 0.2, -1, 1, 2, 0.5] } });
  return new Simulation(mechanism, options).rollout(start, { steps });
}

const partsOf = ({ reports }: Trajectory): number[] => reports.map(({ substeps }) => substeps);

describe.each([
  ["on corners", onCorners],
  ["as a shape", asShape],
] as const)("a crate %s", (_, description) => {
  test.each([
    [0.2, 10],
    [3, 7],
  ])("lands in the parts that its own weight asks for, at a share of %d", (share, steps) => {
    const options = { errorTolerance: 1e-4 };
    const own = thrown(description(g, share), options, steps);
    const all = thrown(description(share * g, 1), options, steps);
    expect(partsOf(own)).toEqual(partsOf(all));
    expect(Math.max(...partsOf(own))).toBeGreaterThan(3);
    own.final.forEach((entry, i) => {
      expect(entry).toBeCloseTo(all.final[i], 5);
    });
  });

  test("that rises is taken in whole steps", () => {
    const rise = thrown(description(g, -0.5), {}, 30);
    expect(new Set(partsOf(rise))).toEqual(new Set([1]));
    const all = thrown(description(-0.5 * g, 1), {}, 30);
    expect(rise.final[2]).toBeCloseTo(all.final[2], 9);
  });
});
