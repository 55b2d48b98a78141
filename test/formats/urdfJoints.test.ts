/** What joints become, what the robot stands on, its inputs, and files that are no robot. */
import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/formats/formatError.ts";
import { importUrdf, type UrdfOptions } from "../../src/formats/urdf/importUrdf.ts";
import { quaternion, type vector } from "../../src/math/index.ts";
import type { JointDescription, MechanismDescription } from "../../src/mechanism/index.ts";
import { arm, expectClose, inertial, joint, link, messages, robot } from "./urdfText.ts";

describe("joints", () => {
  it.each([
    ["revolute", "revolute"],
    ["continuous", "revolute"],
    ["prismatic", "prismatic"],
    ["planar", "planar"],
    ["floating", "floating"],
    ["ball", "spherical"],
    ["spherical", "spherical"],
    ["orbital", "orbital"],
    ["planaraxis", "planarAxis"],
    ["prismatic-orbital", "prismaticOrbital"],
    ["prismaticorbital", "prismaticOrbital"],
    ["planarOrbital", "planarOrbital"],
    ["freeorbital", "freeOrbital"],
    ["cylindrical", "cylindrical"],
    ["cylindrical_free", "cylindricalFree"],
    ["freerevolute", "freeRevolute"],
    ["planarfree", "planarFree"],
    ["fixedorientation", "fixedOrientation"],
  ])("of type %s are %s", (type, kind) => {
    expect(importUrdf(arm(type, '<axis xyz="0 1 0"/>')).description.joints?.j.kind).toBe(kind);
  });

  it("of unknown types are refused with the nearest name", () => {
    expect(() => importUrdf(arm("revolut"))).toThrow(/type="revolut" is no type of joint; did you mean revolute\?/);
  });

  it("turn roll, pitch, yaw about fixed axes in that order, and have axes in their own frame", () => {
    const inside = '<origin xyz="1 2 3" rpy="0.3 -0.5 0.7"/><axis xyz="0 0 2"/>';
    const { j } = importUrdf(arm("continuous", inside)).description.joints as Record<string, JointDescription>;
    const turn = (axis: vector.Vector3, angle: number) => quaternion.fromAxisAngle(axis, angle);
    const q = quaternion.multiply(
      turn([0, 0, 1], 0.7),
      quaternion.multiply(turn([0, 1, 0], -0.5), turn([1, 0, 0], 0.3)),
    );
    expectClose(j.orientation, q);
    expectClose(j.axis, quaternion.rotate(q, [0, 0, 1]));
    expect(j.parentAnchor).toEqual([1, 2, 3]);
    // the default axis is x
    expectClose(importUrdf(arm("continuous")).description.joints?.j.axis, [1, 0, 0]);
  });

  it("keep limits, efforts, damping and friction", () => {
    const inside =
      '<limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.1"/><safety_controller k_velocity="1"/><calibration rising="0"/>';
    const { description, warnings } = importUrdf(arm("revolute", inside));
    expect(description.joints?.j).toMatchObject({ limits: [-1, 2], effortLimit: 30, damping: 0.5, friction: 0.1 });
    expect(warnings.map(({ code, message }) => [code, message.replace(/urdf:\d+: /, "")])).toEqual([
      ["ignored", "<safety_controller>: has no effect here"],
      ["ignored", "<calibration>: has no effect here"],
      ["ignored", '<limit>: velocity="4": speeds are not limited'],
    ]);
  });

  it("have 0 for the one of their two limits that is missing, as the standard says", () => {
    const limits = (text: string) =>
      importUrdf(arm("revolute", `<limit ${text} effort="1" velocity="0"/>`)).description;
    expect(limits('lower="-1.5"').joints?.j.limits).toEqual([-1.5, 0]);
    expect(limits('upper="0.7"').joints?.j.limits).toEqual([0, 0.7]);
    expect(() => limits('upper="-0.7"')).toThrow(/lower 0 is above upper -0.7/);
    expect(limits("").joints?.j.limits).toBeUndefined();
    expect(messages(arm("revolute", '<limit effort="1" velocity="0"/>'))).toEqual([
      "urdf:4: <limit>: has neither lower nor upper; the joint moves freely",
    ]);
  });

  it("have no limit where the file says none or 1e16", () => {
    expect(importUrdf(arm("prismatic")).description.joints?.j.limits).toBeUndefined();
    const far = importUrdf(arm("revolute", '<limit lower="-1e16" upper="1" effort="1e16" velocity="0"/>'));
    expect(far.description.joints?.j.limits).toEqual([null, 1]);
    expect(far.description.joints?.j.effortLimit).toBeUndefined();
    expect(messages(arm("continuous", '<limit lower="-1" upper="1"/>'))).toHaveLength(1);
  });

  it("with a range without width are fixed there", () => {
    const text = robot(
      link("a"),
      link("b", inertial(1, "1 0 0")),
      joint("j", "revolute", "a", "b", `<axis xyz="0 0 1"/><limit lower="${Math.PI / 2}" upper="${Math.PI / 2}"/>`),
    );
    const { description, linkFrames } = importUrdf(text);
    expect(Object.keys(description.bodies)).toEqual(["a"]);
    expectClose(linkFrames.b.orientation, [Math.SQRT1_2, 0, 0, Math.SQRT1_2]);
    expectClose(linkFrames.b.position, [0, -0.5, 0]);
    expect(() => importUrdf(arm("revolute", '<limit lower="2" upper="1"/>'))).toThrow(
      /lower 2 is above upper 1; exchange them/,
    );
  });

  it("with several hinges have one axis each", () => {
    const text = arm("universal", '<axis xyz="1 0 0"/><axis xyz="0 1 0"/>');
    expect(importUrdf(text).description.joints?.j.axes).toEqual([
      [1, 0, 0],
      [0, 1, 0],
    ]);
    expect(() => importUrdf(arm("universal", '<axis xyz="1 0 0"/>'))).toThrow(/one <axis> for each/);
  });

  it("that mimic become gears", () => {
    const two = (mimic: string) =>
      robot(
        '<link name="world"/>',
        link("a"),
        link("b"),
        joint("ja", "continuous", "world", "a"),
        joint("jb", "continuous", "a", "b", mimic),
      );
    const { description } = importUrdf(two('<mimic joint="ja" multiplier="-2" offset="0.5"/>'), { namePrefix: "x_" });
    expect(description.gears).toEqual({
      x_jb_mimic: {
        terms: [
          { joint: "x_jb", ratio: 1 },
          { joint: "x_ja", ratio: 2 },
        ],
        offset: 0.5,
      },
    });
    expect(description.joints?.x_jb.actuated).toBeUndefined();
    expect(description.states?.initial).toEqual({ x_jb: { position: [0.5] } });
    const lost = importUrdf(two('<mimic joint="jaa"/>'));
    expect(lost.description.gears).toBeUndefined();
    expect(lost.warnings[0].message).toMatch(/no joint is called "jaa", did you mean "ja"\?; joint "jb" moves freely/);
    expect(messages(two('<mimic joint="jb"/>'))[0]).toMatch(/in a circle/);
    const both = robot(
      '<link name="world"/>',
      link("a"),
      link("b"),
      joint("ja", "continuous", "world", "a", '<mimic joint="jb"/>'),
      joint("jb", "continuous", "a", "b", '<mimic joint="ja"/>'),
    );
    expect(Object.keys(importUrdf(both).description.gears ?? {})).toEqual(["ja_mimic"]);
    expect(messages(both)[0]).toMatch(/in a circle; joint "jb" moves freely/);
  });

  it("that close a loop may meet the world at either end", () => {
    const loop = (first: string, second: string) =>
      robot(
        '<link name="world"/>',
        link("a"),
        joint("j", "continuous", "world", "a", '<axis xyz="0 0 1"/>'),
        `<loop_joint name="l" type="continuous"><axis xyz="0 0 1"/><link1 link="${first}" xyz="0 0 1"/><link2 link="${second}" xyz="0 0 1" rpy="0 0 1"/><dynamics damping="2"/></loop_joint>`,
      );
    const forward = importUrdf(loop("world", "a")).description.joints?.l;
    const backward = importUrdf(loop("a", "world")).description.joints?.l;
    expect(forward).toMatchObject({ kind: "revolute", parent: "world", child: "a", damping: 2 });
    expectClose(forward?.axis, [0, 0, 1]);
    expectClose(backward?.axis, [0, 0, -1]);
    expectClose(forward?.orientation, quaternion.fromAxisAngle([0, 0, 1], -1));
    expectClose(backward?.orientation, quaternion.fromAxisAngle([0, 0, 1], 1));
    expect(() => importUrdf(loop("a", "a"))).toThrow(/both ends are on "a"/);
  });
});

