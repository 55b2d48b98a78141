/**
 * Two boxes that stand on the floor and are fixed to each other, by one joint or by several of which all but one are redundant, are one
 * rigid body. That body has no joints and no multipliers, so its gradients are what those of the boxes must be, however stiff the contacts:
 * a comparison that needs no differences, which end at 1e-6 there (at κ = 1e-8 friction changes within 1e-10 m).
 */
import { describe, expect, test } from "vitest";
import {
  type BodyDescription,
  box,
  boxCorners,
  compile,
  customBody,
  fixed,
  floating,
  frictionContact,
  type JointDescription,
  type Mechanism,
  maximalFromMinimal,
  minimalState,
  pullback,
  pushforward,
  Simulation,
  stepGradients,
} from "../../src/index.ts";
import { relativeError } from "./differences.ts";

const size = [0.4, 0.3, 0.2] as const;
/** Between the centres of the boxes. */
const apart = 0.5;
const timestep = 0.02;
const parameters = ["gravity.x", "gravity.y", "gravity.z"];
/** Part of the largest entry. Measured: 2e-7 at most, of what differs between one body and two that turn a little in the step; 3e-3 with ε. */
const tolerance = 1e-6;

function corners(body: string, shift = 0) {
  return boxCorners(box({ size, mass: 1 })).map(([x, y, z]) =>
    frictionContact({ body, point: [x + shift, y, z], frictionCoefficient: 0.5 }),
  );
}

function boxes(masses: readonly [number, number], joints: number): Mechanism {
  const fix = (y: number): JointDescription =>
    fixed({ parent: "a", child: "b", parentAnchor: [apart / 2, y, 0], childAnchor: [-apart / 2, y, 0] });
  return compile({
    timestep,
    bodies: { a: box({ size, mass: masses[0] }), b: box({ size, mass: masses[1] }) },
    joints: {
      base: floating({ parent: "world", child: "a" }),
      ...Object.fromEntries(Array.from({ length: joints }, (_, i) => [`fix${i}`, fix(0.1 * i)])),
    },
    contacts: [...corners("a"), ...corners("b")],
  });
}

/** Its coordinates are those of the first box. */
function rigid([a, b]: readonly [number, number]): Mechanism {
  const mass = a + b;
  const center = (apart * b) / mass;
  const [x, y, z] = size.map((length) => length ** 2 / 12);
  const far = (a * b * apart ** 2) / mass;
  const inertia = [mass * (y + z), mass * (x + z) + far, mass * (x + y) + far];
  const body: BodyDescription = customBody({
    mass,
    inertia: [
      [inertia[0], 0, 0],
      [0, inertia[1], 0],
      [0, 0, inertia[2]],
    ],
  });
  return compile({
    timestep,
    bodies: { both: body },
    joints: { base: floating({ parent: "world", child: "both", childAnchor: [-center, 0, 0] }) },
    contacts: [...corners("both", -center), ...corners("both", apart - center)],
  });
}

describe.each([
  [1, 1],
  [1, 100],
  [100, 1],
] as const)("boxes of %d kg and %d kg that slide", (...masses) => {
  const whole = new Simulation(rigid(masses));
  // let the load settle on the contacts, then stop the rotation: a body that turns and a pair that does differ in second order
  const begin = maximalFromMinimal(whole.mechanism, Float64Array.of(0, 0, 0.1, 0, 0, 0, 0.3, 0.1, 0, 0, 0, 0));
  const x = minimalState(whole.mechanism, whole.rollout(begin, { steps: 10, check: false }).final).fill(0, 9);
  const cotangent = x.map((_, i) => Math.cos(i));

  test.each([
    [1, 1e-6],
    [1, 1e-8],
    [2, 1e-6],
    [2, 1e-8],
  ])("fixed by %d joints, κ = %d: all gradients are those of one rigid body", (joints, kappa) => {
    const [expected, found] = [whole, new Simulation(boxes(masses, joints))].map((simulation) => {
      const state = maximalFromMinimal(simulation.mechanism, x);
      const step = stepGradients(simulation, state, new Float64Array(0), { kappa, coordinates: "minimal", parameters });
      const rollout = simulation.rollout(state, { steps: 1, check: false, gradients: { kappa } });
      const pulled = pullback(rollout, [undefined, cotangent], { coordinates: "minimal", parameters }).minimal();
      const pushed = pushforward(
        rollout,
        { parameters: { "gravity.x": 1, "gravity.z": 0.5 } },
        { coordinates: "minimal" },
      );
      return {
        state: step.dNext_dState,
        gravity: step.dNext_dParameter,
        pulled: Float64Array.from([...pulled.state, ...parameters.map((name) => pulled.parameters[name])]),
        pushed: pushed[1],
      };
    });
    for (const part of ["state", "gravity", "pulled", "pushed"] as const) {
      // gravity moves what sticks by κ's size only: by that it is measured
      const scale = 1 / Math.max(...expected[part].map(Math.abs));
      const [a, b] = [found[part], expected[part]].map((values) => values.map((entry) => scale * entry));
      expect(relativeError(a, b), part).toBeLessThan(tolerance);
    }
  });

  test.each([1, 2])(
    "fixed by %d joints, κ = 1e-8: however a box is moved alone, the next poses fit the joint",
    (joints) => {
      const simulation = new Simulation(boxes(masses, joints));
      const { dNext_dState, rows } = stepGradients(
        simulation,
        maximalFromMinimal(simulation.mechanism, x),
        new Float64Array(0),
        { kappa: 1e-8 },
      );
      // upright and not turning: δx_b = δx_a + δφ_a × (apart, 0, 0) and δφ_b = δφ_a
      for (let column = 0; column < rows; column++) {
        const [a, b] = [0, 12].map((at) => Array.from({ length: 6 }, (_, i) => dNext_dState[(at + i) * rows + column]));
        const turned = [a[0], a[1] + apart * a[5], a[2] - apart * a[4], a[3], a[4], a[5]];
        expect(relativeError(b, turned), `column ${column}`).toBeLessThan(tolerance);
      }
    },
  );
});
