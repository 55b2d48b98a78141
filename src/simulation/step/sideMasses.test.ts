import { expect, it } from "vitest";
import type { NodePlace } from "../../kernels/index.ts";
import { Random } from "../../math/index.ts";
import type { Mechanism, MechanismJoint } from "../../mechanism/index.ts";
import { SideMasses } from "./sideMasses.ts";

type Edge = readonly [number, number];
const world = -1;

it("of every contact and joint the lighter side is found", () => {
  const random = new Random(2);
  let compared = 0;
  for (let trial = 0; trial < 100; trial++) {
    const count = 2 + random.integer(8);
    const mass = Float64Array.from({ length: count }, () => random.uniform(0.1, 10));
    const edges = (most: number): Edge[] =>
      Array.from(
        { length: random.integer(most) },
        (): Edge => [random.integer(count + 1) - 1, random.integer(count)],
      ).filter(([one, two]) => one !== two);
    const joints = edges(count).map((pair) => ({ pair, ties: random.integer(2) > 0 }));
    const contacts = edges(2 * count);
    const masses = new SideMasses({
      bodies: Array.from(mass),
      joints: joints.map(({ pair: [parent, child], ties }) => {
        return { parent, child, shape: { translation: ties ? 3 : 0, rotation: 0 } } as MechanismJoint;
      }),
    } as unknown as Mechanism);
    masses.update(
      [
        ...contacts.map((bodies) => ({ kind: "contact", bodies }) as unknown as NodePlace),
        ...joints.map(({ pair }) => ({ kind: "joint", bodies: pair }) as unknown as NodePlace),
      ],
      mass,
    );
    const tied = [...contacts, ...joints.filter(({ ties }) => ties).map(({ pair }) => pair)];
    for (const pair of [...contacts, ...joints.map((joint) => joint.pair)]) {
      if (pair.includes(world)) continue;
      const rest = tied.filter((edge) => !pair.every((body) => edge.includes(body)));
      const expected = Math.min(...pair.map((start) => weightOf(reached(start, rest), mass)));
      const found = masses.lighter({ bodies: pair } as unknown as NodePlace);
      if (Number.isFinite(expected)) expect(found).toBeCloseTo(expected, 10);
      else expect(found).toBe(expected);
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(500);
});

/** Infinity where the world is among them. */
function weightOf(bodies: ReadonlySet<number>, mass: Float64Array): number {
  return [...bodies].reduce((sum, body) => sum + (body === world ? Number.POSITIVE_INFINITY : mass[body]), 0);
}

/** All that is tied to a body; whatever the world holds besides does not move with it. */
function reached(start: number, edges: readonly Edge[]): ReadonlySet<number> {
  const found = new Set([start]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const [a, b] of edges) if (found.has(a) !== found.has(b)) found.add(a).add(b);
  }
  return found;
}
