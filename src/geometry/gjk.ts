/**
 * The nearest points of two convex polyhedra by the algorithm of Gilbert, Johnson and Keerthi [1988], with the distances of simplices
 * by signed volumes [Montanari, Petrinic, Barbieri 2017].
 *
 * The set B − A = {b − a} is searched for its point v nearest to the origin: v is the nearest point of a simplex of at most four
 * vertices b_i − a_i, and the vertex of B − A that lies farthest along −v, at w, either improves the simplex or proves that
 * v·w/|v| bounds the distance from below. Everything is in A's frame.
 */
import type { Polyhedron } from "./polyhedron.ts";

/** What a search leaves behind. One exists; the next search overwrites it. */
export const simplex = {
  count: 0,
  /** Vertex numbers in A and in B. */
  a: new Int32Array(4),
  b: new Int32Array(4),
  /** b_i − a_i. */
  points: new Float64Array(12),
  /** The nearest point, from A to B. */
  v: new Float64Array(3),
};

/** Weights of the members of `simplex` in its nearest point, written to `out`. */
export function simplexWeights(out: Float64Array): void {
  const { count, points: p, v } = simplex;
  if (count === 1) {
    out[0] = 1;
  } else if (count === 2) {
    let [along, square] = [0, 0];
    for (let k = 0; k < 3; k++) {
      const d = p[3 + k] - p[k];
      along -= p[k] * d;
      square += d * d;
    }
    out[1] = along / square;
    out[0] = 1 - out[1];
  } else {
    for (let i = 0; i < 3; i++) {
      const j = 3 * ((i + 1) % 3);
      const k = 3 * ((i + 2) % 3);
      // area of the triangle that the nearest point makes with the two others, along v
      const x = (p[j + 1] - v[1]) * (p[k + 2] - v[2]) - (p[j + 2] - v[2]) * (p[k + 1] - v[1]);
      const y = (p[j + 2] - v[2]) * (p[k] - v[0]) - (p[j] - v[0]) * (p[k + 2] - v[2]);
      const z = (p[j] - v[0]) * (p[k + 1] - v[1]) - (p[j + 1] - v[1]) * (p[k] - v[0]);
      out[i] = Math.abs(x * v[0] + y * v[1] + z * v[2]);
    }
    const sum = out[0] + out[1] + out[2];
    for (let i = 0; i < 3; i++) out[i] = sum > 0 ? out[i] / sum : 1 / 3;
  }
}

/** Rounding errors of differences of coordinates, relative to the largest of them. */
const ROUNDING = 4e-15;
/** Relative accuracy of the distance. */
const ACCURACY = 1e-13;
/** Polyhedra of more vertices are climbed from vertex to vertex, others are scanned. */
const SCANNED = 24;

/** The vertex farthest along (x, y, z), in the polyhedron's frame; `from` is where to begin. */
export function supportVertex(shape: Polyhedron, x: number, y: number, z: number, from: number): number {
  const { vertices, vertexCount } = shape;
  let best = from;
  let height = x * vertices[3 * from] + y * vertices[3 * from + 1] + z * vertices[3 * from + 2];
  if (vertexCount <= SCANNED) {
    for (let v = 0; v < vertexCount; v++) {
      const h = x * vertices[3 * v] + y * vertices[3 * v + 1] + z * vertices[3 * v + 2];
      if (h > height) {
        height = h;
        best = v;
      }
    }
    return best;
  }
  const { neighbourStart, neighbours } = shape;
  for (let at = -1; at !== best; ) {
    at = best;
    for (let k = neighbourStart[at]; k < neighbourStart[at + 1]; k++) {
      const v = neighbours[k];
      const h = x * vertices[3 * v] + y * vertices[3 * v + 1] + z * vertices[3 * v + 2];
      if (h > height) {
        height = h;
        best = v;
      }
    }
  }
  return best;
}

export type Separation = "apart" | "far" | "overlapping";

/**
 * Finds the nearest points and leaves them in `simplex`. "far" where the distance is certainly above `limit`: the simplex is then any;
 * "overlapping" also where shapes touch to rounding.
 */
