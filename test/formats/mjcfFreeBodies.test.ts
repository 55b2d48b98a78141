/** Free joints with springs and motors, and compensated gravity, of MJCF files beside MuJoCo. */
import loadMujoco from "@mujoco/mujoco";
import { beforeAll, describe, expect, test } from "vitest";
import { importMjcf, toMjcf } from "../../src/formats/index.ts";
import { compile, maximalState, Simulation, stepGradients } from "../../src/index.ts";
import { accelerationError, type Mujoco } from "./mjcfOracle.ts";
import { expectSameAccelerations, TOLERANCE } from "./sameAccelerations.ts";

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadMujoco();
});

describe("a free joint", () => {
  const free = (joint: string, rest = "", option = ""): string =>
    `<mujoco>${option}<worldbody><body name="b" pos="0.3 0.2 1" euler="170 30 -40">${joint}
      <geom type="capsule" size="0.1 0.2" pos="0.1 0.05 0" euler="40 0 0"/></body></worldbody>${rest}</mujoco>`;

  test.each([
    ["", ""],
    ["and motors along several axes", '<actuator><motor joint="f" gear="0 2 0 1 -1 0.5"/></actuator>'],
    ["and a motor along an axis of the world", '<actuator><motor jointinparent="f" gear="0 0 2"/></actuator>'],
  ])("with a spring, drawn far turned %s, moves as in MuJoCo, and goes back", (_, rest) => {
    const text = free('<joint name="f" type="free" stiffness="3" damping="0.1"/>', rest);
    const { description, inputs } = expectSameAccelerations(mujoco, text);
    const { xml, warnings } = toMjcf(description);
    expect(warnings).toEqual([]);
    const again = expectSameAccelerations(mujoco, xml);
    expect(again.inputs).toHaveLength(inputs.length);
    expect(again.description.joints).toEqual(description.joints);
  });

  test("of a round body in a fluid: that the box it drags as may be turned is said", () => {
    const { warnings } = importMjcf(free("<freejoint/>", "", '<option density="2"/>'));
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: "adjusted", line: 1, message: expect.stringMatching(/box that it drags as/) }),
    );
  });
});

describe("compensated gravity", () => {
  const arm = `<mujoco><worldbody><body name="a" gravcomp="1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05"/>
    <body name="b" pos="0.5 0 0" gravcomp="0.4"><joint axis="0 1 0.3"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.05"/>
      <body pos="0.4 0 0" gravcomp="0.4"><geom size="0.06"/></body></body></body></worldbody></mujoco>`;

  test("acts as MuJoCo's, and goes back", () => {
    const { description } = expectSameAccelerations(mujoco, arm);
    expect([description.bodies.a, description.bodies.b].map((body) => body.gravityScale)).toEqual([0, 0.6]);
    const exported = toMjcf(description);
    expect(
      accelerationError({ mujoco, xml: exported.xml, description, map: exported.map, seed: 2, count: 4 }),
    ).toBeLessThan(TOLERANCE);
    expect(importMjcf(exported.xml).description.bodies.b.gravityScale).toBeCloseTo(0.6, 15);
  });

  test("of bodies that are all heavier than others is written so that MuJoCo looks at it, and goes back", () => {
    const { description } = importMjcf(arm);
    const [a, b] = [description.bodies.a, { ...description.bodies.b, gravityScale: 1.5 }];
    for (const scale of [1, 0.9]) {
      const heavy = { ...description, bodies: { a: { ...a, gravityScale: scale }, b } };
      const { xml, map, warnings } = toMjcf(heavy);
      expect(warnings).toEqual([]);
      expect(accelerationError({ mujoco, xml, description: heavy, map, seed: 2, count: 2 })).toBeLessThan(TOLERANCE);
      const again = importMjcf(xml).description;
      expect(Object.keys(again.bodies)).toEqual(["a", "b"]);
      expect(again.bodies.b.gravityScale).toBe(1.5);
    }
  });

  test("below 0 in all bodies of a file counts for nothing, as in MuJoCo, with a word", () => {
    const heavier = arm.replaceAll(/gravcomp="[^"]*"/g, 'gravcomp="-0.5"');
    const { description, warnings } = expectSameAccelerations(mujoco, heavier);
    expect(description.bodies.b.gravityScale).toBeUndefined();
    expect(warnings.filter(({ message }) => message.includes("gravcomp"))).toMatchObject([{ code: "ignored" }]);
    const marked = expectSameAccelerations(mujoco, heavier.replace("<worldbody>", '<worldbody><body gravcomp="1"/>'));
    expect(marked.description.bodies.b.gravityScale).toBe(1.5);
  });

  test("is in the energy, in gradients, and can be set", () => {
    const { description } = importMjcf(arm, { timestep: 0.01 });
    const mechanism = compile({ ...description, springConservation: 1 });
    const simulation = new Simulation(mechanism);
    const start = maximalState(mechanism, { a: { position: [0.3] } });
    const before = simulation.energy(start).total;
    const { final } = simulation.rollout(start, { steps: 100 });
    // the integrator's energy error is of second order in the time step: 1e-3 of the 100 J that move
    expect(Math.abs(simulation.energy(final).total - before)).toBeLessThan(0.1);
    const input = new Float64Array(mechanism.inputSize);
    const { dNext_dParameter } = stepGradients(simulation, start, input, { parameters: ["bodies.b.gravityScale"] });
    const moved = (scale: number): Float64Array => {
      simulation.setParameter("bodies.b.gravityScale", scale);
      return Float64Array.from(simulation.step(start, input).next);
    };
    const [more, less] = [moved(0.6 + 1e-4), moved(0.6 - 1e-4)];
    // the vertical velocity of b, entry 8 of its 12
    const difference = (more[13 + 9] - less[13 + 9]) / 2e-4;
    expect(Math.abs(dNext_dParameter[12 + 8] - difference)).toBeLessThan(1e-6 * Math.abs(difference));
    expect(Math.abs(difference)).toBeGreaterThan(1e-3);
  });

  test("of welded bodies that differ is their mean, with a word", () => {
    const { description, warnings } = importMjcf(
      arm.replace('<body pos="0.4 0 0" gravcomp="0.4">', '<body pos="0.4 0 0">'),
    );
    expect(description.bodies.b.gravityScale).toBeGreaterThan(0.6);
    expect(warnings.some(({ code, message }) => code === "adjusted" && message.includes("gravcomp"))).toBe(true);
  });
});
