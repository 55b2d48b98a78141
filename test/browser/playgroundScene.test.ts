/** What the playground's worker does, without a browser: scenes, pulls, settings. */
import { compile, modelNames, Simulation, scenes, startState } from "dojo-sim";
import { strToU8 } from "fflate";
import { describe, expect, test } from "vitest";
import { catalogueEntry } from "../../apps/playground/engine/catalogue.ts";
import { gradientArrows } from "../../apps/playground/engine/gradientArrows.ts";
import { lookAhead } from "../../apps/playground/engine/lookAhead.ts";
import { loadRobot } from "../../apps/playground/engine/robotFiles.ts";
import { Scene } from "../../apps/playground/engine/scene.ts";
import { Session } from "../../apps/playground/engine/session.ts";
import { elastic } from "../../apps/playground/engine/settings.ts";
import { decodeLink, encodeLink } from "../../apps/playground/link.ts";
import type { Frame } from "../../apps/playground/protocol.ts";
import { model, positionOf, run } from "./sceneRuns.ts";

describe("what bodies touch", () => {
  const bytes = (text: string): Uint8Array => strToU8(text);
  const body = (name: string, z: number): string =>
    `<body name="${name}" pos="0 0 ${z}"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>`;
  const mjcf = (bodies: string): string =>
    `<mujoco><worldbody><geom type="plane" size="1 1 1"/>${bodies}</worldbody></mujoco>`;
  const file = (text: string) => [{ name: "scene.xml", bytes: bytes(text) }];

  test("loose bodies of a file lie on each other, unless the floor alone is asked for", () => {
    const two = file(mjcf(body("low", 0.1) + body("high", 0.4)));
    for (const [collisions, height] of [
      [undefined, 0.3],
      ["floor", 0.1],
    ] as const) {
      const scene = new Scene({ source: { kind: "robot", robot: loadRobot(two, collisions) } });
      expect(scene.info.collisions).toBe(collisions ?? "shapes");
      run(scene, 250);
      expect(positionOf(scene, 1)[2]).toBeCloseTo(height, 3);
    }
  });

  test("a robot's file touches the floor, and itself where that is asked for; an SRDF file is read", () => {
    const link = (name: string): string =>
      `<link name="${name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
      <collision><geometry><sphere radius="0.1"/></geometry></collision></link>`;
    const slide = (name: string, x: number): string =>
      `<joint name="${name}" type="prismatic"><origin xyz="${x} 0 0"/><parent link="base"/><child link="${name}"/><limit effort="1" velocity="1"/></joint>`;
    const urdf = `<robot name="r">${["base", "a", "b"].map(link).join("")}${slide("a", 0.5)}${slide("b", 1)}</robot>`;
    const srdf = '<robot name="r"><disable_collisions link1="a" link2="b" reason="Never"/></robot>';
    const files = [
      { name: "r.urdf", bytes: bytes(urdf) },
      { name: "r.srdf", bytes: bytes(srdf) },
    ];
    expect(loadRobot(files).collisions).toBe("floor");
    expect(loadRobot(files).description.contacts).toHaveLength(3);
    const touching = loadRobot(files, "shapes");
    expect(touching.description.contacts ?? []).toHaveLength(0);
    expect(touching.description.collisions?.exclude).toEqual([["a", "b"]]);
  });

  test("limbs of the library's robots touch each other unless the reader, or a link, asks for the floor alone", () => {
    const touching = new Scene(model("a1"));
    expect(touching.info.collisions).toBe("shapes");
    expect(touching.simulation.mechanism.touch).toBeDefined();
    const passing = new Scene({ ...model("a1"), collisions: "floor" });
    expect(passing.simulation.mechanism.touch).toBeUndefined();
    for (const collisions of ["floor", "shapes"] as const) {
      const { hash } = encodeLink({ ...model("a1"), collisions }, touching.info.ownSettings);
      expect(new Scene({ ...model("a1"), collisions: decodeLink(hash).collisions }).info.collisions).toBe(collisions);
    }
    expect(() => decodeLink("#model=a1&collisions=all")).toThrow("neither floor nor shapes");
    expect(new Scene(model("hopper")).info.collisions).toBeNull();
  });
});

