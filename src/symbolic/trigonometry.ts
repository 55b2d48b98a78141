/**
 * Sine, cosine and two-argument arctangent, built from + − · / √ |·| min max and ifLess only, so that every target and
 * every machine gives the same bits. Called with numbers they compute; called with expressions they expand.
 *
 * Sine and cosine, within 1 ulp for |x| < 1e5:
 * 1. n = round(x · 2/π), by adding and subtracting 1.5 · 2⁵².
 * 2. r + e = x − n (P₁ + P₂ + P₃), where P₁ and P₂ have 33 bits, so that n P₁ and n P₂ are exact for |n| < 2²⁰; e is the
 *    part of the remainder that r, |r| ≤ π/4, cannot hold.
 * 3. S = sin(r + e) and C = cos(r + e) by fdlibm's minimax polynomials.
 * 4. q = n − 4 round(n/4) ∈ {−2, …, 2} is the quadrant: sin x = S, C, −S, −C for q = 0, 1, ±2, −1, and
 *    cos x = C, −S, −C, S.
 *
 * Arctangent, within 2 ulp on the whole plane. With a = max(|x|, |y|) and b = min(|x|, |y|):
 * 1. atan(b/a) = o + atan t with one division: o = 0, t = b/a below 7/16; o = atan ½, t = (b − a/2)/(a + b/2) below 11/16;
 *    o = π/4, t = (b − a)/(a + b) above. |t| < 7/16, and both numerators are exact.
 * 2. atan t = t − t p(t²) by fdlibm's polynomial.
 * 3. The angle is B ± (o + atan t) with B = 0 or π (x < 0), or π/2 (|y| > |x|); B ± o is summed with its rounding error.
 * The sign of a zero is not seen: atan2(±0, −1) = π. atan2(0, 0) = 0.
 */
import { abs, add, div, ifLess, max, min, mul, neg, sub } from "./arithmetic.ts";
import type { Scalar } from "./expression.ts";

/** The node sin(x); a number if x is one. */
export function sin(x: Scalar): Scalar {
  return typeof x === "number" ? sine(x) : x.graph.intern("sin", [x]);
}

/** The node cos(x); a number if x is one. */
export function cos(x: Scalar): Scalar {
  return typeof x === "number" ? cosine(x) : x.graph.intern("cos", [x]);
}

/** The node atan2(y, x), the angle of the point (x, y); a number if both are. */
export function atan2(y: Scalar, x: Scalar): Scalar {
  if (typeof y !== "number") return y.graph.intern("atan2", [y, x]);
  return typeof x === "number" ? arctangent2(y, x) : x.graph.intern("atan2", [y, x]);
}

/** sin x of a number, the same bits on every machine. */
export function sine(x: number): number {
  return expandedSin(x) as number;
}

/** cos x of a number, the same bits on every machine. */
export function cosine(x: number): number {
  return expandedCos(x) as number;
}

/** The angle of the point (x, y) in (−π, π], the same bits on every machine. */
export function arctangent2(y: number, x: number): number {
  return expandedAtan2(y, x) as number;
}

export function expandedSin(x: Scalar): Scalar {
  const { q, r, e } = reduced(x);
  const magnitude = ifLess(abs(sub(abs(q), 1)), 0.5, cosPolynomial(r, e), sinPolynomial(r, e));
  // q = −1 and q = ±2 are negative
  return ifLess(abs(sub(q, 0.5)), 1, magnitude, neg(magnitude));
}

export function expandedCos(x: Scalar): Scalar {
  const { q, r, e } = reduced(x);
  const magnitude = ifLess(abs(sub(abs(q), 1)), 0.5, sinPolynomial(r, e), cosPolynomial(r, e));
  // q = 1 and q = ±2 are negative
  return ifLess(abs(add(q, 0.5)), 1, magnitude, neg(magnitude));
}

const roundingMagic = 6755399441055744; // 1.5 · 2⁵²

/** The nearest whole number, ties to even, for |x| < 2⁵¹. */
function rounded(x: Scalar): Scalar {
  return sub(add(x, roundingMagic), roundingMagic);
}

const twoOverPi = 0.6366197723675814;
// π/2 = P1 + P2 + P3 to 119 bits [fdlibm e_rem_pio2.c]
const P1 = 1.5707963267341256;
const P2 = 6.077100506303966e-11;
const P3 = 2.0222662487959506e-21;

/** Quadrant q and remainder r + e of x. */
function reduced(x: Scalar): { q: Scalar; r: Scalar; e: Scalar } {
  const n = rounded(mul(x, twoOverPi));
  // exact, then a difference with its rounding error, because x near a multiple of π/2 cancels almost all of it
  const r1 = sub(x, mul(n, P1));
  const [r2, error] = exactDifference(r1, mul(n, P2));
  const tail = sub(error, mul(n, P3));
  const r = add(r2, tail);
  const e = add(sub(r2, r), tail);
  const q = sub(n, mul(rounded(mul(n, 0.25)), 4));
  return { q, r, e };
}

