/** Models that are attached to others move as MuJoCo's do. */
import loadMujoco from "@mujoco/mujoco";
import { beforeAll, describe, expect, test } from "vitest";
import { importMjcf, type MjcfImport, parseMesh } from "../../src/formats/index.ts";
import { accelerationError, geometryError, loadModel, type Mujoco } from "./mjcfOracle.ts";

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadMujoco();
});

/** Meshes of files lose digits beyond single precision in MuJoCo. */
const POSE_TOLERANCE = 1e-6;
const ACCELERATION_TOLERANCE = 1e-4;

/** In radians, with other Euler angles, defaults and folders than what it is attached to. */
const arm = `<mujoco><compiler angle="radian" eulerseq="zyx" meshdir="parts"/><option gravity="0 0 -1"/>
  <default><joint damping="0.5"/><geom density="500"/><motor gear="2"/><default class="stiff"><joint stiffness="3"/></default></default>
  <asset><mesh name="m" file="attached.obj"/></asset>
  <worldbody><body name="base" pos="0 0 0.1" euler="0.3 0.2 0.1"><joint name="j" axis="0 1 0" range="-1 1"/>
    <geom type="mesh" mesh="m"/><body name="mid" childclass="stiff"><frame><body name="tip" pos="0.3 0 0">
      <joint name="k" axis="0 0 1" ref="0.3"/><geom size="0.05" pos="0.1 0 0"/></body></frame></body></body>
    <body name="other"><freejoint/><geom size="0.1" pos="0.05 0 0"/></body></worldbody>
  <tendon><fixed name="t" stiffness="4"><joint joint="j" coef="1"/><joint joint="k" coef="2"/></fixed></tendon>
  <actuator><motor name="m" joint="j"/><position joint="k" kp="7"/></actuator></mujoco>`;
const robot = `<mujoco><asset><model name="arm" file="arm.xml"/></asset><worldbody><body name="torso"><freejoint/>
  <geom size="0.2" pos="0 0 0.1"/><frame euler="0 90 0"><attach model="arm" body="base" prefix="in_"/></frame></body></worldbody></mujoco>`;
const files: Readonly<Record<string, string>> = {
  "arm.xml": arm,
  "robot.xml": robot,
  "self.xml":
    '<mujoco><asset><model name="s" file="self.xml"/></asset><worldbody><attach model="s" prefix="x"/></worldbody></mujoco>',
  "parts/attached.obj": "v -.1 -.1 -.1\nv .2 -.1 -.1\nv -.1 .3 -.1\nv -.1 -.1 .4\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
};

const scene = (content: string): string => `<mujoco><default><joint damping="9" armature="0.1"/></default>
  <asset><model name="arm" file="arm.xml"/><model name="robot" file="robot.xml"/></asset>
  <worldbody>${content}</worldbody></mujoco>`;

function imported(xml: string): MjcfImport {
  const bytes = (file: string): Uint8Array => new TextEncoder().encode(files[file]);
  return importMjcf(xml, {
    contacts: "none",
    readFile: (file) => files[file],
    readMesh: (file) => (file in files ? parseMesh(bytes(file), file) : undefined),
  });
}