describe("scenes", () => {
  test("every model can be stepped, pulled at its base, and let go", () => {
    for (const name of modelNames) {
      const scene = new Scene(model(name));
      run(scene, 20);
      const { base } = scene.info;
      const [x, y, z] = positionOf(scene, base);
      scene.pull({ body: base, point: [0, 0, 0], target: [x + 0.2, y, z + 0.2] });
      run(scene, 60);
      expect(Math.hypot(...positionOf(scene, base).map((entry, k) => entry - [x, y, z][k]))).toBeLessThan(2);
      scene.pull(null);
      run(scene, 5);
      expect(scene.simulation.save().wrenches.every((entry) => entry === 0)).toBe(true);
    }
  });

  test("A1, Atlas and the humanoid stand on their servos", () => {
    for (const name of ["a1", "atlas", "humanoid"]) {
      const scene = new Scene(model(name));
      const before = positionOf(scene, scene.info.base)[2];
      run(scene, 200);
      expect(positionOf(scene, scene.info.base)[2]).toBeGreaterThan(0.95 * before);
    }
  });

  test("a light link follows the pointer, and does not shake", () => {
    const scene = new Scene(model("a1"));
    const foot = scene.info.bodies.findIndex(({ name }) => name === "FR_calf");
    const [x, y, z] = positionOf(scene, foot);
    scene.pull({ body: foot, point: [0, 0, 0], target: [x + 0.1, y - 0.05, z + 0.15] });
    run(scene, 200);
    const speed = Math.hypot(...scene.state.subarray(13 * foot + 7, 13 * foot + 10));
    expect(speed).toBeLessThan(0.05);
    expect(positionOf(scene, foot)[2]).toBeGreaterThan(z + 0.05);
  });

  test.each(["stack", "pyramid", "cardHouse", "dominoes", "pile", "marbles"])(
    "bodies of %s are pulled about with every step solved",
    (name) => {
      const scene = new Scene(model(name));
      expect(scene.info.groupMasses).toEqual(scene.info.bodies.map(({ mass }) => mass));
      run(scene, 20);
      const size = 10 * (scene.state[2] + 0.05);
      // a step of the pyramid's 55 boxes takes as long as one of all the others together
      const [bodies, steps] = name === "pyramid" ? [[0], 15] : [[0, 1, 2], 40];
      for (const body of bodies) {
        const [x, y, z] = positionOf(scene, body);
        for (let k = 0; k < steps; k++) {
          // a circle above it, once around in half a second
          const angle = (4 * Math.PI * k) / 100;
          const target = [x + size * Math.cos(angle), y + size * Math.sin(angle), z + size] as const;
          scene.pull({ body, point: [0.005, 0.005, 0.01], target });
          run(scene, 1);
        }
        scene.pull(null);
      }
    },
  );

  test("limbs of a limp robot may be pulled until they turn too fast for the time step: every step is solved, and can be gone back and handed on", () => {
    const scene = new Scene({ ...model("atlas"), drive: "motor" });
    const hand = scene.info.bodies.findIndex(({ name }) => name === "r_hand");
    const [x, y, z] = positionOf(scene, hand);
    scene.pull({ body: hand, point: [0, 0, 0], target: [x + 1, y - 1, z + 1] });
    run(scene, 8);
    while (scene.interval === scene.settings.timestep && scene.time < 1) run(scene, 1);
    expect(scene.interval).toBeLessThan(scene.settings.timestep);
    scene.pull(null);
    const { state, interval, input, settings } = scene.snapshot();
    const kept = { source: model("atlas").source, drive: "motor" as const, settings, state, interval, input };
    const other = new Scene({
      ...model("atlas"),
      ...decodeLink(encodeLink(kept, scene.info.ownSettings).hash),
      source: kept.source,
    });
    expect(other.interval).toBe(interval);
    run(scene, 5);
    run(other, 5);
    expect(other.state).toEqual(scene.state);
    for (let k = 0; k < 5; k++) scene.stepBack();
    expect(scene.state).toEqual(state);
    expect(scene.interval).toBe(interval);
    expect(() => new Scene({ ...kept, interval: 0.007 })).toThrow("no half, fourth, eighth");
    scene.reset();
    expect(scene.interval).toBe(scene.settings.timestep);
  });

  test("a robot is pulled with its whole weight in mind", () => {
    const { info } = new Scene(model("a1"));
    const whole = info.bodies.reduce((sum, { mass }) => sum + mass, 0);
    for (const mass of info.groupMasses) expect(mass).toBeCloseTo(whole, 12);
  });

  test("a push ends after its time", () => {
    const scene = new Scene(model("block"));
    run(scene, 100);
    scene.pushBody({ body: 0, force: [0, 0, 50], duration: 0.05 });
    run(scene, 5);
    expect(scene.state[9]).toBeGreaterThan(0.5);
    run(scene, 1);
    expect(scene.simulation.save().wrenches[2]).toBe(0);
  });

  test("steps can be taken back, and reset goes to the start", () => {
    const scene = new Scene(model("hopper"));
    const states = [scene.state.slice()];
    for (let k = 0; k < 3; k++) {
      run(scene, 1);
      states.push(scene.state.slice());
    }
    expect(scene.stepBack()).toBe(true);
    expect(scene.state).toEqual(states[2]);
    scene.reset();
    expect(scene.state).toEqual(states[0]);
    expect(scene.time).toBe(0);
    expect(scene.stepBack()).toBe(false);
  });

  test("a pose moves a joint, closes loops and is held by servos", () => {
    const scene = new Scene(model("delta"));
    const coordinate = scene.simulation.mechanism.coordinateNames.indexOf(scene.info.inputs[0].name);
    const before = scene.input[0];
    const positions = scene.pose(coordinate, before + 0.2);
    expect(Math.abs(positions[coordinate] - before)).toBeGreaterThan(0.05);
    expect(scene.input[0]).toBe(positions[coordinate]);
    run(scene, 10);
    expect(() => scene.pose(coordinate, Number.NaN)).toThrow("no position");
  });

  test("settings go into the engine's memory, all or none", () => {
    const scene = new Scene(model("a1"));
    const momentum = (): number => scene.simulation.momentum(scene.state).linear[2];
    run(scene, 5);
    const before = momentum();
    scene.change({ timestep: 0.005, friction: 0.3, restitution: 0.4, gravity: -1.62, kappa: 1e-4, tolerance: 1e-6 });
    expect(scene.simulation.timestep).toBe(0.005);
    expect(scene.simulation.parameter("gravity.z")).toBe(-1.62);
    expect(scene.simulation.parameter("contacts.FR_calf.frictionCoefficient")).toBe(0.3);
    expect(scene.simulation.parameter("contacts.FR_calf.restitution")).toBe(0.4);
    expect(momentum()).toBeCloseTo(before, 12);
    run(scene, 5);
    for (const wrong of [
      { timestep: Number.NaN },
      { timestep: -1 },
      { friction: 0 },
      { restitution: 1.1 },
      { gravity: Number.POSITIVE_INFINITY },
    ]) {
      expect(() => scene.change({ ...wrong, tolerance: 1e-3 })).toThrow("is not between");
    }
    expect(scene.settings.tolerance).toBe(1e-6);
    scene.change(scene.info.ownSettings);
    expect(scene.simulation.parameter("contacts.FR_calf.frictionCoefficient")).toBe(0.8);
    // the start belongs to another time step, and is taken over
    scene.change({ timestep: 0.02 });
    scene.reset();
    run(scene, 5);
  });

  test("Skydio X2 hovers by its thrusters", () => {
    const scene = new Scene(model("skydioX2"));
    const before = positionOf(scene, 0)[2];
    run(scene, 100);
    expect(positionOf(scene, 0)[2]).toBeCloseTo(before, 6);
  });

  test("a model that is not there is answered with the nearest", () => {
    expect(() => catalogueEntry("atlsa")).toThrow('did you mean "atlas"?');
    expect(() => new Scene(model("zzzzzzzz"))).toThrow("the list of models has all");
    expect(catalogueEntry("half-cheetah").name).toBe("halfCheetah");
    expect(() => new Scene({ ...model("a1"), start: "lying" })).toThrow("it has rest");
  });
});

