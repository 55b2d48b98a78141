/** What constraints leave of forces: against a dense projection, and in how much work. */
import { expect, test } from "vitest";
import { MassMetric, OrthonormalBasis } from "../coordinates/index.ts";
import { dot, Random } from "../math/index.ts";
import { compile } from "../mechanism/index.ts";
import { models } from "../models/index.ts";
import { FreeMotions } from "./freeMotions.ts";

/** Columns at random on the two bodies of each joint stand for those of constraints; the last is the sum of the others where `spanned`. */
function randomColumns(mechanism: ReturnType<typeof compile>, random: Random, spanned: boolean): Float64Array[][] {
  return mechanism.joints.map(({ parent, child, shape }) => {
    const columns = Array.from({ length: shape.translation + shape.rotation }, () => {
      const column = new Float64Array(6 * mechanism.bodies.length);
      for (const body of [parent, child]) {
        if (body >= 0) for (let k = 0; k < 6; k++) column[6 * body + k] = random.normal();
      }
      return column;
    });
    const others = columns.slice(0, -1);
    if (spanned)
      columns.at(-1)?.forEach((_, i, last) => {
        last[i] = others.reduce((sum, one) => sum + one[i], 0);
      });
    return columns;
  });
}

test.each([
  ["a tree", "a1", false],
  ["a tree with a column too many in each joint", "panda", true],
  ["loops", "delta", false],
] as const)("the worth of a force is as long as what a dense projection leaves of it: %s", (_, name, spanned) => {
  const mechanism = compile(models[name]());
  const random = new Random(7);
  const columns = randomColumns(mechanism, random, spanned);
  const metric = new MassMetric(mechanism.bodies.length, (body) => {
    const { mass, inertia: J } = mechanism.bodies[body];
    return [mass, J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]];
  });
  const motions = new FreeMotions(mechanism, metric, (joint) => columns[joint], []);

  const borne = new OrthonormalBasis(1e-9);
  for (const column of columns.flat()) {
    const weighed = Float64Array.from(column);
    metric.scaleInverse(weighed);
    borne.add(weighed);
    const worth = motions.worthOf(column);
    expect(Math.sqrt(dot(worth, worth))).toBeLessThan(1e-9 * Math.sqrt(dot(weighed, weighed)));
  }
  const force = Float64Array.from({ length: 6 * mechanism.bodies.length }, () => random.normal());
  const rest = Float64Array.from(force);
  metric.scaleInverse(rest);
  borne.reject(rest);
  const worth = motions.worthOf(force);
  expect(Math.sqrt(dot(worth, worth))).toBeCloseTo(Math.sqrt(dot(rest, rest)), 8);
  metric.scale(rest);
  const error = motions.forceOf(worth).map((entry, i) => Math.abs(entry - rest[i]));
  expect(Math.max(...error)).toBeLessThan(1e-6);
});
