/** Complete elliptic integral of the first kind, K(k) = ∫₀^{π/2} dφ/√(1 − k² sin²φ) = π / (2 AGM(1, √(1−k²))). */
export function completeEllipticK(k: number): number {
  let a = 1;
  let b = Math.sqrt((1 - k) * (1 + k));
  while (Math.abs(a - b) > 1e-15 * a) [a, b] = [(a + b) / 2, Math.sqrt(a * b)];
  return Math.PI / (2 * a);
}

/** Jacobi's sn, cn, dn at modulus k, by descending Landen steps (Abramowitz and Stegun 16.4). */
export function jacobi(u: number, k: number): { readonly sn: number; readonly cn: number; readonly dn: number } {
  const a = [1];
  const c = [k];
  let b = Math.sqrt((1 - k) * (1 + k));
  while (c[c.length - 1] > 1e-16) {
    const last = a[a.length - 1];
    c.push((last - b) / 2);
    a.push((last + b) / 2);
    b = Math.sqrt(last * b);
  }
  let n = a.length - 1;
  let phi = 2 ** n * a[n] * u;
  for (; n > 0; n--) phi = (phi + Math.asin((c[n] / a[n]) * Math.sin(phi))) / 2;
  const sn = Math.sin(phi);
  return { sn, cn: Math.cos(phi), dn: Math.sqrt(1 - (k * sn) ** 2) };
}
