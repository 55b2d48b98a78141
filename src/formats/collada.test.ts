import { describe, expect, it } from "vitest";
import { importUrdf } from "./index.ts";
import { parseMesh } from "./mesh.ts";

/** A tetrahedron with corners at the origin and 1, 2 and 3 along the axes. */
const vertices = "0 0 0  1 0 0  0 2 0  0 0 3";
const faces = "0 2 1  0 1 3  0 3 2  1 2 3";

function dae(primitive: string, { scene = "", unit = "", floats = vertices, accessor = "" } = {}): string {
  return `<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>${unit}<up_axis>Y_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="pa">${floats}</float_array><technique_common>${accessor}</technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    ${primitive}
  </mesh></geometry></library_geometries>
  ${scene && `<library_visual_scenes><visual_scene id="s">${scene}</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene>`}
</COLLADA>`;
}

const vertexInput = '<input semantic="VERTEX" source="#v" offset="0"/>';
const plain = `<triangles>${vertexInput}<p>${faces}</p></triangles>`;
const corners = [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3];
const read = (text: string) => parseMesh(text, "a.dae");
const close = (found: ArrayLike<number>, expected: readonly number[]): void => {
  expect(Array.from(found, (entry) => Math.round(entry * 1e9) / 1e9 || 0)).toEqual(expected);
};

describe("COLLADA meshes", () => {
  it("have their triangles, also with normals beside the vertices, of polygons and strips", () => {
    const { positions, triangles } = read(dae(plain));
    close(positions, corners);
    expect(triangles).toEqual([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]);
    const interleaved = `<polylist>${vertexInput}<input semantic="NORMAL" source="#n" offset="1"/><vcount>3 4</vcount>
      <p>0 9 2 9 1 9  0 9 1 9 2 9 3 9</p></polylist>`;
    expect(read(dae(interleaved)).triangles).toEqual([0, 2, 1, 0, 1, 2, 0, 2, 3]);
    expect(read(dae(`<polygons>${vertexInput}<p>0 1 2 3</p><p>0 2 1</p></polygons>`)).triangles).toEqual([
      ...[0, 1, 2, 0, 2, 3],
      ...[0, 2, 1],
    ]);
    // every second triangle of a strip is turned, so that all face one way
    expect(read(dae(`<tristrips>${vertexInput}<p>0 1 2 3</p></tristrips>`)).triangles).toEqual([0, 1, 2, 2, 1, 3]);
  });

  it("stand where their nodes put them, in metres", () => {
    const show = '<instance_geometry url="#g"/>';
    const unit = '<unit meter="0.001"/>';
    const scene = `<node><translate>0 0 1000</translate><rotate>0 0 2 90</rotate><node><scale>1000 1000 -1000</scale>${show}</node></node>`;
    const { positions, triangles } = read(dae(plain, { scene, unit }));
    close(positions, [0, 0, 1, 0, 1, 1, -2, 0, 1, 0, 0, -2]);
    // a mirrored solid is turned outside out
    expect(triangles).toEqual([0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2]);
    const twice = `<node id="n"><matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</matrix>${show}</node><node><instance_node url="#n"/></node>`;
    const both = read(dae(plain, { scene: twice }));
    expect(both.positions.length).toBe(24);
    expect(both.positions[12]).toBe(5);
    expect(both.triangles?.[12]).toBe(4);
  });

  it("read their numbers by the accessor", () => {
    const accessor = '<accessor source="#pa" count="3" stride="4" offset="1"/>';
    const floats = "7  1 2 3 7  4 5 6 7  8 9 10";
    close(read(dae("", { accessor, floats })).positions, [1, 2, 3, 4, 5, 6, 8, 9, 10]);
  });

  it("that are broken are refused with their line", () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ["<x/>", /a\.dae:1: <x>: the root element of a \.dae file is <COLLADA>/],
      [dae(plain.replace("3</p>", "4</p>")), /a\.dae:6: <p>: has a corner 4, and there are 4 vertices/],
      [dae(plain, { floats: "0 0 x" }), /a\.dae:4: <float_array>: holds something that is no number/],
      [
        dae(plain, { scene: '<node><instance_geometry url="#h"/></node>' }),
        /a\.dae:\d+: .*"#h" is nothing in this file/,
      ],
      [dae(plain, { scene: '<node id="n"><instance_node url="#n"/></node>' }), /deeper than 200; does one show itself/],
      [dae(plain, { accessor: '<accessor count="5" stride="3"/>' }), /12 numbers are fewer than its <accessor> reads/],
      [dae("", { floats: "" }), /a\.dae:1: no vertex/],
    ];
    for (const [text, message] of cases) expect(() => read(text)).toThrow(message);
  });

  it("collide as any mesh of a robot file does; other kinds are named as what is not read", () => {
    const robot = (file: string): string => `<robot name="r"><link name="a"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1"/></inertial><collision><geometry><mesh filename="${file}"/></geometry></collision></link></robot>`;
    const options = {
      collisions: "shapes",
      readMesh: (name: string) => (name === "a.dae" ? read(dae(plain)) : undefined),
    } as const;
    expect(importUrdf(robot("a.dae"), options).description.bodies.a.shapes).toMatchObject([{ kind: "hull" }]);
    const said = (file: string) =>
      importUrdf(robot(file), options)
        .warnings.map(({ message }) => message)
        .join();
    expect(said("b.dae")).toMatch(/does not collide: its file was not found/);
    expect(said("b.gltf")).toMatch(/does not collide: \.gltf meshes are not read; convert it to \.stl or \.obj/);
  });
});
