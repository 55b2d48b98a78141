/** Robot files as the command line loads and starts them, in one process. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { setUp } from "../../src/cli/setUp.ts";
import { fromJson, jointCoordinates, stateOffsets, toJson } from "../../src/index.ts";
import { boxMesh, stlFile } from "../formats/meshFiles.ts";
import { workFolder } from "./runCli.ts";

const folder = workFolder();
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file below the work folder, and its folders. */
function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

function finalState(what: string, flags: Parameters<typeof setUp>[1], seconds = 1): { z: number; angles: number[] } {
  const { simulation, mechanism, start, controller } = setUp(what, flags);
  const steps = Math.round(seconds / simulation.timestep);
  const { final, solved } = simulation.rollout(start, { steps, controller });
  expect(solved).toBe(true);
  return { z: final[stateOffsets.position + 2], angles: Array.from(jointCoordinates(mechanism, final)) };
}

const leg = (name: string, x: number, y: number): string => `
  <body name="${name}" pos="${x} ${y} 0">
    <joint name="${name}_hip" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.3"/>
    <body pos="0 0 -0.2"><joint name="${name}_knee" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.2"/></body>
  </body>`;
const legs = ["FL", "FR", "RL", "RR"];
const bent = legs.map(() => "0.6 -1.2").join(" ");
/** Stands on bent legs, whose servos are at zero only where no control is given. */
const quadruped = (controls: string): string => `
  <mujoco model="dog">
    <compiler angle="radian"/><option timestep="0.01"/>
    <worldbody><geom type="plane" size="1 1 1"/>
      <body name="trunk" pos="0 0 0.5"><freejoint name="root"/><geom type="box" size="0.25 0.1 0.05" mass="5"/>
        ${legs.map((name, i) => leg(name, i < 2 ? 0.2 : -0.2, i % 2 ? -0.12 : 0.12)).join("")}
      </body></worldbody>
    <actuator>${legs
      .flatMap((name) => ["hip", "knee"].map((joint) => `<position joint="${name}_${joint}" kp="200" kv="5"/>`))
      .join("")}</actuator>
    <keyframe><key name="home" qpos="0 0 0.35 1 0 0 0 ${bent}" ${controls}/></keyframe>
  </mujoco>`;

describe("a state brings its controls", () => {
  /** 0.2 cos 0.6 · 2 and the feet's radius, less what 6.2 kg bend the servos. */
  const standing = 0.4 * Math.cos(0.6) + 0.02;

  test("--state home stands, from MJCF and from JSON", () => {
    const file = write("dog.xml", quadruped(`ctrl="${bent}"`));
    const { mechanism } = setUp(file, { state: "home" });
    expect(mechanism.description.stateInputs?.home["FL_knee.angle"]).toBe(-1.2);
    const text = toJson(mechanism.description);
    expect(fromJson(text).stateInputs).toEqual(mechanism.description.stateInputs);
    for (const robot of [file, write("dog.json", text)]) {
      const { z, angles } = finalState(robot, { state: "home" });
      expect(Math.abs(z - standing)).toBeLessThan(0.05);
      expect(Math.abs(angles[7] + 1.2)).toBeLessThan(0.15);
    }
  });

  test("other controls than the pose are what the servos go to", () => {
    const file = write("crouch.xml", quadruped(`ctrl="${legs.map(() => "1 -2").join(" ")}"`));
    const { angles } = finalState(file, { state: "home" }, 2);
    expect(Math.abs(angles[7] + 2)).toBeLessThan(0.15);
  });

  test("without controls servos hold the start, with --input zero they go to zero", () => {
    const file = write("bare.xml", quadruped(""));
    expect(Math.abs(finalState(file, { state: "home" }).z - standing)).toBeLessThan(0.05);
    expect(Math.abs(finalState(file, { state: "home", input: "zero" }).angles[7])).toBeLessThan(0.2);
    const moved = finalState(file, { state: "home", position: "FL_knee.angle=-1.4" });
    expect(Math.abs(moved.angles[7] + 1.4)).toBeLessThan(0.15);
    const held = finalState(file, { state: "home", input: "FL_knee.angle=-1" });
    expect(Math.abs(held.angles[7] + 1)).toBeLessThan(0.15);
  });
});

