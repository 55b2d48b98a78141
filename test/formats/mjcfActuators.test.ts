/** Actuators, tendons and keyframes of MJCF files beside MuJoCo. */
import loadMujoco from "@mujoco/mujoco";
import { beforeAll, describe, expect, test } from "vitest";
import { controlsOf, importMjcf, inputsOf, toMjcf } from "../../src/formats/index.ts";
import { compile, jointCoordinates, maximalState, Simulation, stateInput } from "../../src/index.ts";
import { loadModel, type Mujoco } from "./mjcfOracle.ts";
import { expectSameAccelerations } from "./sameAccelerations.ts";

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadMujoco();
});

/** A finger of three hinges, the last two of which a tendon bends. */
const finger = (rest: string): string => `
  <mujoco><compiler angle="radian"/><worldbody><body name="a"><joint name="j0" axis="0 1 0" damping="0.01"/>
    <geom type="capsule" fromto="0 0 0 0.05 0 0" size="0.01"/>
    <body name="b" pos="0.05 0 0"><joint name="j1" axis="0 1 0" damping="0.01" ref="0.2"/>
      <geom type="capsule" fromto="0 0 0 0.04 0 0" size="0.01"/>
      <body name="c" pos="0.04 0 0"><joint name="j2" axis="0 -1 0" damping="0.01"/>
        <geom type="capsule" fromto="0 0 0 0.03 0 0" size="0.01"/></body></body></body></worldbody>
    <tendon><fixed name="bend"><joint joint="j1" coef="0.02"/><joint joint="j2" coef="-0.01"/></fixed></tendon>${rest}</mujoco>`;
const drive = (actuator: string, rest = ""): string =>
  finger(`<actuator><motor joint="j0"/>${actuator}</actuator>${rest}`);

describe("an actuator on a tendon that ties nothing", () => {
  test.each([
    ["motor", '<motor tendon="bend" gear="2"/>'],
    ["motor with bounds", '<motor tendon="bend" ctrlrange="-1 3"/>'],
    ["position", '<position tendon="bend" kp="50" kv="0.5" gear="1.5"/>'],
    ["velocity", '<velocity tendon="bend" kv="0.5"/>'],
    ["general", '<general tendon="bend" gainprm="3" biastype="affine" biasprm="0.1 -20 -0.1"/>'],
    ["a servo, beside a servo on one of its joints,", '<position tendon="bend" kp="50"/><position joint="j1" kp="2"/>'],
  ])("%s acts on every joint as in MuJoCo", (_, actuator) => {
    const { inputs, warnings } = expectSameAccelerations(mujoco, drive(actuator));
    const ctrls = inputs.map(({ ctrl, others = [] }) => [ctrl, ...others.map((other) => other.ctrl)].sort());
    expect(ctrls).toEqual([[0], actuator.includes("j1") ? [1, 2] : [1], [1]]);
    expect(warnings.filter(({ message }) => !/collision|collides/.test(message))).toEqual([]);
  });

  test("a servo on it holds the pose that a keyframe shows, or goes where its control says", () => {
    const key = (ctrl: string) =>
      drive(
        '<position tendon="bend" kp="5000" kv="5"/>',
        `<keyframe><key name="k" qpos="0 0.8 0.4" ${ctrl}/></keyframe>`,
      );
    const lengthAfter = (xml: string): number => {
      const { description } = importMjcf(xml, { timestep: 0.002 });
      const mechanism = compile({ ...description, gravity: [0, 0, 0] });
      const start = maximalState(mechanism, description.states?.k);
      const input = stateInput(mechanism, "k");
      const { final } = new Simulation(mechanism).rollout(start, { steps: 1000, controller: () => input });
      const [, one, two] = jointCoordinates(mechanism, final);
      return 0.02 * one - 0.01 * two;
    };
    expect(lengthAfter(key(""))).toBeCloseTo(0.02 * 0.8 - 0.01 * 0.4, 9);
    const both = key("").replace("</actuator>", '<position joint="j1" kp="3"/></actuator>');
    expect(lengthAfter(both)).toBeCloseTo(0.02 * 0.8 - 0.01 * 0.4, 9);
    expect(lengthAfter(key('ctrl="0 0.02"'))).toBeCloseTo(0.02, 5);
  });

  test("what is not simulated of it is said", () => {
    const messages = (actuator: string): string =>
      importMjcf(drive(actuator))
        .warnings.map(({ message }) => message)
        .join();
    expect(messages('<position tendon="bend" kp="5" forcerange="-1 1"/>')).toMatch(/forcerange does not bound/);
  });
});

