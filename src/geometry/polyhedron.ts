/**
 * Convex polyhedra as flat arrays: vertices, faces as loops anticlockwise seen from outside, edges with the faces on both sides, and
 * neighbours of vertices. Everything that narrow phases ask for is computed once, here.
 */

export interface Polyhedron {
  readonly vertexCount: number;
  /** x, y, z each. */
  readonly vertices: Float64Array;
  readonly faceCount: number;
  /** Outward unit normals; the face lies in n·x = offset. */
  readonly normals: Float64Array;
  readonly offsets: Float64Array;
  /** Face f has the entries faceStart[f] … faceStart[f + 1] of `loop` (its vertices) and `loopEdges` (the edge from each vertex on). */
  readonly faceStart: Int32Array;
  readonly loop: Int32Array;
  readonly loopEdges: Int32Array;
  readonly edgeCount: number;
  /** Two vertices each. */
  readonly edgeEnds: Int32Array;
  /** Two faces each: the first has the edge in its direction, the second against it. −1 for the edge of a segment, which has none. */
  readonly edgeFaces: Int32Array;
  /** Unit vectors from the first end to the second. */
  readonly edgeDirections: Float64Array;
  /** Vertex v has the neighbours neighbours[neighbourStart[v]] … and, at the same places, the edges to them. */
  readonly neighbourStart: Int32Array;
  readonly neighbours: Int32Array;
  readonly neighbourEdges: Int32Array;
  /** Mean of the vertices, which lies inside. */
  readonly centre: readonly [number, number, number];
  /** Largest distance of a vertex from the centre. */
  readonly radius: number;
}

/** A polyhedron from its vertices (x, y, z each) and the loops of its faces. Throws where the faces do not close. */
export function polyhedron(positions: ArrayLike<number>, faces: readonly (readonly number[])[]): Polyhedron {
  const vertexCount = positions.length / 3;
  const vertices = Float64Array.from(positions);
  const centre = meanOf(vertices);
  const normals = new Float64Array(3 * faces.length);
  const offsets = new Float64Array(faces.length);
  for (const [f, face] of faces.entries()) facePlaneInto(normals, offsets, f, face, vertices);

  // edges: each appears in two faces, once in either direction
  const edgeNumber = new Map<number, number>();
  const ends: number[] = [];
  const edgeFaces: number[] = [];
  const faceStart = new Int32Array(faces.length + 1);
  const loop: number[] = [];
  const loopEdges: number[] = [];
  for (const [f, face] of faces.entries()) {
    for (const [k, from] of face.entries()) {
      const to = face[(k + 1) % face.length];
      let edge = edgeNumber.get(to * vertexCount + from);
      if (edge === undefined) {
        edge = ends.length / 2;
        if (edgeNumber.has(from * vertexCount + to))
          throw new RangeError(`faces turn differently at edge ${from}–${to}`);
        edgeNumber.set(from * vertexCount + to, edge);
        ends.push(from, to);
        edgeFaces.push(f, -1);
      } else edgeFaces[2 * edge + 1] = f;
      loop.push(from);
      loopEdges.push(edge);
    }
    faceStart[f + 1] = loop.length;
  }
  const open = edgeFaces.indexOf(-1);
  if (open >= 0) throw new RangeError(`the faces are open at edge ${ends[open - 1]}–${ends[open]}`);

  const edgeCount = ends.length / 2;
  const edgeDirections = new Float64Array(3 * edgeCount);
  const around: [number, number][][] = Array.from({ length: vertexCount }, () => []);
  for (let e = 0; e < edgeCount; e++) {
    const [p, q] = [ends[2 * e], ends[2 * e + 1]];
    around[p].push([q, e]);
    around[q].push([p, e]);
    const x = vertices[3 * q] - vertices[3 * p];
    const y = vertices[3 * q + 1] - vertices[3 * p + 1];
    const z = vertices[3 * q + 2] - vertices[3 * p + 2];
    const length = Math.sqrt(x * x + y * y + z * z);
    edgeDirections[3 * e] = x / length;
    edgeDirections[3 * e + 1] = y / length;
    edgeDirections[3 * e + 2] = z / length;
  }
  const neighbourStart = new Int32Array(vertexCount + 1);
  for (let v = 0; v < vertexCount; v++) neighbourStart[v + 1] = neighbourStart[v] + around[v].length;
  let radius = 0;
  for (let v = 0; v < vertexCount; v++) {
    const x = vertices[3 * v] - centre[0];
    const y = vertices[3 * v + 1] - centre[1];
    const z = vertices[3 * v + 2] - centre[2];
    radius = Math.max(radius, Math.sqrt(x * x + y * y + z * z));
  }
  return {
    vertexCount,
    vertices,
    faceCount: faces.length,
    normals,
    offsets,
    faceStart,
    loop: Int32Array.from(loop),
    loopEdges: Int32Array.from(loopEdges),
    edgeCount,
    edgeEnds: Int32Array.from(ends),
    edgeFaces: Int32Array.from(edgeFaces),
    edgeDirections,
    neighbourStart,
    neighbours: Int32Array.from(around.flatMap((list) => list.map(([v]) => v))),
    neighbourEdges: Int32Array.from(around.flatMap((list) => list.map(([, e]) => e))),
    centre,
    radius,
  };
}