describe("the base", () => {
  const child = (root: string, type: string) =>
    robot(link(root), link("a"), joint("j", type, root, "a", '<axis xyz="0 1 0"/>'));
  const kinds = (description: MechanismDescription) => Object.values(description.joints ?? {}).map(({ kind }) => kind);

  it("floats if it has mass, at the pose of the root link", () => {
    const { description } = importUrdf(robot(link("a", inertial(1, "0 0 1"))));
    expect(description.joints).toEqual({
      floating_base: {
        kind: "floating",
        parent: "world",
        child: "a",
        childAnchor: [0, 0, -1],
        orientation: [1, 0, 0, 0],
      },
    });
    expect(kinds(importUrdf(child("base", "continuous")).description)).toEqual(["floating", "revolute"]);
  });

  it("is the world if it is called so, has no mass, or the robot moves on it by a base joint", () => {
    expect(kinds(importUrdf(child("world", "continuous")).description)).toEqual(["revolute"]);
    expect(kinds(importUrdf(robot(link("b", ""), link("a"), joint("j", "continuous", "b", "a"))).description)).toEqual([
      "revolute",
    ]);
    const planar = importUrdf(child("base", "planaraxis"));
    expect(kinds(planar.description)).toEqual(["planarAxis"]);
    expect(planar.linkFrames.base.body).toBe("world");
  });

  it("is what the option says", () => {
    expect(kinds(importUrdf(child("base", "continuous"), { base: "fixed" }).description)).toEqual(["revolute"]);
    expect(kinds(importUrdf(child("base", "planaraxis"), { base: "floating" }).description)).toEqual([
      "floating",
      "planarAxis",
    ]);
    // nothing would be left
    const still = /<robot.*nothing in the file moves; .*let the base float/;
    expect(() => importUrdf(robot(link("a")), { base: "fixed" })).toThrow(still);
    expect(() => importUrdf(robot(link("a", "")))).toThrow(still);
    // a joint of the file that floats keeps floating, and that is told
    expect(messages(child("world", "floating"), { base: "fixed" })[0]).toMatch(/joint "j" floats on it/);
    expect(messages(child("world", "continuous"), { base: "fixed" }).join()).not.toMatch(/floats on it/);
  });
});

