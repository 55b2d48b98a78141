/**
 * Contacts that joints keep where they are: whatever the joint coordinates, the gap is the same. The corners of a crate on a horizontal rail are
 * such contacts with the floor. They can neither open nor press, and nothing says what they carry: at a gap φ > 0 they push with κ/φ, and at
 * φ = 0 no point is strictly inside their cone, so that no step is solved. Those at φ = 0 are left out when a mechanism is compiled: without them the
 * motion is the same. So are those at φ < 0, which nothing can mend: the shoulder of an arm whose base stands in the floor.
 *   held      φ is equal at configurations that have nothing in common, in which loops and gears hold
 */
import { chooseTarget } from "../../codegen/index.ts";
import { maximalFromMinimal, maximalState } from "../../coordinates/index.ts";
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
import {
  equalityGears,
  type HeldContact,
  type HeldPair,
  type Mechanism,
  type MechanismContact,
  type MechanismTouch,
  worldIndex,
} from "../../mechanism/index.ts";
import { TouchSearch } from "../touch/touchSearch.ts";
import { configurationNow } from "./configuration.ts";
import { Projector } from "./projector.ts";
import { gapOf, largestViolation, sizeOf } from "./violations.ts";

/** Part of the mechanism's size, but of no more than 1 m, within which a gap is 0. */
const touching = 1e-6;
/** Configurations besides that at zero coordinates, and how many of them must be found where loops or gears have to hold. */
const samples = 3;
const fewest = 2;
/** What is left of loops and gears; and part of the mechanism's size by which gaps may differ where there are any, and in trees. */
const closed = 1e-9;
const roundingOfLoops = 1e-7;
const rounding = 1e-12;

interface Samples {
  readonly states: readonly Float64Array[];
  readonly rounding: number;
}

const sampled = new WeakMap<Mechanism, Samples>();

/** States with coordinates of up to half a metre or radian. */
function samplesOf(mechanism: Mechanism): Samples {
  return cached(sampled, mechanism, () => {
    const random = new Random(1);
    const anywhere = Array.from({ length: samples }, () => {
      const x = new Float64Array(2 * mechanism.coordinateCount);
      for (let i = 0; i < mechanism.coordinateCount; i++) x[i] = random.uniform(-0.5, 0.5);
      return maximalFromMinimal(mechanism, x, 1);
    });
    if (!isTied(mechanism)) return { states: anywhere, rounding };
    const project = projection(mechanism);
    return { states: anywhere.flatMap((state) => project(state) ?? []), rounding: roundingOfLoops };
  });
}

/** Whether coordinates of the spanning tree depend on each other. */
function isTied(mechanism: Mechanism): boolean {
  return mechanism.loopJoints.length > 0 || equalityGears(mechanism).length > 0;
}

/** Nearest configurations in which loops and gears hold, where there are any. */
function projection(whole: Mechanism): (state: Float64Array) => Float64Array | undefined {
  const mechanism = { ...whole, contacts: [], heldContacts: [] };
  const size = sizeOf(mechanism);
  let projector: Projector | undefined;
  return (state) => {
    if (largestViolation(mechanism, configurationNow(state), false, size) <= closed) return state;
    projector ??= new Projector(mechanism, chooseTarget());
    const { configuration, violation } = projector.ontoJoints(state, closed / 100);
    return violation <= closed ? configuration : undefined;
  };
}

/** Whether a length is the same in all samples. */
function isSame(mechanism: Mechanism, lengthAt: (state: Float64Array) => number): boolean {
  const { states, rounding: part } = samplesOf(mechanism);
  if (states.length < fewest) return false;
  const [first, ...others] = states.map(lengthAt);
  return others.every((other) => Math.abs(other - first) <= part * sizeOf(mechanism));
}

/** Whether joints keep the gap of a contact. */
export function isHeldContact(mechanism: Mechanism, contact: MechanismContact): boolean {
  if (!mayBeHeld(mechanism, contact.body, contact.other)) return false;
  return isSame(mechanism, (state) => gapOf(contact, configurationNow(state)));
}

/** Height of a point of a body along a direction of the world. */
function heightOf(state: Float64Array, body: number, point: Vector3, normal: Vector3): number {
  const at = bodyAt(body);
  const turn = at + stateOffsets.orientation;
  const position = Array.from(state.subarray(at, at + 3)) as unknown as Vector3;
  const orientation = Array.from(state.subarray(turn, turn + 4)) as unknown as Quaternion;
  return vector.dot(normal, vector.add(position, quaternion.rotate(orientation, point)));
}

/** Whether joints keep all points of a body at their height along a direction of the world. */
function isHeldAlong(mechanism: Mechanism, body: number, normal: Vector3): boolean {
  if (!mayBeHeld(mechanism, body, worldIndex)) return false;
  // one point, and three that are off it in all directions
  return [vector.zero, vector.unitX, vector.unitY, vector.unitZ].every((point) =>
    isSame(mechanism, (state) => heightOf(state, body, point, normal)),
  );
}

/**
 * Which of two shapes, if any, joints keep at its height along the direction in which the two are apart, the other one being fixed in the world. Both
 * are convex, so that the plane between them is one in all configurations: they never overlap.
 */
export function heldShape(
  mechanism: Mechanism,
  { shapes }: MechanismTouch,
  a: number,
  b: number,
  normal: ArrayLike<number>,
): number | undefined {
  const moving = shapes[a].body === worldIndex ? b : a;
  const isFixed = shapes[a].body === worldIndex || shapes[b].body === worldIndex;
  if (!isFixed || [a, b].some((shape) => shapes[shape].form.kind === "heightField")) return undefined;
  return isHeldAlong(mechanism, shapes[moving].body, Array.from(normal) as unknown as Vector3) ? moving : undefined;
}

