/** What the playground's worker does, without a browser: scenes, pulls, settings, files, links. */
import {
  compile,
  type MechanismDescription,
  modelNames,
  models,
  Simulation,
  scenes,
  startState,
  toJson,
} from "dojo-sim";
import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { catalogueEntry } from "../../apps/playground/engine/catalogue.ts";
import { lookAhead } from "../../apps/playground/engine/lookAhead.ts";
import { readFiles } from "../../apps/playground/engine/readFiles.ts";
import { loadRobot } from "../../apps/playground/engine/robotFiles.ts";
import { type ReadChoice, Scene } from "../../apps/playground/engine/scene.ts";
import { Session } from "../../apps/playground/engine/session.ts";
import { elastic } from "../../apps/playground/engine/settings.ts";
import { decodeLink, encodeLink } from "../../apps/playground/link.ts";
import type { Frame, SceneChoice, Settings } from "../../apps/playground/protocol.ts";
import { cartUrdf, meshRobot } from "./robots.ts";

const model = (name: string) => ({ source: { kind: "model", name } }) as const;
const run = (scene: Scene, steps: number): void => {
  for (let k = 0; k < steps; k++) expect(scene.step().status).toBe("solved");
};
const positionOf = (scene: Scene, body: number): number[] => Array.from(scene.state.subarray(13 * body, 13 * body + 3));

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
    session.answer({ kind: "arrows", arrows: { body: 0, kappa: 1e-3 } });
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

