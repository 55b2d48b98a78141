/** Robots fall onto the floor and not through it, with all of themselves; what goes through is found. */
import { describe, expect, test } from "vitest";
import {
  bodyContactModels,
  box,
  boxCorners,
  compile,
  floating,
  frictionContact,
  halfSpace,
  type MechanismDescription,
  maximalState,
  models,
  projectState,
  Random,
  type Shape,
  Simulation,
  sunkenBodies,
  type Vector3,
} from "../../src/index.ts";
import { quaternion, vector } from "../../src/math/index.ts";
import { bodyState } from "../physics/measures.ts";

/** Metres that a drawn shape may reach below the floor: contacts are spheres inside limbs, and limbs are drawn between them. */
const drawnTolerance = 0.03;

/** Height of the lowest point of a drawn shape, from its support function in the direction down. */
function lowestPoint(shape: Shape, body: ReturnType<typeof bodyState>): number {
  const turn = quaternion.multiply(body.orientation, shape.orientation ?? quaternion.identity);
  const height = vector.add(body.position, quaternion.rotate(body.orientation, shape.position ?? vector.zero))[2];
  const [x, y, z] = quaternion.rotate(quaternion.conjugate(turn), [0, 0, 1]).map(Math.abs);
  if (shape.kind === "sphere") return height - shape.radius;
  if (shape.kind === "capsule") return height - z * (shape.length / 2) - shape.radius;
  if (shape.kind === "cylinder") return height - z * (shape.length / 2) - shape.radius * Math.hypot(x, y);
  if (shape.kind === "box") return height - vector.dot([x, y, z], shape.size) / 2;
  throw new Error(`no support function of a ${shape.kind}`);
}

/** The robot two seconds after it was let go limp, its joints and its base turned at random. */
function fallen(description: MechanismDescription, seed: number) {
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const random = new Random(seed);
  const joints = mechanism.joints.map(({ name, shape, coordinates }) => {
    const rest = description.states?.rest[name]?.position ?? coordinates.map(() => 0);
    const isBase = shape.translation + shape.rotation === 0 || coordinates.length === 3;
    const up = coordinates.findIndex((coordinate) => coordinate.name.endsWith(".z"));
    const position = coordinates.map((_, i) => {
      if (isBase && i < coordinates.length - (coordinates.length === 3 ? 1 : 3)) return rest[i] + (i === up ? 0.5 : 0);
      return rest[i] + random.uniform(-0.5, 0.5) * (isBase ? 2 : 1);
    });
    return [name, { position }] as const;
  });
  const start = projectState(simulation, maximalState(mechanism, Object.fromEntries(joints)));
  const run = simulation.rollout(start, { steps: Math.round(2 / mechanism.timestep) });
  expect(run.solved).toBe(true);
  return { simulation, mechanism, final: run.final };
}

describe("robots on the floor", () => {
  test.each(bodyContactModels)("%s falls limp and stays above it with all that is drawn of it", (name) => {
    // the joints of the paper's drop; limp ones of Atlas take much longer to come to rest
    const description = name === "atlas" ? models.atlas({ spring: 1, damper: 25 }) : models[name]();
    for (const seed of [1, 2]) {
      const { simulation, mechanism, final } = fallen(description, seed);
      expect(sunkenBodies(simulation, final)).toEqual([]);
      for (const { name: body, index } of mechanism.bodies) {
        for (const shape of description.bodies[body].shapes ?? []) {
          expect([body, lowestPoint(shape, bodyState(final, index)) > -drawnTolerance]).toEqual([body, true]);
        }
      }
    }
  });

  test("with contacts of the feet alone most of Atlas ends below the floor, and is named", () => {
    const description = models.atlas({ spring: 1, damper: 25, bodyContacts: false });
    const { simulation, mechanism, final } = fallen(description, 1);
    const sunken = sunkenBodies(simulation, final);
    const below = mechanism.bodies.filter(({ index }) => final[13 * index + 2] < -1e-3);
    expect(below.length).toBeGreaterThan(15);
    expect(sunken.map(({ body }) => body).sort()).toEqual(below.map(({ name }) => name).sort());
    for (const { body, depth } of sunken) {
      const { index } = mechanism.bodies.find(({ name }) => name === body) ?? mechanism.bodies[0];
      expect(depth).toBeCloseTo(-final[13 * index + 2], 12);
    }
    const depths = sunken.map(({ depth }) => depth);
    expect(depths).toEqual([...depths].sort((a, b) => b - a));
  });
});

describe("what counts as below the floor", () => {
  const crate = box({ size: [1, 1, 1], mass: 1 });
  /** One crate that has the floors, and one that has none. */
  const scene = (floors: readonly { readonly normal: Vector3; readonly offset: number }[], gravity?: Vector3) =>
    compile({
      timestep: 0.01,
      ...(gravity && { gravity }),
      bodies: { held: crate, loose: crate },
      joints: { a: floating({ parent: "world", child: "held" }), b: floating({ parent: "world", child: "loose" }) },
      contacts: floors.map((floor) =>
        frictionContact({
          body: "held",
          point: boxCorners(crate)[0],
          halfSpace: halfSpace(floor),
          frictionCoefficient: 1,
        }),
      ),
    });
  const stateOf = (mechanism: ReturnType<typeof scene>, loose: Vector3) =>
    maximalState(mechanism, { a: { position: [0, 0, 9, 0, 0, 0] }, b: { position: [...loose, 0, 0, 0] } });

  test("without contacts there is no floor", () => {
    const mechanism = scene([]);
    expect(sunkenBodies(mechanism, stateOf(mechanism, [0, 0, -5]))).toEqual([]);
  });

  test("a slope counts, along its normal; a wall does not, and a step is enough to stand on", () => {
    const slope: Vector3 = [0.6, 0, 0.8];
    const onSlope = scene([{ normal: slope, offset: 1 }]);
    expect(sunkenBodies(onSlope, stateOf(onSlope, [0, 0, 0]))).toEqual([{ body: "loose", depth: 1 }]);
    const besideWall = scene([{ normal: [1, 0, 0], offset: 0 }]);
    expect(sunkenBodies(besideWall, stateOf(besideWall, [-2, 0, 3]))).toEqual([]);
    const stairs = scene([
      { normal: [0, 0, 1], offset: 0 },
      { normal: [0, 0, 1], offset: 0.2 },
    ]);
    expect(sunkenBodies(stairs, stateOf(stairs, [0, 0, 0.1]))).toEqual([]);
    expect(sunkenBodies(stairs, stateOf(stairs, [0, 0, -0.1]))).toEqual([{ body: "loose", depth: 0.1 }]);
  });
});
