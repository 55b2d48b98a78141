/**
 * What of a mechanism can touch: the shapes with `contact`, which pairs of them may meet, and for how many contacts there is memory to
 * begin with. Nothing where no two shapes can meet: then a mechanism is as it was without them.
 *
 * Two shapes may meet where
 *   1. they belong to two bodies (or one to the world) that no fixed joints hold together;
 *   2. the bodies are not excluded, and are listed where `only` is given;
 *   3. no other joint holds the two bodies together, or `adjacent` says that it does not matter (joints to the world hold nobody
 *      off the world's own shapes);
 *   4. a bit of one's group is in the other's mask.
 * `include` overrules 3 and 4.
 */
import { quaternion } from "../math/index.ts";
import type { MechanismDescription, SurfaceDescription } from "./description.ts";
import { type Mechanism, type MechanismBody, type MechanismJoint, worldIndex } from "./mechanism.ts";
import type { MechanismTouch, TouchPair, TouchPool, TouchShape, TouchSurface } from "./mechanismTouch.ts";
import { entriesOf } from "./order.ts";

/** Undefined where no two shapes can meet. */
export function touchOf(
  description: MechanismDescription,
  bodies: readonly MechanismBody[],
  joints: readonly MechanismJoint[],
): MechanismTouch | undefined {
  const shapes = touchShapes(description);
  if (shapes.length < 2) return undefined;
  const { collisions = {} } = description;
  const bodyIndex = new Map([["world", worldIndex], ...bodies.map(({ name, index }) => [name, index] as const)]);
  const indices = (pairs: readonly (readonly [string, string])[] = []): [number, number][] =>
    pairs.map(([a, b]) => ordered(bodyIndex.get(a) as number, bodyIndex.get(b) as number));
  const included = indices(collisions.include);
  const touch = {
    shapes,
    combine: collisions.combine ?? "geometricMean",
    pairs: (collisions.pairs ?? []).map((pair): TouchPair => {
      const find = (side: 0 | 1): number =>
        shapes.findIndex(({ body, name }) => body === bodyIndex.get(pair.bodies[side]) && name === pair.shapes[side]);
      return {
        shapes: [find(0), find(1)],
        frictionCoefficient: pair.frictionCoefficient ?? null,
        torsionalFriction: pair.torsionalFriction ?? null,
        rollingFriction: pair.rollingFriction ?? null,
      };
    }),
    excluded: [...indices(collisions.exclude), ...heldTogether(bodies.length, joints, collisions.adjacent, included)],
    included,
    only: collisions.only ? indices(collisions.only) : null,
    held: [],
    pools: [],
  } satisfies MechanismTouch;
  const { mayTouch } = touchFilter(touch);
  const meeting = shapes.some((a) => shapes.some((b) => b.index > a.index && mayTouch(a, b)));
  return meeting ? { ...touch, pools: firstPools(collisions.capacity) } : undefined;
}

/** Which shapes may meet, as a function that is quick to ask. */
export function touchFilter({ excluded, included, only, held }: MechanismTouch): {
  readonly mayTouch: (a: TouchShape, b: TouchShape) => boolean;
} {
  const key = (a: number, b: number): number => pairKey(Math.min(a, b), Math.max(a, b));
  const keys = (pairs: readonly (readonly [number, number])[]): Set<number> =>
    new Set(pairs.map(([a, b]) => key(a, b)));
  const [never, always] = [keys(excluded), keys(included)];
  const listed = only && keys(only);
  const together = keys(held.map(({ shapes }) => shapes));
  const mayTouch = (a: TouchShape, b: TouchShape): boolean => {
    if (a.body === b.body || (held.length > 0 && together.has(key(a.index, b.index)))) return false;
    const pair = key(a.body, b.body);
    if (never.has(pair) || (listed && !listed.has(pair))) return false;
    const masked = (a.surface.group & b.surface.mask) | (b.surface.group & a.surface.mask);
    return masked !== 0 || always.has(pair);
  };
  return { mayTouch };
}

/** Parameters of surfaces, in the order of their memory: those of all shapes, one name after the other. */
export const surfaceParameters = [
  "frictionCoefficient",
  "restitution",
  "torsionalFriction",
  "rollingFriction",
] as const;

export type SurfaceParameter = (typeof surfaceParameters)[number];

