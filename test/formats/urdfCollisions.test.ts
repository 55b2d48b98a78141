/** Collision geometry of URDF files as shapes that touch: what becomes of it, what an SRDF file keeps apart, and what comes back. */
import { describe, expect, test } from "vitest";
import { importUrdf, type Mesh, parseMesh, toUrdf, type UrdfOptions } from "../../src/formats/index.ts";
import { compile, maximalState, type Shape, Simulation } from "../../src/index.ts";
import { touchFilter } from "../../src/mechanism/index.ts";
import { bracket, stlFile } from "./meshFiles.ts";

const inertial = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>';
const geometry = (role: string, shape: string, origin = "", name = ""): string =>
  `<${role} ${name}>${origin && `<origin ${origin}/>`}<geometry>${shape}</geometry></${role}>`;
const link = (name: string, ...parts: string[]): string => `<link name="${name}">${inertial}${parts.join("")}</link>`;
const joint = (parent: string, child: string, type = "continuous"): string =>
  `<joint name="${child}_joint" type="${type}"><parent link="${parent}"/><child link="${child}"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/></joint>`;
const robot = (...parts: string[]): string => `<robot name="r">\n${parts.join("\n")}\n</robot>`;
const load = (text: string, options: UrdfOptions = {}) => importUrdf(text, { collisions: "shapes", ...options });
const box = '<box size="0.4 0.3 0.2"/>';
const ball = geometry("collision", '<sphere radius="0.2"/>');

function shapesOf(text: string, body: string, options?: UrdfOptions): readonly Shape[] {
  return load(text, options).description.bodies[body].shapes ?? [];
}

describe("shapes of links", () => {
  test("a visual that collides is one shape; other collision shapes are not seen beside it", () => {
    const looks = `<visual><geometry>${box}</geometry><material name="red"><color rgba="1 0 0 1"/></material></visual>`;
    const both = shapesOf(robot(link("a", looks, geometry("collision", box, "", 'name="hit"'))), "a");
    expect(both).toMatchObject([{ kind: "box", name: "hit", color: "#ff0000", contact: true }]);
    const hidden = shapesOf(robot(link("a", looks, ball)), "a");
    expect(hidden).toMatchObject([
      { kind: "box", color: "#ff0000" },
      { kind: "sphere", color: "#00000000", contact: true },
    ]);
    expect(hidden[0].contact).toBeUndefined();
    // a mesh is not shown, its collision shapes are
    const meshLooks = geometry("visual", '<mesh filename="a.stl"/>');
    expect(shapesOf(robot(link("a", meshLooks, ball)), "a")).toMatchObject([{ kind: "sphere", contact: true }]);
  });

  test("a name that a body's shapes have twice is that of the first, within a link and from link to link", () => {
    const named = (shape: string): string => geometry("collision", shape, "", 'name="hit"');
    const other = geometry("collision", box, "", 'name="other"');
    const text = robot(link("a", named(box), named('<sphere radius="0.2"/>'), other), link("b", named(box)));
    const whole = text.replace("</robot>", `${joint("a", "b", "fixed")}</robot>`);
    expect(shapesOf(whole, "a").map(({ kind, name }) => [kind, name])).toEqual([
      ["box", "hit"],
      ["sphere", undefined],
      ["box", "other"],
      ["box", undefined],
    ]);
    expect(() => compile(load(whole).description)).not.toThrow();
  });

  test("meshes are hulls, scaled and mirrored; several are a decomposition", () => {
    const meshes: Record<string, Mesh> = { "bracket.stl": parseMesh(stlFile(bracket()), "bracket.stl") };
    const readMesh = (name: string): Mesh | undefined => meshes[name];
    const part = (scale: string): string => geometry("collision", `<mesh filename="bracket.stl" scale="${scale}"/>`);
    const text = robot(link("a", part("0.1 0.1 0.1"), part("-0.1 0.1 0.1")));
    const [one, two] = shapesOf(text, "a", { readMesh });
    if (one.kind !== "hull" || two.kind !== "hull") throw new Error("meshes are hulls");
    // of six corners of the outline five are on the hull, twice
    expect(one.points).toHaveLength(10);
    const sorted = (points: readonly (readonly number[])[]) =>
      points.map((point) => point.map((x) => x.toFixed(6)).join()).sort();
    expect(sorted(two.points)).toEqual(sorted(one.points.map(([x, y, z]) => [-x, y, z])));
    const messages = load(text, { readMesh }).warnings.map(({ message }) => message);
    expect(messages.join()).toContain('mesh "bracket.stl" collides as its convex hull, of 1.25 times its volume');
  });

  test("what is fixed to the world collides and shows there, and the floor is beside it", () => {
    const table = `<link name="table">${geometry("collision", box, 'xyz="1 0 0.5"', 'name="top"')}</link>`;
    const { description } = load(
      robot('<link name="world"/>', table, joint("world", "table", "fixed"), link("a", ball), joint("table", "a")),
    );
    expect(description.shapes).toMatchObject([
      { kind: "box", name: "top", contact: true },
      { kind: "halfSpace", name: "floor", contact: true },
    ]);
    expect(description.contacts).toBeUndefined();
    const bare = load(robot(link("a", ball)), { floor: { contacts: "none" } }).description;
    expect(bare.shapes).toBeUndefined();
    const low = load(robot(link("a", ball)), { floor: { height: -2, frictionCoefficient: 0.3 } }).description;
    expect(low.shapes).toMatchObject([{ position: [0, 0, -2], contact: { frictionCoefficient: 0.3 } }]);
    expect(low.bodies.a.shapes).toMatchObject([{ contact: { frictionCoefficient: 0.3 } }]);
  });

  test("a robot starts on the floor with whatever is lowest, round shapes too", () => {
    const tilted = geometry("collision", '<cylinder radius="0.3" length="1"/>', 'xyz="0 0.1 0" rpy="0.6 0.2 0"');
    const { description } = load(robot(link("a", tilted)));
    const height = maximalState(compile(description), description.states?.initial)[2];
    // centre, plus half a length and a radius along the tilted axis: R = Ry(0.2) Rx(0.6)
    const along = Math.cos(0.6) * Math.cos(0.2);
    expect(height).toBeCloseTo(0.5 * along + 0.3 * Math.sqrt(1 - along * along), 12);
  });
});

