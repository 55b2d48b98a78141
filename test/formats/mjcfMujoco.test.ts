import loadMujoco from "@mujoco/mujoco";
import { beforeAll, describe, expect, test } from "vitest";
import { importMjcf, minimalFromMujoco, mujocoState, toMjcf } from "../../src/formats/index.ts";
import { Random, type Vector3 } from "../../src/index.ts";
import { quaternion } from "../../src/math/index.ts";
import { mjcfFiles } from "../fixtures/robotFiles.ts";
import { chain, jointCases } from "../physics/jointCases.ts";
import { printTable } from "../physics/table.ts";
import {
  accelerationError,
  axisError,
  type Compared,
  forAccelerations,
  geometryError,
  type Mujoco,
  withoutFiles,
} from "./mjcfOracle.ts";

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadMujoco();
});

/** Files have six to eight digits. */
const POSE_TOLERANCE = 1e-6;
const ACCELERATION_TOLERANCE = 1e-3;
const rows: (string | number)[][] = [];

function expectSame(
  name: string,
  xml: string,
  compared: Compared,
  accelerations: string,
  own: Pick<Compared, "description" | "map">,
): void {
  const worst = geometryError(mujoco, xml, compared);
  const acceleration = accelerationError({ mujoco, xml: accelerations, ...own, seed: 3, count: 10 });
  rows.push([name, worst.mass, worst.center, worst.inertia, worst.position, worst.turn, acceleration]);
  for (const value of Object.values(worst)) expect(value).toBeLessThan(POSE_TOLERANCE);
  expect(acceleration).toBeLessThan(ACCELERATION_TOLERANCE);
}

const exportedFrame =
  ({ origins }: ReturnType<typeof toMjcf>): Compared["frame"] =>
  (name) => ({ body: name, position: origins[name], orientation: quaternion.identity });

describe("robot files", () => {
  test.each(mjcfFiles)(
    "$name has MuJoCo's masses, poses and accelerations, imported and exported again",
    ({ name, text }) => {
      const imported = importMjcf(text, { fileName: name, floor: true });
      const bare = forAccelerations(text);
      const compared = { ...imported, frame: (body: string) => imported.names.bodies[body] };
      expectSame(`${name}, imported`, withoutFiles(text), compared, withoutFiles(bare), importMjcf(bare));

      const { axis, anchor, count } = axisError(mujoco, withoutFiles(text), imported);
      expect(Math.max(axis, anchor)).toBeLessThan(POSE_TOLERANCE);
      const kinds = Object.values(imported.description.joints ?? {}).map(({ kind }) => kind);
      expect(count).toBe(kinds.filter((kind) => kind === "revolute" || kind === "prismatic").length);

      const exported = toMjcf(imported.description);
      const again = importMjcf(exported.xml);
      const frame = exportedFrame(exported);
      const own = importMjcf(bare).description;
      const ownExport = toMjcf(own);
      expectSame(
        `${name}, exported`,
        exported.xml,
        { description: imported.description, map: exported.map, frame },
        ownExport.xml,
        { description: own, map: ownExport.map },
      );
      expectSame(
        `${name}, imported again`,
        exported.xml,
        { ...again, frame: (body) => again.names.bodies[body] },
        ownExport.xml,
        importMjcf(ownExport.xml),
      );
      expect(again.description.contacts?.length).toBe(imported.description.contacts?.length);
      expect(Object.keys(again.description.states ?? {})).toEqual(Object.keys(imported.description.states ?? {}));
      printTable(
        "Differences from MuJoCo over 100 poses; accelerations over their largest, 10 states",
        ["model", "mass", "centre", "inertia", "position", "turn", "acceleration"],
        rows.slice(-3),
      );
    },
  );
});

describe("every joint kind that MuJoCo has", () => {
  const expressible = jointCases.filter(({ form }) => !form.kind.toLowerCase().includes("orbital"));
  test.each(expressible)("$name moves the same when exported", ({ name, form }) => {
    // a chain that is fixed to the world does not move
    for (const floats of form.kind === "fixed" ? [true] : [true, false]) {
      const forces = form.kind === "fixed" ? {} : { actuated: true, stiffness: 3, damping: 0.1, armature: 0.05 };
      const gravity: Vector3 = [0.3, -0.2, -9.81];
      const { description } = chain({ form, links: 3, timestep: 0.01, gravity, floats, forces, baseActuated: true });
      const exported = toMjcf(description);
      const frame = exportedFrame(exported);
      expectSame(name, exported.xml, { description, map: exported.map, frame }, exported.xml, {
        description,
        map: exported.map,
      });
      // there and back
      const random = new Random(5);
      const n = exported.map.coordinateCount;
      const x = Float64Array.from({ length: 2 * n }, () => random.uniform(-1, 1));
      const back = minimalFromMujoco(exported.map, mujocoState(exported.map, x));
      back.forEach((value, i) => {
        expect(Math.abs(value - x[i])).toBeLessThan(1e-12);
      });
    }
  });

  test.each(expressible)("$name moves the same when its child is nearer to the world", ({ name, form }) => {
    const { description } = chain({ form, links: 2, timestep: 0.01, gravity: [0.3, -0.2, -9.81] });
    const { joint0, joint1 } = description.joints ?? {};
    const forces = form.kind === "fixed" ? {} : { actuated: true, stiffness: 3, damping: 0.1, armature: 0.02 };
    const turned = {
      ...description,
      joints: { joint0, joint1: { ...joint1, parent: "link1", child: "link0", ...forces } },
    };
    const exported = toMjcf(turned);
    const own = { description: turned, map: exported.map };
    expectSame(`${name}, backwards`, exported.xml, { ...own, frame: exportedFrame(exported) }, exported.xml, own);
  });

  test("orbital joints are refused with a way out", () => {
    const { description } = chain({ form: { kind: "orbital" }, links: 2, timestep: 0.01 });
    expect(() => toMjcf(description)).toThrow(/not-expressible at joints.joint1: .*universal/);
  });
});
