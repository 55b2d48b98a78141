/**
 * The side of the plane through three points on which a fourth one lies, without rounding errors. The determinant
 *   (b − a) × (c − a) · (p − a)
 * is computed in doubles first; where it is larger than its rounding errors can be [Shewchuk 1997, the bound of `orient3d`], its sign
 * stands. Otherwise it is computed again in whole numbers: every double is an integer times a power of two.
 */

/** (7 + 56 ε) ε with ε = 2⁻⁵³, of the sum of the absolute values of all products. */
const ERROR_BOUND = (7 + 56 * 2 ** -53) * 2 ** -53;

export class Orientation {
  readonly #positions: ArrayLike<number>;
  /** Whole coordinates, made when they are first asked for. */
  readonly #whole: (bigint | undefined)[] = [];
  readonly #exponent: number;

  /** x, y, z of each point. */
  constructor(positions: ArrayLike<number>) {
    this.#positions = positions;
    let least = 0;
    for (let i = 0; i < positions.length; i++) least = Math.min(least, exponentOf(positions[i]));
    this.#exponent = least;
  }

  /** 1 above the plane of a, b, c, which are anticlockwise seen from there; −1 below; 0 in it. */
  side(a: number, b: number, c: number, p: number): -1 | 0 | 1 {
    const all = this.#positions;
    const x = all[3 * p];
    const y = all[3 * p + 1];
    const z = all[3 * p + 2];
    const ax = all[3 * a] - x;
    const ay = all[3 * a + 1] - y;
    const az = all[3 * a + 2] - z;
    const bx = all[3 * b] - x;
    const by = all[3 * b + 1] - y;
    const bz = all[3 * b + 2] - z;
    const cx = all[3 * c] - x;
    const cy = all[3 * c + 1] - y;
    const cz = all[3 * c + 2] - z;
    const determinant = az * (bx * cy - cx * by) + bz * (cx * ay - ax * cy) + cz * (ax * by - bx * ay);
    const sum =
      Math.abs(az) * (Math.abs(bx * cy) + Math.abs(cx * by)) +
      Math.abs(bz) * (Math.abs(cx * ay) + Math.abs(ax * cy)) +
      Math.abs(cz) * (Math.abs(ax * by) + Math.abs(bx * ay));
    if (Math.abs(determinant) > ERROR_BOUND * sum) return determinant < 0 ? 1 : -1;
    // differences are zero only where coordinates are equal: planes square to an axis
    if ((ax === 0 && bx === 0 && cx === 0) || (ay === 0 && by === 0 && cy === 0) || (az === 0 && bz === 0 && cz === 0))
      return 0;
    return this.#exactSide(a, b, c, p);
  }

  #exactSide(a: number, b: number, c: number, p: number): -1 | 0 | 1 {
    const less = (q: number, k: number): bigint => this.#wholeAt(3 * q + k) - this.#wholeAt(3 * p + k);
    const [ax, ay, az] = [less(a, 0), less(a, 1), less(a, 2)];
    const [bx, by, bz] = [less(b, 0), less(b, 1), less(b, 2)];
    const [cx, cy, cz] = [less(c, 0), less(c, 1), less(c, 2)];
    const determinant = az * (bx * cy - cx * by) + bz * (cx * ay - ax * cy) + cz * (ax * by - bx * ay);
    if (determinant === 0n) return 0;
    return determinant < 0n ? 1 : -1;
  }

  #wholeAt(i: number): bigint {
    let whole = this.#whole[i];
    if (whole === undefined) {
      const value = this.#positions[i];
      const exponent = exponentOf(value);
      // an integer below 2⁵³, then shifted to the common power of two
      whole = BigInt(scaled(value, -exponent)) << BigInt(exponent - this.#exponent);
      this.#whole[i] = whole;
    }
    return whole;
  }
}

/** Scratch, to look at the bits of a number. */
const double = new DataView(new ArrayBuffer(8));

/** The e for which value / 2ᵉ is an integer below 2⁵³; 0 for 0. */
function exponentOf(value: number): number {
  if (value === 0) return 0;
  double.setFloat64(0, value);
  const bits = (double.getUint32(0) >>> 20) & 0x7ff;
  // numbers below the normal ones have the exponent of the smallest of these
  return Math.max(bits, 1) - 1075;
}

/** value · 2ᵉ in two factors, since 2ᵉ alone may be too large for a double. */
function scaled(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return value * 2 ** half * 2 ** (exponent - half);
}
