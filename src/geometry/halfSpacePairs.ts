/** Half-spaces against spheres, capsules, boxes and hulls: each is a polyhedron grown by a radius, and its vertices meet the plane. */
import { addPointPlane } from "./addFeature.ts";
import type { FeatureList } from "./features.ts";
import { supportVertex } from "./gjk.ts";
import { acrossInto } from "./overlay.ts";
import { type ShapePair, shapePair } from "./pairs.ts";
import { Candidates, reduce } from "./reduce.ts";
import type { FlatShape, HalfSpaceShape } from "./shape.ts";

const p = new Float64Array(3);
const q = new Float64Array(3);
const n = new Float64Array(3);
const across = new Float64Array(6);
const candidates = new Candidates();

/** The boundary in a's frame: its normal, the third column of the rotation, and its offset. */
function boundary(m: Float64Array): number {
  n[0] = m[5];
  n[1] = m[8];
  n[2] = m[11];
  return n[0] * m[0] + n[1] * m[1] + n[2] * m[2];
}

function distance(a: FlatShape, _: HalfSpaceShape, m: Float64Array, witness: Float64Array | undefined): number {
  const offset = boundary(m);
  const { polyhedron, radius } = a;
  const { vertices } = polyhedron;
  const v = 3 * supportVertex(polyhedron, -n[0], -n[1], -n[2], 0);
  const height = n[0] * vertices[v] + n[1] * vertices[v + 1] + n[2] * vertices[v + 2] - offset;
  if (witness) {
    for (let k = 0; k < 3; k++) {
      witness[k] = vertices[v + k] - radius * n[k];
      witness[3 + k] = vertices[v + k] - height * n[k];
      witness[6 + k] = -n[k];
    }
  }
  return height - radius;
}

function features(a: FlatShape, b: HalfSpaceShape, m: Float64Array, reach: number, out: FeatureList): void {
  const { polyhedron, radius } = a;
  if (distance(a, b, m, undefined) > reach) return;
  const offset = boundary(m);
  const { vertices, vertexCount } = polyhedron;
  acrossInto(across, n);
  candidates.clear();
  for (let v = 0; v < vertexCount; v++) {
    const x = vertices[3 * v];
    const y = vertices[3 * v + 1];
    const z = vertices[3 * v + 2];
    const gap = n[0] * x + n[1] * y + n[2] * z - offset - radius;
    if (gap > reach) continue;
    const along = across[0] * x + across[1] * y + across[2] * z;
    candidates.add(along, across[3] * x + across[4] * y + across[5] * z, gap, 0, v, 0);
  }
  reduce(candidates);
  for (let i = 0; i < candidates.count; i++) {
    if (!candidates.kept[i]) continue;
    const v = candidates.parts[3 * i + 1];
    for (let k = 0; k < 3; k++) {
      p[k] = vertices[3 * v + k];
      q[k] = p[k] - (candidates.gap[i] + radius) * n[k];
    }
    addPointPlane(out, m, 0, v, 0, p, radius, q, n);
  }
}

export const halfSpacePairs: readonly ShapePair[] = [
  shapePair("sphere", "halfSpace", features, distance),
  shapePair("capsule", "halfSpace", features, distance),
  shapePair("box", "halfSpace", features, distance),
  shapePair("hull", "halfSpace", features, distance),
];
