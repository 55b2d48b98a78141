/** Where a step ends, as its options say. */
import { expect, test } from "vitest";
import { leavesEndOpen } from "./pathSchedule.ts";

test("to say the usual precision or tolerance is to say nothing", () => {
  for (const options of [{}, { precision: "exact" }, { tolerance: 1e-8 }, { interval: 0.01 }] as const)
    expect(leavesEndOpen(options), JSON.stringify(options)).toBe(true);
  for (const options of [
    ...[{ precision: "fast" }, { tolerance: 1e-10 }, { tolerance: 1e-6 }],
    ...[{ kappa: 1e-6 }, { relativeKappa: 1e-8 }, { exact: true }],
  ] as const)
    expect(leavesEndOpen(options), JSON.stringify(options)).toBe(false);
});
