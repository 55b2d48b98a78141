/**
 * Distances of any two convex shapes. The proof: points a and b of the shapes show that the distance is at most |b − a|, and a normal n
 * shows that it is at least what the shapes leave free along n. Both are checked with formulas of the tests' own (shapeOracle.ts).
 */
import loadMujoco from "@mujoco/mujoco";
import { describe, expect, it } from "vitest";
import { type BoundedShape, convexDistance, prepareShape, type ShapeDimensions } from "../../src/geometry/index.ts";
import { quaternion, Random, type Vector3, vector } from "../../src/math/index.ts";
import {
  boundedKinds,
  type Frame,
  heightAlong,
  logUniform,
  outside,
  placementFrom,
  randomDirection,
  randomOrientation,
  randomShape,
  sizeOf,
} from "./shapeOracle.ts";

const pairs = boundedKinds.flatMap((first, i) => boundedKinds.slice(i).map((second) => [first, second] as const));
const witness = new Float64Array(9);
const three = (at: number): Vector3 => [witness[at], witness[at + 1], witness[at + 2]];

/** Rounding of support points, with room: relative to the sizes. */
const rounding = 1e-10;

interface Proof {
  readonly distance: number;
  readonly normal: Vector3;
  /** By how much the normal fails to prove the distance from below, relative to the sizes. */
  readonly below: number;
  /** By how much the points fail to prove it from above. */
  readonly above: number;
}

function proved(a: BoundedShape, b: BoundedShape, frame: Frame): Proof {
  const distance = convexDistance(a, b, placementFrom(frame), witness);
  const size = sizeOf(a) + sizeOf(b) + vector.norm(frame.position);
  const [p, q, normal] = [three(0), three(3), three(6)];
  const below = Math.abs(heightAlong(a, b, frame, normal) - distance) / size;
  const across = vector.norm(vector.sub(vector.sub(q, p), vector.scale(normal, distance)));
  const inB = quaternion.rotateInverse(frame.orientation, vector.sub(q, frame.position));
  // the angle of a normal is worth the root of what a distance is
  const above = Math.max(outside(a, p), outside(b, inB), across < 1e-7 * size ? 0 : across) / size;
  return { distance, normal, below: Math.max(below, Math.abs(vector.norm(normal) - 1)), above };
}

function randomFrame(a: BoundedShape, b: BoundedShape, random: Random, apart: number): Frame {
  const position = vector.scale(randomDirection(random), apart * (sizeOf(a) + sizeOf(b)));
  return { position, orientation: randomOrientation(random) };
}

/** Curved pairs have the most to go wrong; flat ones have tests of their own besides. */
const isCurved = (kind: string): boolean => kind === "cylinder" || kind === "ellipsoid";