describe("files beside a robot", () => {
  const part = stlFile(boxMesh([0.4, 0.2, 0.1]));
  const robot = (meshdir: string): string => `
    <mujoco><compiler ${meshdir}/><asset><mesh name="trunk" file="trunk.stl"/></asset>
      <worldbody><body name="trunk" pos="0 0 0.5"><freejoint/><geom type="mesh" mesh="trunk" margin="0.01"/></body></worldbody></mujoco>`;
  const scene = (include: string): string => `
    <mujoco><include file="${include}"/><worldbody>
      <geom type="plane" size="1 1 1" margin="0.01"/></worldbody></mujoco>`;

  test.each([
    ['meshdir="assets"', "spot/assets/trunk.stl"],
    ['assetdir="../shared"', "shared/trunk.stl"],
    ["", "spot/trunk.stl"],
  ])("a mesh of %s is found, from the scene and from the robot, and stands on the floor", (meshdir, mesh) => {
    write(mesh, part);
    write("spot/spot.xml", robot(meshdir));
    const file = write("spot/scene.xml", scene("spot.xml"));
    const { notes, mechanism } = setUp(file, {});
    expect(notes.filter((note) => /not found|not read|no mass/.test(note))).toEqual([]);
    expect(mechanism.bodies[0].mass).toBeCloseTo(8, 5);
    expect(mechanism.contacts).toHaveLength(8);
    expect(finalState(file, {}).z).toBeCloseTo(0.05, 4);
    rmSync(join(folder, mesh));
  });

  test.each(["package://my%20robot/the%20mesh.stl", "package://my robot\\the mesh.stl"])(
    "a mesh of URDF is found as %s",
    (name) => {
      write("my robot/the mesh.stl", part);
      const collision = `<collision><geometry><mesh filename="${name}"/></geometry></collision>`;
      const inertial = `<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>`;
      const file = write("my robot/a.urdf", `<robot name="a"><link name="b">${inertial}${collision}</link></robot>`);
      expect(setUp(file, {}).mechanism.description.contacts).toHaveLength(8);
    },
  );

  test("a file in a folder of its own brings its meshes, and warnings say which file", () => {
    write("lab/robots/spot/assets/trunk.stl", part);
    write("lab/robots/spot/spot.xml", robot('meshdir="assets"'));
    const { notes, mechanism } = setUp(write("lab/scene.xml", scene("robots/spot/spot.xml")), {});
    expect(mechanism.bodies[0].mass).toBeCloseTo(8, 5);
    const margins = notes.filter((note) => note.includes("margin"));
    expect(margins).toHaveLength(1);
    expect(margins[0]).toContain("lab/robots/spot/spot.xml:3: ");
    expect(margins[0]).toMatch(/\(and 1 more: line 3 of .*lab\/scene.xml\)$/);
  });

  test("a robot without a floor gets one when asked", () => {
    write("bare/trunk.stl", part);
    const file = write("bare/spot.xml", robot(""));
    expect(setUp(file, {}).notes.some((note) => note.includes("--floor plane"))).toBe(true);
    expect(finalState(file, { floor: "plane" }).z).toBeCloseTo(0.05, 4);
  });
});

describe("--collisions shapes", () => {
  const link = (name: string): string => `<link name="${name}">
    <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
    <collision><geometry><mesh filename="part.stl"/></geometry></collision></link>`;
  const joint = (child: string, x: number): string =>
    `<joint name="to_${child}" type="floating"><origin xyz="${x} 0 2"/><parent link="world"/><child link="${child}"/></joint>`;
  const names = ["a", "b", "c"];
  const urdf = `<robot name="r"><link name="world"/>${names.map((name, i) => link(name) + joint(name, 3 * i)).join("")}</robot>`;

  test("meshes beside the file become hulls, pairs of an SRDF file are kept apart, surfaces follow the options", () => {
    write("hulls/part.stl", stlFile(boxMesh([0.5, 0.4, 0.3])));
    const file = write("hulls/r.urdf", urdf);
    const srdf = write(
      "hulls/r.srdf",
      '<robot name="r"><disable_collisions link1="a" link2="c" reason="Never"/></robot>',
    );
    const { mechanism } = setUp(file, { collisions: "shapes", srdf, friction: "0.3", restitution: "0.5" }).simulation;
    expect(mechanism.contacts).toHaveLength(0);
    expect(mechanism.touch?.shapes.map(({ form, body }) => [body, form.kind])).toEqual([
      [-1, "halfSpace"],
      [0, "hull"],
      [1, "hull"],
      [2, "hull"],
    ]);
    expect(mechanism.touch?.excluded).toContainEqual([0, 2]);
    for (const { surface } of mechanism.touch?.shapes ?? []) {
      expect(surface).toMatchObject({ frictionCoefficient: 0.3, restitution: 0.5 });
    }
    const floating = setUp(file, { collisions: "shapes", floor: "none" }).simulation.mechanism;
    expect(floating.touch?.shapes.map(({ body }) => body)).toEqual([0, 1, 2]);
    // without it, contact points as ever
    expect(setUp(file, {}).simulation.mechanism.touch).toBeUndefined();
    expect(setUp(file, {}).mechanism.contacts).toHaveLength(24);
  });

  test("options that do not fit are refused", () => {
    const file = write("hulls/r.urdf", urdf);
    const dog = write("dog.xml", quadruped(""));
    const json = write("r.json", toJson(setUp(file, {}).mechanism.description));
    expect(() => setUp(file, { collisions: "walls" })).toThrow('"walls" is not one of floor, shapes');
    expect(() => setUp(file, { srdf: "r.srdf" })).toThrow("give --collisions shapes too");
    expect(() => setUp(dog, { srdf: "r.srdf", collisions: "shapes" })).toThrow("--srdf is for URDF files");
    expect(() => setUp(json, { collisions: "shapes" })).toThrow("--collisions is for URDF and MJCF files");
    expect(() => setUp("atlas", { collisions: "shapes" })).toThrow(
      "and atlas is none; its limbs touch each other with --self-collisions",
    );
    expect(() => setUp(file, { srdf: join(folder, "none.srdf"), collisions: "shapes" })).toThrow("none.srdf");
  });
});

test("a robot has the name that its file gives it, whatever the file is called: MJCF, and JSON made of it", () => {
  const file = write("copy.xml", quadruped(""));
  const { name, mechanism } = setUp(file, {});
  expect(name).toBe("dog");
  expect(setUp(write("copy.json", toJson(mechanism.description)), {}).name).toBe("dog");
  const { name: _, ...nameless } = mechanism.description;
  expect(setUp(write("copy.json", toJson(nameless)), {}).name).toBe("copy");
});
