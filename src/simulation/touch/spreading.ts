/**
 * Spreads bodies that lie in each other, so that there is a way to part them: where many are at one point, no distance says which of them
 * goes where. What joints hold together is moved as one, what they tie to the world stays. Each is first moved a little in a direction of
 * its own, always the same one; then pairs that overlap push each other apart along their normals, half each, and every one goes where it is
 * pushed to on average, again and again.
 */
import { bodyAt, Random } from "../../math/index.ts";
import { type Mechanism, type MechanismTouch, worldIndex } from "../../mechanism/index.ts";
import type { TouchSearch } from "./touchSearch.ts";

/** Part of a depth by which bodies of one point begin. */
const NUDGE = 0.1;
/** Part of the depth that a push takes away, and a little more than that at the end: pairs that touch would be found again and again. */
const PUSH = 0.75;
const mostRounds = 300;
const seed = 12;

/** A state in which loose bodies overlap less, or not at all. */
export function spreadState(
  mechanism: Mechanism & { readonly touch: MechanismTouch },
  search: TouchSearch,
  state: Float64Array,
): Float64Array {
  const out = Float64Array.from(state);
  const { shapes } = mechanism.touch;
  const group = groupsOf(mechanism);
  const members = new Map<number, number[]>();
  group.forEach((one, body) => {
    if (one !== worldIndex) members.set(one, [...(members.get(one) ?? []), body]);
  });
  const groupOf = (shape: number): number => {
    const { body } = shapes[shape];
    return body === worldIndex ? worldIndex : group[body];
  };
  const move = (one: number, by: ArrayLike<number>, factor: number): void => {
    for (const body of members.get(one) ?? []) for (let k = 0; k < 3; k++) out[bodyAt(body) + k] += factor * by[k];
  };

  const random = new Random(seed);
  const sunken = new Map<number, number>();
  search.visitOverlaps(out, (a, b, depth) => {
    for (const one of [groupOf(a), groupOf(b)]) sunken.set(one, Math.max(sunken.get(one) ?? 0, depth));
  });
  for (const one of members.keys()) {
    const direction = [random.normal(), random.normal(), random.normal()];
    move(one, direction, NUDGE * (sunken.get(one) ?? 0));
  }
  for (let round = 0; round < mostRounds; round++) {
    let count = 0;
    const pushes = new Map<number, number[]>();
    const push = (one: number, normal: ArrayLike<number>, by: number): void => {
      const sum = pushes.get(one) ?? [0, 0, 0, 0];
      for (let k = 0; k < 3; k++) sum[k] += by * normal[k];
      sum[3]++;
      pushes.set(one, sum);
    };
    search.visitOverlaps(out, (a, b, depth, normal) => {
      const [first, second] = [groupOf(a), groupOf(b)];
      if (first === second) return;
      count++;
      const isHalf = members.has(first) && members.has(second);
      const by = (isHalf ? PUSH : 2 * PUSH) * depth;
      push(first, normal, -by);
      push(second, normal, by);
    });
    for (const [one, sum] of pushes) move(one, sum, 1 / sum[3]);
    if (count === 0) break;
  }
  return out;
}

/** The number of each body's group, which joints hold together; that of the world for what they tie to it. */
function groupsOf({ bodies, joints }: Mechanism): readonly number[] {
  const group = bodies.map(({ index }) => index);
  const join = (from: number, to: number): void => {
    for (let i = 0; i < group.length; i++) if (group[i] === from) group[i] = to;
  };
  for (const { parent, child, shape } of joints) {
    if (shape.translation === 0 && shape.rotation === 0) continue;
    const [upper, lower] = [parent === worldIndex ? worldIndex : group[parent], group[child]];
    if (upper === worldIndex || lower === worldIndex) join(upper === worldIndex ? lower : upper, worldIndex);
    else join(lower, upper);
  }
  return group;
}
