/** Gaps of contact features against closed forms, and what their impulses do to two bodies. */
import { describe, expect, test } from "vitest";
import {
  contactEquations,
  contactGap,
  contactNames,
  featureGeometry,
  featureValuesOf,
  type NodeEquations,
} from "../../src/equations/index.ts";
import { type ContactFeature, featureKinds } from "../../src/geometry/index.ts";
import { Random } from "../../src/index.ts";
import { quaternion, type Vector3, vector } from "../../src/math/index.ts";
import { type Expr, evaluate, type Scalar } from "../../src/symbolic/index.ts";
import { inWorld, type Placement, randomFeature, randomPlacement, randomVector, triple } from "./featureScenes.ts";
import { anyFeature, gapOracle, isRound, randomRound, roundGap, separation, straightness } from "./roundOracle.ts";

const kinds = featureKinds;
/** Sums of some twenty products of numbers of size 1 to 10. */
const rounding = 1e-13;
/** Torques are of lever arms of some metres. */
const torqueRounding = 1e-12;

describe.each(kinds)("the gap of %s", (feature) => {
  test("is that of projections or of a search over directions, in random poses", () => {
    const random = new Random(11);
    let worst = 0;
    for (let i = 0; i < (isRound(feature) ? 40 : 500); i++) {
      const [body, other] = [randomPlacement(random), i % 3 === 0 ? inWorld : randomPlacement(random)];
      const gap = random.uniform(0, 1);
      const values = anyFeature(random, feature, body, other, gap);
      const found = contactGap(feature, values, body, other) as number;
      worst = Math.max(worst, Math.abs(found - gapOracle(feature, values, body, other)), Math.abs(found - gap));
    }
    expect(worst).toBeLessThan(100 * rounding);
  });
});

interface Wrench {
  readonly force: Vector3;
  /** About the world's origin. */
  readonly torque: Vector3;
}

const made = new Map<ContactFeature, NodeEquations>();
function nodeOf(feature: ContactFeature): NodeEquations {
  const node = made.get(feature) ?? contactEquations({ model: "cone", feature, otherMoves: true });
  made.set(feature, node);
  return node;
}

/** Wrenches of one impulse of a contact on `other` and `body`, in the world, about its origin. */
function wrenches(
  feature: ContactFeature,
  values: readonly number[],
  body: Placement,
  other: Placement,
  impulse: readonly [number, number, number],
): Wrench[] {
  const node = nodeOf(feature);
  const known = new Map<string, number>([["timestep", 0.01]]);
  const names = contactNames({ feature }).filter((name) => name !== "frictionCoefficient");
  names.forEach((name, i) => {
    known.set(name, values[i]);
  });
  const [normal, first, second] = impulse;
  known.set("normal", normal).set("xi1", first).set("xi2", second);
  for (const [name, { position, orientation }] of [
    ["body", body],
    ["other", other],
  ] as const) {
    position.forEach((entry, k) => {
      known.set(`${name}.x${k}`, entry);
    });
    orientation.forEach((entry, k) => {
      known.set(`${name}.q${k}`, entry);
    });
  }
  const at = (rows: readonly Scalar[]): number[] =>
    evaluate(rows, (symbol: Expr) => known.get(symbol.name) ?? expect.fail(`symbol ${symbol.name}`));
  return [other, body].map(({ position, orientation }, k) => {
    const six = at(node.bodyRows[k]).map((entry) => -entry);
    const force: Vector3 = [six[0], six[1], six[2]];
    const own = quaternion.rotate(orientation, [six[3], six[4], six[5]]);
    return { force, torque: vector.add(vector.cross(position, force), own) };
  });
}

describe.each(kinds)("impulses of %s", (feature) => {
  test("are equal and opposite, and have no net torque", () => {
    const random = new Random(12);
    for (let i = 0; i < (isRound(feature) ? 15 : 50); i++) {
      const [body, other] = [randomPlacement(random), randomPlacement(random)];
      const values = anyFeature(random, feature, body, other, random.uniform(0, 0.5));
      const impulse = randomVector(random) as readonly [number, number, number];
      const [onOther, onBody] = wrenches(feature, values, body, other, impulse);
      expect(vector.norm(vector.add(onOther.force, onBody.force))).toBeLessThan(torqueRounding);
      expect(vector.norm(vector.add(onOther.torque, onBody.torque))).toBeLessThan(torqueRounding);
      // normal and tangents are orthonormal
      expect(vector.norm(onBody.force)).toBeCloseTo(vector.norm(impulse), 12);
    }
  });

  test("act along the gap's gradient, by differences of the closed form", () => {
    const random = new Random(13);
    for (let i = 0; i < (isRound(feature) ? 15 : 50); i++) {
      const [body, other] = [randomPlacement(random), randomPlacement(random)];
      const values = anyFeature(random, feature, body, other, random.uniform(0.01, 0.5));
      const [, onBody] = wrenches(feature, values, body, other, [1, 0, 0]);
      const [shift, turn] = [randomVector(random), randomVector(random)];
      const moved = (amount: number): Placement => ({
        position: vector.add(body.position, vector.scale(shift, amount)),
        orientation: quaternion.multiply(quaternion.fromRotationVector(vector.scale(turn, amount)), body.orientation),
      });
      const step = 1e-6;
      const gapAt = (amount: number): number => gapOracle(feature, values, moved(amount), other);
      const slope = (gapAt(step) - gapAt(-step)) / (2 * step);
      // the turn is about the body's own centre
      const aboutCentre = vector.sub(onBody.torque, vector.cross(body.position, onBody.force));
      // differences of numbers of size 1 to 10 over 2e-6
      expect(vector.dot(onBody.force, shift) + vector.dot(aboutCentre, turn)).toBeCloseTo(slope, 7);
    }
  });
});