/** a − b = d + error exactly, whatever the sizes. [Knuth's TwoSum] */
function exactDifference(a: Scalar, b: Scalar): [Scalar, Scalar] {
  const d = sub(a, b);
  const virtualB = sub(d, a);
  const error = sub(sub(a, sub(d, virtualB)), add(b, virtualB));
  return [d, error];
}

// fdlibm k_sin.c: sin r ≈ r + S₀r³ + … + S₅r¹³ on |r| ≤ π/4, error below 2⁻⁵⁸
const S0 = -0.16666666666666632;
const S = [
  0.00833333333332249, -0.0001984126982985795, 0.0000027557313707070068, -2.5050760253406863e-8, 1.58969099521155e-10,
];

/** sin(r + e) ≈ r + (S₀ r³ + (e − r² (e/2 − r³ poly))) */
function sinPolynomial(r: Scalar, e: Scalar): Scalar {
  const z = mul(r, r);
  const cube = mul(z, r);
  const bend = mul(z, sub(mul(e, 0.5), mul(cube, polynomial(S, z))));
  return sub(r, sub(sub(bend, e), mul(cube, S0)));
}

// fdlibm k_cos.c: cos r ≈ 1 − r²/2 + C₀r⁴ + … + C₅r¹⁴ on |r| ≤ π/4, error below 2⁻⁵⁸
const C = [
  0.0416666666666666, -0.001388888888887411, 0.00002480158728947673, -2.7557314351390663e-7, 2.087572321298175e-9,
  -1.1359647557788195e-11,
];

/** cos(r + e) ≈ w + ((1 − w) − r²/2 + (r⁴ poly − r e)) with w = 1 − r²/2 rounded */
function cosPolynomial(r: Scalar, e: Scalar): Scalar {
  const z = mul(r, r);
  const half = mul(z, 0.5);
  const w = sub(1, half);
  const rest = sub(mul(z, mul(z, polynomial(C, z))), mul(r, e));
  return add(w, add(sub(sub(1, w), half), rest));
}

const pi = { high: Math.PI, low: 1.2246467991473532e-16 };
const halfPi = { high: Math.PI / 2, low: 6.123233995736766e-17 };
const quarterPi = { high: Math.PI / 4, low: 3.061616997868383e-17 };
const atanHalf = { high: 0.4636476090008061, low: 2.2698777452961687e-17 };

// fdlibm s_atan.c: atan t ≈ t − t (A₀t² + A₁t⁴ + …) on |t| < 7/16
const A = [
  0.3333333333333293, -0.19999999999876483, 0.14285714272503466, -0.11111110405462356, 0.09090887133436507,
  -0.0769187620504483, 0.06661073137387531, -0.058335701337905735, 0.049768779946159324, -0.036531572744216916,
  0.016285820115365782,
];

export function expandedAtan2(y: Scalar, x: Scalar): Scalar {
  const absX = abs(x);
  const absY = abs(y);
  const a = max(absX, absY);
  const b = min(absX, absY);

  // atan(b/a) = o + atan t
  const byRatio = (low: Scalar, middle: Scalar, high: Scalar) =>
    ifLess(mul(a, 7 / 16), b, ifLess(mul(a, 11 / 16), b, high, middle), low);
  const numerator = byRatio(b, sub(b, mul(a, 0.5)), sub(b, a));
  const denominator = byRatio(a, add(a, mul(b, 0.5)), add(a, b));
  const t = div(numerator, ifLess(0, a, denominator, 1));
  const z = mul(t, t);
  const atanT = sub(t, mul(t, mul(z, polynomial(A, z))));
  const oHigh = byRatio(0, atanHalf.high, quarterPi.high);
  const oLow = byRatio(0, atanHalf.low, quarterPi.low);

  // B ± (o + atan t): minus in the octants where the angle falls as b/a grows
  const select = (steep: Scalar, left: Scalar, right: Scalar) => ifLess(absX, absY, steep, ifLess(x, 0, left, right));
  const baseHigh = select(halfPi.high, pi.high, 0);
  const baseLow = select(halfPi.low, pi.low, 0);
  const sign = select(ifLess(x, 0, 1, -1), -1, 1);
  const signedO = mul(sign, oHigh);
  const high = add(baseHigh, signedO);
  const highError = add(sub(baseHigh, high), signedO);
  const low = add(highError, add(baseLow, mul(sign, oLow)));
  const angle = add(high, add(mul(sign, atanT), low));
  return ifLess(y, 0, neg(angle), angle);
}

/** c₀ + c₁z + c₂z² + … by Horner's rule. */
function polynomial(coefficients: readonly number[], z: Scalar): Scalar {
  let value: Scalar = coefficients[coefficients.length - 1];
  for (let i = coefficients.length - 2; i >= 0; i--) value = add(mul(value, z), coefficients[i]);
  return value;
}
