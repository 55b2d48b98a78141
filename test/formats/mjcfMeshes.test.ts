/** Meshes of MJCF files beside MuJoCo: masses, inertias, shapes fitted to them, and where their files are. */
import loadMujoco from "@mujoco/mujoco";
import { beforeAll, describe, expect, test } from "vitest";
import { importMjcf, type Mesh, type MjcfImport, parseMesh } from "../../src/formats/index.ts";
import { boxMesh, bracket, mshFile, objFile, stlFile } from "./meshFiles.ts";
import { type Files, geometryError, type Mujoco } from "./mjcfOracle.ts";

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadMujoco();
});

/** Files hold 32-bit floats, and so do numbers that MuJoCo writes between its passes over a mesh. */
const TOLERANCE = 1e-6;

const readers = (files: Files) => ({
  readMesh: (name: string): Mesh | undefined => (files[name] === undefined ? undefined : parseMesh(files[name], name)),
  readFile: (name: string): string | undefined => files[name] as string | undefined,
});

/** Imports, and compares mass, centre, inertia and poses with MuJoCo. */
function expectSame(xml: string, files: Files = {}): MjcfImport {
  const imported = importMjcf(xml, readers(files));
  const compared = { ...imported, frame: (body: string) => imported.names.bodies[body] };
  for (const [name, error] of Object.entries(geometryError(mujoco, xml, compared, files))) {
    expect(error, name).toBeLessThan(TOLERANCE);
  }
  return imported;
}

const { positions, triangles } = bracket();
const inline = `vertex="${positions.join(" ")}" face="${triangles.join(" ")}"`;
const robot = (mesh: string, geom: string, compiler = ""): string => `
  <mujoco><compiler ${compiler}/><asset><mesh name="part" ${mesh}/></asset>
    <worldbody><body name="b"><freejoint/><geom mesh="part" pos="1 1 1" euler="20 30 40" ${geom}/></body></worldbody></mujoco>`;

describe("a mesh's mass is that of its triangles", () => {
  test.each([
    ["legacy", "", 4161.34],
    ["exact", 'inertia="exact"', 4000],
    ["convex", 'inertia="convex"', 5000],
    ["shell", 'inertia="shell"', 18000],
    ["without faces", "", 5000],
  ])("%s", (name, mode, mass) => {
    const vertices = name === "without faces" ? `vertex="${positions.join(" ")}"` : inline;
    const { description } = expectSame(robot(`${vertices} ${mode}`, 'type="mesh"'));
    expect(Math.abs(description.bodies.b.mass - mass)).toBeLessThan(0.01);
  });

  test.each([
    ["moved, turned and scaled", 'refpos="1 2 3" refquat="1 1 0 0.5" scale="1 2 0.5"', 4000],
    ["mirrored", 'scale="1 -2 0.5"', 4000],
  ])("%s", (_, attributes, mass) => {
    const { description } = expectSame(robot(`${inline} inertia="exact" ${attributes}`, 'type="mesh"'));
    expect(description.bodies.b.mass).toBeCloseTo(mass, 6);
  });

  test("a geom's mass and density scale it", () => {
    for (const geom of ['mass="3"', 'density="10"']) expectSame(robot(inline, `type="mesh" ${geom}`));
  });

  test("read from STL, OBJ and MSH", () => {
    const files = { "p.stl": stlFile(bracket()), "p.obj": objFile(bracket()), "p.msh": mshFile(bracket()) };
    for (const name of Object.keys(files)) {
      const { description } = expectSame(robot(`file="${name}" inertia="exact"`, 'type="mesh"'), files);
      expect(description.bodies.b.mass).toBeCloseTo(4000, 6);
    }
  });

  test("of defaults and of several geoms, with an inertial where the file has one", () => {
    const files = { "p.stl": stlFile(bracket()) };
    const xml = (inertial: string): string => `
      <mujoco><default><mesh scale="0.1 0.1 0.1"/><geom density="700"/><default class="v"><geom type="mesh" mass="0"/></default></default>
        <asset><mesh file="p.stl"/></asset>
        <worldbody><body name="b"><freejoint/>${inertial}<geom type="mesh" mesh="p"/><geom type="mesh" mesh="p" pos="0 0 1"/>
          <geom class="v" mesh="p"/></body></worldbody></mujoco>`;
    expectSame(xml(""), files);
    expectSame(xml('<inertial pos="0.1 0.2 0.3" mass="2" diaginertia="0.1 0.2 0.2"/>'), files);
  });
});

