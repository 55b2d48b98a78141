/**
 * The direction along which a pair of shapes was apart when it was last looked at, as it has turned with either of them since. A face's
 * normal stays one as long as it turns with the face, whichever of the two has it.
 */
import { type SupportCore, separationAlong } from "../../geometry/index.ts";

/** Numbers of a pair's direction: in the frame of the first shape, and in that of the second. */
export const directionSize = 6;

/** Keeps a direction that is at from[at …] in the first shape's frame; m: the second's frame in the first's. */
export function keepDirection(out: Float64Array, to: number, m: Float64Array, from: Float64Array, at: number): void {
  for (let k = 0; k < 3; k++) {
    out[to + k] = from[at + k];
    out[to + 3 + k] = m[3 + k] * from[at] + m[6 + k] * from[at + 1] + m[9 + k] * from[at + 2];
  }
}

/** How far a pair is apart, at least: along the better of both directions, which `along` receives in the first one's frame. */
export function keptSeparation(
  a: SupportCore,
  b: SupportCore,
  m: Float64Array,
  direction: Float64Array,
  at: number,
  along: Float64Array,
): number {
  const x = direction[at];
  const y = direction[at + 1];
  const z = direction[at + 2];
  const u = direction[at + 3];
  const v = direction[at + 4];
  const w = direction[at + 5];
  const ux = m[3] * u + m[4] * v + m[5] * w;
  const uy = m[6] * u + m[7] * v + m[8] * w;
  const uz = m[9] * u + m[10] * v + m[11] * w;
  const first = separationAlong(a, b, m, x, y, z);
  const second = separationAlong(a, b, m, ux, uy, uz);
  const isFirst = first >= second;
  along[0] = isFirst ? x : ux;
  along[1] = isFirst ? y : uy;
  along[2] = isFirst ? z : uz;
  return isFirst ? first : second;
}
