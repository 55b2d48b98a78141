/**
 * Rotation vectors: direction is the axis, length is the angle, below two turns. Attitudes r = (w, v) are unit quaternions, whose sign
 * counts: r and −r are a turn apart.
 *
 * Springs, servos and limits of joints with two or three free rotations have potentials of rotation vectors, and a potential V(e) turns
 * with the torque −Jᵀ ∂V/∂e, J = de/d(spin). A spring measures how far its joint has departed from rest,
 *   e = log(b⁻¹ r b⁻¹),      b² = exp(rest):
 * half of the rest attitude is taken off on the parent's side and half on the child's. |e| is the angle between rest and attitude, e is
 * the rotation vector less the rest up to terms of third order (exactly so about one axis), and where only the two rotations across an
 * axis are free, e is across it too.
 */
import {
  add,
  atan2,
  cos,
  div,
  dot,
  ifLess,
  matMul,
  max,
  mul,
  neg,
  quaternionConjugate,
  quaternionMultiply,
  rotationMatrix,
  type Scalar,
  sin,
  sqrt,
  square,
  sub,
  vscale,
} from "../symbolic/index.ts";

const axes = [0, 1, 2] as const;

/** 2·atan2(|v|, w)/|v|, by its series near zero. */
export function rotationVectorFactor([w, ...v]: readonly Scalar[]): Scalar {
  const n2 = dot(v, v);
  const n = sqrt(max(n2, 1e-30));
  const series = mul(div(2, w), sub(1, div(n2, mul(3, square(w)))));
  return ifLess(n2, 1e-10, series, div(mul(2, atan2(n, w)), n));
}

/** (cos(φ/2), sin(φ/2) r/φ), φ = |r|, by its series near zero. */
export function fromRotationVector(r: readonly Scalar[]): Scalar[] {
  const n2 = dot(r, r);
  const n = sqrt(max(n2, 1e-30));
  const half = div(n, 2);
  const small = sub(0.5, div(n2, 48));
  const factor = ifLess(n2, 1e-8, add(small, div(mul(n2, n2), 3840)), div(sin(half), n));
  const w = ifLess(n2, 1e-8, add(sub(1, div(n2, 8)), div(mul(n2, n2), 384)), cos(half));
  return [w, ...vscale(r, factor)];
}

/** dr by a rotation vector f v, r = (w, v), as a spin: J = 1 − (2/f)[v]× + g [v]×²,  g = (1 − 2w/f)/|v|². */
export function rotationVectorSpins(r: readonly Scalar[]): Scalar[][] {
  const [w, ...v] = r;
  const over = div(2, rotationVectorFactor(r));
  const n2 = dot(v, v);
  const g = ifLess(n2, nearZero, add(2 / 3, mul(4 / 45, n2)), div(sub(1, mul(w, over)), max(n2, nearZero)));
  return inPowersOf(v, neg(over), g);
}

/** The inverse, rates of the rotation vector by a spin: J⁻¹ = 1 + (f/2)[v]× + g [v]×²,  g = (1 − fw/2)/|v|². */
export function rotationVectorRates(r: readonly Scalar[]): Scalar[][] {
  const [w, ...v] = r;
  const half = div(rotationVectorFactor(r), 2);
  const n2 = dot(v, v);
  const g = ifLess(n2, nearZero, add(1 / 3, mul(2 / 15, n2)), div(sub(1, mul(w, half)), max(n2, nearZero)));
  return inPowersOf(v, half, g);
}

/** Below this |v|², differences from 1 are lost in rounding and taken by their series, which is good to 1e-16 there. */
const nearZero = 1e-7;

/** 1 + a [v]× + b [v]×². */
function inPowersOf(v: readonly Scalar[], a: Scalar, b: Scalar): Scalar[][] {
  const n2 = dot(v, v);
  return axes.map((i) =>
    axes.map((j) => {
      const twice = sub(mul(v[i], v[j]), i === j ? n2 : 0);
      return add(add(i === j ? 1 : 0, mul(a, crossEntry(v, i, j))), mul(b, twice));
    }),
  );
}

/** Entry (i, j) of [v]×. */
export function crossEntry(v: readonly Scalar[], i: number, j: number): Scalar {
  if (i === j) return 0;
  const k = 3 - i - j;
  return (j - i + 3) % 3 === 1 ? neg(v[k]) : v[k];
}

/** How far attitudes have departed from a rest attitude. */
export interface Departure {
  /** e of an attitude r. */
  readonly vector: (r: readonly Scalar[]) => Scalar[];
  /** de/d(spin), 3 × 3, of a spin in the child's joint frame: r ↦ r (1, spin/2). */
  readonly bySpin: (r: readonly Scalar[]) => Scalar[][];
}

/** `rest`: the rotation vector of the rest attitude, or its entries across the axis where only those are free. */
export function departureFrom(rest: readonly Scalar[]): Departure {
  const half = fromRotationVector(axes.map((i) => mul(0.5, rest[i] ?? 0)));
  const back = quaternionConjugate(half);
  const seen = (r: readonly Scalar[]): Scalar[] => quaternionMultiply(quaternionMultiply(back, r), back);
  return {
    vector: (r) => {
      const s = seen(r);
      return vscale(s.slice(1), rotationVectorFactor(s));
    },
    bySpin: (r) => matMul(rotationVectorRates(seen(r)), rotationMatrix(half)),
  };
}

/** The rotation vector itself: its departure from zero. */
export const rotationVector: Departure = {
  vector: (r) => vscale(r.slice(1), rotationVectorFactor(r)),
  bySpin: rotationVectorRates,
};
