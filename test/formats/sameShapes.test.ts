/** One unsymmetric scene with every kind of shape: the engine, pictures, replays, MJCF out and in, and MuJoCo mean the same by it. */
import loadMujoco from "@mujoco/mujoco";
import { Group, Vector3 as Place, Raycaster } from "three";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { bodyGroup } from "../../apps/replay/bodyMeshes.ts";
import { importMjcf, toMjcf } from "../../src/formats/index.ts";
import {
  placementBetween,
  placementSize,
  prepareShape,
  type ShapeDimensions,
  signedDistance,
} from "../../src/geometry/index.ts";
import { floating, type MechanismDescription, Random, type Shape, sphere } from "../../src/index.ts";
import { quaternion, type Vector3, vector } from "../../src/math/index.ts";
import { partOf } from "../../src/pictures/scene.ts";
import { closedDistance } from "./closedDistances.ts";
import { loadModel, type Mujoco } from "./mjcfOracle.ts";

const turned = (...rotation: [number, number, number]) => quaternion.fromRotationVector(rotation);
const contact = { frictionCoefficient: 0.5 };

/** 5 columns along x and 3 rows along y: no turn or mirror image of the terrain is the terrain. */
const terrain: Shape = {
  kind: "heightField",
  name: "terrain",
  size: [4, 1.4],
  heights: [
    [0, 0.1, 0.35, 0.2, 0.6],
    [0.05, 0.4, 0.15, 0.5, 0.3],
    [-0.2, 0, 0.3, 0.7, 0.25],
  ],
  position: [0.3, -0.2, 0.1],
  orientation: turned(0.1, -0.15, 0.4),
  contact,
};

/** All kinds besides, in a row along y away from the terrain. */
const others: readonly Shape[] = [
  { kind: "box", size: [0.5, 0.3, 0.2], orientation: turned(0.3, 0.5, -0.4) },
  { kind: "sphere", radius: 0.3 },
  { kind: "capsule", radius: 0.12, length: 0.5, orientation: turned(1.1, 0.4, 0) },
  { kind: "cylinder", radius: 0.2, length: 0.4, orientation: turned(0.5, -0.9, 0.2) },
  { kind: "ellipsoid", radii: [0.35, 0.15, 0.25], orientation: turned(0.2, 0.3, 0.9) },
  {
    // a wedge
    kind: "hull",
    points: [
      [-0.3, -0.2, -0.1],
      [0.3, -0.2, -0.1],
      [-0.3, 0.3, -0.1],
      [0.3, 0.3, -0.1],
      [0.25, 0.1, 0.3],
    ],
    orientation: turned(0.2, 0, 0.7),
  },
  {
    // a cone
    kind: "hull",
    points: [
      [0, 0, 0.4],
      ...Array.from({ length: 24 }, (_, k): Vector3 => {
        const angle = (2 * Math.PI * k) / 24;
        return [0.25 * Math.cos(angle), 0.25 * Math.sin(angle), -0.1];
      }),
    ],
    orientation: turned(0.7, 0.2, 0),
  },
].map((shape, k) => ({ ...shape, name: `shape${k}`, position: [0.1 * k, 1.5 + k, 0.5], contact }) as Shape);
const floor: Shape = {
  kind: "halfSpace",
  name: "floor",
  position: [0, 0, -2],
  orientation: turned(0.1, 0, 0),
  contact,
};

const shapes = [terrain, ...others, floor];
const description: MechanismDescription = {
  timestep: 0.01,
  bodies: { ball: sphere({ radius: 0.05, mass: 1, contact }) },
  joints: { free: floating({ parent: "world", child: "ball" }) },
  shapes,
};

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadMujoco();
  vi.stubGlobal("document", { createElement: () => ({ getContext: () => null }) });
});
afterAll(() => {
  vi.unstubAllGlobals();
});