describe("the session", () => {
  test("gradient arrows leave the run as it is without them, to the bit and in iterations", () => {
    for (const name of ["a1", "block", "cartpole"]) {
      const [plain, shown] = [new Scene(model(name)), new Scene(model(name))];
      run(plain, 60);
      run(shown, 60);
      for (let k = 0; k < 10; k++) {
        shown.arrows({ body: 0, kappa: 1e-3, find: gradientArrows });
        const before = plain.step().iterations;
        expect(shown.step().iterations, `${name}, step ${k}`).toBe(before);
        expect(shown.state, name).toEqual(plain.state);
      }
    }
  });

  test("answers requests, sends frames, and stops at a step that cannot be taken", () => {
    const frames: Frame[] = [];
    const stops: string[] = [];
    const session = new Session({ frame: (frame) => frames.push(frame), stopped: (message) => stops.push(message) });
    expect(() => session.answer({ kind: "step", steps: 1 })).toThrow("No scene");
    session.answer({ kind: "load", choice: model("a1") });
    session.answer({ kind: "step", steps: 20 });
    const [frame] = frames.slice(-1);
    expect(frame.time).toBeCloseTo(0.2);
    expect(frame.poses).toHaveLength(7 * 13);
    expect(frame.sample?.steps).toBe(20);
    // the floor carries the robot
    const lift = frame.forces.filter((_, i) => i % 3 === 2).reduce((sum, force) => sum + force, 0);
    expect(lift / 9.81).toBeCloseTo(13.5, 0);
    session.answer({ kind: "arrows", arrows: { body: 0, kappa: 1e-3, find: gradientArrows } });
    expect(frames.slice(-1)[0].arrows).toHaveLength(36);
    // a fault leaves the scene as it is
    expect(() => session.answer({ kind: "load", choice: model("nothing") })).toThrow("no model");
    session.answer({ kind: "step", steps: 1 });
    expect(frames.slice(-1)[0].time).toBeCloseTo(0.21);
    // a body that turns too fast
    session.answer({ kind: "push", push: { body: 0, force: [0, 0, 1e9], duration: 1 } });
    session.answer({ kind: "step", steps: 50 });
    expect(stops).toHaveLength(1);
    expect(stops[0]).toContain("Make h smaller, or reset");
  });

  test("exports what was recorded", () => {
    const session = new Session({ frame: () => {}, stopped: () => {} });
    session.answer({ kind: "load", choice: model("pendulum") });
    session.answer({ kind: "step", steps: 3 });
    const csv = session.answer({ kind: "export", format: "csv" }) as { name: string; parts: string[] };
    expect(csv.name).toBe("pendulum.csv");
    expect(csv.parts).toHaveLength(5);
    const html = session.answer({ kind: "export", format: "html", viewer: "show()" }) as { parts: string[] };
    expect(html.parts[0]).toContain("<script>show()</script>");
  });
});

