/** When shapes meet on their way, against closed forms. */
import { expect, test } from "vitest";
import { coreOf, prepareShape, type ShapeDimensions } from "../../geometry/index.ts";
import { Random, vector } from "../../math/index.ts";
import { worldIndex } from "../../mechanism/index.ts";
import { Flight } from "./flight.ts";

const identity = [0, 0, 0, 1, 0, 0, 0];

/** The first shape on a body, the second on another or, without one, in the world. */
function pair(a: ShapeDimensions, b: ShapeDimensions, reach: readonly [number, number], isFixed = false): Flight {
  const shapes = [prepareShape(a), prepareShape(b)];
  return new Flight(isFixed ? 1 : 2, {
    shapes,
    cores: shapes.map((shape) =>
      shape.kind === "halfSpace" || shape.kind === "heightField" ? undefined : coreOf(shape),
    ),
    body: Int32Array.of(0, isFixed ? worldIndex : 1),
    poseInBody: Float64Array.of(...identity, ...identity),
    reach: Float64Array.from(reach),
    size: Float64Array.from(reach),
  });
}

const body = (x: number, y: number, z: number, v: readonly number[] = [0, 0, 0, 0, 0, 0]): number[] => [
  ...[x, y, z, 1, 0, 0, 0],
  ...v,
];

test("balls meet where a quadratic equation says, or pass each other by", () => {
  const random = new Random(5);
  const flight = pair({ kind: "sphere", radius: 0.1 }, { kind: "sphere", radius: 0.2 }, [0.1, 0.2]);
  let met = 0;
  for (let i = 0; i < 200; i++) {
    const y = random.uniform(-0.6, 0.6);
    const [v, w] = [random.uniform(2, 100), random.uniform(-50, 1)];
    const spin = (): number => random.uniform(-50, 50);
    flight.fly(
      Float64Array.of(...body(0, 0, 0, [v, 0, 0, spin(), 0, spin()]), ...body(1, y, 0, [w, 0, 0, 0, spin(), 0])),
      1,
    );
    const s = flight.meeting(0, 1, 1e-9, 5e-10);
    const closed = Math.abs(y) < 0.3 ? (1 - Math.sqrt(0.09 - y * y)) / (v - w) : Number.POSITIVE_INFINITY;
    if (closed < 1) met++;
    if (closed < 1) expect(s).toBeCloseTo(closed, 6);
    else expect(s).toBe(Number.POSITIVE_INFINITY);
  }
  expect(met).toBeGreaterThan(50);
});

test("a rod that turns about its middle meets a ball after the angle that trigonometry says", () => {
  const rod: ShapeDimensions = { kind: "capsule", radius: 0.01, length: 2 };
  const flight = pair(rod, { kind: "sphere", radius: 0.1 }, [1.01, 0.1], true);
  // the rod lies along z; it turns about x towards the ball, which is at the origin of the world, 0.5 before its axis and 0.6 along it
  flight.fly(Float64Array.from(body(0, 0.5, -0.6, [0, 0, 0, 3, 0, 0])), 1);
  const s = flight.meeting(0, 1, 1e-9, 5e-10);
  const away = Math.hypot(0.5, 0.6);
  expect(3 * s).toBeCloseTo(Math.atan2(0.5, 0.6) - Math.asin(0.11 / away), 6);
});

test("a ball goes through a plate between two states, and is seen to be as deep as both are thick", () => {
  const flight = pair({ kind: "sphere", radius: 0.05 }, { kind: "box", size: [1, 1, 0.002] }, [0.05, 1], true);
  flight.goBetween(Float64Array.from(body(0, 0, 3)), Float64Array.from(body(0, 0, -3)));
  const s = flight.meeting(0, 1, -0.04, 1e-6);
  expect(6 * s).toBeCloseTo(3 - 0.011, 4);
  expect(flight.distanceAt(0, 1, 0.5)).toBeCloseTo(-0.051, 9);
});

test("a way between two states ends at the second, whatever it turns by", () => {
  const flight = pair({ kind: "box", size: [0.1, 0.2, 0.3] }, { kind: "sphere", radius: 0.1 }, [0.2, 0.1], true);
  const end = Float64Array.from(body(0.4, 0.1, 0.2));
  // −q is the same turn
  end.set([-Math.cos(0.6), 0, -Math.sin(0.6), 0], 3);
  flight.goBetween(Float64Array.from(body(1, 0, 0)), end);
  const there = flight.distanceAt(0, 1, 1);
  flight.goBetween(end, end);
  expect(there).toBeCloseTo(flight.distanceAt(0, 1, 0), 12);
  expect(flight.wayOf(0)).toBe(0);
});

