import { describe, expect, test } from "vitest";
import { formatNumber, ticks } from "../../apps/replay/numbers.ts";
import { Playback } from "../../apps/replay/playback.ts";

describe("playback", () => {
  test("advances with its speed and stops at the end", () => {
    const playback = new Playback(2, 0.01);
    playback.advance(1);
    expect(playback.time).toBe(0);
    playback.play();
    playback.speed = 0.5;
    playback.advance(1);
    expect(playback.time).toBe(0.5);
    playback.advance(10);
    expect([playback.time, playback.playing]).toEqual([2, false]);
  });

  test("begins again from the end, and goes round in a loop", () => {
    const playback = new Playback(2, 0.01);
    playback.seek(2);
    playback.play();
    expect(playback.time).toBe(0);
    playback.loop = true;
    playback.advance(2.5);
    expect(playback.time).toBeCloseTo(0.5);
    expect(playback.playing).toBe(true);
  });

  test("steps from frame to frame, also from between two, and stays within", () => {
    const playback = new Playback(0.05, 0.01);
    playback.seek(0.0249);
    playback.step(1);
    expect(playback.time).toBeCloseTo(0.03);
    playback.step(1);
    expect(playback.time).toBeCloseTo(0.04);
    playback.seek(0.0249);
    playback.step(-1);
    expect(playback.time).toBeCloseTo(0.02);
    playback.step(-10);
    expect(playback.time).toBe(0);
  });

  test("of a single frame does not play", () => {
    const playback = new Playback(0, 0.01);
    playback.play();
    expect(playback.playing).toBe(false);
  });
});

describe("numbers for people", () => {
  test("are short", () => {
    const texts = [0, 1, 0.12345, 12.345, 2697.02, 1.13e-13, -4e6, 1000].map(formatNumber);
    expect(texts).toEqual(["0", "1", "0.123", "12.3", "2697", "1.1e-13", "-4e6", "1000"]);
  });

  test("on axes are round and within", () => {
    expect(ticks(0, 3, false)).toEqual([0, 1, 2, 3]);
    expect(ticks(-0.13, 0.52, false)).toEqual([0, 0.2, 0.4]);
    expect(ticks(5, 5, false)).toEqual([5]);
    const decades = ticks(1e-13, 1, true);
    expect(decades.length).toBeGreaterThan(2);
    expect(decades.every((tick) => tick >= 1e-13 && tick <= 1)).toBe(true);
  });
});
