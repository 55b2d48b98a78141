/** Links with an inertia and no mass, which tools put into files: those on fixed joints count in the body that they are part of. */
import loadMujoco from "@mujoco/mujoco";
import { expect, test } from "vitest";
import { importUrdf } from "../../src/index.ts";
import { matrix3 } from "../../src/math/index.ts";
import { arm, inertial, joint, link, messages, robot } from "./urdfText.ts";

/** Relative to the largest moment. */
const ROUNDING = 1e-12;

const tool = (mass: string) =>
  robot(
    '<link name="world"/>',
    link("hand", inertial(2, "0.1 0 0.05", "0.2 0 0", "0.1 0.2 0.25")),
    link("target", inertial(0, "0 0 0", "0 0 0.4", "0.05 0.1 0.12").replace('mass value="0"', `mass value="${mass}"`)),
    joint("turn", "continuous", "world", "hand"),
    joint("held", "fixed", "hand", "target", '<origin xyz="0 0 0.105" rpy="0.5 0 0"/>'),
  );

test("an inertia without mass on a fixed joint counts as the limit of small masses and as MuJoCo has it", async () => {
  const { hand } = importUrdf(tool("0")).description.bodies;
  expect(hand.mass).toBe(2);
  const limit = importUrdf(tool("1e-14")).description.bodies.hand;
  for (const [i, row] of hand.inertia.entries())
    for (const [j, entry] of row.entries()) expect(Math.abs(entry - limit.inertia[i][j])).toBeLessThan(ROUNDING);

  // MuJoCo drops it where it merges the links, so they stay apart: what the hinge about x feels
  const mujoco = await loadMujoco();
  const apart = tool("0").replace("</robot>", '<mujoco><compiler fusestatic="false"/></mujoco></robot>');
  const model = mujoco.MjModel.from_xml_string(apart);
  if (!model) throw new Error("MuJoCo did not load it");
  const about = matrix3.parallelAxis(hand.inertia, hand.mass, [0.1, 0, 0.05])[0][0];
  expect(Math.abs(model.dof_M0[0] - about)).toBeLessThan(ROUNDING);
  model.delete();
  expect(messages(tool("0"))).toEqual(['urdf:4: <inertial>: has inertia without mass; it counts in body "hand"']);
});

test("an inertia without mass that moves by itself is named", () => {
  const alone = inertial(0);
  const end = arm("continuous").replace("</robot>", `${link("b", alone)}${joint("k", "continuous", "a", "b")}</robot>`);
  expect(messages(end).join()).toContain('carries nothing; it, its inertia and joint "k" are left out');
  const between = robot(
    '<link name="world"/>',
    link("middle", alone) + link("end"),
    joint("j", "continuous", "world", "middle", '<axis xyz="0 1 0"/>'),
    joint("k", "continuous", "middle", "end"),
  );
  expect(messages(between).join()).toContain("its inertia has no effect; give it a mass");
});
