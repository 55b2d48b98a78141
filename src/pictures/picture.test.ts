/** Pictures against closed forms of what is seen. */
import { expect, test } from "vitest";
import { box, floating, type MechanismDescription, type Shape, sphere } from "../mechanism/index.ts";
import { models } from "../models/index.ts";
import { compile } from "../simulation/index.ts";
import { cameraOf, colorOf, following, pictureOf, sceneOf } from "./index.ts";

function lone(shape: Shape): { scene: ReturnType<typeof sceneOf>; state: Float64Array } {
  const description: MechanismDescription = {
    timestep: 0.01,
    bodies: { body: { ...sphere({ radius: 1, mass: 1 }), shapes: [shape] } },
    joints: { base: floating({ parent: "world", child: "body" }) },
  };
  const state = new Float64Array(13);
  state[3] = 1;
  return { scene: sceneOf(compile(description)), state };
}

/** Share of pixels that are not the sky. */
function covered(shape: Shape, eye: readonly [number, number, number], tangent: number): number {
  const { scene, state } = lone(shape);
  const { pixels } = pictureOf(
    scene,
    state,
    { eye, target: [0, 0, 0], tangent },
    { width: 400, height: 400, samples: 1 },
  );
  let count = 0;
  for (let i = 0; i < pixels.length; i += 3) if (pixels[i] !== pixels[0] || pixels[i + 2] !== pixels[2]) count++;
  return count / (400 * 400);
}

// a pixel's width on the rim of what covers a third of the picture
const rim = 0.004;

test("a mark is a sphere that no body carries, and a camera that is told of it sees it", () => {
  const { scene, state } = lone({ kind: "box", size: [0.1, 0.1, 0.1] });
  const goal = [3, 0, 0] as const;
  const camera = cameraOf(scene, state, [goal]);
  const reds = (marks: readonly { position: readonly [number, number, number]; radius: number }[]): number => {
    const { pixels } = pictureOf(scene, state, camera, { width: 100, height: 100, marks });
    return pixels.filter((value, i) => i % 3 === 0 && value > 80 && pixels[i + 1] < value / 2).length;
  };
  expect(reds([])).toBe(0);
  expect(reds([{ position: goal, radius: 0.3 }])).toBeGreaterThan(20);
});

test("a sphere covers the disc that its tangents enclose", () => {
  const [radius, distance, tangent] = [1, 4, 0.4];
  const disc = (Math.PI * radius ** 2) / (distance ** 2 - radius ** 2);
  const share = disc / (2 * tangent) ** 2;
  expect(Math.abs(covered({ kind: "sphere", radius }, [distance, 0, 0], tangent) - share)).toBeLessThan(rim);
  const radii = [1, 1, 1] as const;
  expect(Math.abs(covered({ kind: "ellipsoid", radii }, [0, -distance, 0], tangent) - share)).toBeLessThan(rim);
});

test("boxes, cylinders and capsules cover their front faces", () => {
  // seen along y, the front face at distance 3 covers (size/3)²
  const [distance, tangent] = [3.5, 0.4];
  const face = (width: number, height: number, away: number): number =>
    (width * height) / away ** 2 / (2 * tangent) ** 2;
  expect(Math.abs(covered({ kind: "box", size: [1, 1, 1] }, [0, -distance, 0], tangent) - face(1, 1, 3))).toBeLessThan(
    rim,
  );
  // a cylinder's sides are tangents to its circle, its ends arcs between the planes of its middle and of its front
  const silhouette = (2 * 0.5) / Math.sqrt(distance ** 2 - 0.25);
  const upright = covered({ kind: "cylinder", radius: 0.5, length: 1 }, [0, -distance, 0], tangent);
  expect(upright).toBeGreaterThan((silhouette * 1) / distance / (2 * tangent) ** 2 - rim);
  expect(upright).toBeLessThan((silhouette * 1) / 3 / (2 * tangent) ** 2 + rim);
  const capsule = covered({ kind: "capsule", radius: 0.5, length: 1 }, [0, -distance, 0], tangent);
  const ends = (Math.PI * 0.25) / (distance ** 2 - 0.25) / (2 * tangent) ** 2;
  expect(capsule - ends).toBeGreaterThan((silhouette * 1) / distance / (2 * tangent) ** 2 - 2 * rim);
  expect(capsule - ends).toBeLessThan((silhouette * 1) / 3 / (2 * tangent) ** 2 + rim);
});

test("a picture is the same every time, and follows the bodies", () => {
  const mechanism = compile(models.block());
  const scene = sceneOf(mechanism);
  expect(scene.floor).toBe(0);
  const state = new Float64Array(13);
  state.set([0, 0, 1, 1]);
  const camera = cameraOf(scene, state);
  const size = { width: 60, height: 40 };
  const { pixels } = pictureOf(scene, state, camera, size);
  expect(pixels).toHaveLength(3 * 60 * 40);
  expect(pictureOf(scene, state, camera, size).pixels).toEqual(pixels);
  // two whole tiles along both axes look the same
  const moved = Float64Array.from(state);
  moved.set([2, -4]);
  const same = pictureOf(scene, moved, following(camera, scene, moved), size).pixels;
  const different = same.filter((value, i) => Math.abs(value - pixels[i]) > 1).length;
  expect(different).toBeLessThan(20);
  expect(() => pictureOf(scene, state, camera, { width: 0 })).toThrow("width");
});

