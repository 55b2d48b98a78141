/** What `inspect` says of robots, against how they were made. */
import { expect, test } from "vitest";
import {
  capsule,
  compile,
  featureRows,
  floating,
  inspect,
  type MechanismDescription,
  models,
  prismatic,
  revolute,
  Simulation,
  sphere,
  timestepRows,
} from "../../src/index.ts";

const inspected = (description: MechanismDescription) => inspect(new Simulation(compile(description)));
const codes = (description: MechanismDescription) =>
  inspected(description).suspicions.map(({ code, path }) => `${code} ${path}`);

test("the library's robots are what they are said to be, and nothing looks wrong with them", () => {
  for (const name of ["a1", "atlas", "humanoid", "panda", "hopper", "delta", "fourBar"] as const) {
    const description = models[name]();
    const { bodies, joints, inputs, mass, suspicions } = inspected(description);
    expect(bodies.map((body) => body.name).sort(), name).toEqual(Object.keys(description.bodies).sort());
    expect(mass).toBeCloseTo(
      Object.values(description.bodies).reduce((sum, body) => sum + body.mass, 0),
      9,
    );
    expect(joints.map((joint) => joint.name).sort()).toEqual(Object.keys(description.joints ?? {}).sort());
    expect(joints.flatMap(({ coordinates }) => coordinates).filter(({ drive }) => drive !== "none")).toHaveLength(
      inputs.length,
    );
    // each hangs on a joint that joins it to what stands above it
    for (const { joint, name: body } of bodies) {
      const { parent, child } = joints.find((other) => other.name === joint) ?? { parent: "", child: "" };
      expect([parent, child]).toContain(body);
    }
    expect(
      suspicions.filter(({ code }) => code !== "no-inputs"),
      name,
    ).toEqual([]);
  }
});

test("loops are told from the tree", () => {
  const { joints, bodies } = inspected(models.fourBar());
  expect(joints.filter(({ closesLoop }) => closesLoop)).toHaveLength(joints.length - bodies.length);
});

const arm = (changes: Partial<MechanismDescription> = {}, effortLimit: number | null = null): MechanismDescription => ({
  timestep: 0.01,
  bodies: { link: capsule({ radius: 0.05, length: 1, mass: 2 }) },
  joints: {
    shoulder: revolute({
      parent: "world",
      child: "link",
      axis: [1, 0, 0],
      childAnchor: [0, 0, 0.5],
      actuated: true,
      effortLimit,
    }),
  },
  states: { level: { shoulder: { position: [Math.PI / 2] } } },
  ...changes,
});

test("a motor that cannot hold the start is named with what it would need", () => {
  expect(codes(arm())).toEqual([]);
  expect(codes(arm({}, 11))).toEqual([]);
  // m g l/2 = 2 · 9.81 · 0.5
  const { suspicions } = inspected(arm({}, 8));
  expect(suspicions).toMatchObject([{ code: "weak-motor", path: "joints.shoulder.angle" }]);
  expect(suspicions[0].message).toBe("needs 9.81 N·m to hold the start, and gives 8 at most");
});

test("masses and inertias that no robot has are named", () => {
  const { bodies, joints } = arm();
  const dust = { ...arm(), bodies: { ...bodies, dust: sphere({ radius: 0.01, mass: 1e-5 }) } };
  const rail = prismatic({ parent: "link", child: "dust", axis: [1, 0, 0] });
  expect(codes({ ...dust, joints: { ...joints, rail } })).toEqual(["light-body bodies.dust"]);
  const wide = {
    ...bodies.link,
    inertia: [
      [9, 0, 0],
      [0, 9, 0],
      [0, 0, 9],
    ],
  } as const;
  expect(codes({ ...arm(), bodies: { link: wide } })).toEqual(["inertia bodies.link.inertia"]);
});

test("a start with faults, a robot without motors and one that falls for ever are named", () => {
  const beyond = arm({ states: { bent: { shoulder: { position: [2] } } } });
  const [[name, joint]] = Object.entries(beyond.joints ?? {});
  const { suspicions, start } = inspected({ ...beyond, joints: { [name]: { ...joint, limits: [-1, 1] } } });
  expect(suspicions.map(({ code }) => code)).toEqual(["start"]);
  expect(start.faults.length).toBeGreaterThan(0);
  expect(start.moved).toBeGreaterThan(0.1);
  const { actuated: _, ...idle } = joint;
  expect(codes({ ...arm(), joints: { [name]: idle } })).toEqual(["no-inputs joints"]);
  const ball = {
    bodies: { ball: sphere({ radius: 0.1, mass: 1 }) },
    joints: { base: floating({ parent: "world", child: "ball" }) },
  };
  expect(codes({ timestep: 0.01, ...ball })).toEqual(["no-inputs joints", "no-contacts contacts"]);
});

test("contacts that touch at the start are listed", () => {
  const { start, contacts } = inspected(models.humanoid());
  expect(start.touching.length).toBeGreaterThan(3);
  expect(start.touching.length).toBeLessThan(contacts);
});

test("time steps are rated by their error, features by what they cost", () => {
  const rows = timestepRows(arm());
  expect(rows.map(({ timestep }) => timestep)).toEqual([0.001, 0.002, 0.005, 0.01, 0.02, 0.05]);
  for (const { solved, microseconds, iterations } of rows) {
    expect(solved).toBe(1);
    expect(microseconds).toBeGreaterThan(0);
    expect(iterations).toBeGreaterThan(0);
  }
  // of second order: ten times the time step, about a hundred times the error
  const [fine, coarse] = [rows[0].error, rows[3].error] as number[];
  expect(coarse / fine).toBeGreaterThan(30);
  const features = featureRows({ ...models.hopper(), timestep: 0.01 });
  expect(features.map(({ feature }) => feature)).toContain("explicit contacts");
  expect(features.find(({ feature }) => feature === "joint limits")?.count).toBe(3);
});
