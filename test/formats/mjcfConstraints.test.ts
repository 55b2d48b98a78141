/** Constraints, loops, actuators and copies of MJCF files, held to MuJoCo. */
import loadMujoco from "@mujoco/mujoco";
import { beforeAll, describe, expect, test } from "vitest";
import { importMjcf, toMjcf } from "../../src/formats/index.ts";
import type { MechanismDescription } from "../../src/index.ts";
import { loadModel, type Mujoco } from "./mjcfOracle.ts";
import { brick, expectSameAs, file, hinged } from "./mjcfSmallFiles.ts";

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadMujoco();
});

describe("constraints", () => {
  test("an equality of joints with refs is a gear that MuJoCo's residual agrees with", () => {
    const arm = (name: string, ref: number): string => hinged(`<joint name="${name}" axis="0 1 0" ref="${ref}"/>`);
    const text = file(
      arm("a", 10) + arm("b", 20),
      '<equality><joint joint1="a" joint2="b" polycoef="0.1 -2 0 0 0"/></equality>',
    );
    const { description } = importMjcf(text);
    const gear = description.gears?.joint0;
    expect(gear?.terms).toEqual([
      { joint: "a", ratio: 1 },
      { joint: "b", ratio: 2 },
    ]);
    const model = loadModel(mujoco, text);
    const data = new mujoco.MjData(model);
    const [a, b] = [0.7, -0.3];
    data.qpos.set([a, b]);
    mujoco.mj_forward(model, data);
    expect(data.efc_pos[0]).toBeCloseTo(a + 2 * b - (gear?.offset ?? 0), 12);
    data.delete();
    model.delete();
    // and out
    const exported = loadModel(mujoco, toMjcf(description).xml);
    const copy = new mujoco.MjData(exported);
    copy.qpos.set([a, b]);
    mujoco.mj_forward(exported, copy);
    expect(copy.efc_pos[0]).toBeCloseTo(a + 2 * b - (gear?.offset ?? 0), 12);
    copy.delete();
    exported.delete();
  });

  test.each([
    ["connect", '<connect body1="a" body2="b" anchor="0.1 0.2 0.3"/>', "spherical", 3],
    ["connect to the world", '<connect body1="a" anchor="0.1 0.2 0.3"/>', "spherical", 3],
    ["weld", '<weld body1="a" body2="b"/>', "fixed", 6],
    ["weld in a pose", '<weld body1="a" body2="b" relpose="0.1 0.2 0.3 1 0.1 0.2 0.3" anchor="0 .1 0"/>', "fixed", 6],
    ["weld of sites", '<weld site1="p" site2="q"/>', "fixed", 6],
  ])("%s closes a loop where MuJoCo does", (_, equality, kind, rows) => {
    const body = (name: string, site: string, pose: string): string =>
      `<body name="${name}" ${pose}><freejoint/>${brick}<site name="${site}" pos="0.3 0.2 0.1" euler="20 30 40"/></body>`;
    const text = file(
      body("a", "p", 'pos="1 2 3" euler="10 20 30"') + body("b", "q", 'pos="0.5 -1 0" euler="50 10 -20"'),
      `<equality>${equality}</equality>`,
    );
    const imported = importMjcf(text);
    const loop = Object.values(imported.description.joints ?? {})[2];
    expect(loop.kind).toBe(kind);
    const residual = (xml: string, qpos: readonly number[]): number[] => {
      const model = loadModel(mujoco, xml);
      const data = new mujoco.MjData(model);
      data.qpos.set(qpos);
      mujoco.mj_forward(model, data);
      const values: number[] = Array.from(data.efc_pos.subarray(0, rows) as Float64Array);
      data.delete();
      model.delete();
      return values;
    };
    // exported, the same residual at any pose, up to the frame of a weld's rotation rows
    const qpos = [0.3, 0.2, 0.1, 1, 0, 0, 0, 0.4, 0.5, 0.6, 0.8, 0.6, 0, 0];
    const [theirs, ours] = [residual(text, qpos), residual(toMjcf(imported.description).xml, qpos)];
    const size = (values: readonly number[]): number => Math.hypot(...values.slice(0, 3));
    if (kind === "spherical") expect(size(ours)).toBeCloseTo(size(theirs), 9);
    else expect(Math.hypot(...ours.slice(3))).toBeCloseTo(Math.hypot(...theirs.slice(3)), 6);
    if (kind === "fixed" && !equality.includes("anchor")) return;
    expect(size(ours)).toBeCloseTo(size(theirs), 6);
  });
});