export function nearestPoints(a: Polyhedron, b: Polyhedron, m: Float64Array, limit: number): Separation {
  const { points, v } = simplex;
  // from centre to centre, to begin with
  const [x, y, z] = b.centre;
  for (let k = 0; k < 3; k++) v[k] = m[k] + m[3 + 3 * k] * x + m[4 + 3 * k] * y + m[5 + 3 * k] * z - a.centre[k];
  let length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  const rounding = ROUNDING * (length + a.radius + b.radius + Math.abs(m[0]) + Math.abs(m[1]) + Math.abs(m[2]));
  if (!(length > 0)) {
    v[0] = 1;
    length = 1;
  }
  let ia = 0;
  let ib = 0;
  let proven = 0;
  simplex.count = 0;
  for (let iteration = 0; iteration < 100; iteration++) {
    ia = supportVertex(a, v[0], v[1], v[2], ia);
    ib = supportVertex(
      b,
      -(m[3] * v[0] + m[6] * v[1] + m[9] * v[2]),
      -(m[4] * v[0] + m[7] * v[1] + m[10] * v[2]),
      -(m[5] * v[0] + m[8] * v[1] + m[11] * v[2]),
      ib,
    );
    const count = simplex.count;
    const at = 3 * count;
    for (let k = 0; k < 3; k++) {
      points[at + k] =
        m[k] +
        m[3 + 3 * k] * b.vertices[3 * ib] +
        m[4 + 3 * k] * b.vertices[3 * ib + 1] +
        m[5 + 3 * k] * b.vertices[3 * ib + 2] -
        a.vertices[3 * ia + k];
    }
    const bound = (v[0] * points[at] + v[1] * points[at + 1] + v[2] * points[at + 2]) / length;
    if (bound > proven) proven = bound;
    if (proven > limit) return "far";
    if (count > 0 && length - bound <= rounding + ACCURACY * length) return "apart";
    for (let i = 0; i < count; i++) {
      if (simplex.a[i] === ia && simplex.b[i] === ib) return "apart";
    }
    simplex.a[count] = ia;
    simplex.b[count] = ib;
    simplex.count = count + 1;
    if (!nearestOfSimplex()) {
      // inside a tetrahedron, unless that contradicts what was proven: then the tetrahedron is flat to rounding
      if (proven <= rounding) return "overlapping";
      simplex.count = 3;
      nearestOfSimplex();
      return "apart";
    }
    const next = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (next <= rounding) return "overlapping";
    if (count > 0 && next >= length) return "apart";
    length = next;
  }
  return "apart";
}

// the best subset of a simplex so far: its members as bits, and its nearest point
let bestMembers = 0;
const best = new Float64Array(3);
/** The square of its distance; in an array, since numbers that outlive a call are boxed elsewhere. */
const bestSquare = new Float64Array(1);

/** Reduces the simplex to the members that carry its nearest point, which goes to v; false where the origin is inside. */
function nearestOfSimplex(): boolean {
  const { count, points, v, a, b } = simplex;
  bestSquare[0] = Number.POSITIVE_INFINITY;
  if (count === 1) nearestOfPoint(0);
  else if (count === 2) nearestOfSegment(0, 1);
  else if (count === 3) nearestOfTriangle(0, 1, 2);
  else if (nearestOfTetrahedron()) return false;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    if (!(bestMembers & (1 << i))) continue;
    a[kept] = a[i];
    b[kept] = b[i];
    for (let k = 0; k < 3; k++) points[3 * kept + k] = points[3 * i + k];
    kept++;
  }
  simplex.count = kept;
  for (let k = 0; k < 3; k++) v[k] = best[k];
  return true;
}

function offer(members: number, x: number, y: number, z: number): void {
  const square = x * x + y * y + z * z;
  if (!(square < bestSquare[0])) return;
  bestSquare[0] = square;
  bestMembers = members;
  best[0] = x;
  best[1] = y;
  best[2] = z;
}

function nearestOfPoint(i: number): void {
  const { points } = simplex;
  offer(1 << i, points[3 * i], points[3 * i + 1], points[3 * i + 2]);
}