describe("what may touch", () => {
  const chain = robot(
    link("a", ball),
    link("b", ball),
    link("b2", ball),
    link("c", ball),
    link("d", ball),
    joint("a", "b"),
    joint("b", "b2", "fixed"),
    joint("b", "c"),
    joint("c", "d"),
  );
  const pairs = (options: UrdfOptions): string => {
    const { touch, bodies } = compile(load(chain, { floor: { contacts: "none" }, ...options }).description);
    if (!touch) return "";
    const { mayTouch } = touchFilter(touch);
    const nameOf = (body: number): string => bodies[body].name;
    const found = touch.shapes.flatMap((one, i) =>
      touch.shapes
        .slice(i + 1)
        .filter((two) => mayTouch(one, two))
        .map((two) => nameOf(one.body) + nameOf(two.body)),
    );
    return [...new Set(found)].sort().join(" ");
  };
  const srdf = (...lines: string[]): string => robot(...lines);
  const disabled = (one: string, two: string): string =>
    `<disable_collisions link1="${one}" link2="${two}" reason="Never"/>`;

  test("links with a joint between them do not; those that SRDF disables do not either", () => {
    expect(pairs({})).toBe("ac ad bd");
    expect(pairs({ srdf: srdf(disabled("d", "a"), "<group name='arm'/>") })).toBe("ac bd");
    expect(
      pairs({ srdf: srdf('<disable_default_collisions link="d"/>', '<enable_collisions link1="a" link2="d"/>') }),
    ).toBe("ac ad");
  });

  test("links that are one body are kept apart when all of them are", () => {
    expect(pairs({ srdf: srdf(disabled("b", "d"), disabled("b2", "d")) })).toBe("ac ad");
    // of the two links of body b only one may touch d
    const { touch } = compile(load(chain, { srdf: srdf(disabled("b", "d")), floor: { contacts: "none" } }).description);
    if (!touch) throw new Error("they touch");
    const { mayTouch } = touchFilter(touch);
    const [, first, second, , last] = touch.shapes;
    expect([first.body, second.body, last.body]).toEqual([1, 1, 3]);
    expect([mayTouch(first, last), mayTouch(second, last)]).toEqual([false, true]);
  });

  test("links of one robot that overlap as drawn are kept apart, and named; loose bodies are not", () => {
    const big = geometry("collision", '<box size="0.5 0.5 2.6"/>');
    const text = robot(
      link("a", big),
      link("b", ball),
      link("c", ball),
      link("d", ball),
      joint("a", "b"),
      joint("b", "c"),
      joint("c", "d"),
    );
    const { description, warnings } = load(text);
    // a reaches up to 1.3 m, c is at 2 m less 0.2
    expect(description.collisions).toBeUndefined();
    const taller = load(text.replace("2.6", "3.8"));
    expect(taller.description.collisions?.exclude).toEqual([["a", "c"]]);
    expect(taller.warnings.length).toBe(warnings.length + 1);
    expect(taller.warnings.map(({ message }) => message).join()).toContain("do not touch each other: a and c");
    // touching as drawn counts as well
    expect(load(text.replace("2.6", "3.6")).description.collisions?.exclude).toEqual([["a", "c"]]);
    const loose = robot(
      '<link name="world"/>',
      link("a", ball),
      link("b", ball),
      joint("world", "a", "floating"),
      joint("world", "b", "floating"),
    );
    expect(load(loose).description.collisions).toBeUndefined();
    // an arm and the table that it is bolted to
    const table = `<link name="table">${geometry("collision", '<box size="1 1 2"/>')}</link>`;
    const bolted = robot(table, link("a", ball), joint("table", "a"));
    const { description: arm, warnings: told } = load(bolted, { base: "fixed" });
    const { touch } = compile(arm);
    if (!touch) throw new Error("the floor is there");
    const [top, floor, own] = touch.shapes;
    const { mayTouch } = touchFilter(touch);
    expect([mayTouch(top, own), mayTouch(floor, own)]).toEqual([false, true]);
    expect(told.map(({ message }) => message).join()).toContain("shape0 of the world and a");
  });

  test("slips are told", () => {
    const told = (options: UrdfOptions): string =>
      importUrdf(chain, options)
        .warnings.map(({ message }) => message)
        .join("\n");
    expect(told({ collisions: "shapes", srdf: srdf(disabled("a", "z")) })).toContain('"z" is no link of the robot');
    expect(told({ srdf: srdf(disabled("a", "d")) })).toContain(
      'the SRDF file has no effect without collisions: "shapes"',
    );
    expect(told({ collisions: "shapes", srdf: srdf("<disable_collision/>") })).toContain(
      "did you mean disable_collisions?",
    );
    expect(() => load(chain, { srdf: chain })).toThrow("this is a URDF file, no SRDF file");
    expect(() => load(chain, { srdf: "<mujoco/>" })).toThrow("the root element of SRDF is <robot>");
    expect(() => load(chain, { srdf: srdf('<disable_collisions link1="a"/>'), srdfName: "r.srdf" })).toThrow(
      "r.srdf:2",
    );
  });
});

