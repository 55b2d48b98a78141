/** When shapes meet on their way, against closed forms. */
import { expect, test } from "vitest";
import { coreOf, prepareShape, type ShapeDimensions } from "../../geometry/index.ts";
import { Random } from "../../math/index.ts";
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