test("what is nearer hides what is farther", () => {
  const near = {
    ...box({ size: [0.5, 0.5, 0.5], mass: 1 }),
    shapes: [{ kind: "box", size: [1, 1, 1], color: "#ff0000" }],
  } as const;
  const far = { ...near, shapes: [{ kind: "box", size: [1, 1, 1], color: "#0000ff" }] } as const;
  const description: MechanismDescription = {
    timestep: 0.01,
    bodies: { far, near },
    joints: { a: floating({ parent: "world", child: "far" }), b: floating({ parent: "world", child: "near" }) },
  };
  const scene = sceneOf(compile(description));
  const state = new Float64Array(26);
  state[3] = state[16] = 1;
  state[14] = -3;
  const camera = { eye: [0, -8, 0], target: [0, 0, 0], tangent: 0.3 } as const;
  const { pixels } = pictureOf(scene, state, camera, { width: 11, height: 11, samples: 1 });
  const middle = 3 * (5 * 11 + 5);
  expect(pixels[middle]).toBeGreaterThan(100);
  expect(pixels[middle + 2]).toBe(0);
});

test("clear shapes are not drawn", () => {
  const shown = { kind: "sphere", radius: 0.1, color: "#ff000080" } as const;
  const clear = { kind: "box", size: [1, 1, 1], color: "#00000000" } as const;
  const body = { ...box({ size: [0.5, 0.5, 0.5], mass: 1 }), shapes: [shown, clear] };
  const joints = { a: floating({ parent: "world", child: "body" }) };
  expect(sceneOf(compile({ timestep: 0.01, bodies: { body }, joints })).parts).toHaveLength(1);
});

test("colours are read as pages write them", () => {
  expect(colorOf("#f00")).toEqual([1, 0, 0]);
  expect(colorOf("#0000ff80")).toEqual([0, 0, 1]);
  expect(colorOf("rgba(255, 0, 51, 0.5)")).toEqual([1, 0, 0.2]);
  expect(colorOf("tomato")).toBeUndefined();
});

test("hulls and terrain are seen as what they are: a cube of eight points, a level field, shapes of the world", () => {
  const [distance, tangent] = [3.5, 0.4];
  const cube: Shape = { kind: "box", size: [1, 1, 1] };
  const corners = [-0.5, 0.5].flatMap((x) => [-0.5, 0.5].flatMap((y) => [-0.5, 0.5].map((z) => [x, y, z] as const)));
  for (const eye of [
    [0, -distance, 0.01],
    [2, -2, 1.5],
  ] as const) {
    const share = covered({ kind: "hull", points: corners }, eye, tangent);
    expect(share).toBeGreaterThan(0.05);
    expect(Math.abs(share - covered(cube, eye, tangent))).toBeLessThan(rim / 4);
  }
  // from above, a field of one height is the top face of a slab; with a ridge it is seen from the side
  const level: Shape = {
    kind: "heightField",
    size: [1, 1],
    heights: [
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ],
  };
  const slab: Shape = { kind: "box", size: [1, 1, 1e-6] };
  const above = [0.01, 0, distance] as const;
  expect(Math.abs(covered(level, above, tangent) - covered(slab, above, tangent))).toBeLessThan(rim / 4);
  const ridge: Shape = {
    kind: "heightField",
    size: [1, 1],
    heights: [
      [0, 0.5, 0],
      [0, 0.5, 0],
      [0, 0.5, 0],
    ],
  };
  // a triangle 1 wide and 0.5 high, whose nearer edge is at distance 3
  const triangle = 0.25 / 3 ** 2 / (2 * tangent) ** 2;
  expect(Math.abs(covered(ridge, [0, -distance, 0], tangent) - triangle)).toBeLessThan(rim);
});

test("red, green and blue of shapes, sky and floor are what their colours say", () => {
  const camera = { eye: [0, -5, 0], target: [0, 0, 0], tangent: 0.5 } as const;
  /** The middle of the face of a box, and a corner, which shows the sky. */
  const seen = (color: string): { face: number[]; sky: number[] } => {
    const { scene, state } = lone({ kind: "box", size: [1, 1, 1], color });
    const { pixels } = pictureOf(scene, state, camera, { width: 11, height: 11, samples: 1 });
    const middle = 3 * (5 * 11 + 5);
    return { face: [...pixels.slice(middle, middle + 3)], sky: [...pixels.slice(0, 3)] };
  };
  const [white, red, green, blue, mixed] = ["#fff", "#f00", "#0f0", "#00f", "#ff8000"].map(seen);
  const [bright] = white.face;
  expect(bright).toBeGreaterThan(100);
  expect(white.face).toEqual([bright, bright, bright]);
  expect(red.face).toEqual([bright, 0, 0]);
  expect(green.face).toEqual([0, bright, 0]);
  expect(blue.face).toEqual([0, 0, bright]);
  expect(mixed.face[0]).toBe(bright);
  expect(Math.abs(mixed.face[1] - (bright * 128) / 255)).toBeLessThanOrEqual(1);
  expect(mixed.face[2]).toBe(0);
  // a clear sky: more blue than green, more green than red, all of them light
  const [r, g, b] = red.sky;
  expect([r < g, g < b, r > 230]).toEqual([true, true, true]);
});