function nearestOfSegment(i: number, j: number): void {
  const { points: p } = simplex;
  const dx = p[3 * j] - p[3 * i];
  const dy = p[3 * j + 1] - p[3 * i + 1];
  const dz = p[3 * j + 2] - p[3 * i + 2];
  const along = -(p[3 * i] * dx + p[3 * i + 1] * dy + p[3 * i + 2] * dz);
  const square = dx * dx + dy * dy + dz * dz;
  if (along <= 0) nearestOfPoint(i);
  else if (along >= square) nearestOfPoint(j);
  else {
    const t = along / square;
    offer((1 << i) | (1 << j), p[3 * i] + t * dx, p[3 * i + 1] + t * dy, p[3 * i + 2] + t * dz);
  }
}

function nearestOfTriangle(i: number, j: number, k: number): void {
  const { points: p } = simplex;
  const ax = p[3 * i];
  const ay = p[3 * i + 1];
  const az = p[3 * i + 2];
  const ux = p[3 * j] - ax;
  const uy = p[3 * j + 1] - ay;
  const uz = p[3 * j + 2] - az;
  const vx = p[3 * k] - ax;
  const vy = p[3 * k + 1] - ay;
  const vz = p[3 * k + 2] - az;
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const square = nx * nx + ny * ny + nz * nz;
  // weights of j and k where the origin's foot in the plane is i + s u + t v
  const s = -(nx * (ay * vz - az * vy) + ny * (az * vx - ax * vz) + nz * (ax * vy - ay * vx));
  const t = -(nx * (uy * az - uz * ay) + ny * (uz * ax - ux * az) + nz * (ux * ay - uy * ax));
  const r = square - s - t;
  if (square > 0 && r > 0 && s > 0 && t > 0) {
    const height = (ax * nx + ay * ny + az * nz) / square;
    offer((1 << i) | (1 << j) | (1 << k), height * nx, height * ny, height * nz);
    return;
  }
  // a triangle without area has no sides that can be told apart
  const flat = !(square > 0);
  if (flat || r <= 0) nearestOfSegment(j, k);
  if (flat || s <= 0) nearestOfSegment(i, k);
  if (flat || t <= 0) nearestOfSegment(i, j);
}

/** True where the origin is inside. */
function nearestOfTetrahedron(): boolean {
  let inside = true;
  for (let omitted = 0; omitted < 4; omitted++) {
    const i = omitted === 0 ? 1 : 0;
    const j = omitted <= 1 ? 2 : 1;
    const k = omitted <= 2 ? 3 : 2;
    // the origin's side of the face, compared with that of the vertex left out
    const side = sideOfOrigin(i, j, k) * sideOfVertex(i, j, k, omitted);
    if (side > 0) continue;
    inside = false;
    nearestOfTriangle(i, j, k);
  }
  return inside;
}

function sideOfVertex(i: number, j: number, k: number, l: number): number {
  const { points: p } = simplex;
  return triple(i, j, k, p[3 * l] - p[3 * i], p[3 * l + 1] - p[3 * i + 1], p[3 * l + 2] - p[3 * i + 2]);
}

function sideOfOrigin(i: number, j: number, k: number): number {
  const { points: p } = simplex;
  return triple(i, j, k, -p[3 * i], -p[3 * i + 1], -p[3 * i + 2]);
}

/** (p_j − p_i) × (p_k − p_i) · (x, y, z). */
function triple(i: number, j: number, k: number, x: number, y: number, z: number): number {
  const { points: p } = simplex;
  const ux = p[3 * j] - p[3 * i];
  const uy = p[3 * j + 1] - p[3 * i + 1];
  const uz = p[3 * j + 2] - p[3 * i + 2];
  const vx = p[3 * k] - p[3 * i];
  const vy = p[3 * k + 1] - p[3 * i + 1];
  const vz = p[3 * k + 2] - p[3 * i + 2];
  return (uy * vz - uz * vy) * x + (uz * vx - ux * vz) * y + (ux * vy - uy * vx) * z;
}