describe("a look ahead", () => {
  test("changes no bit of what follows, and what floats has none", () => {
    const scene = new Scene(model("cradle"));
    const simulation = new Simulation(compile(elastic(scenes.cradle())));
    const state = startState(simulation.mechanism);
    const { timestep: interval, inputSize } = simulation;
    const start = { state: state.slice(), interval, input: new Float64Array(inputSize) };
    const { poses } = lookAhead(simulation.mechanism, scene.settings, start, Number.POSITIVE_INFINITY);
    expect(poses.length).toBe(40);
    // as far as the machine gets in its time
    expect(scene.info.ahead?.poses).toEqual(poses.slice(0, scene.info.ahead?.poses.length));
    run(scene, 20);
    for (let k = 0; k < 20; k++) state.set(simulation.step(state).next);
    expect(scene.state).toEqual(state);
    expect(new Scene(model("a1")).info.ahead).toBe(null);
  });
});

describe("friction of shapes that touch", () => {
  const two = { kind: "description", name: "two", description: scenes.stack({ count: 2 }) } as const;
  /** Metres that the upper one of two boxes goes when it is pushed with 0.4 of its weight for 0.3 s. */
  function slid(friction: number | null): number {
    const scene = new Scene({ source: two, start: "rest", settings: { friction } });
    const top = scene.info.bodies.length - 1;
    scene.pushBody({ body: top, force: [0.4 * 9.81 * scene.info.bodies[top].mass, 0, 0], duration: 0.3 });
    run(scene, 30);
    return positionOf(scene, top)[0];
  }

  test("is the model's own, and any other that is asked for", () => {
    expect(new Scene(model("stack")).info.friction).toBe(0.8);
    expect(Math.abs(slid(null))).toBeLessThan(1e-6);
    expect(Math.abs(slid(0.8))).toBeLessThan(1e-6);
    // ½ (0.4 − 0.1) g t², to a time step
    const way = slid(0.1);
    expect(way).toBeGreaterThan(0.5 * 0.3 * 9.81 * 0.29 ** 2);
    expect(way).toBeLessThan(0.5 * 0.3 * 9.81 * 0.31 ** 2);
  });

  test("comes back with the model's own values, and is not given to what has none", () => {
    const scene = new Scene({ source: two, start: "rest" });
    const name = "surfaces.box0.shape0.frictionCoefficient";
    expect(scene.simulation.parameter(name)).toBe(0.8);
    scene.change({ friction: 0.3 });
    expect(scene.simulation.parameter(name)).toBe(0.3);
    scene.change(scene.info.ownSettings);
    expect(scene.simulation.parameter(name)).toBe(0.8);
    const smooth = new Scene({
      source: { kind: "description", name: "ice", description: scenes.stack({ count: 2, frictionCoefficient: 0 }) },
      settings: { friction: 0.5 },
    });
    expect(smooth.info.friction).toBeNull();
    expect(smooth.simulation.parameter(name)).toBe(0);
  });
});

test("where shapes touched is forgotten when the scene is reset", () => {
  const frames: Frame[] = [];
  const session = new Session({ frame: (frame) => frames.push(frame), stopped: () => {} });
  session.answer({ kind: "load", choice: { ...model("stack"), start: "rest" } });
  session.answer({ kind: "step", steps: 3 });
  expect(frames.at(-1)?.touches?.length).toBeGreaterThan(0);
  session.answer({ kind: "reset" });
  expect(frames.at(-1)?.time).toBe(0);
  expect(frames.at(-1)?.touches?.length).toBe(0);
});

test("scenes of shapes that touch can be stepped and pulled, and say where they touch", () => {
  for (const name of ["stack", "gripper", "pegInHole"]) {
    const scene = new Scene(model(name));
    expect(scene.info.world.length).toBeGreaterThan(0);
    run(scene, 30);
    const { base } = scene.info;
    const [x, y, z] = positionOf(scene, base);
    scene.pull({ body: base, point: [0, 0, 0], target: [x + 0.05, y, z] });
    run(scene, 10);
    scene.pull(null);
    run(scene, 5);
    expect(scene.simulation.touches().some(({ normalForce }) => normalForce > 0)).toBe(true);
  }
});
