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
  sphere,
  stepGradients,
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

/** A ball with restitution that is as far above the floor as it comes in half a step. */
function meeting(
  gravity: number,
  gravityScale: number,
  speed: number,
): { simulation: Simulation; start: Float64Array } {
  const contact = { frictionCoefficient: 0.5, restitution: 0.8 };
  const mechanism = compile({
    ...{ timestep: 0.02, gravity: [0, 0, -gravity], joints: { base: floating({ parent: "world", child: "ball" }) } },
    bodies: { ball: { ...sphere({ radius: 0.1, mass: 1, contact }), gravityScale } },
    shapes: [{ kind: "halfSpace", contact }],
  });
  const start = maximalState(mechanism, {
    base: { position: [0, 0, 0.1 + 0.01 * speed, 0, 0, 0], velocity: [0, 0, -speed, 0, 0, 0] },
  });
  return { simulation: new Simulation(mechanism), start };
}

test("a ball bounces off by the weight that it has: before, one that meets slower than |g| h did not, however light", () => {
  const [own, all] = [meeting(g, 0.1, 0.12), meeting(0.1 * g, 1, 0.12)].map(({ simulation, start }) =>
    simulation.step(start).next.slice(),
  );
  expect(own[9]).toBeGreaterThan(0.08);
  own.forEach((entry, i) => {
    expect(entry).toBeCloseTo(all[i], 9);
  });
  const still = meeting(g, 0, 0.12);
  expect(still.simulation.step(still.start).next[9]).toBeCloseTo(0.8 * 0.12, 6);
});

test("the gradient of a bounce by the share of gravity is that of differences", () => {
  // between 1 and 2 of its own g h it bounces in part
  const { simulation, start } = meeting(g, 0.1, 1.4 * 0.1 * g * 0.02);
  const name = "bodies.ball.gravityScale";
  const { dNext_dParameter } = stepGradients(simulation, start, new Float64Array(0), {
    parameters: [name],
    relativeKappa: 1e-6,
  });
  const at = (share: number): number => {
    simulation.setParameter(name, share);
    return simulation.step(start).next[9];
  };
  const difference = (at(0.1 + 1e-6) - at(0.1 - 1e-6)) / 2e-6;
  expect(Math.abs(difference)).toBeGreaterThan(0.05);
  expect(dNext_dParameter[8]).toBeCloseTo(difference, 4);
});