test("what does not collide is named", () => {
  const flat: Mesh = { positions: [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0] };
  const mesh = (file: string): string => geometry("collision", `<mesh filename="${file}"/>`);
  const told = (part: string, options: UrdfOptions = {}): string =>
    load(robot(link("a", ball, part)), options)
      .warnings.map(({ message }) => message)
      .join("\n");
  const readMesh = (name: string): Mesh | undefined => (name === "flat.stl" ? flat : undefined);
  expect(told(mesh("flat.stl"), { readMesh })).toContain('mesh "flat.stl" does not collide: all points lie in a plane');
  expect(told(mesh("lost.stl"), { readMesh })).toContain('mesh "lost.stl" does not collide: its file was not found');
  expect(told(mesh("flat.stl"))).toContain("does not collide: pass readMesh");
  expect(told(geometry("collision", '<sphere radius="1e-9"/>'))).toContain("stands for a point");
});

test("a mesh with a hole is told, whatever its signed volume, and so is one in millimetres", () => {
  const solid = bracket();
  const { positions, triangles = [] } = parseMesh(stlFile(solid), "whole.stl");
  const meshes: Record<string, Mesh> = {
    "whole.stl": { positions, triangles },
    "holed.stl": { positions, triangles: Array.from(triangles).slice(3) },
  };
  const told = (file: string, scale: string): string => {
    const part = geometry("collision", `<mesh filename="${file}" scale="${scale}"/>`);
    const { warnings } = load(robot(link("a", part)), { readMesh: (name) => meshes[name] });
    return warnings.map(({ message }) => message).join("\n");
  };
  const [open, wide] = ["its own surface is open or inside out", 'if it is in millimetres, give it scale="0.001'];
  expect(told("whole.stl", "1 1 1")).not.toContain(open);
  expect(told("holed.stl", "1 1 1")).toContain(open);
  expect(told("whole.stl", "1 1 1")).not.toContain(wide);
  expect(told("whole.stl", "1000 1000 1000")).toContain(wide);
});

