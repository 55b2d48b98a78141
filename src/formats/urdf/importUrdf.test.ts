import { describe, expect, it } from "vitest";
import { quaternion, vector } from "../../math/index.ts";
import { compile, type JointDescription, type MechanismDescription } from "../../mechanism/index.ts";
import { FormatError } from "../formatError.ts";
import { importUrdf, type UrdfOptions } from "./importUrdf.ts";

const inertial = (mass = 1, xyz = "0 0 0", rpy = "0 0 0", i = "0.1 0.2 0.25") => {
  const [ixx, iyy, izz] = i.split(" ");
  return `<inertial><origin xyz="${xyz}" rpy="${rpy}"/><mass value="${mass}"/><inertia ixx="${ixx}" iyy="${iyy}" izz="${izz}" ixy="0" ixz="0" iyz="0"/></inertial>`;
};
const link = (name: string, inside = inertial()) => `<link name="${name}">${inside}</link>`;
const joint = (name: string, type: string, parent: string, child: string, inside = "") =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/>${inside}</joint>`;
const robot = (...parts: string[]) => `<robot name="r">\n${parts.join("\n")}\n</robot>`;
const arm = (type: string, inside = "") =>
  robot('<link name="world"/>', link("a"), joint("j", type, "world", "a", inside));
const messages = (text: string, options?: UrdfOptions) =>
  importUrdf(text, options).warnings.map(({ message }) => message);

/** Rounding of a handful of rotations. */
const ROUNDING = 1e-12;
const expectClose = (actual: readonly number[] | undefined, expected: readonly number[]) => {
  expect(actual).toHaveLength(expected.length);
  for (const [i, entry] of expected.entries())
    expect(Math.abs((actual?.[i] ?? Number.NaN) - entry)).toBeLessThan(ROUNDING);
};

describe("bodies", () => {
  it("have the link's directions and their origin at the centre of mass", () => {
    const text = robot(
      link(
        "a",
        inertial(2, "1 2 3", `${Math.PI / 2} 0 0`) +
          '<visual><origin xyz="1 2 4"/><geometry><sphere radius="0.5"/></geometry></visual>',
      ),
    );
    const { description, linkFrames } = importUrdf(text);
    const { mass, inertia, shapes } = description.bodies.a;
    expect(mass).toBe(2);
    // a quarter turn about x exchanges iyy and izz
    expectClose(inertia.flat(), [0.1, 0, 0, 0, 0.25, 0, 0, 0, 0.2]);
    expectClose(shapes?.[0].position, [0, 0, 1]);
    expect(linkFrames.a).toEqual({ body: "a", position: [-1, -2, -3], orientation: [1, 0, 0, 0] });
  });

  it("are merged over fixed joints, with mass, inertia, shapes and anchors", () => {
    const text = robot(
      link("a", inertial(1, "0 0 0", "0 0 0", "1 1 1")),
      link("frame", ""),
      link("b", `${inertial(3, "0 0 0", "0 0 0", "1 2 2")}<visual><geometry><box size="1 2 3"/></geometry></visual>`),
      link("c"),
      joint("ab", "fixed", "a", "frame", '<origin xyz="4 0 0"/>'),
      joint("fb", "fixed", "frame", "b", `<origin rpy="0 0 ${Math.PI / 2}"/>`),
      joint("bc", "continuous", "b", "c", '<origin xyz="1 0 0"/><axis xyz="0 1 0"/>'),
    );
    const { description, linkFrames } = importUrdf(text, { base: "floating" });
    expect(Object.keys(description.bodies)).toEqual(["a", "c"]);
    const { mass, inertia, shapes } = description.bodies.a;
    expect(mass).toBe(4);
    // centre at x = 3: distances 3 and 1, the second link's x axis along y
    expectClose(inertia.flat(), [3, 0, 0, 0, 1 + 1 + 9 + 3, 0, 0, 0, 1 + 2 + 9 + 3]);
    expectClose(shapes?.[0].position, [1, 0, 0]);
    expectClose(description.joints?.bc.parentAnchor, [1, 1, 0]);
    expectClose(description.joints?.bc.axis, [-1, 0, 0]);
    expect(linkFrames.frame.body).toBe("a");
    expectClose(linkFrames.b.position, [1, 0, 0]);
  });

  it("without mass at the end of a chain are left out, and say so", () => {
    const arm = [link("arm"), joint("shoulder", "continuous", "world", "arm")];
    const dummies = [
      link("a", ""),
      link("b", ""),
      joint("ja", "continuous", "arm", "a"),
      joint("jb", "prismatic", "a", "b"),
    ];
    const { description, warnings, jointPlaces } = importUrdf(robot('<link name="world"/>', ...arm, ...dummies));
    expect(Object.keys(description.bodies)).toEqual(["arm"]);
    expect(Object.keys(description.joints ?? {})).toEqual(["shoulder"]);
    expect(jointPlaces).toEqual({ shoulder: { joint: "shoulder", axis: 0, sign: 1 } });
    expect(warnings.map(({ message }) => message).join()).toMatch(
      /<link name="b">: has no mass and carries nothing; it and joint "jb" are left out \(and 1 more: line 5\)/,
    );
    expect(() =>
      importUrdf(robot('<link name="world"/>', link("a", ""), joint("j", "continuous", "world", "a"))),
    ).toThrow(/no link that moves has mass/);
    expect(() => importUrdf(robot(link("a", "")), { base: "floating" })).toThrow(/no mass but is a floating base/);
  });

  it("without mass between joints make one joint of them", () => {
    const dynamics = '<dynamics damping="0.5" friction="0.1"/><limit lower="-1" upper="2" effort="7" velocity="1"/>';
    const base = robot(
      '<link name="world"/>',
      ...[link("dx", ""), link("dy", ""), link("cart")],
      joint("x", "prismatic", "world", "dx", '<axis xyz="1 0 0"/>'),
      joint("y", "prismatic", "dx", "dy", `<axis xyz="0 -1 0"/>${dynamics}`),
      joint("yaw", "continuous", "dy", "cart", '<origin xyz="0 0 0.2"/><axis xyz="0 0 1"/>'),
    );
    const { description, jointPlaces, linkFrames } = importUrdf(base);
    const made = description.joints?.cart;
    expect(made).toMatchObject({ kind: "planarAxis", parent: "world", child: "cart" });
    expect(compile(description).coordinateCount).toBe(3);
    expect(Object.keys(linkFrames)).toEqual(["world", "cart"]);
    const { axis, sign } = jointPlaces.y;
    const at = (values: unknown): unknown => (values as readonly unknown[])[axis];
    expect([at(made?.damping), at(made?.friction), at(made?.effortLimit)]).toEqual([0.5, 0.1, 7]);
    expect(at(made?.limits)).toEqual(sign > 0 ? [-1, 2] : [-2, 1]);
    expect(jointPlaces.yaw).toEqual({ joint: "cart", axis: 2, sign: 1 });
  });

  it("without mass that carry several joints, or parallel hinges, are refused", () => {
    const fork = [link("m", ""), link("l"), link("r"), joint("j", "continuous", "world", "m")];
    const split = [joint("jl", "continuous", "m", "l"), joint("jr", "continuous", "m", "r")];
    expect(() => importUrdf(robot('<link name="world"/>', ...fork, ...split))).toThrow(
      /<link name="m">: has no mass but moves by joint "j", and 2 joints hang on it; give it an <inertial>/,
    );
    const parallel = [
      link("m", ""),
      link("l"),
      joint("j", "continuous", "world", "m"),
      joint("jl", "continuous", "m", "l"),
    ];
    expect(() => importUrdf(robot('<link name="world"/>', ...parallel))).toThrow(
      /link "m" has no mass, so its joints are one here: two parallel hinges/,
    );
  });

  it("get an inertia that breaks the triangle inequality changed by the least fraction, and say so", () => {
    const { description, warnings } = importUrdf(
      robot(link("a", inertial(1, "0 0 0", "0 0 0", "0.08944 0.8835 1.0176"))),
    );
    const share = (1.0176 - 0.8835 - 0.08944) / (1.0176 + 0.8835 + 0.08944);
    const i = description.bodies.a.inertia;
    expectClose([i[0][0], i[1][1], i[2][2]], [0.08944 * (1 + share), 0.8835 * (1 + share), 1.0176 * (1 - share)]);
    expect(warnings[0].code).toBe("adjusted");
    expect(warnings[0].message).toMatch(/exceeds the sum of the others by 4\.4% of itself; each was changed by 2\.2%/);
  });

  it("get thickness, or are refused where an inertia makes no sense", () => {
    expect(messages(robot(link("a", inertial(1, "0 0 0", "0 0 0", "1 1 0"))))[0]).toMatch(/were raised/);
    expect(() => importUrdf(robot(link("a", inertial(1, "0 0 0", "0 0 0", "0 0 0"))))).toThrow(FormatError);
    expect(() => importUrdf(robot(link("a", inertial(1, "0 0 0", "0 0 0", "1 1 -1"))))).toThrow(/negative/);
    expect(() => importUrdf(robot(link("a", inertial(1, "0 0 0", "0 0 0", "1 1 1000"))))).toThrow(/far above/);
  });
});

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

describe("contacts", () => {
  const shape = (geometry: string, origin = "") =>
    robot(link("a", `${inertial(1, "0 0 1")}<collision>${origin}<geometry>${geometry}</geometry></collision>`));
  const contacts = (geometry: string, options?: UrdfOptions) =>
    importUrdf(shape(geometry), options).description.contacts ?? [];

  it.each([
    ['<sphere radius="0.3"/>', 1, 0.3],
    ['<capsule radius="0.3" length="1"/>', 2, 0.3],
    ['<box size="1 2 3"/>', 8, undefined],
    ['<cylinder radius="0.3" length="1"/>', 16, undefined],
    ['<ellipsoid radii="1 2 3"/>', 6, undefined],
  ])("of %s: %i", (geometry, count, radius) => {
    const found = contacts(geometry);
    expect(found).toHaveLength(count);
    expect(new Set(found.map(({ name }) => name)).size).toBe(count);
    expect(found[0]).toMatchObject({ body: "a", frictionCoefficient: 0.8 });
    expect(found[0].radius).toBe(radius);
    // symmetric about the link's origin, which is 1 below the centre of mass
    const mean = found.reduce((sum, { point }) => vector.add(sum, vector.scale(point, 1 / count)), vector.zero);
    expectClose(mean, [0, 0, -1]);
  });

  it("follow origin, friction, height, and the option to have none", () => {
    const text = shape('<capsule radius="0.1" length="2"/>', `<origin xyz="0 0 1" rpy="0 ${Math.PI / 2} 0"/>`);
    const { description } = importUrdf(text, { floor: { frictionCoefficient: 0.5, height: 2 } });
    expectClose(description.contacts?.[1].point, [1, 0, 0]);
    expect(description.contacts?.[1]).toMatchObject({
      frictionCoefficient: 0.5,
      halfSpace: { normal: [0, 0, 1], offset: 2 },
    });
    // standing: the capsule's axis is 1 above the link's origin, and 0.1 above the floor
    expectClose(description.states?.initial.floating_base.position, [0, 0, 1.1, 0, 0, 0]);
    expect(importUrdf(text, { floor: { contacts: "none" } }).description.contacts).toBeUndefined();
  });

  it("of meshes are their vertices that stick out, with a reader", () => {
    const mesh = '<mesh filename="package://a/b.stl" scale="2 1 1"/>';
    expect(messages(shape(mesh))[0]).toMatch(/pass readMesh, or use a box/);
    const found = importUrdf(shape(mesh), { readMesh: () => ({ positions: [0, 0, 0, 1, 2, 3] }) }).description;
    expect(found.contacts).toHaveLength(2);
    expectClose(found.contacts?.[1].point, [2, 2, 2]);
    expect(found.bodies.a.shapes?.[0]).toMatchObject({ kind: "box", size: [2, 2, 3] });
    expect(() => importUrdf(shape(mesh), { readMesh: () => ({ positions: [0, Number.NaN, 0] }) })).toThrow(FormatError);
    expect(() => importUrdf(shape(mesh), { readMesh: () => ({ positions: [] }) })).toThrow(FormatError);
  });

  it("and masses without an inertia are those of the shapes", () => {
    const massOnly = (geometry: string): string =>
      robot(link("a", `<inertial><mass value="6"/></inertial><collision><geometry>${geometry}</geometry></collision>`));
    const box = importUrdf(massOnly('<box size="1 2 3"/>')).description.bodies.a;
    // m/12 (b² + c²) of a box, the same from its corners
    expectClose(
      [0, 1, 2].map((i) => box.inertia[i][i]),
      [6.5, 5, 2.5],
    );
    const corners = [0, 1].flatMap((x) => [0, 2].flatMap((y) => [0, 3].flatMap((z) => [x, y, z])));
    const readMesh = () => ({ positions: corners });
    const { description, linkFrames } = importUrdf(massOnly('<mesh filename="a.obj"/>'), { readMesh });
    expectClose(description.bodies.a.inertia.flat(), box.inertia.flat());
    expectClose(linkFrames.a.position, [-0.5, -1, -1.5]);
  });

  it("leave out shapes without extent and refuse negative ones", () => {
    expect(messages(shape('<sphere radius="0"/>'))[0]).toMatch(/no extent/);
    expect(() => importUrdf(shape('<sphere radius="-1"/>'))).toThrow(/must not be negative/);
    expect(() => importUrdf(shape('<box sice="1 1 1"/>'))).toThrow(/size is missing/);
    expect(() => importUrdf(shape('<cone radius="1"/>'))).toThrow(/has no shape/);
  });
});

describe("colours", () => {
  it("come from materials defined anywhere", () => {
    const visual = (material: string) => `<visual><geometry><sphere radius="1"/></geometry>${material}</visual>`;
    const text = robot(
      '<material name="red"><color rgba="1 0 0 1"/></material>',
      link(
        "a",
        inertial() +
          visual('<material name="red"/>') +
          visual('<material name="blue"/>') +
          visual('<material name="blue"><color rgba="0 0 1 0.5"/></material>') +
          visual('<material name="none"/>'),
      ),
    );
    const { description, warnings } = importUrdf(text);
    expect(description.bodies.a.shapes?.map(({ color }) => color)).toEqual([
      "#ff0000",
      "#0000ff80",
      "#0000ff80",
      undefined,
    ]);
    expect(warnings).toHaveLength(1);
  });
});

describe("files that are no robot", () => {
  it.each<[string, string, RegExp]>([
    ["another root", "<mujoco/>", /root element of URDF is <robot>; use importMjcf/],
    ["xacro", '<robot name="r" xmlns:xacro="x"><xacro:macro name="m"/></robot>', /xacro must be expanded first/],
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
