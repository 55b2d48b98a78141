/**
 * The models against the published files they were written from, read by the importers: masses, inertias and joint frames. Those
 * files are not part of the project, and their tests are skipped without them; a model's own export is compared in the same way.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  importMjcf,
  importUrdf,
  type JointDescription,
  type MechanismDescription,
  models,
  toMjcf,
  type Vector3,
} from "../../src/index.ts";
import { vector } from "../../src/math/index.ts";
import { publishedFolder } from "../fixtures/robotFiles.ts";

/** Metres, kilograms, kg·m². */
const tolerance = 1e-6;

/** Bodies whose names differ: ours to the file's. */
type Names = Readonly<Record<string, string>>;

interface Comparison {
  readonly file: string;
  readonly model: MechanismDescription;
  readonly names?: Names;
}

const comparisons: readonly Comparison[] = [
  { file: "atlas_simple.urdf", model: models.atlas() },
  { file: "atlas.urdf", model: models.atlas({ sensors: true }) },
  { file: "unitree_a1.urdf", model: models.a1() },
  { file: "hopper.urdf", model: models.hopper() },
  { file: "walker.urdf", model: models.walker() },
  { file: "halfcheetah.urdf", model: models.halfCheetah() },
  {
    file: "ant.urdf",
    model: models.ant(),
    names: { front_left_foot: "aux_1", front_right_foot: "aux_2", left_back_foot: "aux_3", right_back_foot: "aux_4" },
  },
  { file: "humanoid.xml", model: models.humanoid() },
  { file: "panda.xml", model: models.panda() },
  { file: "skydio_x2.xml", model: models.skydioX2() },
];

/** The robot of a file is the model: bodies, masses, inertias, joint frames, ranges of tendons, thrusters. */
function expectSameRobot(model: MechanismDescription, published: MechanismDescription, names: Names = {}): void {
  const theirName = (body: string): string => names[body] ?? body;
  expect(Object.keys(model.bodies).map(theirName).sort()).toEqual(Object.keys(published.bodies).sort());
  for (const [name, body] of Object.entries(model.bodies)) {
    const other = published.bodies[theirName(name)];
    close([body.mass, ...body.inertia.flat()], [other.mass, ...other.inertia.flat()], name);
  }
  for (const [name, joint] of Object.entries(model.joints ?? {})) {
    const other = Object.values(published.joints ?? {}).find(({ child }) => child === theirName(joint.child));
    expect(other, name).toBeDefined();
    expect(theirName(joint.parent), name).toBe(other!.parent);
    // the base is where the robot starts
    if (joint.parent === "world" && joint.kind !== "revolute") continue;
    close(joint.parentAnchor ?? vector.zero, other!.parentAnchor ?? vector.zero, name);
    close(joint.childAnchor ?? vector.zero, other!.childAnchor ?? vector.zero, name);
    close([joint.axisOffset ?? 0], [other!.axisOffset ?? 0], name);
    close(axesOf(joint).flat(), axesOf(other!).flat(), name);
  }
  const ranges = ({ gears = {} }: MechanismDescription) =>
    Object.entries(gears).flatMap(([name, { terms, range }]) =>
      range ? [[name, range, terms.map((t) => t.ratio)]] : [],
    );
  expect(ranges(model)).toEqual(ranges(published));
  for (const [name, thruster] of Object.entries(model.thrusters ?? {})) {
    const other = published.thrusters?.[name];
    close(thruster.position ?? vector.zero, other?.position ?? [], name);
    close(thruster.torque ?? vector.zero, other?.torque ?? [], name);
  }
}

describe("models against published files", () => {
  for (const { file, model, names } of comparisons) {
    const path = join(publishedFolder, file);
    test.skipIf(!existsSync(path))(`${model.name} is the robot of ${file}`, () => {
      const text = readFileSync(path, "utf8");
      const { description } = file.endsWith(".urdf")
        ? importUrdf(text, { fileName: file })
        : importMjcf(text, { fileName: file });
      expectSameRobot(model, description, names);
    });
  }
});

describe("models against their own exports", () => {
  test.each(comparisons)("$model.name, written as MJCF and read again, is the same robot", ({ model }) => {
    expectSameRobot(model, importMjcf(toMjcf(model).xml).description);
  });
});

function axesOf({ axis, axes }: JointDescription): readonly Vector3[] {
  return axes ?? [axis ?? vector.unitZ];
}

function close(ours: readonly number[], theirs: readonly number[], what: string): void {
  expect(ours.length, what).toBe(theirs.length);
  for (const [i, value] of ours.entries()) {
    expect(Math.abs(value - theirs[i]), `${what}: ${ours.join(" ")} and ${theirs.join(" ")}`).toBeLessThan(tolerance);
  }
}
