import { describe, expect, it } from "vitest";
import { quaternion, vector } from "../math/index.ts";
import { boxCorners, capsuleEnds, sphereContact } from "./contactPoints.ts";
import type { BodyDescription, Matrix3, Vector3 } from "./description.ts";
import {
  bodyFromShapes,
  box,
  capsule,
  customBody,
  cylinder,
  ellipsoid,
  shapeInertia,
  sphere,
  volume,
} from "./shapes.ts";

function diagonalOf({ inertia }: BodyDescription): Vector3 {
  return [inertia[0][0], inertia[1][1], inertia[2][2]];
}

function expectClose(a: Matrix3, b: Matrix3): void {
  for (const i of [0, 1, 2] as const) expect(vector.norm(vector.sub(a[i], b[i]))).toBeLessThan(1e-12);
}

describe("bodies of one shape", () => {
  it("have the textbook inertia", () => {
    expect(diagonalOf(box({ size: [1, 2, 3], mass: 12 }))).toEqual([13, 10, 5]);
    expect(diagonalOf(sphere({ radius: 2, mass: 5 }))).toEqual([8, 8, 8]);
    expect(diagonalOf(ellipsoid({ radii: [1, 2, 3], mass: 5 }))).toEqual([13, 10, 5]);
    expect(diagonalOf(cylinder({ radius: 2, length: 3, mass: 4 }))).toEqual([7, 7, 8]);
  });

  it("a capsule has the inertia of its slices", () => {
    const shape = { kind: "capsule", radius: 0.3, length: 0.8 } as const;
    const slices = 200000;
    const half = shape.length / 2 + shape.radius;
    const thickness = (2 * half) / slices;
    let total = 0;
    let along = 0;
    let across = 0;
    for (let i = 0; i < slices; i++) {
      const z = -half + (i + 0.5) * thickness;
      const beyond = Math.max(0, Math.abs(z) - shape.length / 2);
      const square = shape.radius ** 2 - beyond ** 2;
      const part = Math.PI * square * thickness;
      total += part;
      along += (part * square) / 2;
      across += part * (square / 4 + z * z);
    }
    const inertia = shapeInertia(shape, total);
    expect(volume(shape)).toBeCloseTo(total, 9);
    expect(inertia[0][0]).toBeCloseTo(across, 9);
    expect(inertia[2][2]).toBeCloseTo(along, 9);
  });

  it("a capsule of length 0 is a sphere", () => {
    const ball = diagonalOf(sphere({ radius: 0.2, mass: 3 }));
    diagonalOf(capsule({ radius: 0.2, length: 0, mass: 3 })).forEach((moment, i) => {
      expect(moment).toBeCloseTo(ball[i], 15);
    });
  });

  it("an orientation turns shape and inertia", () => {
    const orientation = quaternion.fromAxisAngle(vector.unitY, Math.PI / 2);
    const upright = diagonalOf(capsule({ radius: 0.1, length: 1, mass: 1 }));
    const lying = capsule({ radius: 0.1, length: 1, mass: 1, orientation, color: "tomato" });
    expect(diagonalOf(lying)[0]).toBeCloseTo(upright[2], 14);
    expect(diagonalOf(lying)[2]).toBeCloseTo(upright[0], 14);
    expect(lying.shapes).toEqual([{ kind: "capsule", radius: 0.1, length: 1, orientation, color: "tomato" }]);
  });

  it("a custom body takes a matrix or its diagonal", () => {
    const byDiagonal = customBody({ mass: 1, inertia: [1, 2, 2.5] });
    expect(byDiagonal).toEqual(
      customBody({
        mass: 1,
        inertia: [
          [1, 0, 0],
          [0, 2, 0],
          [0, 0, 2.5],
        ],
      }),
    );
    expect(byDiagonal).not.toHaveProperty("shapes");
  });
});

describe("bodyFromShapes", () => {
  it("two halves of a box make the box, wherever they were put together", () => {
    const half = { kind: "box", size: [1, 1, 0.5] } as const;
    const { body, centerOfMass } = bodyFromShapes([
      { ...half, position: [5, 0, 0.25], density: 2 },
      { ...half, position: [5, 0, 0.75], mass: 1 },
    ]);
    expect(body.mass).toBe(2);
    expect(centerOfMass).toEqual([5, 0, 0.5]);
    expectClose(body.inertia, box({ size: [1, 1, 1], mass: 2 }).inertia);
    expect(body.shapes).toEqual([
      { ...half, position: [0, 0, -0.25] },
      { ...half, position: [0, 0, 0.25] },
    ]);
  });

  it("turned parts count as turned", () => {
    const orientation = quaternion.fromAxisAngle(vector.normalize([1, 1, 1]), (2 * Math.PI) / 3);
    const { body } = bodyFromShapes([{ kind: "box", size: [1, 2, 3], orientation, mass: 1 }]);
    // the third of a turn takes x to y, y to z, z to x
    expectClose(body.inertia, box({ size: [3, 1, 2], mass: 1 }).inertia);
  });
});

describe("contact points", () => {
  it("a box has eight corners, in its body's frame", () => {
    const corners = boxCorners(box({ size: [1, 2, 3], mass: 1 }));
    expect(corners).toHaveLength(8);
    expect(corners[0]).toEqual([-0.5, -1, -1.5]);
    expect(corners[1]).toEqual([-0.5, -1, 1.5]);
    expect(corners[7]).toEqual([0.5, 1, 1.5]);
  });

  it("points follow the shape's place in its body", () => {
    const orientation = quaternion.fromAxisAngle(vector.unitX, Math.PI / 2);
    const body = customBody({
      mass: 1,
      inertia: [1, 1, 1],
      shapes: [
        { kind: "sphere", radius: 0.1, position: [1, 2, 3] },
        { kind: "capsule", radius: 0.2, length: 2, position: [0, 0, 1], orientation },
      ],
    });
    expect(sphereContact(body)).toEqual({ point: [1, 2, 3], radius: 0.1 });
    const [lower, upper] = capsuleEnds(body);
    expect(lower.radius).toBe(0.2);
    expect(vector.norm(vector.sub(lower.point, [0, 1, 1]))).toBeLessThan(1e-15);
    expect(vector.norm(vector.sub(upper.point, [0, -1, 1]))).toBeLessThan(1e-15);
  });

  it("a body without the shape says what it has", () => {
    expect(() => boxCorners(sphere({ radius: 1, mass: 1 }))).toThrow("boxCorners: the body has no box (have: sphere)");
    expect(() => sphereContact(customBody({ mass: 1, inertia: [1, 1, 1] }))).toThrow("have: no shapes");
  });
});
