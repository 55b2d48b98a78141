/**
 * Exponential, logarithm and hyperbolic tangent, built from + − · / min max and ifLess only, so that every target and every machine gives
 * the same bits. Called with numbers they compute.
 *
 * expm1(x) = eˣ − 1: Taylor's series of degree 16 at x/2¹⁰, |x| ≤ 700, and ten times u ← u (u + 2), which doubles the argument.
 * Its relative error is below 3e-13. exp = expm1 + 1 for x ≥ 0, tanh x = u/(u + 2) with u = expm1(2x).
 *
 * log x, x > 0: powers of two are taken out until m ∈ [√½, 2), the largest first; log m = 2 artanh((m − 1)/(m + 1)) by its series, with
 * m/2 for m above √2. Of x ≤ 0 it is that of the smallest normal number, about −708.
 */
import { add, div, ifLess, max, min, mul, neg, sub } from "./arithmetic.ts";
import type { Scalar } from "./expression.ts";

const doublings = 10;
const degree = 16;
const largestExponent = 700;

/** eˣ, with x clipped to ±700. */
export function exp(x: Scalar): Scalar {
  // 1/e⁻ˣ below 0, where eˣ − 1 is nearly −1
  const growth = add(expMinusOne(ifLess(x, 0, neg(x), x)), 1);
  return ifLess(x, 0, div(1, growth), growth);
}

/** ±1 to the last bit beyond ±20. */
export function tanh(x: Scalar): Scalar {
  const u = expMinusOne(mul(2, clipped(x, 20)));
  return div(u, add(u, 2));
}

function expMinusOne(x: Scalar): Scalar {
  const t = mul(clipped(x, largestExponent), 2 ** -doublings);
  let factor: Scalar = 1;
  for (let k = degree; k > 1; k--) factor = add(mul(div(t, k), factor), 1);
  let u = mul(t, factor);
  for (let k = 0; k < doublings; k++) u = mul(u, add(u, 2));
  return u;
}

function clipped(x: Scalar, bound: number): Scalar {
  return max(min(x, bound), -bound);
}

const smallestNormal = 2 ** -1022;

/** The natural logarithm. */
export function log(x: Scalar): Scalar {
  const positive = max(x, smallestNormal);
  // log x = −log(1/x) for what is small; near 1 the reciprocal would lose digits
  const large = ifLess(positive, Math.SQRT1_2, div(1, positive), positive);
  let m: Scalar = large;
  let exponent: Scalar = 0;
  for (let power = 512; power >= 1; power /= 2) {
    const bound = 2 ** power;
    exponent = ifLess(m, bound, exponent, add(exponent, power));
    m = ifLess(m, bound, m, mul(m, 1 / bound));
  }
  const isUpper = (below: Scalar, above: Scalar): Scalar => ifLess(m, Math.SQRT2, below, above);
  const whole = isUpper(exponent, add(exponent, 1));
  const mantissa = isUpper(m, mul(m, 0.5));
  const value = add(mul(whole, Math.LN2), logNearOne(mantissa));
  return ifLess(positive, Math.SQRT1_2, neg(value), value);
}

/** 2 (s + s³/3 + s⁵/5 …) with s = (m − 1)/(m + 1), |s| < 0.172. */
function logNearOne(m: Scalar): Scalar {
  const s = div(sub(m, 1), add(m, 1));
  const square = mul(s, s);
  let series: Scalar = 0;
  for (let k = 21; k >= 1; k -= 2) series = add(mul(series, square), 2 / k);
  return mul(s, series);
}
