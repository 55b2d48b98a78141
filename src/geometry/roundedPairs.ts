/** Spheres against spheres and half-spaces. */
import { addPointPlane, addPointPoint } from "./addFeature.ts";
import type { FeatureList } from "./features.ts";
import { type ShapePair, shapePair } from "./pairs.ts";
import type { HalfSpaceShape, SphereShape } from "./shape.ts";

const p = new Float64Array(3);
const q = new Float64Array(3);
const n = new Float64Array(3);

function sphereSphere(
  a: SphereShape,
  b: SphereShape,
  placement: Float64Array,
  witness: Float64Array | undefined,
): number {
  const length = Math.sqrt(placement[0] ** 2 + placement[1] ** 2 + placement[2] ** 2);
  for (let k = 0; k < 3; k++) {
    // balls with one centre part along z
    n[k] = length > 0 ? placement[k] / length : k === 2 ? 1 : 0;
    q[k] = placement[k];
  }
  if (witness) {
    for (let k = 0; k < 3; k++) {
      witness[k] = n[k] * a.radius;
      witness[3 + k] = q[k] - n[k] * b.radius;
      witness[6 + k] = n[k];
    }
  }
  return length - a.radius - b.radius;
}

function sphereSphereFeatures(
  a: SphereShape,
  b: SphereShape,
  placement: Float64Array,
  reach: number,
  out: FeatureList,
): void {
  const distance = sphereSphere(a, b, placement, undefined);
  if (distance > reach) return;
  p.fill(0);
  addPointPoint(out, placement, 1, 0, 0, q, b.radius, p, a.radius, distance, n);
}

function sphereHalfSpace(
  a: SphereShape,
  _: HalfSpaceShape,
  m: Float64Array,
  witness: Float64Array | undefined,
): number {
  // the half-space's normal is the third column of its rotation
  n[0] = m[5];
  n[1] = m[8];
  n[2] = m[11];
  const height = -(n[0] * m[0] + n[1] * m[1] + n[2] * m[2]);
  if (witness) {
    for (let k = 0; k < 3; k++) {
      witness[k] = -n[k] * a.radius;
      witness[3 + k] = -n[k] * height;
      witness[6 + k] = -n[k];
    }
  }
  return height - a.radius;
}

function sphereHalfSpaceFeatures(
  a: SphereShape,
  b: HalfSpaceShape,
  placement: Float64Array,
  reach: number,
  out: FeatureList,
): void {
  if (sphereHalfSpace(a, b, placement, undefined) > reach) return;
  p.fill(0);
  for (let k = 0; k < 3; k++) q[k] = placement[k];
  addPointPlane(out, placement, 0, 0, 0, p, a.radius, q, n);
}

export const roundedPairs: readonly ShapePair[] = [
  shapePair("sphere", "sphere", sphereSphereFeatures, sphereSphere),
  shapePair("sphere", "halfSpace", sphereHalfSpaceFeatures, sphereHalfSpace),
];
