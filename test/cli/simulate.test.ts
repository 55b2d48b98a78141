/** dojo simulate: the summary, and what each option does. */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { box, floating, models, revolute, sphere, toJson } from "../../src/index.ts";
import { buildCli, dojo, dojoJson, workFolder } from "./runCli.ts";

interface Summary {
  model: string;
  timestep: number;
  steps: number;
  requestedSteps: number;
  solvedSteps: number;
  substeppedSteps: number;
  iterations: { mean: number; max: number };
  minimumDistance: number | null;
  sunkenBodies: { body: string; depth: number }[];
  stretchedBodies: { body: string; phase: number }[];
  smallBodies: { body: string }[];
  energy: { start: number; end: number };
  energyDrift: number;
  momentumDrift: number | null;
  angularMomentumDrift: number | null;
  momentumNote?: string;
  wallSeconds: number;
  compileSeconds: number;
  realTimeFactor: number;
  interrupted: boolean;
  notes: string[];
  files: string[];
}

const folder = workFolder();
beforeAll(buildCli);
afterAll(() => rmSync(folder, { recursive: true }));
const simulate = (...args: string[]): Promise<Summary> => dojoJson<Summary>(["simulate", ...args], folder);

/** Residuals of 1e-8 relative add up over a run. */
const momentumTolerance = 1e-6;