/** A single point at the origin: the core of a sphere. */
export function pointCore(): Polyhedron {
  return withoutFaces([0, 0, 0], []);
}

/** The segment from (0, 0, −halfLength) to (0, 0, halfLength): the core of a capsule. */
export function segmentCore(halfLength: number): Polyhedron {
  return withoutFaces([0, 0, -halfLength, 0, 0, halfLength], [0, 1]);
}

function withoutFaces(positions: number[], ends: number[]): Polyhedron {
  const hasEdge = ends.length > 0;
  return {
    vertexCount: positions.length / 3,
    vertices: Float64Array.from(positions),
    faceCount: 0,
    normals: new Float64Array(0),
    offsets: new Float64Array(0),
    faceStart: new Int32Array(1),
    loop: new Int32Array(0),
    loopEdges: new Int32Array(0),
    edgeCount: ends.length / 2,
    edgeEnds: Int32Array.from(ends),
    edgeFaces: Int32Array.from(ends, () => -1),
    edgeDirections: Float64Array.from(hasEdge ? [0, 0, 1] : []),
    neighbourStart: Int32Array.from(hasEdge ? [0, 1, 2] : [0, 0]),
    neighbours: Int32Array.from(hasEdge ? [1, 0] : []),
    neighbourEdges: Int32Array.from(hasEdge ? [0, 0] : []),
    centre: [0, 0, 0],
    radius: hasEdge ? positions[5] : 0,
  };
}

/** A cuboid about the origin. Vertex numbers have x, y, z in their bits 0, 1, 2; faces are −x, +x, −y, +y, −z, +z. */
export function boxPolyhedron(size: readonly [number, number, number]): Polyhedron {
  const positions: number[] = [];
  for (let v = 0; v < 8; v++) {
    for (let k = 0; k < 3; k++) positions.push(((v >> k) & 1 ? 0.5 : -0.5) * size[k]);
  }
  return polyhedron(positions, [
    [0, 4, 6, 2],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 2, 3, 1],
    [4, 5, 7, 6],
  ]);
}

/** The plane of a face by Newell's formula, which needs no three vertices in general position; the offset is the largest, so that no vertex stands out. */
function facePlaneInto(
  normals: Float64Array,
  offsets: Float64Array,
  f: number,
  face: readonly number[],
  vertices: Float64Array,
): void {
  let [x, y, z] = [0, 0, 0];
  const first = 3 * face[0];
  for (let k = 1; k + 1 < face.length; k++) {
    const p = 3 * face[k];
    const q = 3 * face[k + 1];
    const ux = vertices[p] - vertices[first];
    const uy = vertices[p + 1] - vertices[first + 1];
    const uz = vertices[p + 2] - vertices[first + 2];
    const vx = vertices[q] - vertices[first];
    const vy = vertices[q + 1] - vertices[first + 1];
    const vz = vertices[q + 2] - vertices[first + 2];
    x += uy * vz - uz * vy;
    y += uz * vx - ux * vz;
    z += ux * vy - uy * vx;
  }
  const length = Math.sqrt(x * x + y * y + z * z);
  if (!(length > 0)) throw new RangeError(`face ${f} has no area`);
  normals[3 * f] = x / length;
  normals[3 * f + 1] = y / length;
  normals[3 * f + 2] = z / length;
  let offset = Number.NEGATIVE_INFINITY;
  for (const v of face) {
    const height =
      normals[3 * f] * vertices[3 * v] +
      normals[3 * f + 1] * vertices[3 * v + 1] +
      normals[3 * f + 2] * vertices[3 * v + 2];
    if (height > offset) offset = height;
  }
  offsets[f] = offset;
}

function meanOf(vertices: Float64Array): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  for (let i = 0; i < vertices.length; i++) sum[i % 3] += vertices[i];
  const count = vertices.length / 3;
  return [sum[0] / count, sum[1] / count, sum[2] / count];
}