describe("attached models", () => {
  test.each([
    ["a body in a frame", '<frame pos="1 0 0" euler="90 0 0"><attach model="arm" body="base" prefix="a_"/></frame>', 2],
    [
      "a body twice",
      `<attach model="arm" body="base" prefix="a_"/><body><freejoint/><geom size="0.1"/>
        <frame pos="0 1 0"><attach model="arm" body="base" prefix="b_"/></frame></body>`,
      4,
    ],
    ["all of a model", '<attach model="arm" prefix="a_"/>', 2],
    ["a body within, with the class of its surroundings", '<attach model="arm" body="tip" prefix="a_"/>', 1],
    ["a model that attaches another", '<attach model="robot" prefix="a_"/>', 2],
  ])("%s", (_, content, inputs) => {
    const xml = scene(content);
    const { description, map, names, ...rest } = imported(xml);
    expect(rest.inputs).toHaveLength(inputs);
    const model = loadModel(mujoco, xml, files);
    const theirs = Array.from({ length: model.nbody }, (__, i) => model.body(i).name);
    model.delete();
    expect(theirs.filter((name) => name !== "")).toEqual(
      Object.keys(names.bodies).filter((name) => !/^body\d/.test(name)),
    );
    const frame = (__: string, index: number) => Object.values(names.bodies)[index];
    const errors = geometryError(mujoco, xml, { description, map, frame }, files);
    for (const [what, error] of Object.entries(errors)) expect(error, what).toBeLessThan(POSE_TOLERANCE);
    const one = { mujoco, xml, files, description, map, seed: 1, count: 4 };
    expect(accelerationError(one)).toBeLessThan(ACCELERATION_TOLERANCE);
  });

  test("a frame of a model, without what is beside it", () => {
    const gate =
      '<mujoco><worldbody><body name="out"><freejoint/><geom size="0.1"/></body><frame name="f" pos="1 0 0" euler="20 0 0"><body name="in"><joint/><geom size="0.1" pos="0 1 0"/></body></frame></worldbody></mujoco>';
    const xml =
      '<mujoco><asset><model name="gate" file="gate.xml"/></asset><worldbody><frame euler="0 30 0"><attach model="gate" frame="f" prefix="a_"/></frame></worldbody></mujoco>';
    const both = { "gate.xml": gate };
    const { description, map, names } = importMjcf(xml, { contacts: "none", readFile: (file) => both[file as never] });
    expect(Object.keys(names.bodies)).toEqual(["world", "a_in"]);
    const frame = (name: string) => names.bodies[name];
    const errors = geometryError(mujoco, xml, { description, map, frame }, both);
    for (const [what, error] of Object.entries(errors)) expect(error, what).toBeLessThan(POSE_TOLERANCE);
  });

  test.each([
    ["replicas in a model with other units", '<attach model="ring" prefix="a_"/>'],
    ["a file that the model and the main file include", '<include file="leg.xml"/><attach model="ring" prefix="a_"/>'],
  ])("%s", (_, content) => {
    const leg =
      '<mujocoinclude><body name="leg" pos="0 0 1" euler="10 0 20"><joint name="l" ref="10"/><geom size="0.1" pos="0.3 0 0"/></body></mujocoinclude>';
    const ring = `<mujoco><compiler angle="radian" eulerseq="zyx"/><worldbody><include file="leg.xml"/>
      <replicate count="4" offset="0.3 0 0" euler="0 0.2 0.5"><body name="b" pos="0 0 1"><joint axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body>
      </replicate></worldbody></mujoco>`;
    const both: Readonly<Record<string, string>> = { "ring.xml": ring, "leg.xml": leg };
    const xml = `<mujoco><asset><model name="ring" file="ring.xml"/></asset><worldbody>${content}</worldbody></mujoco>`;
    const { description, map, names } = importMjcf(xml, { contacts: "none", readFile: (file) => both[file] });
    const frame = (name: string) => names.bodies[name];
    const errors = geometryError(mujoco, xml, { description, map, frame }, both);
    for (const [what, error] of Object.entries(errors)) expect(error, what).toBeLessThan(POSE_TOLERANCE);
  });

  test("a model without a name goes by that of its file", () => {
    const named = arm.replace("<mujoco>", '<mujoco model="arm26">');
    const both: Readonly<Record<string, string>> = { ...files, "any.xml": named };
    const xml = (model: string): string => `<mujoco><asset><model file="any.xml"/></asset>
      <worldbody><attach model="${model}" body="tip" prefix="a_"/></worldbody></mujoco>`;
    const model = loadModel(mujoco, xml("arm26"), both);
    expect(model.nq).toBe(1);
    model.delete();
    const read = (text: string) => importMjcf(text, { readFile: (file) => both[file] });
    expect(Object.keys(read(xml("arm26")).names.joints)).toEqual(["a_k"]);
    expect(() => read(xml("any"))).toThrow(/"any" is no <model>/);
  });

  test.each([
    ["frame", 'frame="f"'],
    ["body", 'body="tip"'],
  ])("a %s of the same file, with what names it", (_, what) => {
    const xml = `<mujoco><default><joint damping="0.1"/><default class="heavy"><geom density="3000"/></default></default>
      <worldbody><body name="root" childclass="heavy"><freejoint/><geom size="0.1"/>
        <frame name="f" pos="0.3 0 0"><body name="tip" euler="0 20 0"><joint name="k" axis="0 1 0"/><geom size="0.05" pos="0.1 0 0"/></body></frame>
        <frame pos="0 0.3 0" euler="0 0 90"><attach ${what} prefix="left_"/></frame>
        <frame pos="0 -0.3 0"><attach ${what} prefix="right_"/></frame></body></worldbody>
      <actuator><position joint="k" kp="3"/></actuator></mujoco>`;
    const { description, map, names, inputs } = importMjcf(xml, { contacts: "none" });
    expect(Object.keys(names.joints)).toEqual(["k", "left_k", "right_k"]);
    expect(inputs).toHaveLength(3);
    const frame = (name: string) => names.bodies[name];
    const errors = geometryError(mujoco, xml, { description, map, frame });
    for (const [error, size] of Object.entries(errors)) expect(size, error).toBeLessThan(POSE_TOLERANCE);
    expect(accelerationError({ mujoco, xml, description, map, seed: 1, count: 4 })).toBeLessThan(
      ACCELERATION_TOLERANCE,
    );
  });

  test.each([
    ["of a body and a frame", '<attach model="arm" body="base" frame="f" prefix="a"/>', /a body or a frame/],
    ["of no frame", '<attach model="arm" frame="f" prefix="a"/>', /"f" is no frame of the model/],
    ["without a prefix", '<attach model="arm"/>', /needs a prefix/],
    ["of nothing", '<attach prefix="a"/>', /attaches nothing/],
    ["of no model", '<attach model="leg" prefix="a"/>', /"leg" is no <model> of the file/],
    ["of no body", '<attach model="arm" body="bse" prefix="a"/>', /"bse" is no body of the model/],
  ])("one %s is refused", (_, content, message) => {
    expect(() => imported(scene(content))).toThrow(message);
  });

  test("one that attaches itself is refused, where MuJoCo runs out of memory", () => {
    expect(() => imported(files["self.xml"])).toThrow(/without an end/);
  });
});
