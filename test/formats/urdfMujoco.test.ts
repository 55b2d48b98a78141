/**
 * The given URDF files in MuJoCo, which reads URDF by itself: masses, centres of mass and the frames of all links at
 * random poses. Shapes are cut out (meshes are not at hand), and types that MuJoCo does not know are made continuous on
 * both sides. MuJoCo keeps a root link with mass in place; here it floats, at zero.
 */
import loadMujoco from "@mujoco/mujoco";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compile, importUrdf, maximalState, Random, type Vector3 } from "../../src/index.ts";
import { matrix3, quaternion, vector } from "../../src/math/index.ts";
import { urdfFiles } from "../fixtures/robotFiles.ts";
import { printTable } from "../physics/table.ts";

const POSES = 100;
const SEED = 20;
/** Files have angles like 1.5708, but both sides read the same ones: what is left is rounding. */
const TOLERANCE = 1e-9;

describe("given URDF files in MuJoCo", () => {
  let mujoco: Awaited<ReturnType<typeof loadMujoco>>;
  const rows: (string | number)[][] = [];
  beforeAll(async () => {
    mujoco = await loadMujoco();
  });
  afterAll(() => {
    printTable(
      `largest differences to MuJoCo at ${POSES} random poses`,
      ["file", "links", "joints", "mass", "centre of mass, m", "position, m", "orientation, rad"],
      rows,
    );
  });

  const plainText = (text: string): string =>
    text
      .replace(/<!--[\s\S]*?-->/g, "")
      .replace(/<(visual|collision)\b[\s\S]*?<\/\1>/g, "")
      // a second <dynamics> stops MuJoCo
      .replace(/<dynamics[^>]*>/g, "")
      .replace(/type="(ball|orbital|planaraxis)"/g, 'type="continuous"');
  const load = (plain: string, compiler: string) => {
    const settings = `<mujoco><compiler ${compiler} balanceinertia="true"/></mujoco></robot>`;
    const model = mujoco.MjModel.from_xml_string(plain.replace("</robot>", settings));
    if (!model) throw new Error("MuJoCo did not load it");
    return model;
  };

  for (const { name, text } of urdfFiles) {
    it(`${name} has the same merged masses and inertias`, () => {
      const plain = plainText(text);
      const { description, warnings } = importUrdf(plain, { base: "fixed" });
      const model = load(plain, 'fusestatic="true"');
      let compared = 0;
      for (const [body, { mass, inertia }] of Object.entries(description.bodies)) {
        const there = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY.value, body);
        expect(there).toBeGreaterThan(0);
        expect(Math.abs(mass - model.body_mass[there])).toBeLessThan(TOLERANCE * mass);
        // MuJoCo makes a ball of what breaks the triangle inequality
        if (warnings.some(({ code, message }) => code === "adjusted" && message.includes(`"${body}"`))) continue;
        const moments = matrix3.symmetricEigenvalues(inertia);
        const others = [...model.body_inertia.subarray(3 * there, 3 * there + 3)].sort((a, b) => a - b);
        for (const i of [0, 1, 2]) expect(Math.abs(moments[i] - others[i])).toBeLessThan(1e-6 * moments[2]);
        compared++;
      }
      expect(compared).toBeGreaterThanOrEqual(Object.keys(description.bodies).length - 1);
      model.delete();
    });

    it(`${name} has the same masses and link frames`, () => {
      const plain = plainText(text);
      const hasMass = !/<link name="base_link">\s*<\/link>/.test(plain);
      const { description, linkFrames } = importUrdf(plain, { base: hasMass ? "floating" : "fixed" });
      const mechanism = compile(description);
      const model = load(plain, 'fusestatic="false"');
      const data = new mujoco.MjData(model);
      const id = (kind: "mjOBJ_BODY" | "mjOBJ_JOINT", of: string): number =>
        mujoco.mj_name2id(model, mujoco.mjtObj[kind].value, of);
      const random = new Random(SEED);
      const moving = mechanism.joints.filter(({ name: joint }) => id("mjOBJ_JOINT", joint) >= 0);
      expect(moving.length).toBe(model.njnt);

      const bodyIds = new Map(Object.keys(linkFrames).map((link) => [link, id("mjOBJ_BODY", link)]));
      const addresses = moving.map((joint) => model.jnt_qposadr[id("mjOBJ_JOINT", joint.name)]);
      const indices = new Map(mechanism.bodies.map((body) => [body.name, body.index]));
      expect([...bodyIds.values()].every((there) => there >= 0)).toBe(true);

      let [massGap, centerGap, positionGap, angleGap] = [0, 0, 0, 0];
      const mass = mechanism.bodies.reduce((sum, body) => sum + body.mass, 0);
      massGap = Math.abs(mass - model.body_mass.reduce((sum: number, entry: number) => sum + entry, 0)) / mass;
      for (let pose = 0; pose < POSES; pose++) {
        const joints: Record<string, { position: number[] }> = {};
        for (const [i, joint] of moving.entries()) {
          const value = random.uniform(-2, 2);
          joints[joint.name] = { position: [value] };
          data.qpos[addresses[i]] = value;
        }
        mujoco.mj_kinematics(model, data);
        mujoco.mj_comPos(model, data);
        const state = maximalState(mechanism, joints);
        const bodyPose = (of: string) => {
          const index = indices.get(of);
          if (index === undefined) return { position: vector.zero, orientation: quaternion.identity };
          const at = 13 * index;
          return {
            position: [...state.subarray(at, at + 3)] as unknown as Vector3,
            orientation: [...state.subarray(at + 3, at + 7)] as unknown as quaternion.Quaternion,
          };
        };
        for (const [link, frame] of Object.entries(linkFrames)) {
          const body = bodyPose(frame.body);
          const position = vector.add(body.position, quaternion.rotate(body.orientation, frame.position));
          const orientation = quaternion.multiply(body.orientation, frame.orientation);
          const there = bodyIds.get(link) as number;
          const p = [...data.xpos.subarray(3 * there, 3 * there + 3)] as unknown as Vector3;
          const q = [...data.xquat.subarray(4 * there, 4 * there + 4)] as unknown as quaternion.Quaternion;
          positionGap = Math.max(positionGap, vector.norm(vector.sub(position, p)));
          const turn = quaternion.toRotationVector(quaternion.multiply(quaternion.conjugate(orientation), q));
          angleGap = Math.max(angleGap, vector.norm(turn));
        }
        let center: Vector3 = vector.zero;
        for (const body of mechanism.bodies) {
          center = vector.add(center, vector.scale(bodyPose(body.name).position, body.mass / mass));
        }
        const there = [...data.subtree_com.subarray(0, 3)] as unknown as Vector3;
        centerGap = Math.max(centerGap, vector.norm(vector.sub(center, there)));
      }
      const links = Object.keys(linkFrames).length;
      rows.push([name, links, moving.length, massGap, centerGap, positionGap, angleGap]);
      data.delete();
      model.delete();
      for (const gap of [massGap, centerGap, positionGap, angleGap]) expect(gap).toBeLessThan(TOLERANCE);
    });
  }
});
