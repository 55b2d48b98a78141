/** Fits on threads, and of the real tosses where they are at hand. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  compile,
  type FitContext,
  fitParameters,
  parseRecording,
  scoreRecordings,
  syntheticTosses,
  threadExecutor,
  tossedCube,
  tossedCubeDescription,
  tossParameters,
  tossWidth,
  wholeToss,
} from "../../src/index.ts";

test("two threads find the bits of one", async () => {
  const set = tossParameters(["friction", "halfWidth", "centerOfMass"], { gravity: 9.6 });
  const recordings = syntheticTosses(set, { friction: 0.2, comZ: 0.004 }, { count: 3, frames: 40 });
  const context: FitContext = {
    description: tossedCubeDescription(),
    set,
    recordings,
    sampling: { every: 5, window: 1 },
    starts: "fixed",
    loss: { kind: "huber" },
  };
  const executor = threadExecutor({ workers: 2 });
  try {
    const options = { maxIterations: 3 };
    const [one, two] = [await fitParameters(context, options), await fitParameters(context, { ...options, executor })];
    expect(Array.from(two.theta)).toEqual(Array.from(one.theta));
    expect(two.parameters).toEqual(one.parameters);
  } finally {
    await executor.close();
  }
});

const folder = process.env.DOJO_TOSSES ?? join(import.meta.dirname, "../../../shared/data/contactnets-tosses");

test.skipIf(!existsSync(folder))(
  "real tosses are predicted better than by any published fit (skipped without them)",
  async () => {
    const description = tossedCubeDescription();
    const mechanism = compile(description);
    const files = readdirSync(folder)
      .sort()
      .filter((_, i) => i >= 100 && i % 6 === 0);
    const recordings = files.map((file) =>
      parseRecording(readFileSync(join(folder, file), "utf8"), mechanism, { file, rate: tossedCube.rate }),
    );
    const set = tossParameters(["friction", "halfWidth", "inertia", "centerOfMass", "gravity"]);
    // what a fit to the first 100 found, rounded
    const values = {
      friction: 0.172,
      halfWidth: 0.0514,
      inertia: 1.1e-3,
      comX: -2e-4,
      comY: 5e-4,
      comZ: 0.0064,
      gravity: 9.6,
    };
    const score = await scoreRecordings({ description, set, recordings }, values, wholeToss, tossWidth);
    expect(score.failures).toBe(0);
    // Drake's fit, scored on the tosses that it was fitted to
    expect(score.positionPercent).toBeLessThan(13.5);
    expect(score.rotationDegrees).toBeLessThan(16.5);
  },
);