/** What the names of a surface's parameters begin with: "surfaces.crate.shape0", "surfaces.world.floor". */
export function surfacePath({ bodies }: Pick<Mechanism, "bodies">, { body, name }: TouchShape): string {
  return `surfaces.${body === worldIndex ? "world" : bodies[body].name}.${name}`;
}

function touchShapes(description: MechanismDescription): TouchShape[] {
  const lists = [
    { body: worldIndex, shapes: description.shapes ?? [] },
    ...entriesOf(description, "bodies").map(([, { shapes = [] }], body) => ({ body, shapes })),
  ];
  return lists
    .flatMap(({ body, shapes }) => shapes.map((form, i) => ({ body, form, name: form.name ?? `shape${i}` })))
    .filter(({ form }) => form.contact !== undefined && form.contact !== false)
    .map(({ body, form, name }, index) => ({
      index,
      name,
      body,
      form,
      position: form.position ?? [0, 0, 0],
      orientation: form.orientation ? quaternion.normalize(form.orientation) : quaternion.identity,
      surface: surfaceOf(typeof form.contact === "object" ? form.contact : {}),
    }));
}

/** Rubber on wood, say: the friction coefficient of a surface that gives none. */
const FRICTION_COEFFICIENT = 0.8;

function surfaceOf(surface: SurfaceDescription): TouchSurface {
  return {
    frictionCoefficient: surface.frictionCoefficient ?? FRICTION_COEFFICIENT,
    restitution: surface.restitution ?? null,
    torsionalFriction: surface.torsionalFriction || null,
    rollingFriction: surface.rollingFriction || null,
    priority: surface.priority ?? 0,
    group: surface.group ?? 1,
    mask: surface.mask ?? 1,
  };
}

/** Pairs of bodies that joints hold together: those of a fixed group always, neighbours unless `adjacent` or included. */
function heldTogether(
  bodyCount: number,
  joints: readonly MechanismJoint[],
  adjacent = false,
  included: readonly (readonly [number, number])[],
): [number, number][] {
  const free = new Set(included.map(([a, b]) => pairKey(a, b)));
  const pairs: [number, number][] = [];
  const freedom = ({ shape }: MechanismJoint): number => 6 - shape.translation - shape.rotation;

  // groups of bodies without motion between them, each named by its least index
  const group = Array.from({ length: bodyCount + 1 }, (_, i) => i - 1);
  const groupOf = (body: number): number => {
    let at = body;
    while (group[at + 1] !== at) at = group[at + 1];
    return at;
  };
  for (const joint of joints) {
    if (freedom(joint) > 0) continue;
    const [a, b] = ordered(groupOf(joint.parent), groupOf(joint.child));
    group[b + 1] = a;
  }
  const members = new Map<number, number[]>();
  for (let body = -1; body < bodyCount; body++)
    members.set(groupOf(body), [...(members.get(groupOf(body)) ?? []), body]);
  for (const bodies of members.values()) {
    for (const [i, a] of bodies.entries()) for (const b of bodies.slice(i + 1)) pairs.push([a, b]);
  }
  if (adjacent) return pairs;

  // what is fixed to a neighbour is a neighbour; what is fixed in the world is one only where the joint is its own
  const seen = new Set<number>();
  for (const joint of joints) {
    if (freedom(joint) === 0 || freedom(joint) === 6) continue;
    if (joint.parent === worldIndex || joint.child === worldIndex) continue;
    const [near, far] = [joint.parent, joint.child].map((body) =>
      groupOf(body) === worldIndex ? [body] : (members.get(groupOf(body)) as number[]),
    );
    for (const a of near) {
      for (const b of far) {
        const pair = ordered(a, b);
        const key = pairKey(...pair);
        if (seen.has(key) || free.has(key) || groupOf(a) === groupOf(b)) continue;
        seen.add(key);
        pairs.push(pair);
      }
    }
  }
  return pairs;
}

/** Memory that was asked for, as contacts of points with planes; whatever else is needed is made when it is. */
function firstPools(capacity = 0): TouchPool[] {
  if (capacity === 0) return [];
  return [false, true].map((otherMoves) => ({ feature: "pointPlane", model: "cone", otherMoves, count: capacity }));
}

function ordered(a: number, b: number): [number, number] {
  return a < b ? [a, b] : [b, a];
}

/** One number for a pair of bodies, smaller index first; the world is −1. */
function pairKey(a: number, b: number): number {
  return (a + 1) * 2 ** 26 + b + 1;
}