describe("what MuJoCo reads is read", () => {
  test("an actuator or an equality on a spatial tendon is said to have no effect", () => {
    const xml = finger("")
      .replace("<worldbody>", '<worldbody><site name="s"/>')
      .replace('<geom type="capsule" fromto="0 0 0 0.05', '<site name="t" pos="0 0 0.1"/>$&')
      .replace("</tendon>", '<spatial name="rope"><site site="s"/><site site="t"/></spatial></tendon>')
      .replace(
        "</mujoco>",
        '<actuator><motor name="pull" tendon="rope"/></actuator><equality><tendon tendon1="rope"/></equality></mujoco>',
      );
    loadModel(mujoco, xml).delete();
    const { warnings, inputs } = importMjcf(xml);
    expect(inputs).toEqual([]);
    const said = warnings.filter(({ message }) => message.includes("spatial tendon"));
    expect(said.map(({ code }) => code)).toEqual(["not-expressible", "not-expressible"]);
    expect(() => importMjcf(xml.replace('motor name="pull" tendon="rope"', 'motor tendon="rpe"'))).toThrow(
      /is no tendon/,
    );
  });

  test("empty attributes count as absent, ranges without width as none", () => {
    const xml = `<mujoco><worldbody><body name="b"><joint name="" range="1 -1" pos="" damping="" actuatorfrcrange="0 0"/>
      <geom size="0.1" rgba="" mass="" material=""/></body></worldbody><actuator><motor joint="j" forcerange="2 1"/></actuator></mujoco>`;
    const named = xml.replace('name=""', 'name="j"');
    for (const text of [named, xml.replace(/<actuator>.*<.actuator>/, "")]) {
      loadModel(mujoco, text).delete();
      const { description } = importMjcf(text);
      expect(Object.values(description.joints ?? {})[0].limits).toBeUndefined();
      expect(description.bodies.b.mass).toBeCloseTo((4000 * Math.PI * 0.1 ** 3) / 3, 9);
    }
    expect(importMjcf(named).warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/range does not go from smaller to larger: no limit/),
      expect.stringMatching(/forcerange does not go from smaller to larger: no limit/),
      expect.stringMatching(/has no plane/),
    ]);
  });

  test("a keyframe's zero quaternion is no turn, and its controls keep to their range", () => {
    const xml = `<mujoco><worldbody><body name="b"><freejoint/><geom size="0.1"/><body><joint name="j" range="-60 20"/>
      <geom size="0.1" pos="0.2 0 0"/></body></body></worldbody>
      <actuator><position joint="j" inheritrange="0.5"/></actuator>
      <keyframe><key qpos="0 0 1 0 0 0 0 0.1" ctrl="5"/></keyframe></mujoco>`;
    const model = loadModel(mujoco, xml);
    const range = Array.from(model.actuator_ctrlrange as Float64Array);
    expect(Array.from(model.key_qpos as Float64Array).slice(3, 7)).toEqual([1, 0, 0, 0]);
    model.delete();
    const { description, inputs } = importMjcf(xml);
    inputs[0].ctrlRange?.forEach((end, i) => {
      expect(end).toBeCloseTo(range[i], 12);
    });
    expect(description.states?.key0.b.position).toEqual([0, 0, 1, 0, 0, 0]);
    expect(description.stateInputs?.key0["j.angle"]).toBeCloseTo(range[1], 12);
  });

  test("a motor that pulls at control 0 does so in every state", () => {
    const { description, map } = importMjcf(
      finger('<actuator><general joint="j0" biastype="affine" biasprm="0.5"/></actuator>'),
    );
    expect(description.stateInputs).toEqual({ initial: { "j0.angle": inputsOf(map, [0])[0] } });
  });

  test("a height field is no looks: bodies fall through it, and that is said", () => {
    const xml = `<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 0.1"/></asset><worldbody>
      <geom type="hfield" hfield="h"/><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>`;
    const said = importMjcf(xml).warnings.filter(
      ({ message }) => message.includes("hfield") || message.includes("height"),
    );
    expect(said).toMatchObject([{ code: "not-expressible", line: 2, message: expect.stringMatching(/fall through/) }]);
  });
});