describe("the summary", () => {
  const cases: [string[], { contacts: boolean; balanced: boolean }][] = [
    [["pendulum", "--position", "hinge.angle=0.8"], { contacts: false, balanced: false }],
    [["block", "--state", "raised", "--velocity", "base.x=1,base.z=2"], { contacts: true, balanced: true }],
    [["dzhanibekov", "--velocity", "*=2"], { contacts: false, balanced: true }],
    [["a1", "--time", "0.3", "--input", "random:1:5"], { contacts: true, balanced: true }],
    [["half-cheetah", "--time", "0.3"], { contacts: true, balanced: false }],
  ];
  test.each(cases)("of %j", async (args, { contacts, balanced }) => {
    const summary = await simulate(...args);
    expect(summary.steps).toBe(summary.requestedSteps);
    expect(summary.solvedSteps).toBe(summary.steps);
    expect(summary.iterations.mean).toBeGreaterThan(0);
    expect(summary.iterations.max).toBeGreaterThanOrEqual(summary.iterations.mean);
    expect(summary.realTimeFactor).toBeCloseTo((summary.steps * summary.timestep) / summary.wallSeconds, 6);
    expect(summary.realTimeFactor).toBeGreaterThan(0);
    expect(summary.compileSeconds).toBeGreaterThan(0);
    expect(summary.energyDrift).toBeCloseTo(summary.energy.end - summary.energy.start, 9);
    if (contacts) expect(summary.minimumDistance).toBeGreaterThan(0);
    else expect(summary.minimumDistance).toBeNull();
    if (balanced) {
      expect(summary.momentumDrift).toBeLessThan(momentumTolerance);
      expect(summary.angularMomentumDrift).toBeLessThan(momentumTolerance);
    } else {
      expect(summary.momentumDrift).toBeNull();
      expect(summary.momentumNote).toContain("holds on to the world");
    }
  });

  test("names bodies that ended below the floor, and the way out", async () => {
    const lying = await simulate("atlas", "--time", "1.5");
    expect(lying.sunkenBodies).toEqual([]);
    const args = ["simulate", "atlas", "--time", "1.5", "--contacts", "feet"];
    const { stderr, stdout } = await dojo([...args, "--json"], folder);
    const { sunkenBodies } = JSON.parse(stdout) as Summary;
    expect(sunkenBodies.length).toBeGreaterThan(10);
    expect(sunkenBodies[0].depth).toBeGreaterThan(0.3);
    expect(stderr).toContain(
      `${sunkenBodies[0].body} and ${sunkenBodies.length - 1} more bodies ended below the floor`,
    );
    expect(stderr).toContain("--contacts all");
  });

  test("names links that are pulled beyond what the time step can follow, with one that can", async () => {
    // a hanging rod of 1 kg with 300 kg at its end: h ω = h √(12 · 300.5 g) = 3.76 at h = 0.02
    const chain = (timestep: number): string =>
      toJson({
        timestep,
        bodies: { rod: box({ size: [0.02, 0.02, 1], mass: 1 }), load: sphere({ radius: 0.2, mass: 300 }) },
        joints: {
          top: revolute({ parent: "world", child: "rod", axis: [1, 0, 0], childAnchor: [0, 0, 0.5] }),
          hook: revolute({ parent: "rod", child: "load", axis: [1, 0, 0], parentAnchor: [0, 0, -0.5] }),
        },
      });
    writeFileSync(`${folder}/heavy.json`, chain(0.02));
    writeFileSync(`${folder}/fine.json`, chain(0.01));
    const heavy = await dojo(["simulate", "heavy.json", "--time", "1", "--json"], folder);
    const { stretchedBodies } = JSON.parse(heavy.stdout) as Summary;
    expect(stretchedBodies.map(({ body }) => body)).toEqual(["rod"]);
    expect(stretchedBodies[0].phase).toBeCloseTo(0.02 * Math.sqrt(12 * 300.5 * 9.81), 1);
    expect(heavy.stderr).toContain(
      "joints pull rod so hard that its swing shakes at this time step: --timestep 0.0106",
    );
    const fine = await dojo(["simulate", "fine.json", "--time", "1", "--json"], folder);
    expect((JSON.parse(fine.stdout) as Summary).stretchedBodies).toEqual([]);
    expect(fine.stderr).not.toContain("joints pull");
    for (const name of ["heavy", "fine"]) rmSync(`${folder}/${name}.json`);
  });

  test("names bodies that are too small for the time step, and one for which they are not", async () => {
    const dice = toJson({
      timestep: 0.01,
      bodies: { die: box({ size: [1e-3, 1e-3, 1e-3], mass: 1e-6, contact: true }) },
      joints: { die: floating({ parent: "world", child: "die" }) },
      shapes: [{ kind: "halfSpace", contact: true }],
    });
    writeFileSync(`${folder}/dice.json`, dice);
    const { stdout, stderr } = await dojo(["simulate", "dice.json", "--time", "0.01", "--json"], folder);
    const { smallBodies } = JSON.parse(stdout) as Summary;
    expect(smallBodies.map(({ body }) => body)).toEqual(["die"]);
    expect(stderr).toContain("die is too small for this time step");
    expect(stderr).toContain("--timestep 0.0032");
    rmSync(`${folder}/dice.json`);
  });

  test("refuses a choice of contacts that there is not", async () => {
    writeFileSync(`${folder}/a1.json`, toJson(models.a1()));
    for (const [model, contacts, reason] of [
      ["block", "feet", "one set of contacts"],
      ["a1.json", "feet", "stand in the file"],
      ["a1", "hands", "not one of feet, all"],
    ]) {
      const { code, stderr } = await dojo(["simulate", model, "--contacts", contacts], folder);
      expect([model, code]).toEqual([model, 2]);
      expect(stderr).toContain(reason);
    }
    rmSync(`${folder}/a1.json`);
  });

  test("counts thrusters as impulses from outside", async () => {
    const { fluid: _, ...withoutAir } = models.skydioX2();
    writeFileSync(`${folder}/x2.json`, toJson(withoutAir));
    const { momentumDrift, angularMomentumDrift, energyDrift } = await simulate(
      ...["x2.json", "--state", "hover", "--input", "*=4,thrust1=4.01", "--time", "0.5"],
    );
    rmSync(`${folder}/x2.json`);
    expect(Math.abs(energyDrift)).toBeGreaterThan(0.1);
    expect(momentumDrift).toBeLessThan(momentumTolerance);
    expect(angularMomentumDrift).toBeLessThan(momentumTolerance);
  });

  test("balances momentum where shapes have a step taken in pieces that a tolerance was to divide", async () => {
    const { momentumDrift, substeppedSteps } = await simulate("cardHouse", "--time", "0.1", "--tolerance", "0.001");
    expect(substeppedSteps).toBeGreaterThan(0);
    expect(momentumDrift).toBeLessThan(momentumTolerance);
  });

  test("has no balance of angular momentum where contacts bounce: they push where they are at the moment of the impact", async () => {
    const bounced = ["block", "--restitution", "0.7", "--velocity", "base.rotationX=3", "--time", "0.6"];
    const { momentumDrift, momentumNote, angularMomentumDrift } = await simulate(...bounced);
    expect(momentumDrift).toBeLessThan(momentumTolerance);
    expect(angularMomentumDrift).toBeNull();
    expect(momentumNote).toContain("contacts that bounce");
  });

  test("has no balance of momentum where friction of shapes resists turning: its torque is not recorded", async () => {
    const ball = sphere({ radius: 0.1, mass: 1, contact: { torsionalFriction: 0.01 } });
    const description = {
      timestep: 0.01,
      bodies: { ball },
      joints: { base: floating({ parent: "world", child: "ball" }) },
      shapes: [{ kind: "halfSpace", name: "floor", contact: true }],
    } as const;
    writeFileSync(`${folder}/spun.json`, toJson(description));
    const spun = ["spun.json", "--position", "base.z=0.1", "--velocity", "base.rotationZ=10", "--time", "0.2"];
    const { momentumNote, angularMomentumDrift } = await simulate(...spun);
    rmSync(`${folder}/spun.json`);
    expect(angularMomentumDrift).toBeNull();
    expect(momentumNote).toContain('the torque of friction at shape "ball.shape0"');
  });

  test("is a table for people", async () => {
    const { code, stdout, stderr } = await dojo(["simulate", "block", "--time", "0.2"], folder);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("block: 1 body, 6 joint coordinates, 8 contacts");
    expect(stdout).toContain("20 of 0.01 s, all solved");
    expect(stdout).toMatch(/^smallest gap {2}\S+ m$/m);
    expect(stdout).toMatch(/times real time/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a pendulum keeps its energy", async () => {
    const { energyDrift, energy } = await simulate("pendulum", "--position", "*=1.5", "--time", "10");
    expect(Math.abs(energyDrift)).toBeLessThan(1e-2 * Math.abs(energy.start - -5));
  });
});

describe("options", () => {
  test("time and time step give the number of steps", async () => {
    const { steps, timestep } = await simulate("pendulum", "--time", "1", "--timestep", "0.05");
    expect({ steps, timestep }).toEqual({ steps: 20, timestep: 0.05 });
  });

  test("friction stops a sliding block, by either option", async () => {
    const slide = (...args: string[]) =>
      simulate("block", "--state", "rest", "--velocity", "base.x=1", "--time", "0.5", ...args);
    const [rough, set, smooth] = [
      await slide("--friction", "0.8"),
      await slide("--set", "contacts.*.frictionCoefficient=0.8"),
      await slide("--friction", "0"),
    ];
    const kinetic = 0.5;
    expect(rough.energyDrift).toBeCloseTo(-kinetic, 3);
    expect(set.energy).toEqual(rough.energy);
    expect(smooth.energyDrift).toBeCloseTo(0, 6);
  });

  test("a dropped ball bounces by the restitution given, and by the parameter of that name", async () => {
    const drop = (...args: string[]) => simulate("sphere", "--state", "dropped", "--time", "0.8", ...args);
    const [dead, half, set] = [
      await drop(),
      await drop("--restitution", "0.5"),
      await drop("--restitution", "0", "--set", "contacts.*.restitution=0.5"),
    ];
    // 1 kg from 1 m: all of it is lost, or three quarters; a chord's middle lies g h²/8 below its parabola
    expect(dead.energyDrift).toBeCloseTo(-9.81, 1);
    expect(half.energyDrift).toBeCloseTo(-9.81 * 0.75, 2);
    expect(set.energy).toEqual(half.energy);
  });

  test("without gravity and floor a thrown block keeps its energy", async () => {
    const { energyDrift, minimumDistance } = await simulate(
      ...["block", "--gravity", "0,0,0", "--floor", "none", "--velocity", "base.x=1"],
    );
    expect(minimumDistance).toBeNull();
    expect(Math.abs(energyDrift)).toBeLessThan(1e-9);
  });

  test("parameters are set, before or behind the model's name", async () => {
    const behind = await simulate("block", "--set", "bodies.block.mass=2", "--state", "raised", "--time", "0.1");
    const before = await simulate("--state", "raised", "--time", "0.1", "--set", "bodies.block.mass=2", "block");
    expect(behind.energy.start).toBeCloseTo(2 * 9.81, 9);
    expect(before.energy).toEqual(behind.energy);
  });

  test("kappa makes a contact softer: the block floats higher", async () => {
    const hard = await simulate("block", "--state", "rest", "--time", "0.5");
    const soft = await simulate("block", "--state", "rest", "--time", "0.5", "--kappa", "1e-4");
    expect(soft.minimumDistance).toBeGreaterThan(10 * (hard.minimumDistance ?? 1));
  });

  test("random inputs are the seed's", async () => {
    const [first, again, other] = [
      await simulate("cartpole", "--input", "random:7:3", "--time", "0.5"),
      await simulate("cartpole", "--input", "random:7:3", "--time", "0.5"),
      await simulate("cartpole", "--input", "random:8:3", "--time", "0.5"),
    ];
    expect(again.energy).toEqual(first.energy);
    expect(other.energy).not.toEqual(first.energy);
  });

  test("servos in place of motors hold the start, wherever it is", async () => {
    const potential = async (...args: string[]): Promise<number> => (await simulate("panda", ...args)).energyDrift;
    expect(await potential()).toBeLessThan(-10);
    expect(Math.abs(await potential("--servo"))).toBeLessThan(3);
    expect(Math.abs(await potential("--servo", "--position", "joint4.angle=-2"))).toBeLessThan(3);
    const { code, stderr } = await dojo(["simulate", "block", "--servo"], folder);
    expect(code).toBe(2);
    expect(stderr).toContain("no motor");
  });

  test("a model starts in its first state", async () => {
    const { energy } = await simulate("block", "--time", "0.1");
    expect(energy).toEqual((await simulate("block", "--time", "0.1", "--state", "raised")).energy);
  });

  test("a time that steps do not divide is noted", async () => {
    const { notes } = await simulate("pendulum", "--timestep", "0.25", "--time", "0.1");
    expect(notes).toEqual(["0.1 s are no whole number of steps of 0.25 s: 0.25 s are simulated"]);
  });

  test("friction of what touches nothing is noted", async () => {
    const { notes } = await simulate("pendulum", "--friction", "0.5", "--time", "0.1");
    expect(notes).toEqual(["--friction has no effect: nothing touches"]);
    expect((await simulate("block", "--friction", "0.5", "--time", "0.1")).notes).toEqual([]);
    expect((await simulate("stack", "--restitution", "0.5", "--time", "0.1")).notes).toEqual([]);
  });

  test("puts a robot down", async () => {
    const { notes, minimumDistance } = await simulate("a1", "--position", "base.z=2", "--on-ground", "--time", "0.02");
    expect(notes[0]).toMatch(/^bodies were put down, and moved by up to 1\.\d+ m$/);
    expect(Math.abs(minimumDistance as number)).toBeLessThan(1e-4);
  });

  test("a start inside the floor is moved out, and said so", async () => {
    const { notes, minimumDistance } = await simulate("block", "--position", "base.z=0.1", "--time", "0.1");
    expect(notes.join()).toContain("penetration");
    expect(minimumDistance).toBeGreaterThan(0);
  });
});

test("a step that is not solved is exit code 1, dumped and replayed", async () => {
  const dump = `${folder}/step.json`;
  const hopeless = ["halfCheetah", "--timestep", "0.3", "--input", "random:1:5000", "--time", "20"];
  const { code, stderr, stdout } = await dojo(["simulate", ...hopeless, "--dump", dump, "--json"], folder);
  expect(code).toBe(1);
  expect(stderr).toContain("was not solved");
  const summary = JSON.parse(stdout);
  expect(summary.solvedSteps).toBeLessThan(summary.requestedSteps);
  expect(summary.failure.step).toBeGreaterThanOrEqual(0);
  const replayed = await dojo(["replay-step", dump, "--json"]);
  expect(replayed.code).toBe(1);
  const { status, rows } = JSON.parse(replayed.stdout);
  expect(status).toBe(summary.failure.status);
  expect(rows.length).toBeGreaterThan(3);
  expect(rows[0].residual).toBeGreaterThan(0);
  const text = await dojo(["replay-step", dump]);
  expect(text.stdout).toMatch(/attempt +iteration +residual/);
});

describe("robot files", () => {
  test.each(["urdf", "xml", "json"])("a model written as .%s is simulated from there", async (ending) => {
    const file = `robot.${ending}`;
    const written = await dojo(["export", "a1", "--out", file], folder);
    expect(written.code).toBe(0);
    const summary = await simulate(file, "--time", "0.1");
    expect(summary.solvedSteps).toBe(10);
    expect(summary.minimumDistance).toBeGreaterThan(0);
  });

  test("a base is fixed or free as asked", async () => {
    const inertial = (z: number) =>
      `<inertial><origin xyz="0 0 ${z}"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>`;
    const links = `<link name="base">${inertial(0)}</link><link name="rod">${inertial(-0.5)}</link>`;
    const hinge = `<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>`;
    writeFileSync(`${folder}/arm.urdf`, `<robot name="arm">${links}${hinge}</robot>`);
    const free = await simulate("arm.urdf", "--base", "floating", "--floor", "none", "--time", "0.5");
    // nothing but gravity acts on it
    expect(free.momentumDrift).toBeLessThan(1e-9);
    const fixed = await simulate("arm.urdf", "--base", "fixed", "--floor", "none", "--time", "0.5");
    expect(fixed.momentumDrift).toBeNull();
    expect(fixed.momentumNote).toContain("hinge");
    expect(fixed.energyDrift).toBeCloseTo(0, 9);
  });
});