describe("there and back", () => {
  test("shapes, surfaces that URDF knows and exclusions come back", () => {
    const text = robot(
      link("a", geometry("visual", box), geometry("collision", box, "", 'name="hull"')),
      link("b", geometry("collision", '<capsule radius="0.1" length="0.3"/>', 'rpy="0.3 0.4 0.5" xyz="0.1 0 0"')),
      link("c", geometry("collision", '<cylinder radius="0.1" length="0.3"/>')),
      joint("a", "b"),
      joint("b", "c"),
    );
    const srdf = robot('<disable_collisions link1="a" link2="c" reason="Never"/>');
    const first = load(text, { srdf }).description;
    const { xml, srdf: apart, warnings } = toUrdf(first);
    const second = load(xml, { ...(apart !== undefined && { srdf: apart }) }).description;
    expect(second.collisions).toEqual(first.collisions);
    const touching = (shapes: readonly Shape[] = []) =>
      shapes.filter(({ contact }) => contact).map(({ position, orientation, color, ...form }) => form);
    for (const name of ["a", "b", "c"]) {
      expect(touching(second.bodies[name].shapes)).toEqual(touching(first.bodies[name].shapes));
    }
    const told = warnings.map(({ message }) => message).join("\n");
    expect(told).toContain("shapes[0]: left out; the importer has a floor");
    expect(told).toContain("collisions.exclude: is in `srdf`");
  });

  test("surfaces, hulls and terrain are listed as losses", () => {
    const surface = { frictionCoefficient: 0.4, restitution: 0.5, priority: 1, group: 2 };
    const points = [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ] as const;
    const body = {
      ...load(robot(link("a", ball))).description.bodies.a,
      shapes: [{ kind: "hull", points, contact: surface }],
    } as const;
    const told = toUrdf({
      timestep: 0.01,
      bodies: { a: body },
      joints: { j: { kind: "floating", parent: "world", child: "a" } },
      shapes: [
        {
          kind: "heightField",
          size: [1, 1],
          heights: [
            [0, 0],
            [0, 1],
          ],
          contact: true,
        },
      ],
      collisions: {
        adjacent: true,
        exclude: [],
        pairs: [{ bodies: ["a", "world"], shapes: ["shape0", "shape0"], frictionCoefficient: 0.1 }],
      },
    })
      .warnings.map(({ message }) => message)
      .join("\n");
    for (const loss of [
      "bodies.a.shapes[0]: a hull is left out",
      "bodies.a.shapes[0].contact.restitution: left out",
      "bodies.a.shapes[0].contact.priority: left out",
      "bodies.a.shapes[0].contact.group: left out",
      "shapes[0]: a heightField is left out",
      "frictionCoefficient: of shapes is left out",
      "collisions.adjacent: left out",
      "collisions.pairs: left out",
    ]) {
      expect(told).toContain(loss);
    }
    // no pair is kept apart, so there is no SRDF to speak of
    expect(told).not.toContain("srdf");
  });
});

test("without the option everything is as before", () => {
  const text = robot(link("a", geometry("visual", box), ball));
  expect(importUrdf(text).description).toEqual(importUrdf(text, { collisions: "floor" }).description);
  expect(importUrdf(text).description.contacts).toHaveLength(1);
  expect(new Simulation(compile(importUrdf(text).description)).mechanism.touch).toBeUndefined();
});