describe("motors on ball joints", () => {
  const turned = (slides: string, gears: readonly string[]): string =>
    `<mujoco><worldbody><body euler="20 30 40"><freejoint/><geom size="0.2"/><body pos="0.3 0 0" euler="0 0 90">${slides}
      <joint name="ball" type="ball"/><geom type="box" size="0.1 0.2 0.3" pos="0 0 0.1"/></body></body></worldbody>
      <actuator>${gears.map((gear) => `<motor joint="ball" gear="${gear}"/>`).join("")}</actuator></mujoco>`;

  test.each([
    ["alone", ""],
    ["after three slides", ["1 0 0", "0 1 0", "0 0 1"].map((axis) => `<joint type="slide" axis="${axis}"/>`).join("")],
  ])("%s go through MuJoCo's files and back", (_, slides) => {
    const { description } = expectSameAccelerations(mujoco, turned(slides, ["2 0 0", "0 3 0", "0 0 -1"]));
    // turned further, so that gears are no axes of the child
    const joints = Object.entries(description.joints ?? {}).map(([name, joint]) => {
      const orientation = [Math.cos(0.4), 0, Math.sin(0.4), 0] as const;
      return [name, joint.parent === "world" ? joint : { ...joint, orientation }] as const;
    });
    const { xml } = toMjcf({ ...description, joints: Object.fromEntries(joints) });
    const again = expectSameAccelerations(mujoco, xml);
    expect(again.inputs).toHaveLength(3);
  });

  test("across several axes act along all of them with one control", () => {
    const { inputs, warnings } = expectSameAccelerations(mujoco, turned("", ["1 1 0", "0 0 2"]));
    expect(inputs.map(({ ctrl }) => ctrl)).toEqual([0, 0, 1]);
    expect(warnings.filter(({ message }) => message.includes("<motor"))).toEqual([]);
  });

  test("add up where several act along one axis", () => {
    const { inputs } = expectSameAccelerations(mujoco, turned("", ["1 1 0", "0 1 1"]));
    // the joint's frame is turned: its first axis is the one along which both act
    const ctrls = inputs.map(({ ctrl, others = [] }) => [ctrl, ...others.map((other) => other.ctrl)]);
    expect(ctrls).toEqual([[0, 1], [0], [1]]);
  });

  test("along axes of the parent are left out with a word", () => {
    const said = (xml: string) => importMjcf(xml).warnings.filter(({ message }) => message.includes("<motor"));
    const inParent = turned("", ["1 1 0"]).replace('motor joint="ball"', 'motor jointinparent="ball"');
    expect(said(inParent)).toMatchObject([{ message: expect.stringMatching(/axes that turn with the body/) }]);
  });
});

describe("rotors of actuators", () => {
  const driven = (actuator: string): string =>
    finger(`<actuator>${actuator}<position joint="j2" kp="2"/></actuator>`).replace(
      "<compiler",
      '<option actuatorgroupdisable="2"/><compiler',
    );

  test("armature and damping are the joint's, times the square of the gear, of actuators without an input too", () => {
    const { description, warnings } = expectSameAccelerations(
      mujoco,
      driven('<motor joint="j0" gear="3" armature="0.001" damping="0.002"/><motor group="2" joint="j1" gear="9"/>'),
    );
    expect(description.joints?.j0.armature).toBeCloseTo(0.009, 12);
    expect(description.joints?.j0.damping).toBeCloseTo(0.01 + 0.018, 12);
    expect(warnings.map(({ code }) => code)).not.toContain("unknown");
    const second = importMjcf(driven('<motor joint="j0"/><motor joint="j0" gear="2" armature="0.1"/>'));
    expect(second.description.joints?.j0.armature).toBeCloseTo(0.4, 12);
  });

  test("on tendons they are left out with a word", () => {
    const { warnings } = importMjcf(driven('<motor tendon="bend" armature="0.1"/>'));
    expect(warnings.map(({ message }) => message).join()).toMatch(/are simulated on hinges and slides only/);
  });
});

describe("forces that a joint bounds", () => {
  const file = (
    joint: string,
    actuator: string,
  ): string => `<mujoco><worldbody><body><joint name="a" axis="0 1 0" ${joint}/>
    <geom size=".1"/><site name="s"/><body pos=".3 0 0"><joint name="b" axis="0 1 0"/><geom size=".1"/></body></body></worldbody>
    <tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed></tendon>
    <actuator>${actuator}</actuator></mujoco>`;

  test.each([
    ["damping of a velocity servo", '<velocity joint="a" kv="2"/>', "holds for the input, not for its damping"],
    ["a servo on a tendon", '<position tendon="t" kp="2"/>', "does not bound a servo on a tendon"],
    ["what acts on a site", '<motor site="s" gear="0 0 0 0 1 0"/>', "does not bound what sites below it do"],
  ])("that are not bounded here are told: %s", (_, actuator, message) => {
    const told = (joint: string): boolean =>
      importMjcf(file(joint, actuator)).warnings.some(
        (warning) => warning.code === "adjusted" && warning.message.includes(message),
      );
    expect([told('actuatorfrcrange="-1 1"'), told("")]).toEqual([true, false]);
  });
});

