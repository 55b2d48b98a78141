/** checkGradients finds right gradients right, whatever the size of what varies. */
import { expect, test } from "vitest";
import { box, checkGradients, compile, maximalState, revolute, Simulation } from "../../src/index.ts";

/** What a column must come down to before no further lengths are tried, `goodEnough`. */
const tolerance = 1e-8;

/** A pendulum of some size with parameters that are next to nothing, or small only because the body is. */
test.each([
  ["a metre", 1, 1],
  ["a centimetre", 1e-2, 1e-3],
  ["a millimetre", 1e-3, 1e-6],
])("by tiny parameters, a pendulum of %s", (_, length, mass) => {
  const mechanism = compile({
    timestep: 0.01,
    bodies: { rod: box({ size: [0.1 * length, 0.2 * length, length], mass }) },
    joints: {
      hinge: revolute({
        parent: "world",
        child: "rod",
        axis: [1, 0, 0],
        childAnchor: [0, 0, length / 2],
        damping: 1e-7 * mass,
        stiffness: 1e-11,
      }),
    },
  });
  const state = maximalState(mechanism, { hinge: { position: [0.3], velocity: [2] } });
  const parameters = ["joints.hinge.damping.0", "joints.hinge.stiffness.0", "bodies.rod.inertia.xx", "bodies.rod.mass"];
  const options = { coordinates: "minimal", parameters } as const;
  const check = checkGradients(new Simulation(mechanism), state, new Float64Array(0), options);
  expect(check.worst, check.format()).toBeLessThan(tolerance);
});