/** Rays that come down at a slant on each of the shapes; on the floor beside the others. */
const random = new Random(4);
const rays = shapes.flatMap((shape) =>
  Array.from({ length: 40 }, () => {
    const [x, y, z] = shape.position as Vector3;
    const [a, b] = shape === terrain ? [1.9, 0.6] : [0.15, 0.15];
    const aside = shape === floor ? -4 : 0;
    const inFrame: Vector3 = [aside + random.uniform(-a, a), random.uniform(-b, b), 0.3];
    const [px, py, pz] = quaternion.rotate(
      shape === terrain ? (shape.orientation ?? [1, 0, 0, 0]) : [1, 0, 0, 0],
      inFrame,
    );
    const to: Vector3 = [x + px, y + py, z + pz];
    const direction = vector.normalize([random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), -1]);
    return { shape, from: vector.add(to, vector.scale(direction, -3)), direction };
  }),
);

/** How far along a ray pictures first meet a shape. */
function seen({ shape, from, direction }: (typeof rays)[number], of = shape): number {
  const { solid, position, orientation } = partOf(of, -1);
  const back = quaternion.conjugate(orientation);
  const o = quaternion.rotate(back, vector.add(from, vector.scale(position, -1)));
  return solid(Float64Array.from(o), Float64Array.from(quaternion.rotate(back, direction)), new Float64Array(3));
}

const met = rays.map((ray) => ({ ...ray, way: seen(ray) })).filter(({ way }) => way < 10);

/** Distance of two shapes of the world, by the engine. */
function gapBetween(a: Shape, b: Shape): number {
  const poses = Float64Array.from(
    [a, b].flatMap(({ position = [0, 0, 0], orientation = [1, 0, 0, 0] }) => [...position, ...orientation]),
  );
  const placement = placementBetween(new Float64Array(placementSize), poses, 0, poses, 7);
  return signedDistance(prepareShape(a as ShapeDimensions), prepareShape(b as ShapeDimensions), placement);
}

describe("what rays meet", () => {
  test("is there to touch, where pictures have it", () => {
    for (const kind of new Set(rays.map(({ shape }) => shape.kind))) {
      expect(met.filter(({ shape }) => shape.kind === kind).length, kind).toBeGreaterThan(10);
    }
    for (const { shape, from, direction, way } of met) {
      const point: Shape = { kind: "sphere", radius: 1e-9, position: vector.add(from, vector.scale(direction, way)) };
      expect(Math.abs(gapBetween(point, shape)), shape.name).toBeLessThan(1e-8);
    }
  });

  test("is drawn in replays", () => {
    for (const { shape, from, direction, way } of met) {
      const group = new Group().add(bodyGroup("world", [shape], 0));
      group.updateMatrixWorld(true);
      const [hit] = new Raycaster(new Place(...from), new Place(...direction)).intersectObject(group, true);
      // round shapes are drawn with corners, and boxes with rounded edges
      const isExact = ["heightField", "hull", "halfSpace"].includes(shape.kind);
      if (!hit && !isExact) continue;
      expect(Math.abs((hit?.distance ?? 0) - way), shape.name).toBeLessThan(isExact ? 1e-5 : 0.03);
    }
  });

  test.each(["exported", "exported, imported and exported again"])("is in MJCF, %s", (times) => {
    const once = toMjcf(description).xml;
    const xml = times === "exported" ? once : toMjcf(importMjcf(once, { collisions: "shapes" }).description).xml;
    const model = loadModel(mujoco, xml);
    const data = new mujoco.MjData(model);
    mujoco.mj_forward(model, data);
    for (const { shape, from, direction, way } of met) {
      const geom = new mujoco.IntBuffer(1);
      const distance = mujoco.mj_ray(model, data, [...from], [...direction], null as never, true, -1, geom, null);
      const name = model.geom(geom.GetView()[0]).name;
      geom.delete();
      expect(name).toBe(shape.name);
      expect(Math.abs(distance - way), shape.name).toBeLessThan(1e-6);
    }
    data.delete();
    model.delete();
  });

  test("comes back from MJCF", () => {
    const again = importMjcf(toMjcf(description).xml, { collisions: "shapes" }).description.shapes ?? [];
    for (const ray of met) {
      const shape = again.find(({ name }) => name === ray.shape.name) as Shape;
      expect(Math.abs(seen(ray, shape) - ray.way), ray.shape.name).toBeLessThan(1e-8);
    }
  });
});