describe.each([
  ["ellipsoids", "roundRound", false],
  ["an ellipsoid and a line", "roundLine", false],
  ["rims", "roundRound", true],
  ["a rim and a line", "roundLine", true],
] as const)("where a step leads, %s", (_, feature, isDisc) => {
  test("have the gap of a search to 1e-10, from the normal at its start", () => {
    const random = new Random(15);
    let [worst, count] = [0, 0];
    while (count < 40) {
      const [body, other] = [randomPlacement(random), randomPlacement(random)];
      const values = randomRound(random, feature, body, other, [1e-6, 1e-3, 0.05][count % 3], isDisc);
      const [shift, turn] = [randomVector(random), randomVector(random)].map(vector.normalize);
      const moved: Placement = {
        position: vector.add(body.position, vector.scale(shift, 0.02)),
        orientation: quaternion.multiply(quaternion.fromRotationVector(vector.scale(turn, 0.07)), body.orientation),
      };
      const start = (place: Placement): number => straightness(feature, values, place, other);
      // what lies flat, or grazes along another rim, has no normal that moves with it: others take over there
      if (isDisc && (start(body) < 0.3 || start(moved) < 0.3)) continue;
      const wanted = gapOracle(feature, values, moved, other);
      // overlaps are met on the way to a solution only
      if (wanted < -1e-3) continue;
      count++;
      worst = Math.max(worst, Math.abs((contactGap(feature, values, moved, other) as number) - wanted));
    }
    expect(worst).toBeLessThan(1e-10);
  });
});

test.each(["roundRound", "roundLine"] as const)(
  "however rims turn in a step, %s is between the supporting plane of its start and the true gap",
  (feature) => {
    const random = new Random(16);
    for (let i = 0; i < 40; i++) {
      const [body, other] = [randomPlacement(random), randomPlacement(random)];
      const values = randomRound(random, feature, body, other, 0.01, true);
      const turn = vector.scale(vector.normalize(randomVector(random)), 1);
      const moved: Placement = {
        position: vector.add(body.position, randomVector(random, 0.1)),
        orientation: quaternion.multiply(quaternion.fromRotationVector(turn), body.orientation),
      };
      // overlaps have no largest separation that is the only one
      const { gap } = roundGap(feature, values, moved, other);
      if (gap < 0) continue;
      const found = contactGap(feature, values, moved, other) as number;
      const start = quaternion.rotate(other.orientation, triple(feature, values, "normal"));
      expect(found).toBeLessThan(gap + 1e-9);
      expect(found).toBeGreaterThan(separation(feature, values, moved, other, vector.normalize(start)) - 1e-8);
    }
  },
);

test("a coin that swings over in a step is met where it was lowest, and not where it will be", () => {
  // 0.1 rad to one side at the start, 0.1 to the other at the end
  const values = [0, 0, 0, 0.01, 0.01, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0];
  const at = (angle: number): Placement => ({
    position: [0, 0, 0.02],
    orientation: quaternion.fromAxisAngle([0, 1, 0], angle),
  });
  const gapAt = (angle: number) =>
    featureGeometry("roundPlane", values).gap(at(angle), inWorld, { body: at(0.1), other: inWorld });
  expect(gapAt(0.15)).toBeCloseTo(0.02 - 0.1 * Math.sin(0.15), 12);
  expect(gapAt(-0.15)).toBeCloseTo(0.02, 9);
  expect(contactGap("roundPlane", values, at(-0.15), inWorld)).toBeCloseTo(0.02 - 0.1 * Math.sin(0.15), 12);
});

test("a sphere on a sphere of a million times its size is a sphere on a half-space", () => {
  const random = new Random(14);
  const huge = 1e5;
  for (let i = 0; i < 20; i++) {
    const [body, other] = [randomPlacement(random), randomPlacement(random)];
    const flat = randomFeature(random, "pointPlane", body, other, 0.01);
    const [point, radius] = [flat.slice(0, 3), flat[3]];
    const normal = vector.normalize(flat.slice(4, 7) as unknown as Vector3);
    // the plane's point below the sphere
    const seen = quaternion.rotateInverse(
      other.orientation,
      vector.sub(
        vector.add(body.position, quaternion.rotate(body.orientation, point as unknown as Vector3)),
        other.position,
      ),
    );
    const centre = vector.sub(seen, vector.scale(normal, 0.01 + radius + huge));
    const round = [...point, radius, ...centre, huge, ...flat.slice(8)];
    const impulse = randomVector(random) as readonly [number, number, number];
    const [a] = wrenches("pointPlane", flat, body, other, impulse);
    const [b] = wrenches("pointPoint", round, body, other, impulse);
    // directions from positions of size 1e5 are known to 1e-16 · 1e5 over 1
    expect(vector.norm(vector.sub(a.force, b.force))).toBeLessThan(1e-9);
    expect(vector.norm(vector.sub(a.torque, b.torque))).toBeLessThan(1e-8);
  }
});

test("the feature's values are found among the parameters of a contact", () => {
  const names = contactNames({ feature: "pointPlane", bounces: true });
  expect(names[4]).toBe("frictionCoefficient");
  expect(featureValuesOf("pointPlane", names)).toEqual([
    ...["point.x", "point.y", "point.z", "radius"],
    ...["normal.x", "normal.y", "normal.z", "offset", "tangent.x", "tangent.y", "tangent.z"],
  ]);
});
