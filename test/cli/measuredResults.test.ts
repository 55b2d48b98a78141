/** What programs read of the results of timing, rollouts and work-precision. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TimingResult } from "../../experiments/timing/result.ts";
import type { WorkPrecisionResult } from "../../experiments/work-precision/run.ts";

function result<T>(name: string): T {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../../experiments", name, "result.json"), "utf8")) as T;
}

describe("timing", () => {
  const { robots, targets, paper } = result<TimingResult>("timing");

  test.each(["humanoid", "a1", "panda", "x2"] as const)("%s has seconds and ratios, peer over ours", (name) => {
    const { forward, jacobians, pullback, facts } = robots[name];
    for (const { oursSeconds, peerSeconds, ratio } of [forward, jacobians]) {
      expect(oursSeconds).toBeGreaterThan(0);
      expect(ratio).toBeCloseTo((peerSeconds as number) / oursSeconds, 12);
    }
    expect(pullback.oursSeconds).toBeGreaterThan(0);
    expect([pullback.peerSeconds, pullback.ratio]).toEqual([null, null]);
    expect(pullback.overForward).toBeGreaterThan(0);
    expect(facts).toMatchObject({ unsolvedSteps: 0, stepsWithoutGradients: 0, peerDiverged: false });
    // what has contacts touches the floor in both engines, and only MuJoCo's sink into it
    if (facts.contacts > 0) {
      expect(facts.touching).toBeGreaterThan(1);
      expect(facts.peerTouching).toBeGreaterThan(1);
      expect(facts.lowestDistance).toBeGreaterThan(0);
    }
    // an exported mechanism takes the same first step
    else expect(facts.apart["1"]).toBeLessThan(1e-3);
  });

  test("has a target for every figure that is promised, and the paper's rows", () => {
    expect(targets).toHaveLength(12);
    for (const { what, met, value, bound } of targets) {
      expect(met).toBe(what === "pullback.overForward" ? value <= bound : value >= bound);
    }
    expect(paper["Dojo.jl"]).toEqual({ humanoid: 1.75, a1: 5.235, panda: 1.159, x2: 0.807 });
  });
});

test("rollouts: threads and processes come to the same states", () => {
  const { sameStates, rows } = result<{ sameStates: boolean; rows: { workers: number }[] }>("rollouts");
  expect(sameStates).toBe(true);
  expect(rows.map(({ workers }) => workers).slice(0, 2)).toEqual([1, 2]);
});

describe("work-precision", () => {
  const { scenes } = result<WorkPrecisionResult>("work-precision");

  test.each(scenes.map(({ name, curves }) => [name, curves[0]] as const))(
    "our error of %s falls with the time step",
    (_, curve) => {
      const errors = curve.points.map(({ error }) => error ?? Number.POSITIVE_INFINITY);
      for (let i = 1; i < errors.length; i++) expect(errors[i]).toBeLessThan(errors[i - 1]);
    },
  );

  test("the pendulum's is of second order", () => {
    const [{ points }] = scenes[0].curves;
    // the finest are near the run that they are measured from
    for (let i = 1; i < 5; i++) {
      const order = Math.log2((points[i - 1].error as number) / (points[i].error as number));
      expect(order).toBeCloseTo(2, 1);
    }
  });
});