describe("a loop whose joints only the tree can have", () => {
  // the weld is nearer to the world than the slide, which compile therefore takes as what closes the loop
  const chain = file(
    `<body name="a" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>${brick}<body name="b" pos="0.3 0 0">
      <joint name="slide" type="slide" axis="1 0 0.2" damping="2" stiffness="5" range="-0.2 0.2"/>${brick}</body></body>`,
    '<equality><weld body1="b"/></equality><actuator><motor joint="slide"/></actuator>',
  );

  test("is closed by its weld in the exported file, with nothing left out", () => {
    const { description } = importMjcf(chain, { contacts: "none" });
    const { xml, map, warnings } = toMjcf(description);
    expect(warnings).toEqual([]);
    const again = importMjcf(xml, { contacts: "none" });
    const described = (joints: MechanismDescription["joints"] = {}) => ({ ...joints.slide, childAnchor: [] });
    expect(described(again.description.joints)).toEqual(described(description.joints));
    expect(map.qposOfCoordinate).toEqual([0, 1]);
    const model = loadModel(mujoco, xml);
    expect([model.nq, model.nu, model.neq]).toEqual([2, 1, 1]);
    model.delete();
  });
});

test.each(["hinge", "slide", "ball", "free"])("a %s with a time constant has MuJoCo's spring and damper", (type) => {
  const inner = type === "free" ? "" : `<body pos="0.2 0 0.1"><joint axis="0 1 1"/>${brick}</body>`;
  const joint = `<joint type="${type}" springdamper="0.1 0.7" armature="0.3"/>`;
  const { warnings } = expectSameAs(mujoco, file(hinged(joint, inner)), { contacts: "none" });
  expect(warnings).toEqual([]);
});

test("a cylinder is what MuJoCo makes of it, and a damper is said by name", () => {
  const driven = (actuator: string) =>
    importMjcf(file(hinged('<joint name="j"/>'), `<actuator>${actuator}</actuator>`), { contacts: "none" });
  const general = 'dyntype="filter" biastype="affine" biasprm="1 -2 -3"';
  const [one, same] = [
    '<cylinder joint="j" area="4" bias="1 -2 -3"/>',
    `<general joint="j" gainprm="4" ${general}/>`,
  ].map(driven);
  expect(one.description).toEqual(same.description);
  expect(one.inputs).toEqual(same.inputs);
  expect(one.warnings[0].message).toMatch(/without its activation dynamics/);
  expect(driven('<cylinder joint="j" diameter="2"/>').inputs[0].scale).toBeCloseTo(Math.PI, 12);
  expect(driven('<damper joint="j" kv="2"/>').warnings[0].message).toMatch(/controls are no damping here/);
});

test.each([
  ["alignfree", hinged('<joint type="free"/>'), '<compiler alignfree="true"/>', "adjusted", /keeps the file's frame/],
])("%s is said by name", (_, content, head, code, message) => {
  const { warnings } = importMjcf(file(content, "", head), { contacts: "none" });
  expect(warnings).toContainEqual(expect.objectContaining({ code, message: expect.stringMatching(message) }));
});

describe("replicate", () => {
  const copies = (count: string, rest = ""): string =>
    file(
      `<replicate count="${count}" offset="1 0 0" sep="_">${hinged('<joint name="a" axis="0 1 0"/>')}</replicate>`,
      rest,
    );

  test("numbers names with as many digits as the count has, and moves what names them to the end, as MuJoCo does", () => {
    const text = copies(
      "10",
      `<actuator><motor name="m" joint="a"/><motor name="n" joint="a"/><motor name="first" joint="a_09"/></actuator>`,
    );
    const { inputs, description } = importMjcf(text.replace('<motor name="n" joint="a"/>', ""));
    expect(Object.keys(description.joints ?? {}).slice(0, 2)).toEqual(["a_00", "a_01"]);
    // the last coordinate has its one actuator, named by itself
    expect(inputs.map(({ name }) => name)).toEqual([...Array.from({ length: 9 }, (_, k) => `m_0${k}`), "first"]);
    const model = loadModel(mujoco, text);
    const names = Array.from({ length: model.nu }, (_, k) => model.actuator(k).name);
    expect([names.slice(0, 5), names.length]).toEqual([["first", "m_00", "n_00", "m_01", "n_01"], 21]);
    const { inputs: all } = importMjcf(copies("2", '<actuator><motor name="m" joint="a"/></actuator>'));
    expect(all.map(({ name, ctrl }) => [name, ctrl])).toEqual([
      ["m_0", 0],
      ["m_1", 1],
    ]);
    model.delete();
  });

  test("refuses what MuJoCo refuses, and counts that no memory holds", () => {
    const other = hinged('<joint name="o" axis="0 1 0"/>');
    const mixed = copies("2", '<equality><joint joint1="a" joint2="o"/></equality>').replace("</w", `${other}</w`);
    expect(() => loadModel(mujoco, mixed)).toThrow();
    expect(() => importMjcf(mixed)).toThrow(/"a" .*is no joint of the file/);
    for (const count of ["0", "-1", "1.5", "1e9"])
      expect(() => importMjcf(copies(count))).toThrow(/<replicate>.*count/);
  });
});
