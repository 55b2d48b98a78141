/** Parts of the playground that need no page: labels of ticks, sentences, links of this machine, how finely to draw. */
import { describe, expect, test } from "vitest";
import { isLoopback } from "../../apps/playground/link.ts";
import { DrawQuality, qualities } from "../../apps/playground/stage/drawQuality.ts";
import { sentence } from "../../apps/playground/ui/messages.ts";
import { formatTicks, rangeOf } from "../../apps/replay/numbers.ts";

describe("labels of ticks", () => {
  test("ticks that differ have labels that differ, as short as they can be", () => {
    expect(formatTicks([7.2e-9, 7.4e-9, 7.6e-9])).toEqual(["7.2e-9", "7.4e-9", "7.6e-9"]);
    expect(formatTicks([7.21e-9, 7.22e-9])).toEqual(["7.21e-9", "7.22e-9"]);
    expect(formatTicks([0, 1e-9, 2e-9])).toEqual(["0", "1e-9", "2e-9"]);
    expect(formatTicks([0, 500, 1000])).toEqual(["0", "500", "1000"]);
    expect(formatTicks([2008.5, 2009, 2009.5])).toEqual(["2008.5", "2009", "2009.5"]);
    expect(formatTicks([-0.5, 0, 0.5])).toEqual(["-0.5", "0", "0.5"]);
    expect(formatTicks([1e6, 1.5e6])).toEqual(["1e6", "1.5e6"]);
  });

  test("the scale of what hardly moves does not blow up its last digits", () => {
    const [low, high] = rangeOf(7.0001e-9, 7.0002e-9);
    expect((high - low) / 7e-9).toBeCloseTo(0.05, 3);
    expect(rangeOf(0, 0)).toEqual([0, 1]);
    expect(rangeOf(null, null)).toEqual([0, 1]);
    const [bottom, top] = rangeOf(-2, 3);
    expect([bottom < -2, top > 3, top - bottom < 6]).toEqual([true, true, true]);
  });
});

test("sentences end with a full stop, and only one", () => {
  expect(sentence("the file is empty")).toBe("the file is empty.");
  for (const whole of ["It is.", "Is it?", "It says “no.”", "Wait…"]) expect(sentence(whole)).toBe(whole);
});

test("addresses of this machine are told from others", () => {
  for (const host of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "a.localhost"]) {
    expect([host, isLoopback(host)]).toEqual([host, true]);
  }
  for (const host of ["example.org", "192.168.1.7", "127.example.org", "mylocalhost.com"]) {
    expect([host, isLoopback(host)]).toEqual([host, false]);
  }
});

describe("how finely to draw", () => {
  /** Pictures at a rate, and how many levels it went down. */
  const drawn = (quality: DrawQuality, rate: number, seconds: number, from = 0): number => {
    let changes = 0;
    for (let k = 0; k < rate * seconds; k++) if (quality.drawn(from + (1000 * k) / rate)) changes++;
    return changes;
  };

  test("a card that keeps up is left alone, and its rate is known", () => {
    const quality = new DrawQuality();
    expect(drawn(quality, 60, 10)).toBe(0);
    expect(quality.framesPerSecond).toBeCloseTo(60, 6);
    expect(quality.quality).toBe(qualities[0]);
  });

  test("a slow card gets coarser pictures, one level at a time, to the coarsest, however slow it is", () => {
    for (const rate of [20, 5, 0.8]) {
      const quality = new DrawQuality();
      expect([rate, drawn(quality, rate, 60)]).toEqual([rate, qualities.length - 1]);
      expect(quality.quality).toBe(qualities[qualities.length - 1]);
      quality.reset();
      expect(quality.quality).toBe(qualities[0]);
    }
    const once = new DrawQuality();
    expect(drawn(once, 15, 2)).toBe(1);
  });

  test("pauses with nothing to draw are no slowness", () => {
    const quality = new DrawQuality();
    for (let turn = 0; turn < 20; turn++) {
      expect(drawn(quality, 60, 0.5, 5000 * turn)).toBe(0);
      for (let at = 520; at < 5000; at += 16) quality.idle(5000 * turn + at);
      expect(quality.framesPerSecond).toBe(0);
    }
  });
});
