/**
 * The difference b − a of two cores, all in a's frame: its points along a direction, and how its support function curves.
 *   f(n) = min over x in b − a of n·x = n·w(n)
 * is the distance of the two along a unit vector n from a to b. The signed distance of the cores is the largest f.
 */
import { coreSize, curvatureInto, type SupportCore, supportInto } from "./supportCore.ts";

const local = new Float64Array(6);

export class Minkowski {
  a!: SupportCore;
  b!: SupportCore;
  /** b's frame in a's: position, then rows of the rotation matrix. */
  placement!: Float64Array;
  /** Length that tolerances are relative to. */
  scale = 1;

  set(a: SupportCore, b: SupportCore, placement: Float64Array): void {
    this.a = a;
    this.b = b;
    this.placement = placement;
    const [x, y, z] = [placement[0], placement[1], placement[2]];
    this.scale = coreSize(a) + coreSize(b) + Math.sqrt(x * x + y * y + z * z);
  }

  /** The pair of support points that is least along (x, y, z): difference, point of a, point of b, at out[at …]. Returns its height. */
  pair(out: Float64Array, at: number, x: number, y: number, z: number): number {
    const m = this.placement;
    supportInto(out, at + 3, this.a, x, y, z);
    supportInto(
      local,
      0,
      this.b,
      -(m[3] * x + m[6] * y + m[9] * z),
      -(m[4] * x + m[7] * y + m[10] * z),
      -(m[5] * x + m[8] * y + m[11] * z),
    );
    out[at + 6] = m[0] + m[3] * local[0] + m[4] * local[1] + m[5] * local[2];
    out[at + 7] = m[1] + m[6] * local[0] + m[7] * local[1] + m[8] * local[2];
    out[at + 8] = m[2] + m[9] * local[0] + m[10] * local[1] + m[11] * local[2];
    out[at] = out[at + 6] - out[at + 3];
    out[at + 1] = out[at + 7] - out[at + 4];
    out[at + 2] = out[at + 8] - out[at + 5];
    return out[at] * x + out[at + 1] * y + out[at + 2] * z;
  }

  /** K(u, v) for the sum K of both curvatures at the unit vector n: uu, uv, vv at out[0 … 2]. */
  curvature(out: Float64Array, n: Float64Array, u: Float64Array, v: Float64Array): void {
    out[0] = 0;
    out[1] = 0;
    out[2] = 0;
    curvatureInto(local, this.a, n[0], n[1], n[2]);
    this.addForm(out, u[0], u[1], u[2], v[0], v[1], v[2]);
    const m = this.placement;
    const nx = m[3] * n[0] + m[6] * n[1] + m[9] * n[2];
    const ny = m[4] * n[0] + m[7] * n[1] + m[10] * n[2];
    const nz = m[5] * n[0] + m[8] * n[1] + m[11] * n[2];
    curvatureInto(local, this.b, nx, ny, nz);
    this.addForm(
      out,
      m[3] * u[0] + m[6] * u[1] + m[9] * u[2],
      m[4] * u[0] + m[7] * u[1] + m[10] * u[2],
      m[5] * u[0] + m[8] * u[1] + m[11] * u[2],
      m[3] * v[0] + m[6] * v[1] + m[9] * v[2],
      m[4] * v[0] + m[7] * v[1] + m[10] * v[2],
      m[5] * v[0] + m[8] * v[1] + m[11] * v[2],
    );
  }

  private addForm(out: Float64Array, ux: number, uy: number, uz: number, vx: number, vy: number, vz: number): void {
    const px = local[0] * ux + local[3] * uy + local[4] * uz;
    const py = local[3] * ux + local[1] * uy + local[5] * uz;
    const pz = local[4] * ux + local[5] * uy + local[2] * uz;
    const qx = local[0] * vx + local[3] * vy + local[4] * vz;
    const qy = local[3] * vx + local[1] * vy + local[5] * vz;
    const qz = local[4] * vx + local[5] * vy + local[2] * vz;
    out[0] += px * ux + py * uy + pz * uz;
    out[1] += px * vx + py * vy + pz * vz;
    out[2] += qx * vx + qy * vy + qz * vz;
  }
}
