/** Meshes for tests, written as the files that programs write. */
import type { Mesh } from "../../src/formats/index.ts";

type Triangles = readonly (readonly [number, number, number])[];

/** Two arms of an L, 3 m and 2 m long and 1 m thick: 4 m³, not convex, and not star-shaped about the middle of its surface. */
export function bracket(): Mesh & { readonly triangles: number[]; readonly positions: number[] } {
  const outline = [
    [0, 0],
    [2, 0],
    [2, 1],
    [1, 1],
    [1, 3],
    [0, 3],
  ];
  const positions = [0, 1].flatMap((z) => outline.flatMap(([x, y]) => [x, y, z]));
  const caps: Triangles = [
    [0, 2, 1],
    [0, 3, 2],
    [0, 5, 3],
    [3, 5, 4],
  ];
  const sides = outline.flatMap((_, i) => {
    const j = (i + 1) % 6;
    return [i, j, j + 6, i, j + 6, i + 6];
  });
  const triangles = [...caps.flat(), ...caps.flatMap(([a, b, c]) => [a + 6, c + 6, b + 6]), ...sides];
  return { positions, triangles };
}

export function boxMesh([x, y, z]: readonly number[], [a, b, c] = [0, 0, 0]): Mesh & { readonly triangles: number[] } {
  const signs = [-0.5, 0.5];
  const positions = signs.flatMap((i) => signs.flatMap((j) => signs.flatMap((k) => [a + i * x, b + j * y, c + k * z])));
  const quads = [
    [0, 1, 3, 2],
    [4, 6, 7, 5],
    [0, 4, 5, 1],
    [2, 3, 7, 6],
    [0, 2, 6, 4],
    [1, 5, 7, 3],
  ];
  return { positions, triangles: quads.flatMap(([p, q, r, s]) => [p, q, r, p, r, s]) };
}

export function stlFile({ positions, triangles = [] }: Mesh): Uint8Array {
  const count = triangles.length / 3;
  const bytes = new Uint8Array(84 + 50 * count);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, count, true);
  for (let t = 0; t < count; t++) {
    for (let i = 0; i < 9; i++) {
      view.setFloat32(84 + 50 * t + 12 + 4 * i, positions[3 * triangles[3 * t + Math.floor(i / 3)] + (i % 3)], true);
    }
  }
  return bytes;
}

export function objFile({ positions, triangles = [] }: Mesh): string {
  const rows = (values: ArrayLike<number>, word: string, shift: number): string[] =>
    Array.from(
      { length: values.length / 3 },
      (_, i) => `${word} ${[0, 1, 2].map((k) => values[3 * i + k] + shift).join(" ")}`,
    );
  return [...rows(positions, "v", 0), ...rows(triangles, "f", 1), ""].join("\n");
}

export function mshFile({ positions, triangles = [] }: Mesh): Uint8Array {
  const bytes = new Uint8Array(16 + 4 * (positions.length + triangles.length));
  const view = new DataView(bytes.buffer);
  view.setInt32(0, positions.length / 3, true);
  view.setInt32(12, triangles.length / 3, true);
  for (let i = 0; i < positions.length; i++) view.setFloat32(16 + 4 * i, positions[i], true);
  for (let i = 0; i < triangles.length; i++) view.setInt32(16 + 4 * (positions.length + i), triangles[i], true);
  return bytes;
}