describe.each(pairs)("%s and %s", (first, second) => {
  const many = isCurved(first) || isCurved(second) ? 1 : 0.25;

  it("the distance of 1000 poses (flat pairs: 250), far, near and touching, is proved to 1e-10 by points and a normal", () => {
    const random = new Random(11);
    for (let i = 0; i < 250 * many; i++) {
      const [a, b] = [randomShape(first, random), randomShape(second, random)];
      let frame = randomFrame(a, b, random, random.uniform(1, 5));
      let { distance, normal, below, above } = proved(a, b, frame);
      const size = sizeOf(a) + sizeOf(b);
      // along the normal, distances change by as much as shapes are moved
      for (const wanted of [0.03 * size, 1e-6 * size, 1e-9 * size]) {
        const move = wanted - distance;
        frame = { ...frame, position: vector.add(frame.position, vector.scale(normal, move)) };
        const next = proved(a, b, frame);
        below = Math.max(below, next.below);
        above = Math.max(above, next.above);
        expect(Math.abs(next.distance - wanted)).toBeLessThan(rounding * size + 1e-7 * Math.abs(move));
        ({ distance, normal } = next);
      }
      expect(Math.max(below, above)).toBeLessThan(rounding);
    }
  });

  it("100 overlapping poses (flat pairs: 25) have the least depth of 100 directions, and 98 of 100 have points at that depth", () => {
    const random = new Random(12);
    let withoutPoints = 0;
    for (let deep = 0; deep < 100 * many; ) {
      const [a, b] = [randomShape(first, random), randomShape(second, random)];
      const frame = randomFrame(a, b, random, random.uniform(0, 0.6));
      const { distance, normal, below, above } = proved(a, b, frame);
      if (distance >= 0) continue;
      deep++;
      expect(below).toBeLessThan(rounding);
      if (above > rounding) withoutPoints++;
      let least = Number.NEGATIVE_INFINITY;
      for (let s = 0; s < 100; s++) {
        // half of the directions anywhere, half of them round about the normal
        const d = vector.scale(randomDirection(random), s % 2 ? 1e3 : logUniform(random, 1e-4, 1));
        least = Math.max(least, heightAlong(a, b, frame, vector.normalize(vector.add(normal, d))));
      }
      expect(least).toBeLessThan(distance + 1e-7 * (sizeOf(a) + sizeOf(b)));
    }
    expect(withoutPoints).toBeLessThanOrEqual(2);
  });
});

describe("boxes and cylinders that just touch", () => {
  it("2000 poses, lined up to 1e-10 rad and more or at random, are as far apart as they were moved, whichever is asked first", () => {
    const random = new Random(17);
    const turns = [
      [1, 0, 0, 0],
      [1, 1, 0, 0],
      [1, 0, 1, 0],
      [1, 1, 1, 1],
    ] as const;
    for (let i = 0; i < 2000; i++) {
      const [can, crate] = [randomShape("cylinder", random), randomShape("box", random)];
      const [a, b] = i % 2 ? [can, crate] : [crate, can];
      const tilt = vector.scale(randomDirection(random), i % 3 ? logUniform(random, 1e-10, 0.1) : 0);
      const lined = quaternion.multiply(quaternion.normalize(turns[random.integer(4)]), [1, ...tilt]);
      const orientation = i % 5 < 3 ? quaternion.normalize(lined) : randomOrientation(random);
      const size = sizeOf(a) + sizeOf(b);
      const position = vector.scale(randomDirection(random), 1.2 * size);
      const { distance, normal } = proved(a, b, { position, orientation });
      // what lies across the normal between them stays: the distance changes by as much as they are moved
      for (const wanted of [1e-7, 1e-10, 1e-12, 0].map((part) => part * size)) {
        const moved = vector.add(position, vector.scale(normal, wanted - distance));
        const found = convexDistance(a, b, placementFrom({ position: moved, orientation }), undefined);
        expect(Math.abs(found - wanted), `pose ${i}`).toBeLessThan(rounding * size);
      }
    }
  });
});

describe("sizes and proportions", () => {
  it.each(["cylinder", "ellipsoid"] as const)(
    "a %s of 1 mm to 100 m, flat or long by 1 to 1000, against all",
    (kind) => {
      const random = new Random(13);
      for (const other of boundedKinds) {
        for (let i = 0; i < 60; i++) {
          const a = randomShape(kind, random, logUniform(random, 1e-3, 100), 30);
          const b = randomShape(other, random, logUniform(random, 1e-3, 100), 30);
          const far = randomFrame(a, b, random, random.uniform(1, 2));
          const { distance, normal, below, above } = proved(a, b, far);
          const wanted = 1e-6 * (sizeOf(a) + sizeOf(b));
          const position = vector.add(far.position, vector.scale(normal, wanted - distance));
          const near = proved(a, b, { ...far, position });
          expect(Math.abs(near.distance - wanted)).toBeLessThan(1e-3 * wanted);
          expect(Math.max(below, above, near.below, near.above)).toBeLessThan(rounding);
        }
      }
    },
  );
});

