/** What the options of models do, and what the larger robots are made of. */
import { describe, expect, test } from "vitest";
import { compile, type MechanismDescription, maximalState, models, servoTargets } from "../../src/index.ts";
import { quaternion, vector } from "../../src/math/index.ts";
import { bodyState } from "../physics/measures.ts";

const massOf = ({ bodies }: MechanismDescription): number =>
  Object.values(bodies).reduce((sum, { mass }) => sum + mass, 0);
const jointsOf = ({ joints = {} }: MechanismDescription) => Object.values(joints);

describe("Atlas", () => {
  test("it is the paper's: 31 bodies, 403 numbers of state, 36 inputs, 8 contacts under its feet", () => {
    const mechanism = compile(models.atlas({ bodyContacts: false }));
    const { bodies, stateSize, inputSize, contacts } = mechanism;
    expect([bodies.length, stateSize, inputSize, contacts.length]).toEqual([31, 403, 36, 8]);
    expect(mechanism.inputNames.slice(0, 6).every((name) => name.startsWith("base."))).toBe(true);
  });

  test("contacts of the rest of the body are twelve, sensors 1.07 kg, rootActuated six inputs", () => {
    expect(models.atlas().contacts).toHaveLength(20);
    expect(massOf(models.atlas({ sensors: true })) - massOf(models.atlas())).toBeCloseTo(1.067664, 9);
    expect(compile(models.atlas({ rootActuated: false })).inputSize).toBe(30);
    expect(compile(models.atlas({ actuated: false })).inputSize).toBe(0);
  });

  test("spring and damper go to all thirty hinges", () => {
    const hinges = jointsOf(models.atlas({ spring: 1, damper: 25 })).filter(({ kind }) => kind === "revolute");
    expect(hinges).toHaveLength(30);
    for (const hinge of hinges) expect(hinge).toMatchObject({ stiffness: 1, damping: 25 });
  });

  test("limits and efforts are there when asked for", () => {
    expect(models.atlas().joints?.l_leg_kny.limits).toEqual([0, 2.35637]);
    expect(models.atlas().joints?.l_leg_kny.effortLimit).toBeUndefined();
    expect(models.atlas({ jointLimits: false }).joints?.l_leg_kny.limits).toBeUndefined();
    expect(models.atlas({ effortLimits: true }).joints?.l_leg_kny.effortLimit).toBe(890);
  });
});

describe("what all robots take", () => {
  test("timestep, gravity, floor and friction", () => {
    const description = models.a1({
      timestep: 0.02,
      gravity: [0, 0, -1.62],
      frictionCoefficient: 0.3,
      bodyContacts: false,
    });
    expect([description.timestep, description.gravity]).toEqual([0.02, [0, 0, -1.62]]);
    expect(description.contacts?.map((contact) => contact.frictionCoefficient)).toEqual([0.3, 0.3, 0.3, 0.3]);
    expect(models.a1({ floor: false }).contacts).toEqual([]);
  });

  test("a servo takes the place of every motor, and its targets are the rest pose", () => {
    const description = models.a1({ servo: { stiffness: 100, damping: 5 } });
    expect(jointsOf(description).some(({ actuated }) => actuated)).toBe(false);
    const quarter = [0, Math.PI / 4, -Math.PI / 2];
    expect(Array.from(servoTargets(description))).toEqual([...quarter, ...quarter, ...quarter, ...quarter]);
    expect(Array.from(servoTargets(models.a1()))).toEqual(new Array(12).fill(0));
  });

  test("numbers of links", () => {
    expect(compile(models.nPendulum({ links: 3 })).coordinateCount).toBe(3);
    expect(compile(models.rope({ links: 4, load: 1 })).bodies.map(({ name }) => name)).toContain("load");
    expect(compile(models.snake({ links: 3, joints: "spherical" })).coordinateCount).toBe(12);
    expect(compile(models.snake({ links: 3, joints: "revolute" })).coordinateCount).toBe(8);
  });

  test("the humanoid has 27 degrees of freedom and 21 motors, whose gears are efforts", () => {
    const mechanism = compile(models.humanoid({ effortLimits: true }));
    expect([mechanism.coordinateCount, mechanism.inputSize]).toEqual([27, 21]);
    const efforts = mechanism.joints.flatMap(({ coordinates }) => coordinates.map(({ effortLimit }) => effortLimit));
    expect(Math.max(...efforts.map((effort) => effort ?? 0))).toBe(120);
  });

  test("a gripper is optional, and so are a box, springs and drag", () => {
    expect(compile(models.panda()).inputSize).toBe(8);
    expect(compile(models.panda({ gripper: false })).inputSize).toBe(7);
    expect(models.xarm6WithBox({ box: false }).bodies.box).toBeUndefined();
    expect(jointsOf(models.halfCheetah({ springs: false })).every(({ stiffness = 0 }) => stiffness === 0)).toBe(true);
    const dampings = (dampingFactor?: number) =>
      jointsOf(models.halfCheetah(dampingFactor === undefined ? {} : { dampingFactor })).map(
        ({ damping = 0 }) => damping,
      );
    expect(dampings(2)).toEqual(dampings().map((damping) => 2 * (damping as number)));
    expect(models.skydioX2({ fluid: false }).fluid).toBeUndefined();
    expect(compile(models.block({ model: "linear" })).contacts[0].model).toBe("linear");
  });
});

describe("rest poses", () => {
  test("the trunk of A1 is 0.303 m above the floor", () => {
    expect(models.a1().states?.rest.base.position?.[2]).toBeCloseTo(0.303, 3);
  });

  for (const [name, description] of [
    ["Atlas", models.atlas({ bodyContacts: false })],
    ["the humanoid", models.humanoid({ bodyContacts: false })],
  ] as const) {
    test(`the centre of mass of ${name} is above the middle of its feet, which are flat on the floor`, () => {
      const mechanism = compile(description);
      const state = maximalState(mechanism, description.states?.rest ?? {});
      const points = mechanism.contacts.map(({ body, point, radius }) => {
        const { position, orientation } = bodyState(state, body);
        return vector.sub(vector.add(position, quaternion.rotate(orientation, point)), [0, 0, radius]);
      });
      for (const [, , height] of points) expect(Math.abs(height)).toBeLessThan(1e-12);
      const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
      const total = mechanism.bodies.reduce((sum, { mass }) => sum + mass, 0);
      for (const k of [0, 1] as const) {
        const center = mechanism.bodies.reduce((sum, { mass, index }) => sum + mass * state[13 * index + k], 0) / total;
        expect(Math.abs(center - mean(points.map((point) => point[k])))).toBeLessThan(2e-3);
      }
    });
  }
});
