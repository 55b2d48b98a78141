/** What the playground's worker reads, without a browser: robot files, requests, links. */
import { type MechanismDescription, models, toJson } from "dojo-sim";
import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { readRequest } from "../../apps/playground/engine/readRequest.ts";
import { loadRobot } from "../../apps/playground/engine/robotFiles.ts";
import { type ReadChoice, Scene } from "../../apps/playground/engine/scene.ts";
import { Session } from "../../apps/playground/engine/session.ts";
import { decodeLink, encodeLink } from "../../apps/playground/link.ts";
import type { SceneChoice, Settings } from "../../apps/playground/protocol.ts";
import { cartUrdf, meshRobot } from "./robots.ts";
import { model, run } from "./sceneRuns.ts";

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

describe("what the worker is asked", () => {
  test("has its files read before the session hears of them, and is left as it is without any", async () => {
    const files = [{ name: "cart.urdf", bytes: strToU8(cartUrdf) }];
    const choice: SceneChoice = { source: { kind: "files", files }, drive: "motor" };
    const read = await readRequest({ kind: "load", choice });
    expect(read).toMatchObject({ kind: "load", choice: { source: { kind: "robot" }, drive: "motor" } });
    const session = new Session({ frame: () => {}, stopped: () => {} });
    expect(session.answer(read)).toMatchObject({ info: { name: "cart", drive: "motor" } });
    const step = { kind: "step", steps: 3 } as const;
    expect(await readRequest(step)).toBe(step);
    const model_ = { kind: "load", choice: model("block") } as const;
    expect(await readRequest(model_)).toEqual(model_);
    const broken = { kind: "files", files: [{ name: "a.urdf", bytes: strToU8("<robot") }] } as const;
    await expect(readRequest({ kind: "load", choice: { source: broken } })).rejects.toThrow("a.urdf:1");
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
