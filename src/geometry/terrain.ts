/**
 * Terrain: heights over a grid, each cell cut into two triangles along the diagonal from (i, j) to (i + 1, j + 1). Below is solid.
 *
 * Vertices are numbered v = i·countY + j. Vertex v owns three edges, to (i + 1, j), (i, j + 1) and (i + 1, j + 1), numbered 3v, 3v + 1
 * and 3v + 2, and the two triangles of the cell beyond it: 2v with (i + 1, j) and 2v + 1 with (i, j + 1). What would stick out of the
 * grid does not exist. Only edges that stand out (ridges, and the rim of the terrain) can be met: on flat ground and in valleys the
 * faces are enough, and nothing catches on the edges between them.
 */

export interface Terrain {
  readonly countX: number;
  readonly countY: number;
  readonly stepX: number;
  readonly stepY: number;
  /** Place of vertex (0, 0). */
  readonly startX: number;
  readonly startY: number;
  readonly heights: Float64Array;
  /** x, y, z of each vertex. */
  readonly vertices: Float64Array;
  /** Upward unit normal of each triangle. */
  readonly normals: Float64Array;
  /** What each edge is: ABSENT, LEVEL or VALLEY, RIDGE, RIM. */
  readonly edgeKinds: Uint8Array;
}

const ABSENT = 0;
export const LEVEL = 1;
const VALLEY = 2;
export const RIDGE = 3;
export const RIM = 4;

/** Faces whose normals differ by less than this are level with each other. */
export const FLATNESS = 1e-9;

/** The rows are along x, from the least y to the largest. */
export function terrainOf(size: readonly [number, number], rows: readonly (readonly number[])[]): Terrain {
  const countX = rows[0].length;
  const countY = rows.length;
  const heights = Float64Array.from({ length: countX * countY }, (_, v) => rows[v % countY][Math.floor(v / countY)]);
  const stepX = size[0] / (countX - 1);
  const stepY = size[1] / (countY - 1);
  const [startX, startY] = [-size[0] / 2, -size[1] / 2];
  const vertices = new Float64Array(3 * heights.length);
  for (let v = 0; v < heights.length; v++) {
    vertices[3 * v] = startX + stepX * Math.floor(v / countY);
    vertices[3 * v + 1] = startY + stepY * (v % countY);
    vertices[3 * v + 2] = heights[v];
  }
  const normals = new Float64Array(6 * heights.length);
  for (let i = 0; i + 1 < countX; i++) {
    for (let j = 0; j + 1 < countY; j++) {
      const v = i * countY + j;
      const [z, zx, zy, zxy] = [heights[v], heights[v + countY], heights[v + 1], heights[v + countY + 1]];
      normalInto(normals, 6 * v, (zx - z) / stepX, (zxy - zx) / stepY);
      normalInto(normals, 6 * v + 3, (zxy - zy) / stepX, (zy - z) / stepY);
    }
  }
  const terrain = {
    countX,
    countY,
    stepX,
    stepY,
    startX,
    startY,
    heights,
    vertices,
    normals,
    edgeKinds: new Uint8Array(3 * heights.length),
  };
  for (let e = 0; e < terrain.edgeKinds.length; e++) terrain.edgeKinds[e] = edgeKind(terrain, e);
  return terrain;
}

/** Normal of a plane that rises by these slopes. */
function normalInto(out: Float64Array, at: number, slopeX: number, slopeY: number): void {
  const length = Math.sqrt(1 + slopeX * slopeX + slopeY * slopeY);
  out[at] = -slopeX / length;
  out[at + 1] = -slopeY / length;
  out[at + 2] = 1 / length;
}

/** The vertex at the other end of an edge. */
export function edgeEnd({ countY }: Terrain, edge: number): number {
  const v = Math.floor(edge / 3);
  const direction = edge - 3 * v;
  return direction === 0 ? v + countY : direction === 1 ? v + 1 : v + countY + 1;
}

