/** Programs are shared by what they are called: the same name means the same instructions, whatever mechanism asked for it first. */
import { expect, test } from "vitest";
import { interpreter } from "../../src/codegen/index.ts";
import {
  box,
  compile,
  floating,
  type MechanismDescription,
  models,
  revolute,
  Simulation,
  scenes,
  startState,
  stepGradients,
} from "../../src/index.ts";
import { forgetPrograms } from "../../src/kernels/memory/sharedPrograms.ts";
import { buildSystem } from "../../src/kernels/system.ts";

const descriptions: Readonly<Record<string, MechanismDescription>> = {
  sphere: models.sphere(),
  block: models.block(),
  pendulum: models.pendulum(),
  fourBar: models.fourBar(),
  hopper: models.hopper(),
  ant: models.ant(),
  a1: models.a1(),
  walker: models.walker(),
  stack: scenes.stack(),
};

test("two simulations of a kind share all of their programs", () => {
  const programs = [0.3, 0.7].map((frictionCoefficient) =>
    buildSystem(compile(models.block({ frictionCoefficient })), interpreter).programs(),
  );
  expect(programs[0].length).toBeGreaterThan(20);
  for (const [i, program] of programs[0].entries()) expect(programs[1][i] === program, program.name).toBe(true);
});

test("programs of vectors, cones and blocks are the same for whoever asks first", () => {
  const known = new Map<string, string>();
  let compared = 0;
  for (const [name, description] of Object.entries(descriptions)) {
    forgetPrograms();
    for (const program of buildSystem(compile(description), interpreter).programs()) {
      if (!/^(vector|cones|orthants|rows|bodies|factorRow|forwardAll|subtract)/.test(program.name)) continue;
      const text = JSON.stringify([program.instructions, program.loop]);
      if (known.has(program.name)) compared++;
      expect(known.get(program.name) ?? text, `${name}: ${program.name}`).toBe(text);
      known.set(program.name, text);
    }
  }
  expect(compared).toBeGreaterThan(50);
});

test("a free body with motors and a robot whose base has the same ones move and answer to inputs as they do alone", () => {
  const [crate, link] = [box({ size: [0.5, 0.4, 0.3], mass: 1.5 }), box({ size: [0.1, 0.1, 0.4], mass: 0.3 })];
  const base = (child: string) => floating({ parent: "world", child, actuated: true });
  const hinge = { axis: [1, 0, 0], parentAnchor: [0, 0, 0.2], childAnchor: [0, 0, -0.2] } as const;
  const free = { bodies: { free: crate }, joints: { free: base("free") } };
  const robot = {
    bodies: { trunk: crate, arm: link },
    joints: { trunk: base("trunk"), hinge: revolute({ parent: "trunk", child: "arm", ...hinge }) },
  };
  const both = { bodies: { ...free.bodies, ...robot.bodies }, joints: { ...free.joints, ...robot.joints } };
  const input = Float64Array.from({ length: 12 }, (_, i) => Math.sin(1 + i));
  const [alone, other, together] = [free, robot, both].map((description, k) => {
    const simulation = new Simulation(compile({ timestep: 0.01, ...description }));
    const u = k === 0 ? input.slice(0, 6) : k === 1 ? input.slice(6) : input;
    const gradients = stepGradients(simulation, startState(simulation.mechanism), u);
    expect(gradients.status).toBe("solved");
    return { next: gradients.next, byInput: gradients.dNext_dInput };
  });
  [...alone.next, ...other.next].forEach((x, i) => {
    expect(together.next[i]).toBeCloseTo(x, 12);
  });
  const size = (matrix: Float64Array): number => Math.hypot(...matrix);
  expect(size(together.byInput)).toBeCloseTo(Math.hypot(size(alone.byInput), size(other.byInput)), 12);
});
