/**
 * Contacts that joints keep where they are: whatever the joint coordinates, the gap is the same. The corners of a crate on a horizontal rail are
 * such contacts with the floor. They can neither open nor press, and nothing says what they carry: at a gap φ > 0 they push with κ/φ, and at
 * φ = 0 no point is strictly inside their cone, so that no step is solved.
 *   held      φ is equal at three configurations that have nothing in common
 * What loops hold besides is not seen: the coordinates are those of the spanning tree.
 */
import { maximalFromMinimal } from "../../coordinates/index.ts";
import {
  bodyAt,
  cached,
  type Quaternion,
  quaternion,
  Random,
  stateOffsets,
  type Vector3,
  vector,
} from "../../math/index.ts";
import { type Mechanism, worldIndex } from "../../mechanism/index.ts";
import { configurationNow } from "./configuration.ts";
import { contactDistance, sizeOf } from "./violations.ts";

const samples = 3;
/** Part of the mechanism's size by which gaps of sampled configurations may differ. */
const rounding = 1e-12;

const sampled = new WeakMap<Mechanism, readonly Float64Array[]>();

/** States with coordinates of up to half a metre or radian. */
function samplesOf(mechanism: Mechanism): readonly Float64Array[] {
  return cached(sampled, mechanism, () => {
    const random = new Random(1);
    return Array.from({ length: samples }, () => {
      const x = new Float64Array(2 * mechanism.coordinateCount);
      for (let i = 0; i < mechanism.coordinateCount; i++) x[i] = random.uniform(-0.5, 0.5);
      return maximalFromMinimal(mechanism, x);
    });
  });
}

/** Whether lengths, one of each sample, are the same. */
function isSame(mechanism: Mechanism, [first, ...others]: readonly number[]): boolean {
  return others.every((other) => Math.abs(other - first) <= rounding * sizeOf(mechanism));
}

const held = new WeakMap<Mechanism, readonly boolean[]>();

/** Whether joints keep the gap of a contact. */
export function isHeldContact(mechanism: Mechanism, contact: number): boolean {
  const areHeld = cached(held, mechanism, ({ contacts }) => {
    const where = samplesOf(mechanism).map((state) => configurationNow(state));
    return contacts.map(({ index }) =>
      isSame(
        mechanism,
        where.map((one) => contactDistance(mechanism, index, one)),
      ),
    );
  });
  return areHeld[contact];
}

/** Whether joints keep all points of a body at their height above a plane of the world with this normal. */
export function isHeldAlong(mechanism: Mechanism, body: number, normal: Vector3): boolean {
  if (body === worldIndex) return true;
  const heightOf = (state: Float64Array, point: Vector3): number => {
    const at = bodyAt(body);
    const turn = at + stateOffsets.orientation;
    const position = Array.from(state.subarray(at, at + 3)) as unknown as Vector3;
    const orientation = Array.from(state.subarray(turn, turn + 4)) as unknown as Quaternion;
    return vector.dot(normal, vector.add(position, quaternion.rotate(orientation, point)));
  };
  // one point, and three that are off it in all directions
  return [vector.zero, vector.unitX, vector.unitY, vector.unitZ].every((point) =>
    isSame(
      mechanism,
      samplesOf(mechanism).map((state) => heightOf(state, point)),
    ),
  );
}
