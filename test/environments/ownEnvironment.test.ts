/** The example of an environment of one's own does what it says. */
import { expect, test, vi } from "vitest";

test("a network learns to bring a ball to the middle of a table", async () => {
  const print = vi.spyOn(console, "log").mockImplementation(() => {});
  await import("../../examples/ownEnvironment.ts");
  const line = String(print.mock.calls[0][0]);
  print.mockRestore();
  const [most, before, after] = (line.match(/[\d.]+/g) ?? []).map(Number);
  expect(most).toBe(60);
  // the first update leaves it where it began: at random
  expect(before).toBeLessThan(50);
  expect(after).toBeGreaterThan(before + 5);
});