test("an integrated velocity servo is a position servo that takes the integral of its control", () => {
  const file = (actuator: string): string => `<mujoco><option timestep="0.001" integrator="implicitfast"/>
    <worldbody><body><joint name="a" axis="0 1 0"/><geom pos=".2 0 0" size=".1"/></body></worldbody><actuator>${actuator}</actuator></mujoco>`;
  const xml = file('<intvelocity name="m" joint="a" kp="200" kv="20" gear="2" ctrlrange="-1 1" actrange="-3 3"/>');
  const imported = importMjcf(xml);
  expect(imported.description).toEqual(
    importMjcf(file('<position name="m" joint="a" kp="200" kv="20" gear="2"/>')).description,
  );
  expect(imported.inputs).toMatchObject([{ name: "m", ctrlRange: [-3, 3] }]);
  expect(imported.warnings.some(({ message }) => message.includes("give the integral"))).toBe(true);

  const model = loadModel(mujoco, xml);
  const data = new mujoco.MjData(model);
  data.ctrl.set([0.8]);
  const steps = 300;
  for (let k = 0; k < steps; k++) mujoco.mj_step(model, data);
  const simulation = new Simulation(compile(imported.description));
  const { final } = simulation.rollout(maximalState(simulation.mechanism), {
    steps,
    controller: (_, step) => inputsOf(imported.map, [0.8e-3 * step]),
  });
  // two integrators of first order
  expect(jointCoordinates(simulation.mechanism, final)[0]).toBeCloseTo(data.qpos[0], 3);
  expect(data.qpos[0]).toBeGreaterThan(0.05);
  data.delete();
  model.delete();
});

describe("several actuators on one joint", () => {
  const file = (
    actuators: string,
  ): string => `<mujoco><worldbody><body><joint name="a" axis="0 1 0"/><geom pos=".2 0 0" size=".1"/>
    <body pos=".4 0 0"><joint name="b" axis="0 1 0"/><geom pos=".2 0 0" size=".1"/></body></body></worldbody>
    <actuator>${actuators}</actuator></mujoco>`;
  const servo = '<position name="p" joint="a" kp="30" kv="0.5"/>';
  const damper = '<velocity name="v" joint="a" kv="4" gear="1.5"/>';

  test.each([
    ["a servo and a velocity servo", servo + damper, ["p", "v"]],
    ["the other way round, where the servo has the input all the same", damper + servo, ["p", "v"]],
    ["a servo after a motor", `<motor name="m" joint="a" gear="-3"/>${servo}`, ["p", "m"]],
    [
      "two velocity servos, one of which has a range",
      `<velocity name="w" joint="a" kv="2" ctrlrange="-1 1"/>${damper}`,
      ["w", "v"],
    ],
    ["a damper without gain", `${servo}<general joint="a" gainprm="0" biastype="affine" biasprm="0 0 -3"/>`, ["p"]],
    ["two servos", `${servo}<position name="q" joint="a" kp="9" gear="2"/>`, ["p", "q"]],
    ["a spring without gain", `${servo}<general joint="a" gainprm="0" biastype="affine" biasprm="2 -5 -3"/>`, ["p"]],
    ["nothing but a spring", '<general joint="a" gainprm="0" biastype="affine" biasprm="2 -5 -3"/>', undefined],
    [
      "motors with ranges",
      '<motor name="m" joint="a" ctrlrange="-1 2"/><motor name="n" joint="a" ctrlrange="0 3"/>',
      ["m", "n"],
    ],
  ])("move as in MuJoCo: %s", (_, actuators, names) => {
    const { inputs } = expectSameAccelerations(mujoco, file(actuators));
    expect(inputs.map(({ name, others = [] }) => [name, ...others.map((other) => other.name)])).toEqual(
      names ? [names] : [],
    );
  });

  test("take the controls of a keyframe together, each within its range, and give them back", () => {
    const key = '</actuator><keyframe><key name="k" ctrl="0.3 5"/></keyframe>';
    const text = file(servo + damper.replace("/>", ' ctrlrange="-1 1"/>')).replace("</actuator>", key);
    const { description, map } = importMjcf(text);
    const inputs = stateInput(compile(description), "k");
    expect(inputs[0]).toBeCloseTo(0.3 + (1.5 * 4 * 1) / 30, 12);
    expect(inputsOf(map, [0.3, 1])[0]).toBeCloseTo(inputs[0], 12);
    expect(inputsOf(map, controlsOf(map, inputs))[0]).toBeCloseTo(inputs[0], 12);
  });

  test.each([
    ["a bounded servo and a velocity servo", 'kp="30" forcerange="-2 2"', '<velocity joint="a" kv="1"/>', 2],
    ["all bounded", 'kp="30" forcerange="-2 2"', '<motor joint="a" ctrlrange="-3 3"/>', 5],
    ["one of them not", 'kp="30" forcerange="-2 2"', '<motor joint="a"/>', undefined],
  ])("have the sum of their ranges, or none, with a word: %s", (_, bounded, other, effort) => {
    const { description, warnings } = importMjcf(file(`<position joint="a" ${bounded}/>${other}`));
    expect(description.joints?.a.effortLimit).toBe(effort);
    expect(warnings.map(({ message }) => message)).toContainEqual(expect.stringContaining("forcerange"));
  });
});