describe("inputs", () => {
  const text = (extra = "") =>
    robot(
      '<link name="world"/>',
      link("a"),
      link("b"),
      joint("ja", "floating", "world", "a"),
      joint("jb", "continuous", "a", "b"),
      extra,
    );
  const actuated = (source: string, options?: UrdfOptions) =>
    Object.entries(importUrdf(source, options).description.joints ?? {}).flatMap(([name, { actuated: on }]) =>
      on ? [name] : [],
    );
  const transmission = (name: string) =>
    `<transmission name="t"><joint name="${name}"/><mechanicalReduction>2</mechanicalReduction></transmission>`;

  it("drive every joint but bases, or those with transmissions, or none", () => {
    expect(actuated(text())).toEqual(["jb"]);
    expect(actuated(text(transmission("ja")))).toEqual(["ja"]);
    expect(actuated(text(transmission("ja")), { actuated: "all" })).toEqual(["jb"]);
    expect(actuated(text(), { actuated: "none" })).toEqual([]);
    expect(actuated(text(), { actuated: "transmissions" })).toEqual([]);
    const said = messages(text(transmission("jx")));
    expect(said.some((message) => message.includes("whatever the reduction"))).toBe(true);
    expect(said.some((message) => message.includes('"jx" is no joint of this file'))).toBe(true);
  });
});