test("no point of the smaller shape goes farther, seen from the other, than the relative way; far less than both go, where they go together", () => {
  const random = new Random(11);
  const sides: [number, number, number] = [0.1, 0.2, 0.3];
  const shapes = [prepareShape({ kind: "sphere", radius: 1 }), prepareShape({ kind: "box", size: sides })];
  const offset = [0.3, -0.2, 0.1];
  const size = Math.hypot(...sides) / 2;
  const flight = new Flight(2, {
    shapes,
    cores: shapes.map((shape) => (shape.kind === "sphere" || shape.kind === "box" ? coreOf(shape) : undefined)),
    body: Int32Array.of(0, 1),
    poseInBody: Float64Array.of(...identity, ...offset, 1, 0, 0, 0),
    reach: Float64Array.of(1, Math.hypot(...offset) + size),
    size: Float64Array.of(1, size),
  });
  const parts = 400;
  for (let i = 0; i < 30; i++) {
    const h = random.uniform(0.01, 0.5);
    const two = [0, 1].map(() => Array.from({ length: 6 }, () => random.uniform(-2, 2)));
    const state = Float64Array.of(...body(0, 0, 0, two[0]), ...body(1, 0.5, -0.4, i % 2 ? two[0] : two[1]));
    flight.fly(state, h);
    const corner = sides.map((side, k) => offset[k] + (random.uniform(-1, 1) < 0 ? -side : side) / 2);
    // both bodies turn about axes that stay, by ω t; ω is the same in both frames where they begin unturned
    const seen = (s: number): number[] => {
      const at = turned(state.subarray(23, 26), s * h, corner);
      const world = at.map((x, k) => x + state[13 + k] + s * h * state[20 + k]);
      const from = world.map((x, k) => x - state[k] - s * h * state[7 + k]);
      return turned(state.subarray(10, 13), -s * h, from);
    };
    let way = 0;
    for (let k = 0; k < parts; k++) {
      const [a, b] = [seen(k / parts), seen((k + 1) / parts)];
      way += Math.hypot(...a.map((x, j) => b[j] - x));
    }
    const bound = flight.relativeWay(0, 1);
    expect(way).toBeLessThanOrEqual(bound);
    expect(flight.relativeWay(1, 0)).toBe(bound);
  }
  const together = [3, 1, -2, 0, 0, 0];
  flight.fly(Float64Array.of(...body(0, 0, 0, together), ...body(1, 0.5, -0.4, together)), 1);
  expect(flight.relativeWay(0, 1)).toBe(0);
  expect(flight.wayOf(0) + flight.wayOf(1)).toBeGreaterThan(7);
});

test("what stays clear along a direction is met nowhere", () => {
  const random = new Random(3);
  const flight = pair(
    { kind: "box", size: [0.3, 0.2, 0.1] },
    { kind: "capsule", radius: 0.05, length: 0.4 },
    [0.2, 0.25],
  );
  let [clear, met] = [0, 0];
  for (let i = 0; i < 400; i++) {
    const motion = (): number[] => Array.from({ length: 6 }, () => random.uniform(-8, 8));
    flight.fly(Float64Array.of(...body(0, 0, 0, motion()), ...body(0.5, random.uniform(-0.3, 0.3), 0, motion())), 0.1);
    const direction = vector.normalize([1, random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5)]);
    const other = vector.normalize([1, random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5)]);
    const isClear = flight.staysClear(0, 1, 0.01, Float64Array.of(...direction, ...other), 0);
    const isMet = flight.meeting(0, 1, 0.01, 0.005) < 1;
    if (isClear) clear++;
    if (isMet) met++;
    expect(isClear && isMet).toBe(false);
  }
  expect(clear).toBeGreaterThan(100);
  expect(met).toBeGreaterThan(20);
});

/** A vector after a turn by the angle |ω| t about ω (Rodrigues). */
function turned(omega: Float64Array, t: number, v: readonly number[]): number[] {
  const speed = Math.hypot(...omega);
  const n = Array.from(omega, (x) => x / speed);
  const across = [n[1] * v[2] - n[2] * v[1], n[2] * v[0] - n[0] * v[2], n[0] * v[1] - n[1] * v[0]];
  const along = n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
  const [c, s] = [Math.cos(speed * t), Math.sin(speed * t)];
  return v.map((x, k) => x * c + across[k] * s + n[k] * along * (1 - c));
}
