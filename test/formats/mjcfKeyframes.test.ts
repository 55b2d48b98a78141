/** Keyframes are the states that MuJoCo has for them, those of attached models too. */
import loadMujoco from "@mujoco/mujoco";
import { beforeAll, describe, expect, test } from "vitest";
import { importMjcf, inputsOf, type MjcfImport, minimalFromMujoco } from "../../src/formats/index.ts";
import { compile, stateInput } from "../../src/index.ts";
import { type Files, loadModel, type Mujoco } from "./mjcfOracle.ts";

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadMujoco();
});

/** Inner bodies stand before joints, a class makes a ball, and one joint and one actuator have no name. */
const arm = `<mujoco><compiler angle="radian"/><default><default class="turning"><joint type="ball"/></default></default>
  <worldbody><body name="base"><body name="tip" pos="0.3 0 0"><joint name="k" axis="0 0 1" ref="0.3"/><geom size="0.05" pos="0.1 0 0"/>
    <frame childclass="turning"><body name="hand" pos="0.2 0 0"><joint/><geom size="0.1" pos="0 0.1 0"/></body></frame></body>
    <joint name="j" axis="0 1 0"/><geom size="0.1"/></body></worldbody>
  <actuator><motor name="m" joint="j"/><position joint="k" kp="7"/></actuator>
  <keyframe><key name="home" qpos="0.5 0.7 0 1 0 0" qvel="1 2 3 4 5" ctrl="1 2"/><key name="pushed" ctrl="3 4"/></keyframe></mujoco>`;
const robot = `<mujoco><asset><model name="arm" file="arm.xml"/></asset><worldbody><body name="torso" pos="1 2 3"><freejoint/>
  <geom size="0.2"/><attach model="arm" body="base" prefix="in_"/></body></worldbody>
  <keyframe><key name="up" qpos="0 0 5 1 0 0 0 0.1 0.2 1 0 0 0" ctrl="5 6"/></keyframe></mujoco>`;
const files: Files = { "arm.xml": arm, "robot.xml": robot };
const own = '<body name="own"><joint name="o" ref="10"/><geom size="0.1" pos="1 0 0"/></body>';

const scene = (content: string, rest = ""): string => `<mujoco>
  <asset><model name="arm" file="arm.xml"/><model name="robot" file="robot.xml"/></asset>
  <worldbody>${content}</worldbody>${rest}</mujoco>`;
const imported = (xml: string): MjcfImport =>
  importMjcf(xml, { contacts: "none", readFile: (file) => files[file] as string });