/** The mechanism without contacts and pairs of shapes that joints keep where they touch, or inside, which it then lists as such. */
export function withoutHeldContacts(mechanism: Mechanism): Mechanism {
  const { contacts, touch } = mechanism;
  const near = contacts.filter(({ body, other }) => mayBeHeld(mechanism, body, other));
  const isFixed = touch?.shapes.some(({ body }) => body === worldIndex);
  const mayTouch =
    isFixed && touch?.shapes.some(({ body }) => body !== worldIndex && mayBeHeld(mechanism, body, worldIndex));
  if (near.length === 0 && !mayTouch) return mechanism;
  const zero = maximalState(mechanism, {}, 1);
  const start = isTied(mechanism) ? projection(mechanism)(zero) : zero;
  if (!start) return mechanism;

  const length = touching * Math.min(1, sizeOf(mechanism));
  const where = configurationNow(start);
  const held = near
    .filter((contact) => gapOf(contact, where) <= length && isHeldContact(mechanism, contact))
    .map((contact): HeldContact => Object.freeze({ ...contact, index: -1, distance: gapOf(contact, where) }));
  const pairs = touch && mayTouch ? heldPairs(mechanism, touch, start, length) : [];
  if (held.length === 0 && pairs.length === 0) return mechanism;
  const names = new Set(held.map(({ name }) => name));
  const left = contacts.filter(({ name }) => !names.has(name));
  return Object.freeze({
    ...mechanism,
    contacts: Object.freeze(left.map((contact, index) => Object.freeze({ ...contact, index }))),
    heldContacts: Object.freeze(held),
    ...(touch && { touch: Object.freeze({ ...touch, held: Object.freeze(pairs) }) }),
  });
}

/** Pairs of a shape of the world and one that joints keep on it. */
function heldPairs(mechanism: Mechanism, touch: MechanismTouch, state: Float64Array, length: number): HeldPair[] {
  const pairs: HeldPair[] = [];
  const isPlane = (shape: number): boolean => touch.shapes[shape].form.kind === "halfSpace";
  new TouchSearch(touch).visitNear(state, length, (a, b, distance, direction) => {
    // inside a plane is inside it wherever the body goes along it; of others that is not said
    const mayBe = distance >= -length || isPlane(a) || isPlane(b);
    const moving = mayBe ? heldShape(mechanism, touch, a, b, direction) : undefined;
    if (moving === undefined) return;
    const normal = Object.freeze(Array.from(direction)) as unknown as Vector3;
    const height = heightOf(state, touch.shapes[moving].body, vector.zero, normal);
    const fixed = moving === a ? b : a;
    pairs.push(Object.freeze({ shapes: Object.freeze([fixed, moving] as const), normal, height }));
  });
  return pairs;
}

const groups = new WeakMap<Mechanism, readonly number[]>();

/** Whether joints that hold any translation, or gears on others, lie between two bodies: what floats is seen to be free without a look at configurations. */
function mayBeHeld(mechanism: Mechanism, a: number, b: number): boolean {
  const group = cached(groups, mechanism, groupsOf);
  return group[a + 1] === group[b + 1];
}

/** Bodies that hang together so have one number; the world comes first. */
function groupsOf(mechanism: Mechanism): number[] {
  const { joints, bodies } = mechanism;
  const geared = new Set(equalityGears(mechanism).flatMap(({ terms }) => terms.map(({ joint }) => joint)));
  const group = Array.from({ length: bodies.length + 1 }, (_, i) => i);
  for (const { index, parent, child, shape } of joints) {
    if (shape.translation === 0 && !geared.has(index)) continue;
    const [from, to] = [group[child + 1], group[parent + 1]];
    for (let i = 0; i < group.length; i++) if (group[i] === from) group[i] = to;
  }
  return group;
}

/** What is left out, and why; undefined where nothing is. */
export function heldContactsNote({ heldContacts, touch, bodies }: Mechanism): string | undefined {
  const shapeName = (shape: number): string => {
    const { body, name } = (touch as MechanismTouch).shapes[shape];
    return body === worldIndex ? `shapes.${name}` : `bodies.${bodies[body].name}.shapes.${name}`;
  };
  const pairs = touch?.held.map(({ shapes: [fixed, moving] }) => `${shapeName(moving)} on ${shapeName(fixed)}`) ?? [];
  const [first, ...others] = [...heldContacts.map(({ name }) => `contacts.${name}`), ...pairs];
  if (first === undefined) return undefined;
  return others.length === 0
    ? `left out ${first}: joints keep it where it touches, or inside, so that it can neither open nor press`
    : `left out ${first} and ${others.length} more: joints keep them where they touch, or inside, so that they can neither open nor press`;
}

/** Whether what was left out is still where it touches. */
export function areStillHeld(mechanism: Mechanism): boolean {
  const length = touching * Math.min(1, sizeOf(mechanism));
  const areContacts = mechanism.heldContacts.every((contact) => {
    const [state] = samplesOf(mechanism).states;
    if (!state || !isHeldContact(mechanism, contact)) return false;
    return Math.abs(gapOf(contact, configurationNow(state)) - contact.distance) <= length;
  });
  const { touch } = mechanism;
  const arePairs = touch?.held.every(({ shapes: [, moving], normal, height }) => {
    const { body } = touch.shapes[moving];
    const [state] = samplesOf(mechanism).states;
    if (!state || !isHeldAlong(mechanism, body, normal)) return false;
    return Math.abs(heightOf(state, body, vector.zero, normal) - height) <= length;
  });
  return areContacts && (arePairs ?? true);
}
