/**
 * Puts down what can fall: every mechanism that its joints to the world let move up and down is moved along gravity until its lowest point
 * touches, the lowest first, so that what lies on something else comes down on that. Poses stay as they are.
 *
 * Two shapes at a distance φ along a direction n keep a slab of that width between them, which a fall by t narrows by t (n·g)/|g|: they do not
 * meet before φ |g|/(n·g). So a fall to the nearest of these bounds, again and again, ends at the first touch; and the same quotient lifts
 * what is inside. Above terrain, which is not convex, t = φ is the bound.
 */
import { bodyAt, vector } from "../../math/index.ts";
import { ArgumentError, type Mechanism, type MechanismJoint, type Vector3, worldIndex } from "../../mechanism/index.ts";
import { TouchSearch } from "../touch/touchSearch.ts";
import { configurationNow } from "./configuration.ts";
import { gapOf, jointViolation, sizeOf } from "./violations.ts";

/** Distances that count as touching, m: well within what `checkState` lets pass. */
const touching = 1e-10;
/** Shapes side by side approach each other slowly when one falls. Overlaps are not lifted out along less than this part of the way. */
const steepest = 0.1;
/** Falls to a next bound. On planes the second is exact; balls and hulls take some ten. */
const mostFalls = 200;
/** Nothing farther below is looked for, m. */
const farthest = 1e6;

/** The same state with everything that can fall on the ground. */
export function putDown(mechanism: Mechanism, state: Float64Array): Float64Array {
  const down = downOf(mechanism);
  const next = Float64Array.from(state);
  const heightOf = (bodies: ReadonlySet<number>): number =>
    Math.min(...[...bodies].map((body) => -vector.dot(down, position(state, body))));
  const falling = groupsThatFall(mechanism, state, down).sort((a, b) => heightOf(a) - heightOf(b));
  if (falling.length === 0) throw fault("nothing can move up and down: every body is held by joints to the world");
  const waiting = new Set(falling.flatMap((group) => [...group]));
  const search = mechanism.touch && new TouchSearch(mechanism.touch);
  let met = false;
  for (const group of falling) {
    for (const body of group) waiting.delete(body);
    met = fall(mechanism, search, next, group, waiting, down) || met;
  }
  if (!met) throw fault("nothing lies below: add a floor, as a half-space or a shape of the world");
  return next;
}

function fault(message: string): ArgumentError {
  return new ArgumentError("no-ground", "onGround", message);
}

/** Moves a group to where it touches what is there already; returns whether anything lies below. */
function fall(
  mechanism: Mechanism,
  search: TouchSearch | undefined,
  state: Float64Array,
  group: ReadonlySet<number>,
  waiting: ReadonlySet<number>,
  down: Vector3,
): boolean {
  const isGround = (body: number): boolean => !group.has(body) && !waiting.has(body);
  const { contacts, touch } = mechanism;
  // gaps of contacts by hand are linear in the fall
  const hand = contacts.filter(
    ({ body, other }) => group.has(body) !== group.has(other) && isGround(group.has(body) ? other : body),
  );
  const size = sizeOf(mechanism);
  const start = Float64Array.from(state);
  let reach = size;
  let fallen = 0;
  for (let round = 0; round < mostFalls; round++) {
    let way = Number.POSITIVE_INFINITY;
    const before = configurationNow(state);
    const after = configurationNow(shifted(state, group, down, size));
    for (const contact of hand) {
      const gap = gapOf(contact, before);
      const closing = (gap - gapOf(contact, after)) / size;
      if (closing > (gap < 0 ? steepest : 0)) way = Math.min(way, gap / closing);
    }
    search?.visitNear(state, reach, (a, b, distance, normal) => {
      const [first, second] = [touch?.shapes[a], touch?.shapes[b]];
      if (!first || !second || group.has(first.body) === group.has(second.body)) return;
      if (!isGround(group.has(first.body) ? second.body : first.body)) return;
      const along = vector.dot(down, [normal[0], normal[1], normal[2]]);
      const closing = group.has(first.body) ? along : -along;
      const isTerrain = first.form.kind === "heightField" || second.form.kind === "heightField";
      if (isTerrain) way = Math.min(way, distance);
      else if (closing > (distance < 0 ? steepest : 0)) way = Math.min(way, distance / closing);
    });
    // farther shapes have not been looked at
    const step = search ? Math.min(way, reach) : way;
    if (fallen + step > farthest) {
      state.set(start);
      return false;
    }
    state.set(shifted(state, group, down, step));
    if (Math.abs(step) <= touching) return true;
    fallen += step;
    reach = way > reach ? 2 * reach : Math.max(size, 2 * way);
  }
  return true;
}

function shifted(state: Float64Array, group: ReadonlySet<number>, along: Vector3, way: number): Float64Array {
  const next = Float64Array.from(state);
  for (const body of group) for (let k = 0; k < 3; k++) next[bodyAt(body) + k] += way * along[k];
  return next;
}

function downOf({ gravity }: Mechanism): Vector3 {
  const strength = vector.norm(gravity);
  return strength > 0 ? vector.scale(gravity, 1 / strength) : [0, 0, -1];
}

function position(state: Float64Array, body: number): Vector3 {
  const at = bodyAt(body);
  return [state[at], state[at + 1], state[at + 2]];
}

/**
 * Bodies that hang together and that all joints to what stands let shift along `down`. Of what hangs on one slide that does not, the carriage
 * counts as standing: a slide along x may carry one along z.
 */
function groupsThatFall(mechanism: Mechanism, state: Float64Array, down: Vector3): Set<number>[] {
  const standing = new Set([worldIndex]);
  const found: Set<number>[] = [];
  let groups = groupsBeside(mechanism, standing);
  while (groups.length > 0) {
    let more = false;
    for (const group of groups) {
      const held = mechanism.joints.filter(({ parent, child }) => group.has(parent) !== group.has(child));
      const moved = shifted(state, group, down, sizeOf(mechanism));
      if (held.every((joint) => holdsIn(joint, moved) <= holdsIn(joint, state) + 1e-9 * sizeOf(mechanism))) {
        found.push(group);
        continue;
      }
      const [only, ...others] = held;
      if (others.length > 0 || only.shape.rotation < 3 || only.shape.translation === 3) continue;
      standing.add(group.has(only.child) ? only.child : only.parent);
      more = true;
    }
    const taken = new Set(found.flatMap((group) => [...group]));
    groups = more
      ? groupsBeside(mechanism, standing).filter((group) => ![...group].some((body) => taken.has(body)))
      : [];
  }
  return found;
}

function holdsIn(joint: MechanismJoint, state: Float64Array): number {
  return jointViolation(joint, configurationNow(state)).length;
}

/** Bodies that joints connect, without those that stand. */
function groupsBeside({ bodies, joints }: Mechanism, standing: ReadonlySet<number>): Set<number>[] {
  const groupOf = new Map(
    bodies.filter(({ index }) => !standing.has(index)).map(({ index }) => [index, new Set([index])]),
  );
  for (const { parent, child } of joints) {
    const [one, other] = [groupOf.get(parent), groupOf.get(child)];
    if (!one || !other || one === other) continue;
    for (const body of other) {
      one.add(body);
      groupOf.set(body, one);
    }
  }
  return [...new Set(groupOf.values())];
}
