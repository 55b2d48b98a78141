/**
 * Single pairs of shapes kept apart by bits of groups and masks, where their bodies may touch otherwise. Two shapes meet if a bit of
 * one's group is in the other's mask. Shapes with pairs to be kept apart lose their masks and keep their groups:
 *   two without such pairs     meet as before
 *   one with, one without      by the old group of the first; where that is not enough, by a bit as below
 *   two with                   by a bit of its own in one's mask, which just those groups have that may meet it
 * So shapes that are added later meet all of them as they would have. Shapes of one body that meet the same others share a bit. There
 * are 32, less those that the description uses; the highest are taken first.
 */
import type { MechanismDescription, MechanismTouch, Shape, TouchShape } from "../mechanism/index.ts";

export type ShapePair = readonly [number, number];

export interface KeptApart {
  readonly description: MechanismDescription;
  /** Pairs for which there were no bits left. */
  readonly left: readonly ShapePair[];
}

/** Pairs are by the numbers of `touch.shapes`. */
export function keepApart(
  description: MechanismDescription,
  { shapes }: MechanismTouch,
  pairs: readonly ShapePair[],
): KeptApart {
  const meets = ({ surface: a }: TouchShape, { surface: b }: TouchShape): boolean =>
    ((a.group & b.mask) | (b.group & a.mask)) !== 0;
  const others = new Map<number, Set<number>>();
  for (const [a, b] of pairs) {
    if (!meets(shapes[a], shapes[b])) continue;
    others.set(a, (others.get(a) ?? new Set()).add(b));
    others.set(b, (others.get(b) ?? new Set()).add(a));
  }
  if (others.size === 0) return { description, left: [] };
  const isApart = (a: number, b: number): boolean => others.get(a)?.has(b) ?? false;

  // classes of shapes that are alike, those with most pairs first
  const classes = new Map<string, number[]>();
  for (const [i, apart] of others) {
    const { body, surface } = shapes[i];
    const key = [body, surface.group, surface.mask, ...[...apart].sort((a, b) => a - b)].join(" ");
    classes.set(key, [...(classes.get(key) ?? []), i]);
  }
  const order = [...classes.values()].sort(([a], [b]) => (others.get(b)?.size ?? 0) - (others.get(a)?.size ?? 0));

  // a bit where the group alone does not bring about all that may meet
  let free = ~shapes.reduce((used, { surface }) => used | surface.group | surface.mask, 0);
  const bitOf = new Map<number, number>();
  for (const members of order) {
    const [first] = members;
    const needsBit = shapes.some(
      (shape, i) => mayMeet(first, i) && (others.has(i) || (shapes[first].surface.group & shape.surface.mask) === 0),
    );
    if (needsBit && free === 0) continue;
    const bit = needsBit ? 1 << (31 - Math.clz32(free)) : 0;
    free &= ~bit;
    for (const i of members) bitOf.set(i, bit);
  }

  const surfaces = shapes.map((shape, i) => {
    let { group } = shape.surface;
    for (const [j, bit] of bitOf) if (mayMeet(i, j)) group |= bit;
    return { group: group >>> 0, mask: (bitOf.get(i) ?? shape.surface.mask) >>> 0 };
  });
  const left = pairs.filter(([a, b]) => isApart(a, b) && !(bitOf.has(a) && bitOf.has(b)));
  return { description: withSurfaces(description, surfaces), left };

  function mayMeet(a: number, b: number): boolean {
    return shapes[a].body !== shapes[b].body && meets(shapes[a], shapes[b]) && !isApart(a, b);
  }
}

/** Shapes that touch, in the order of `touch.shapes`: those of the world, then body by body. */
export function touchingShapesOf({ shapes = [], bodies }: MechanismDescription): Shape[] {
  return [...shapes, ...Object.values(bodies).flatMap((body) => body.shapes ?? [])].filter(
    ({ contact }) => contact !== undefined && contact !== false,
  );
}

function withSurfaces(
  description: MechanismDescription,
  surfaces: readonly { readonly group: number; readonly mask: number }[],
): MechanismDescription {
  const numberOf = new Map(touchingShapesOf(description).map((shape, i) => [shape, i]));
  const changed = (shape: Shape): Shape => {
    const number = numberOf.get(shape);
    if (number === undefined) return shape;
    const given = typeof shape.contact === "object" ? shape.contact : {};
    const { group, mask } = surfaces[number];
    if (group === (given.group ?? 1) && mask === (given.mask ?? 1)) return shape;
    return { ...shape, contact: { ...given, group, mask } };
  };
  const bodies = Object.entries(description.bodies).map(
    ([name, body]) => [name, body.shapes ? { ...body, shapes: body.shapes.map(changed) } : body] as const,
  );
  return {
    ...description,
    bodies: Object.fromEntries(bodies),
    ...(description.shapes && { shapes: description.shapes.map(changed) }),
  };
}
