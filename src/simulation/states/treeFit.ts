/**
 * Whether a state is the one that its own joint coordinates make. If it is, every joint of the spanning tree holds, now and one step ago, and none of
 * them has to be looked at:
 *   x = joint coordinates and rates of z,   z' = the state of x,   rows(z') = 0,
 *   |rows(z)| ≤ 2 (δx + L δθ) in lengths, 2 δθ in angles,
 * with δx, δθ the largest differences of places and attitudes between z' and z, now and one step ago together, and L the largest distance of two
 * bodies and their joint. Both ways go by kernels, and take a fraction of what the rows of all joints take.
 */
import { coordinateKernels, type KnownAngles } from "../../coordinates/index.ts";
import { angularVelocityAt, bodyAt, orientationAt, velocityAt } from "../../math/index.ts";
import type { Mechanism } from "../../mechanism/index.ts";
import { sizeOf } from "./violations.ts";

/** An attitude error is at most three times the difference of two quaternions, and a rate counts twice near √2/h. */
const attitudePerEntry = 3;

/**
 * Joint coordinates, then rates, of a state whose joints of the tree hold to `length` and `angle`; undefined where that is not seen in this way.
 */
export function treeCoordinates(
  mechanism: Mechanism,
  state: Float64Array,
  h: number,
  known: KnownAngles | undefined,
  length: number,
  angle: number,
): Float64Array | undefined {
  const kernels = coordinateKernels(mechanism);
  const x = new Float64Array(2 * mechanism.coordinateCount);
  kernels.minimalInto(x, mechanism.joints, state, h, known);
  const again = new Float64Array(mechanism.stateSize);
  if (kernels.maximalInto(again, mechanism.joints, x, h)) return undefined;
  let [places, attitudes, span] = [0, 0, 0];
  for (let body = 0; body < mechanism.bodies.length; body++) {
    const [at, turn, v, w] = [bodyAt(body), orientationAt(body), velocityAt(body), angularVelocityAt(body)];
    // q and −q are one attitude
    const sign =
      state[turn] * again[turn] +
        state[turn + 1] * again[turn + 1] +
        state[turn + 2] * again[turn + 2] +
        state[turn + 3] * again[turn + 3] <
      0
        ? -1
        : 1;
    for (let i = 0; i < 3; i++) {
      places = Math.max(places, Math.abs(again[at + i] - state[at + i]) + h * Math.abs(again[v + i] - state[v + i]));
      span = Math.max(span, Math.abs(state[at + i]));
      attitudes = Math.max(attitudes, 2 * h * Math.abs(again[w + i] - state[w + i]));
    }
    for (let i = 0; i < 4; i++)
      attitudes = Math.max(attitudes, attitudePerEntry * Math.abs(sign * again[turn + i] - state[turn + i]));
  }
  // entries of vectors of three
  const [dx, dTheta] = [2 * places, 2 * attitudes];
  const lever = 4 * span + 2 * sizeOf(mechanism);
  return 2 * (dx + lever * dTheta) <= length && 2 * dTheta <= angle ? x : undefined;
}