describe("files that are no robot", () => {
  it.each<[string, string, RegExp]>([
    ["another root", "<mujoco/>", /root element of URDF is <robot>; use importMjcf/],
    ["xacro alone", `<robot name="r" xmlns:xacro="x"><xacro:macro name="m"/></robot>`, /has no <link>/],
    ["a crowd", robot(...Array.from({ length: 2001 }, (_, i) => `<link name="l${i}"/>`)), /2001 links, more than 2000/],
    ["no links", '<robot name="r"/>', /has no <link>/],
    ["a link twice", robot(link("a"), link("a")), /a <link> in line 2 has this name/],
    [
      "a joint twice",
      robot(link("a"), link("b"), joint("j", "fixed", "a", "b"), joint("j", "fixed", "a", "b")),
      /a <joint> in line 4/,
    ],
    [
      "an unknown parent",
      robot(link("arm"), link("b"), joint("j", "fixed", "arn", "b")),
      /its parent "arn" is no link of this file; did you mean "arm"\?/,
    ],
    [
      "two parents",
      robot(link("a"), link("b"), link("c"), joint("j", "fixed", "a", "c"), joint("k", "fixed", "b", "c")),
      /already the child of joint "j"; close the loop with a <loop_joint>/,
    ],
    ["two roots", robot(link("a"), link("b")), /2 links hang on nothing/],
    [
      "a circle",
      robot(link("a"), link("b"), joint("j", "fixed", "a", "b"), joint("k", "fixed", "b", "a")),
      /every link is a child/,
    ],
    [
      "a circle apart",
      robot(link("a"), link("b"), link("c"), joint("j", "fixed", "c", "b"), joint("k", "fixed", "b", "c")),
      /joints run in a circle here/,
    ],
    ["a joint to itself", robot(link("a"), joint("j", "fixed", "a", "a")), /same link/],
    [
      "no type",
      robot(link("a"), link("b"), '<joint name="j"><parent link="a"/><child link="b"/></joint>'),
      /type is missing/,
    ],
    [
      "no child",
      robot(link("a"), link("b"), '<joint name="j" type="fixed"><parent link="a"/></joint>'),
      /has no <child>/,
    ],
    ["no axis", arm("continuous", '<axis xyz="0 0 0"/>'), /no direction/],
    ["a bad number", arm("continuous", '<axis xyz="0 0 one"/>'), /"one", which is no number/],
    ["negative mass", robot(link("a", inertial(-1))), /must not be negative/],
    ["no inertia", robot(link("a", '<inertial><mass value="1"/></inertial>')), /a mass but no <inertia>/],
    ["an empty name", robot(link("")), /name="" is empty/],
  ])("%s", (_, text, message) => {
    expect(() => importUrdf(text)).toThrow(FormatError);
    expect(() => importUrdf(text)).toThrow(message);
  });

  it("are told from files with unknown parts, which get warnings", () => {
    const text = robot(link("a", `${inertial()}<inertal/>`), "<gazebo/>", "<conveyor/>", "stray");
    expect(messages(text)).toEqual([
      "urdf:3: <gazebo>: has no effect here",
      "urdf:4: <conveyor>: unknown element in <robot>; ignored",
      'urdf:1: <robot name="r">: text "stray" is no element',
      "urdf:2: <inertal>: unknown element in <link>, did you mean inertial?; ignored",
    ]);
  });
});