describe("files", () => {
  const bytes = strToU8;

  test("URDF, MJCF and JSON are told apart", () => {
    const mjcf = `<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>`;
    expect(loadRobot([{ name: "cart.urdf", bytes: bytes(cartUrdf) }]).name).toBe("cart");
    expect(Object.keys(loadRobot([{ name: "ball.xml", bytes: bytes(mjcf) }]).description.bodies)).toHaveLength(1);
    expect(loadRobot([{ name: "x.json", bytes: bytes(toJson(models.block())) }]).name).toBe("block");
  });

  test("of several files the robot is found, with its meshes and what it includes", () => {
    const files = {
      "leg/robot.urdf": bytes(meshRobot.urdf),
      "leg/meshes/foot.stl": bytes(meshRobot.stl),
      "leg/readme.md": bytes("hi"),
    };
    const robot = loadRobot([{ name: "leg.zip", bytes: zipSync(files) }]);
    // the three vertices of its one triangle
    expect(robot.description.contacts).toHaveLength(3);
    const without = loadRobot([{ name: "robot.urdf", bytes: bytes(meshRobot.urdf) }]);
    expect(without.description.contacts ?? []).toHaveLength(0);
    expect(without.notes[0]).toContain("foot.stl");

    const part = `<mujocoinclude><worldbody><body pos="0 0 1"><freejoint/><geom size="0.1" mass="1"/></body></worldbody></mujocoinclude>`;
    const scene = `<mujoco model="whole"><include file="part.xml"/></mujoco>`;
    const both = [
      { name: "part.xml", bytes: bytes(part) },
      { name: "scene.xml", bytes: bytes(scene) },
    ];
    expect(loadRobot(both).name).toBe("whole");
    expect(() => loadRobot(both.slice(1))).toThrow("includes part.xml, which is not there");
  });

  const tetrahedron = bytes("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const meshScene = (file: string): Uint8Array =>
    bytes(
      `<mujoco model="whole"><asset><mesh name="m" file="${file}"/></asset><worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>`,
    );

  test.each<[string, Readonly<Record<string, Uint8Array>>]>([
    ["from an archive of MuJoCo's", { "a.mjz": zipSync({ "a/a.xml": meshScene("m.obj"), "a/m.obj": tetrahedron }) }],
    [
      "from an archive made on Windows",
      { "a.zip": zipSync({ "a\\a.xml": meshScene("sub/m.obj"), "a\\sub\\m.obj": tetrahedron }) },
    ],
    ["with accents of their own", { "a.xml": meshScene("Füße.obj"), ["Füße.obj".normalize("NFD")]: tetrahedron }],
    ["with blanks that are escaped", { "a.xml": meshScene("my%20mesh.obj"), "my mesh.obj": tetrahedron }],
    [
      "beside a file of the same name that includes it",
      {
        "scene.xml": bytes('<mujoco><include file="sub/scene.xml"/></mujoco>'),
        "sub/scene.xml": meshScene("m.obj"),
        "sub/m.obj": tetrahedron,
      },
    ],
  ])("are found %s", (_, files) => {
    const given = Object.entries(files).map(([name, content]) => ({ name, bytes: content }));
    const { description, notes } = loadRobot(given, "floor");
    expect(Object.values(description.bodies)[0].mass).toBeCloseTo(1000 / 6, 9);
    expect(notes.filter((note) => /not given|not taken|not found/.test(note))).toEqual([]);
  });

  test("text may be of 16 bits per letter", () => {
    const wide = Uint8Array.from(Buffer.from(`\ufeff${cartUrdf}`, "utf16le"));
    expect(loadRobot([{ name: "cart.urdf", bytes: wide }]).name).toBe("cart");
  });

  test("what is no robot is refused with a way out", () => {
    expect(() => loadRobot([{ name: "a.png", bytes: bytes("x") }])).toThrow("no robot in a.png");
    expect(() => loadRobot([{ name: "a.urdf", bytes: bytes("<robot") }])).toThrow("a.urdf:1");
    expect(() => loadRobot([{ name: "a.json", bytes: bytes("{}") }])).toThrow('"format" is not');
    expect(() => loadRobot([{ name: "a.xacro", bytes: bytes("<robot/>") }])).toThrow("expanded first");
    expect(() => loadRobot([{ name: "a.zip", bytes: bytes("PK") }])).toThrow("no zip archive");
    const papers = zipSync({ "readme.txt": bytes("x") });
    expect(() => loadRobot([{ name: "papers.zip", bytes: papers }])).toThrow("no robot in papers.zip");
    expect(() => loadRobot([])).toThrow("no robot in nothing");
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

describe("what the worker is asked", () => {
  test("has its files read before the session hears of them, and is left as it is without any", async () => {
    const files = [{ name: "cart.urdf", bytes: strToU8(cartUrdf) }];
    const choice: SceneChoice = { source: { kind: "files", files }, drive: "motor" };
    const read = await readFiles({ kind: "load", choice });
    expect(read).toMatchObject({ kind: "load", choice: { source: { kind: "robot" }, drive: "motor" } });
    const session = new Session({ frame: () => {}, stopped: () => {} });
    expect(session.answer(read)).toMatchObject({ info: { name: "cart", drive: "motor" } });
    const step = { kind: "step", steps: 3 } as const;
    expect(await readFiles(step)).toBe(step);
    const model_ = { kind: "load", choice: model("block") } as const;
    expect(await readFiles(model_)).toEqual(model_);
    const broken = { kind: "files", files: [{ name: "a.urdf", bytes: strToU8("<robot") }] } as const;
    await expect(readFiles({ kind: "load", choice: { source: broken } })).rejects.toThrow("a.urdf:1");
  });
});

describe("links", () => {
  const own: Settings = {
    timestep: 0.01,
    kappa: null,
    friction: null,
    restitution: null,
    gravity: -9.81,
    tolerance: 1e-8,
  };

  test("bring a scene back, bit for bit", () => {
    const scene = new Scene({ ...model("atlas"), settings: { kappa: 1e-5, timestep: 0.02 } });
    run(scene, 7);
    const { state, input, settings } = scene.snapshot();
    const { source, drive, start } = scene.info;
    const { hash, leftOut } = encodeLink({ source, drive, start, settings, state, input }, own);
    expect(leftOut).toEqual([]);
    const link = decodeLink(`#${hash}`);
    expect(link.source).toEqual({ kind: "model", name: "atlas" });
    expect(link.settings).toEqual({ kappa: 1e-5, timestep: 0.02 });
    const again = new Scene(link as ReadChoice);
    expect(again.state).toEqual(scene.state);
    expect(again.input).toEqual(scene.input);
    run(scene, 5);
    run(again, 5);
    expect(again.state).toEqual(scene.state);
  });

  test("keep every state of a fall as it is, and what follows from it", () => {
    const choice = { ...model("hopper"), drive: "motor", settings: { timestep: 0.02 } } as const;
    const scene = new Scene(choice);
    for (let k = 0; k < 40; k++) {
      run(scene, 3);
      const { state } = decodeLink(encodeLink({ ...choice, ...scene.snapshot() }, own).hash);
      const again = new Scene({ ...choice, state });
      expect(again.state).toEqual(scene.state);
      // and what follows
      run(scene, 2);
      run(again, 2);
      expect(again.state).toEqual(scene.state);
    }
  });

  test("carry a robot that was dropped, if it is not too large", () => {
    const source = { kind: "description", name: "mine", description: models.hopper() } as const;
    const { hash } = encodeLink({ source }, own);
    expect(decodeLink(hash).source).toEqual(source);
    const bodies = Object.fromEntries(
      Array.from({ length: 3000 }, (_, i) => [
        `body${i}`,
        {
          mass: Math.sin(i),
          inertia: [
            [1, 0, 0],
            [0, Math.cos(i), 0],
            [0, 0, 1],
          ],
        },
      ]),
    );
    const large = { timestep: 0.01, bodies } as unknown as MechanismDescription;
    expect(encodeLink({ source: { ...source, description: large } }, own).leftOut).toEqual(["robot"]);
  });

  test("that are wrong are refused part by part", () => {
    const wrong = {
      "h=": "h= is no number",
      "kappa=1e": "kappa=1e is no number",
      "gravity=NaN": "gravity=NaN is no number",
      "drive=steam": "neither motor nor servo",
      "state=%%%": "state cannot be read",
      "input=abc": "input cannot be read",
      "robot=xyz": "robot cannot be read",
      "from=http://x/y.json": "names no file beside the page",
    };
    for (const [hash, message] of Object.entries(wrong)) expect(() => decodeLink(`#${hash}`)).toThrow(message);
    expect(decodeLink("").source).toBeNull();
    const state = new Float64Array(13).fill(Number.NaN);
    expect(() => new Scene({ ...model("block"), state })).toThrow(/finite/);
    expect(() => new Scene({ ...model("block"), state: new Float64Array(3) })).toThrow("has 3 numbers");
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
