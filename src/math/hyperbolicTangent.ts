/**
 * tanh x from + − × / only, so that every engine gives the same bits: platforms' own differ in the last ones. Within 2 ulp.
 *   |x| < 0.625     x + x³ P(x²)/Q(x²)                    [Cephes tanh.c]
 *   |x| < 22        sign x · (1 − 2/(e^{2|x|} + 1))
 *   beyond          sign x, which is tanh x rounded
 * e^y = 2^k e^r with k = round(y/ln 2), |r| ≤ ½ ln 2, and e^r by its series, whose first term left out is below 1e-18.
 */
const P = [-1614.6876844170845, -99.28772310019185, -0.9643991794250523] as const;
const Q = [4844.063053251254, 2235.4883906010045, 112.81167849163293] as const;

export function hyperbolicTangent(x: number): number {
  const size = Math.abs(x);
  if (size < 0.625) {
    const z = x * x;
    const numerator = (P[2] * z + P[1]) * z + P[0];
    const denominator = ((z + Q[2]) * z + Q[1]) * z + Q[0];
    return x + x * z * (numerator / denominator);
  }
  const value = size < 22 ? 1 - 2 / (exponential(2 * size) + 1) : 1;
  return x < 0 ? -value : x > 0 ? value : x;
}

// ln 2 in two parts; the first has 33 bits, so that its product with k is exact [fdlibm e_exp.c]
const ln2High = 0.6931471803691238;
const ln2Low = 1.9082149292705877e-10;
const seriesTerms = 15;

/** e^y for 0 ≤ y < 44. */
function exponential(y: number): number {
  const k = Math.round(y / Math.LN2);
  const r = y - k * ln2High - k * ln2Low;
  let series = 1;
  for (let n = seriesTerms; n >= 1; n--) series = 1 + (series * r) / n;
  let power = 1;
  for (let i = 0; i < k; i++) power *= 2;
  return power * series;
}