test("is as far from a ball as formulas say, to the engine, to MJCF that is read again, and to MuJoCo", () => {
  const radius = 0.05;
  const { xml } = toMjcf(description);
  const again = importMjcf(xml, { collisions: "shapes" }).description.shapes ?? [];
  const model = loadModel(mujoco, xml);
  const data = new mujoco.MjData(model);
  const places = new Random(12);
  for (const shape of shapes) {
    const back = again.find(({ name }) => name === shape.name) as Shape;
    const middle = shape.position as Vector3;
    const geom = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM.value, shape.name as string);
    const ball = model.geom_bodyid.findIndex((body: number) => body > 0);
    let compared = 0;
    for (let k = 0; k < 60; k++) {
      const aside: Vector3 = [places.uniform(-0.7, 0.7), places.uniform(-0.7, 0.7), places.uniform(0.3, 1)];
      const position = vector.add(middle, aside);
      const expected = closedDistance(shape, position) - radius;
      if (expected < 0.01) continue;
      compared++;
      const placed: Shape = { kind: "sphere", radius, position };
      expect(Math.abs(gapBetween(placed, shape) - expected), `${shape.name}, engine`).toBeLessThan(1e-12);
      expect(Math.abs(gapBetween(placed, back) - expected), `${shape.name}, read again`).toBeLessThan(1e-8);
      // it has no distances from terrain, which rays and contacts of the others stand for
      if (shape === terrain) continue;
      data.qpos.set([...position, 1, 0, 0, 0]);
      mujoco.mj_forward(model, data);
      const theirs = mujoco.mj_geomDistance(model, data, ball, geom, 10, new Float64Array(6));
      expect(Math.abs(theirs - expected), `${shape.name}, MuJoCo`).toBeLessThan(1e-6);
    }
    expect(compared, shape.name).toBeGreaterThan(20);
  }
  data.delete();
  model.delete();
});

test("every shape that comes down on the terrain touches it where it does in MuJoCo", () => {
  const again = new Random(8);
  const orientation = terrain.orientation ?? [1, 0, 0, 0];
  let compared = 0;
  for (const other of others) {
    const shape: Shape = { ...other, position: [0, 0, 0], orientation: [1, 0, 0, 0] };
    const bodies = { body: { ...sphere({ radius: 0.1, mass: 1 }), shapes: [shape] } };
    const joints = { free: floating({ parent: "world", child: "body" }) };
    const model = loadModel(mujoco, toMjcf({ ...description, bodies, joints, shapes: [terrain] }).xml);
    const data = new mujoco.MjData(model);
    for (let k = 0; k < 12; k++) {
      const turn = again.quaternion();
      const [x, y] = [again.uniform(-1.5, 1.5), again.uniform(-0.3, 0.3)];
      const placeAt = (z: number): Vector3 =>
        vector.add(terrain.position ?? [0, 0, 0], quaternion.rotate(orientation, [x, y, z]));
      // down by as much as there is room below
      let z = 3;
      let room = Number.POSITIVE_INFINITY;
      while (room > 1e-7) {
        room = gapBetween({ ...shape, position: placeAt(z), orientation: turn }, terrain);
        z -= Math.max(room, 0);
      }
      const contactsAt = (above: number): number => {
        data.qpos.set([...placeAt(z + above), ...turn]);
        mujoco.mj_forward(model, data);
        return data.ncon;
      };
      // round shapes meet terrain there up to a tolerance
      expect([contactsAt(2e-4), contactsAt(-2e-4) > 0], `${other.name}, ${k}`).toEqual([0, true]);
      compared++;
    }
    data.delete();
    model.delete();
  }
  expect(compared).toBe(84);
});
