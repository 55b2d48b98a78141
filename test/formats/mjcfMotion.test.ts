/** Whole motions beside MuJoCo: servos within their efforts, a gripper driven by a tendon, loops and gears. */
import loadMujoco from "@mujoco/mujoco";
import { beforeAll, describe, expect, test } from "vitest";
import { importMjcf, inputsOf, type MujocoMap, minimalFromMujoco, toMjcf } from "../../src/formats/index.ts";
import {
  compile,
  type MechanismDescription,
  maximalState,
  minimalState,
  projectState,
  Simulation,
} from "../../src/index.ts";
import { mjcfFiles } from "../fixtures/robotFiles.ts";
import { printTable } from "../physics/table.ts";
import { loadModel, type Mujoco, withoutFiles } from "./mjcfOracle.ts";

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadMujoco();
});

/** Radians and metres. MuJoCo's equalities and joint friction are soft: they creep and give. */
const REST_TOLERANCE = 0.01;
const SECONDS = 3;

/** Where all joints are after three seconds with constant controls. */
function mujocoEnd(
  xml: string,
  ctrl: readonly number[],
  qpos: ArrayLike<number>,
): { qpos: Float64Array; qvel: Float64Array } {
  const model = loadModel(mujoco, xml);
  model.opt.timestep = 0.002;
  const data = new mujoco.MjData(model);
  data.qpos.set(Array.from(qpos));
  data.ctrl.set(Array.from(ctrl));
  for (let k = 0; k < SECONDS / 0.002; k++) mujoco.mj_step(model, data);
  const end = { qpos: Float64Array.from(data.qpos), qvel: Float64Array.from(data.qvel) };
  data.delete();
  model.delete();
  return end;
}

function ourEnd(description: MechanismDescription, state: string, input: Float64Array): Float64Array {
  const mechanism = compile({ ...description, timestep: 0.005 });
  const simulation = new Simulation(mechanism);
  let z = projectState(simulation, maximalState(mechanism, description.states?.[state] ?? {}));
  for (let k = 0; k < SECONDS / 0.005; k++) {
    const { status, next } = simulation.step(z, input);
    expect(status).toBe("solved");
    z = Float64Array.from(next);
  }
  return minimalState(mechanism, z);
}

const controls: Readonly<Record<string, readonly number[]>> = {
  "manipulator.xml": [0.5, 0.2, -1, -0.6, 200],
  "panda.xml": [0.4, -0.3, 0.5, -1.2, 0.3, 1.2, -0.4, 100],
  "xarm7.xml": [0.4, -0.4, 0.3, 0.7, 0.2, 0.9, -0.3, 150],
};

/** Largest difference over the coordinates that MuJoCo has. */
function difference(map: MujocoMap, end: ReturnType<typeof mujocoEnd>, ours: Float64Array): [number, string] {
  const theirs = minimalFromMujoco(map, end);
  let worst = 0;
  let where = "";
  map.dofOfCoordinate.forEach((dof, i) => {
    const error = Math.abs(theirs[i] - ours[i]);
    if (dof >= 0 && error > worst) {
      worst = error;
      where = String(i);
    }
  });
  return [worst, where];
}

const arms = mjcfFiles.filter(({ name }) => controls[name]);
describe("arms with their grippers", () => {
  test.each(arms)(
    "$name comes to rest where MuJoCo's does, from the file and from its export",
    ({ name, text: file }) => {
      // with joint friction the place of rest is any in a band
      const text = file.replace(/frictionloss="[^"]*"/g, "");
      const { description, map } = importMjcf(text, { contacts: "none" });
      const ctrl = controls[name];
      const input = inputsOf(map, ctrl);
      const ours = ourEnd(description, "home", input);
      const home =
        text
          .match(/<key name="home" qpos="([^"]*)"/)?.[1]
          .trim()
          .split(/\s+/)
          .map(Number) ?? [];
      const noContacts = (xml: string): string =>
        xml.replace(/<option\b([^>]*)\/>/, '<option$1><flag contact="disable"/></option>');
      const fromFile = difference(map, mujocoEnd(noContacts(withoutFiles(text)), ctrl, home), ours);
      const exported = toMjcf(description, { integrator: "implicitfast" });
      const fromExport = difference(exported.map, mujocoEnd(noContacts(exported.xml), Array.from(input), home), ours);
      printTable(
        `${name}: largest difference at rest, and in which coordinate`,
        ["", "rad or m", "coordinate"],
        [
          ["file", ...fromFile],
          ["export", ...fromExport],
        ],
      );
      expect(fromFile[0]).toBeLessThan(REST_TOLERANCE);
      expect(fromExport[0]).toBeLessThan(REST_TOLERANCE);
    },
  );
});