describe("shapes fitted to meshes", () => {
  const types = ["box", "sphere", "capsule", "cylinder", "ellipsoid"];
  test.each(types)("a %s has MuJoCo's size and place", (type) => {
    for (const compiler of ["", 'fitaabb="true"']) {
      for (const scale of ["", 'fitscale="0.7"']) {
        const { description } = expectSame(robot(`${inline} inertia="exact"`, `type="${type}" ${scale}`, compiler));
        expect(description.bodies.b.shapes?.[0].kind).toBe(type);
      }
    }
  });

  test("a geom of no type is a sphere, as in MuJoCo", () => {
    expect(expectSame(robot(inline, "")).description.bodies.b.shapes?.[0].kind).toBe("sphere");
  });
});

describe("where the files are", () => {
  const files = { "assets/part.stl": stlFile(boxMesh([0.2, 0.4, 0.6])) };
  const body = '<worldbody><body name="b"><freejoint/><geom type="mesh" mesh="part"/></body></worldbody>';
  test.each([
    ['meshdir="assets"', "part.stl"],
    ['assetdir="assets/"', "part.stl"],
    ['assetdir="nowhere" meshdir="assets"', "part.stl"],
    ['meshdir="assets" strippath="true"', "C:\\parts\\part.stl"],
    ["", "assets/part.stl"],
  ])("%s, %s", (compiler, file) => {
    const xml = `<mujoco><compiler ${compiler}/><asset><mesh name="part" file="${file}"/></asset>${body}</mujoco>`;
    const { warnings } = expectSame(xml, files);
    expect(warnings.filter(({ message }) => /mesh|found/.test(message))).toEqual([]);
  });

  test("files are seen from the main file, or else from the included one, and so are meshes", () => {
    const part = stlFile(boxMesh([0.2, 0.4, 0.6]));
    const inner = (include: string) =>
      `<mujoco><compiler meshdir="assets"/><asset><mesh file="part.stl"/></asset>${body}<include file="${include}"/></mujoco>`;
    const option = "<mujoco><option timestep='0.004'/></mujoco>";
    const main = '<mujoco><include file="robots/arm.xml"/></mujoco>';
    for (const [include, mesh] of [
      ["more.xml", "robots/assets/part.stl"],
      ["robots/more.xml", "assets/part.stl"],
    ]) {
      const all = { "robots/arm.xml": inner(include), "robots/more.xml": option, [mesh]: part };
      expect(expectSame(main, all).description.timestep).toBe(0.004);
    }
    expect(() => importMjcf(main, readers({}))).toThrow(/robots\/arm.xml" cannot be read/);
  });

  test("a mesh that is not there is said once, where it is named", () => {
    const xml = `<mujoco>\n<asset><mesh name="part" file="gone.stl"/></asset>\n<worldbody><body><freejoint/>
      <geom size="0.1"/><geom type="mesh" mesh="part" mass="0"/><geom type="mesh" mesh="part" mass="0"/></body></worldbody></mujoco>`;
    const { warnings } = importMjcf(xml, { ...readers({}), fileName: "a/b.xml" });
    const said = warnings.filter(({ message }) => message.includes("gone"));
    expect(said.map(({ message }) => message)).toEqual([
      'a/b.xml:2: <mesh name="part">: "gone.stl" was not found: no looks, mass or contacts from it',
    ]);
  });
});

describe("what meshes look like and touch with", () => {
  test("a flat one is shown, has no mass unless it is a shell, and refuses nobody's robot", () => {
    const flat = 'vertex="0 0 0 1 0 0 1 1 0 0 1 0" face="0 1 2 0 2 3"';
    const xml = (mode: string): string => `
      <mujoco><asset><mesh name="decal" ${flat} ${mode}/></asset><worldbody><body name="b"><freejoint/>
        <geom size="0.1"/><geom type="mesh" mesh="decal" contype="0" conaffinity="0"/></body></worldbody></mujoco>`;
    expectSame(xml('inertia="shell"'));
    const { description, warnings } = importMjcf(xml(""));
    expect(description.bodies.b.shapes).toHaveLength(2);
    expect(description.bodies.b.mass).toBeCloseTo((4000 * Math.PI * 0.1 ** 3) / 3, 9);
    expect(warnings.some(({ message }) => /no volume.*inertia="shell"/.test(message))).toBe(true);
  });

  test("a box touches with its corners, a ball with 14 points, none outside of it", () => {
    const touching = (mesh: Mesh): readonly number[][] => {
      const text = `<mujoco><asset><mesh name="part" file="p.stl"/></asset><worldbody><geom type="plane" size="1 1 1"/>
        <body pos="0 0 2"><freejoint/><geom type="mesh" mesh="part"/></body></worldbody></mujoco>`;
      const { description } = importMjcf(text, { readMesh: () => mesh });
      return (description.contacts ?? []).map(({ point }) => [...point]);
    };
    const corners = touching(boxMesh([0.2, 0.4, 0.6]));
    expect(corners).toHaveLength(8);
    for (const corner of corners) {
      expect(corner.map(Math.abs).every((entry, i) => Math.abs(entry - [0.1, 0.2, 0.3][i]) < 1e-9)).toBe(true);
    }
    const ball: number[] = [];
    for (let i = 0; i <= 20; i++) {
      for (let j = 0; j < 40; j++) {
        const [u, v] = [(Math.PI * i) / 20, (Math.PI * j) / 20];
        ball.push(Math.sin(u) * Math.cos(v), Math.sin(u) * Math.sin(v), Math.cos(u));
      }
    }
    const points = touching({ positions: ball });
    expect(points).toHaveLength(14);
    expect(Math.min(...points.map(([, , z]) => z))).toBeCloseTo(-1, 9);
  });
});

describe("meshes of MuJoCo's compiler", () => {
  test.each([
    ["sphere", "0"],
    ["sphere", "2"],
    ["hemisphere", "0"],
    ["hemisphere", "3"],
    ["cone", "5 0"],
    ["cone", "4 0.5"],
    ["supersphere", "12 0.4 0.6"],
    ["supersphere", "9 1 1.5"],
    ["supertorus", "11 0.3 0.7 1.2"],
  ])("a %s of %s", (kind, parameters) => {
    for (const inertia of ["exact", "convex"])
      expectSame(
        robot(`builtin="${kind}" params="${parameters}" inertia="${inertia}" scale="0.3 0.2 0.4"`, 'type="mesh"'),
      );
  });

  test("with wrong parameters are refused, and other kinds have no extent", () => {
    const read = (mesh: string) => () => importMjcf(robot(mesh, 'type="mesh" mass="1"'));
    expect(read('builtin="sphere" params="7"')).toThrow(/subdivisions of an icosahedron/);
    expect(read('builtin="cone"')).toThrow(/params/);
    expect(read('builtin="plate" params="3 3"')).toThrow(/no mass/);
  });
});

describe("an OBJ file with several objects", () => {
  const body = objFile(boxMesh([1, 2, 3]));
  const second = objFile(boxMesh([1, 1, 1], [4, 0, 0]));
  const shifted = second.replace(/^f .*$/gm, (face) => face.replace(/\d+/g, (corner) => String(Number(corner) + 8)));
  test.each([
    ["objects", `o a\n${body}\no b\n${shifted}`, true],
    ["groups", `${body}\ng b\n${shifted}`, true],
    ["an empty one first", `o none\no a\n${body}\no b\n${shifted}`, true],
    ["materials are no objects", `o a\n${body}\nusemtl red\n${shifted}`, false],
  ])("%s", (_, text, several) => {
    const asset = robot('file="m.obj" inertia="exact"', 'type="mesh"');
    const { description, warnings } = expectSame(asset, { "m.obj": text });
    expect(description.bodies.b.mass).toBeCloseTo(several ? 6000 : 7000, 6);
    const expected =
      '"m.obj" has several objects; mass and looks are those of the first ("12 of 24" triangles), as in MuJoCo';
    expect(warnings.some(({ message }) => message.includes(expected))).toBe(several);
    // hulls and bounding boxes have the vertices of all
    const touching = importMjcf(asset, { ...readers({ "m.obj": text }), collisions: "shapes" }).description.bodies.b;
    const [hull] = touching.shapes ?? [];
    const points = hull.kind === "hull" ? hull.points : [];
    const span = Math.max(...points.flatMap((p) => points.map((q) => Math.hypot(...p.map((x, k) => x - q[k])))));
    expect(span).toBeGreaterThan(5);
  });
});
