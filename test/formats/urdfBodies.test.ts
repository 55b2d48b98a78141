/** What links become: bodies, their contacts with the floor, their colours. */
import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/formats/formatError.ts";
import { importUrdf, type UrdfOptions } from "../../src/formats/urdf/importUrdf.ts";
import { vector } from "../../src/math/index.ts";
import { compile } from "../../src/mechanism/index.ts";
import { expectClose, inertial, joint, link, messages, robot } from "./urdfText.ts";

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
    expect(messages(shape('<cone radius="1"/>')).join()).toMatch(/has no shape and is left out; give one of box/);
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
