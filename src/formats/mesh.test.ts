import { describe, expect, it } from "vitest";
import { FormatError } from "./formatError.ts";
import { parseMesh } from "./mesh.ts";
import { boundingBox } from "./triangleMesh.ts";

const triangle = [0, 0, 0, 1, 0, 0, 0, 2, -3];

function binaryStl(header: string): Uint8Array {
  const bytes = new Uint8Array(84 + 50);
  bytes.set(new TextEncoder().encode(header));
  const view = new DataView(bytes.buffer);
  view.setUint32(80, 1, true);
  for (const [i, value] of triangle.entries()) view.setFloat32(84 + 12 + 4 * i, value, true);
  return bytes;
}

const asciiStl = `solid t\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 2 -3\n  endloop\n endfacet\nendsolid t\n`;

describe("meshes", () => {
  it("are read from STL, ASCII and binary, and OBJ", () => {
    expect(Array.from(parseMesh(asciiStl, "a.stl").positions)).toEqual(triangle);
    expect(Array.from(parseMesh(new TextEncoder().encode(asciiStl), "a.STL").positions)).toEqual(triangle);
    expect(Array.from(parseMesh(binaryStl("made by hand"), "a.stl").positions)).toEqual(triangle);
    // some programs begin binary files like ASCII ones
    expect(Array.from(parseMesh(binaryStl("solid").buffer as ArrayBuffer, "a.stl").positions)).toEqual(triangle);
    const obj = "# c\nv 0 0 0\nvn 9 9 9\nv 1 0 0 1.0\r\nv 0 2 -3\nf 1 2 3\n";
    expect(Array.from(parseMesh(obj, "dir/a.obj").positions)).toEqual(triangle);
  });

  it("are read from STL in capitals, and from OBJ whose lines go on after a backslash", () => {
    const capitals = new TextEncoder().encode(asciiStl.toUpperCase());
    expect(Array.from(parseMesh(capitals, "a.stl").positions)).toEqual(triangle);
    const obj = "v 0 0 0\nv 1 0 \\\r\n 0\nv 0 2 -3\nf 1 -2 \\\n 3\n";
    const { positions, triangles } = parseMesh(obj, "a.obj");
    expect([Array.from(positions), triangles]).toEqual([triangle, [0, 1, 2]]);
    expect(() => parseMesh("v 0 0 0\nv 1 \\\n x 2\n", "a.obj")).toThrow(/a\.obj:3: "v 1 {2}x 2" needs three/);
  });

  it("have a bounding box, scaled", () => {
    expect(boundingBox({ positions: triangle }, [1, 1, -2])).toEqual({ center: [0.5, 1, 3], size: [1, 2, 6] });
  });

  it("that are broken are refused", () => {
    const bytes = binaryStl("x");
    expect(() => parseMesh(bytes.subarray(0, 100), "a.stl")).toThrow(/neither ASCII nor binary STL: 100 bytes for \d/);
    expect(() => parseMesh(bytes.subarray(0, 7), "a.stl")).toThrow(/7 bytes, too few for a header/);
    expect(() => parseMesh(new Uint8Array(3), "a.stl")).toThrow(FormatError);
    new DataView(bytes.buffer).setFloat32(100, Number.NaN, true);
    expect(() => parseMesh(bytes, "a.stl")).toThrow(/vertex 0 is not finite/);
    expect(() => parseMesh("v 1 2\n", "a.obj")).toThrow(/^a.obj:1: "v 1 2" needs three numbers/);
    expect(() => parseMesh("", "a.obj")).toThrow(/no vertex/);
    expect(() => parseMesh("<x/>", "a.glb")).toThrow(/\.glb meshes are not read; convert it/);
  });
});