/** The triangle on one side of an edge (0: towards smaller y, or larger x), or −1 at the rim. */
export function edgeTriangle(terrain: Terrain, edge: number, side: number): number {
  const { countX, countY } = terrain;
  const v = Math.floor(edge / 3);
  const direction = edge - 3 * v;
  const i = Math.floor(v / countY);
  const j = v - i * countY;
  if (direction === 2) return 2 * v + side;
  if (direction === 0) {
    // along x: below it the cell (i, j − 1), whose upper triangle has it; above it the cell (i, j), whose lower triangle has it
    if (side === 0) return j > 0 ? 2 * (v - 1) + 1 : -1;
    return j + 1 < countY ? 2 * v : -1;
  }
  // along y: at larger x the cell (i, j), whose upper triangle has it; at smaller x the cell (i − 1, j), whose lower triangle has it
  if (side === 0) return i + 1 < countX ? 2 * v + 1 : -1;
  return i > 0 ? 2 * (v - countY) : -1;
}

function edgeKind(terrain: Terrain, edge: number): number {
  const { countX, countY, vertices, normals } = terrain;
  const v = Math.floor(edge / 3);
  const direction = edge - 3 * v;
  const i = Math.floor(v / countY);
  const j = v - i * countY;
  if ((direction !== 1 && i + 1 >= countX) || (direction !== 0 && j + 1 >= countY)) return ABSENT;
  const first = edgeTriangle(terrain, edge, 0);
  const second = edgeTriangle(terrain, edge, 1);
  if (first < 0 || second < 0) return RIM;
  // how the slope across the edge changes from one side to the other: along y, along −x, and along the normal of the diagonal
  const end = edgeEnd(terrain, edge);
  const dx = vertices[3 * end] - vertices[3 * v];
  const dy = vertices[3 * end + 1] - vertices[3 * v + 1];
  const bend =
    (-dy * rise(normals, first, second, 0) + dx * rise(normals, first, second, 1)) / Math.sqrt(dx * dx + dy * dy);
  return bend > FLATNESS ? VALLEY : bend < -FLATNESS ? RIDGE : LEVEL;
}

/** Change of slope along axis k from triangle `from` to triangle `to`: z = … − n_k/n_z. */
function rise(normals: Float64Array, from: number, to: number, k: number): number {
  return normals[3 * from + k] / normals[3 * from + 2] - normals[3 * to + k] / normals[3 * to + 2];
}

/** The three vertices of a triangle, anticlockwise seen from above, written to `out`. */
export function triangleInto(out: Int32Array, { countY }: Terrain, triangle: number): void {
  const v = triangle >> 1;
  out[0] = v;
  if (triangle & 1) {
    out[1] = v + countY + 1;
    out[2] = v + 1;
  } else {
    out[1] = v + countY;
    out[2] = v + countY + 1;
  }
}

/** The triangle under a place, or −1 beyond the rim. */
export function triangleAt({ countX, countY, stepX, stepY, startX, startY }: Terrain, x: number, y: number): number {
  const u = (x - startX) / stepX;
  const w = (y - startY) / stepY;
  if (!(u >= 0 && w >= 0 && u <= countX - 1 && w <= countY - 1)) return -1;
  const i = Math.min(Math.floor(u), countX - 2);
  const j = Math.min(Math.floor(w), countY - 2);
  return 2 * (i * countY + j) + (w - j > u - i ? 1 : 0);
}

/** How far a point is over the plane of a triangle, across it. */
export function heightOver({ normals, vertices }: Terrain, triangle: number, point: Float64Array): number {
  const v = 3 * (triangle >> 1);
  const k = 3 * triangle;
  return (
    normals[k] * (point[0] - vertices[v]) +
    normals[k + 1] * (point[1] - vertices[v + 1]) +
    normals[k + 2] * (point[2] - vertices[v + 2])
  );
}