describe("keyframes", () => {
  test.each([
    ["of a model that is attached behind a body", scene(`${own}<attach model="arm" body="base" prefix="a_"/>`)],
    [
      "of a model that is attached before a body with an actuator and a keyframe",
      scene(
        `<attach model="arm" prefix="a_"/>${own}`,
        '<actuator><motor joint="o"/></actuator><keyframe><key name="mine" qpos="1 2 1 0 0 0 3" ctrl="4 5 6"/></keyframe>',
      ),
    ],
    [
      "of a model that is attached twice",
      scene('<attach model="arm" body="base" prefix="a_"/><attach model="arm" body="base" prefix="b_"/>'),
    ],
    ["of a model without its first joint", scene('<attach model="arm" body="tip" prefix="a_"/>')],
  ])("%s are MuJoCo's", (_, xml) => {
    const { description, map } = imported(xml);
    const mechanism = compile(description);
    const model = loadModel(mujoco, xml, files);
    const { nq, nv, nu, nkey } = model;
    expect([map.qposCount, map.ctrlCount]).toEqual([nq, nu]);
    const names = Array.from({ length: nkey }, (__, k) => model.key(k).name);
    expect(Object.keys(description.states ?? {})).toEqual(["initial", ...names]);
    names.forEach((name, k) => {
      const part = (all: ArrayLike<number>, size: number) => Float64Array.from(all).subarray(k * size, (k + 1) * size);
      const theirs = minimalFromMujoco(map, { qpos: part(model.key_qpos, nq), qvel: part(model.key_qvel, nv) });
      const ours = new Float64Array(theirs.length);
      for (const { name: joint, coordinateOffset: at } of mechanism.joints) {
        const { position = [], velocity = [] } = description.states?.[name]?.[joint] ?? {};
        ours.set(position, at);
        ours.set(velocity, mechanism.coordinateCount + at);
      }
      theirs.forEach((value, i) => {
        expect(ours[i], `${name} ${i}`).toBeCloseTo(value, 12);
      });
      expect(Array.from(stateInput(mechanism, name)), name).toEqual(
        Array.from(inputsOf(map, part(model.key_ctrl, nu))),
      );
    });
    model.delete();
  });

  test("of a model that attaches another are numbered as in that model, and those of the other are kept", () => {
    const { description } = imported(scene('<attach model="robot" prefix="r_"/>'));
    expect(Object.keys(description.states ?? {})).toEqual(["initial", "r_up", "r_in_home", "r_in_pushed"]);
    expect(description.states?.r_up).toMatchObject({ r_in_j: { position: [0.1] }, r_in_k: { position: [0.2] } });
    expect(description.states?.r_in_home).toMatchObject({ r_in_j: { position: [0.5] }, r_in_k: { position: [0.7] } });
  });

  test.each([
    [
      "of a model",
      (keys: string) => `<mujoco><worldbody><body name="a"><joint name="a_j"/><geom size="0.1"/>
      <body pos="1 0 0"><joint name="a_k"/><geom size="0.1"/></body></body></worldbody>${keys}</mujoco>`,
      "",
    ],
    [
      "of an attached model",
      (keys: string) => `<mujoco><worldbody><body name="a"><joint name="j"/><geom size="0.1"/>
      <body pos="1 0 0"><joint name="k"/><geom size="0.1"/></body></body></worldbody>${keys}</mujoco>`,
      "a_",
    ],
  ])("%s with fewer numbers end in zeros, and with more are left out", (_, model, prefix) => {
    const keys = '<keyframe><key name="short" qpos="0.5" qvel="0 2"/><key name="long" qpos="1 2 3"/></keyframe>';
    const outer = `<mujoco><asset><model name="m" file="m.xml"/></asset><worldbody><attach model="m" prefix="a_"/></worldbody></mujoco>`;
    const read = (text: string) => importMjcf(prefix === "" ? model(text) : outer, { readFile: () => model(text) });
    const { description, warnings } = read(keys);
    const { a_j, a_k } = description.states?.[`${prefix}short`] ?? {};
    expect([a_j.position, a_j.velocity, a_k.position, a_k.velocity]).toEqual([[0.5], undefined, [0], [2]]);
    expect(description.states).not.toHaveProperty(`${prefix}long`);
    const told = warnings.map(({ message }) => message).join("\n");
    expect(told).toMatch(/qpos has 1 numbers, this model 2: the others are 0/);
    expect(told).toMatch(/qpos has 3 numbers, this model 2: the keyframe is left out/);
    if (prefix !== "") return;
    const theirs = loadModel(mujoco, model('<keyframe><key qpos="0.5" qvel="0 2"/></keyframe>'));
    expect([...theirs.key_qpos, ...theirs.key_qvel]).toEqual([0.5, 0, 0, 2]);
    theirs.delete();
  });

  test("of an attached model with replicas are warned of", () => {
    const many = arm.replace('<body name="base">', '<replicate count="2"/><body name="base">');
    const { warnings } = importMjcf(scene('<attach model="arm" prefix="a_"/>'), { readFile: () => many });
    expect(warnings.map(({ message }) => message).join()).toMatch(/<replicate> are not read/);
  });

  test("without a name do not take the name of another, and two of one name are refused", () => {
    const xml = (keys: string): string => `<mujoco><worldbody>${own}</worldbody><keyframe>${keys}</keyframe></mujoco>`;
    const { description } = importMjcf(xml('<key qpos="1"/><key name="key0" qpos="2"/>'));
    expect(description.states).toMatchObject({ key0_: { o: { position: [1] } }, key0: { o: { position: [2] } } });
    expect(() => importMjcf(xml('<key name="a" qpos="1"/><key name="a" qpos="2"/>'))).toThrow(/a second key "a"/);
  });
});