describe("closed forms", () => {
  const of = (dimensions: ShapeDimensions): BoundedShape => prepareShape(dimensions) as BoundedShape;

  it("a ball and a cylinder: beside, above, at the rim, inside", () => {
    const [ball, can] = [of({ kind: "sphere", radius: 0.1 }), of({ kind: "cylinder", radius: 0.5, length: 2 })];
    const at = (position: Vector3): number =>
      convexDistance(can, ball, placementFrom({ position, orientation: [1, 0, 0, 0] }), undefined);
    expect(at([0.8, 0, 0.3])).toBeCloseTo(0.2, 13);
    expect(at([0.2, 0.1, 1.5])).toBeCloseTo(0.4, 13);
    expect(at([0.8, 0, 1.4])).toBeCloseTo(0.4, 13);
    expect(at([0.1, 0, 0.3])).toBeCloseTo(-0.5, 13);
  });

  it("equal ellipsoids about one centre part along their short axis", () => {
    for (const radii of [
      [1, 1, 0.5],
      [3, 2, 1],
      [1, 0.01, 1],
    ] as const) {
      const shape = of({ kind: "ellipsoid", radii });
      const frame: Frame = { position: [0, 0, 0], orientation: [1, 0, 0, 0] };
      expect(convexDistance(shape, shape, placementFrom(frame), undefined)).toBeCloseTo(-2 * Math.min(...radii), 9);
    }
  });
});

describe("MuJoCo's mj_geomDistance", () => {
  const kinds = ["sphere", "capsule", "box", "cylinder", "ellipsoid"] as const;
  const geom = (shape: BoundedShape): string => {
    switch (shape.kind) {
      case "sphere":
        return `type="sphere" size="${shape.radius}"`;
      case "capsule":
      case "cylinder":
        return `type="${shape.kind}" size="${shape.radius} ${shape.halfLength}"`;
      case "ellipsoid":
        return `type="ellipsoid" size="${shape.radii.join(" ")}"`;
      case "box":
        return `type="box" size="${shape.halfSize.join(" ")}"`;
      case "hull":
        throw new Error("not here");
    }
  };

  /** Of a core that is a point or a line. */
  const radiusOf = (shape: BoundedShape): number =>
    shape.kind === "sphere" || shape.kind === "capsule" ? shape.radius : 0;

  it("agrees to 1e-6 on 1000 poses of each curved pair, up to what its own search leaves", async () => {
    const mujoco = await loadMujoco();
    const random = new Random(14);
    for (const first of kinds) {
      for (const second of ["cylinder", "ellipsoid"] as const) {
        let off = 0;
        for (let s = 0; s < 20; s++) {
          const [a, b] = [randomShape(first, random), randomShape(second, random)];
          const model = mujoco.MjModel.from_xml_string(`<mujoco><option ccd_tolerance="1e-12" ccd_iterations="500"/>
            <worldbody><geom ${geom(a)}/><body><freejoint/><geom ${geom(b)} mass="1"/></body></worldbody></mujoco>`)!;
          const data = new mujoco.MjData(model);
          for (let i = 0; i < 50; i++) {
            const frame = randomFrame(a, b, random, random.uniform(0, 1.2));
            data.qpos.set([...frame.position, ...frame.orientation]);
            mujoco.mj_kinematics(model, data);
            const theirs = mujoco.mj_geomDistance(model, data, 0, 1, 1000, new Float64Array(6));
            const { distance, below } = proved(a, b, frame);
            expect(below).toBeLessThan(rounding);
            // where cores are apart ours is proved, and a depth that is less than MuJoCo's is the better one
            const isBetter = distance > -radiusOf(a) || theirs < distance;
            if (Math.abs(theirs - distance) < 1e-6) continue;
            expect(isBetter, `${first} ${second}: ${theirs}, not ${distance}`).toBe(true);
            off++;
          }
          data.delete();
          model.delete();
        }
        expect(off, `${first} ${second}: MuJoCo stops early`).toBeLessThan(50);
      }
    }
  });
});
