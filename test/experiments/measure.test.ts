import { expect, test } from "vitest";
import { inTurns } from "../../experiments/timing/measure.ts";

test("short measurements have fewer rounds, and their code is as warm", () => {
  const before = [2, 7].map((rounds) => {
    let [now, calls, counted] = [0, 0, 0];
    const clock = (): number => now;
    const job = (): void => {
      calls++;
      now += 0.125;
    };
    counted = inTurns(clock, rounds, [job, job]).flat().length;
    expect(counted).toBeGreaterThanOrEqual(2 * rounds);
    return calls - counted;
  });
  expect(before[0]).toBe(before[1]);
  expect(0.125 * before[0]).toBeGreaterThanOrEqual(2 * 0.7);
});
