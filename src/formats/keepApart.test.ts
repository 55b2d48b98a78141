import { expect, test } from "vitest";
import { Random } from "../math/index.ts";
import { compile, type MechanismDescription, type Shape, touchFilter } from "../mechanism/index.ts";
import { keepApart } from "./keepApart.ts";

const inertia = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
] as const;

/** Free bodies with two shapes each, one more of the world, with masks at random. */
function crowd(seed: number, bodies: number, bits: number): MechanismDescription {
  const random = new Random(seed);
  const some = (): number => 1 + random.integer(2 ** bits - 1);
  const shape = (): Shape => ({ kind: "sphere", radius: 1, contact: { group: some(), mask: some() } });
  const names = Array.from({ length: bodies }, (_, i) => `b${i}`);
  return {
    timestep: 0.01,
    shapes: [shape(), shape()],
    bodies: Object.fromEntries(names.map((name) => [name, { mass: 1, inertia, shapes: [shape(), shape()] }])),
    joints: Object.fromEntries(names.map((name) => [name, { kind: "floating", parent: "world", child: name }])),
  };
}

function pairsOf(description: MechanismDescription): Set<string> {
  const { touch } = compile(description);
  const pairs = new Set<string>();
  if (!touch) return pairs;
  const { mayTouch } = touchFilter(touch);
  for (const a of touch.shapes)
    for (const b of touch.shapes) if (a.index < b.index && mayTouch(a, b)) pairs.add(`${a.index} ${b.index}`);
  return pairs;
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])("all pairs meet as before but those that are kept apart, seed %i", (seed) => {
  const description = crowd(seed, 6, 1 + (seed % 4));
  const before = pairsOf(description);
  const random = new Random(seed);
  const apart = [...before].filter(() => random.uniform() < 0.15);
  const { touch } = compile(description);
  if (!touch) throw new Error("they touch");
  const pairs = apart.map((pair) => pair.split(" ").map(Number) as unknown as [number, number]);
  const { description: changed, left } = keepApart(description, touch, pairs);
  expect(left).toEqual([]);
  expect(apart.length).toBeGreaterThan(0);
  expect([...pairsOf(changed)].sort()).toEqual([...before].filter((pair) => !apart.includes(pair)).sort());
});

test("shapes that are added afterwards meet all as they would have", () => {
  const description = crowd(1, 3, 1);
  const { touch } = compile(description);
  if (!touch) throw new Error("they touch");
  const { description: changed } = keepApart(description, touch, [
    [0, 2],
    [2, 5],
  ]);
  const newcomer: Shape = { kind: "sphere", radius: 1, contact: true };
  const more = { ...changed, shapes: [...(changed.shapes ?? []), newcomer] };
  // the newcomer is shape 2 of the world, and six shapes of bodies follow
  expect([...pairsOf(more)].filter((pair) => pair.startsWith("2 "))).toHaveLength(6);
});

test("where bits run out the pairs that are left are told, and the others kept apart", () => {
  const description = crowd(1, 40, 1);
  const { touch } = compile(description);
  if (!touch) throw new Error("they touch");
  const pairs = Array.from({ length: 39 }, (_, i): [number, number] => [2 + 2 * i, 4 + 2 * i]);
  const { description: changed, left } = keepApart(description, touch, pairs);
  expect(left.length).toBeGreaterThan(0);
  const after = pairsOf(changed);
  for (const pair of pairs) expect(after.has(pair.join(" "))).toBe(left.includes(pair));
  expect(after.size).toBe(pairsOf(description).size - pairs.length + left.length);
});
