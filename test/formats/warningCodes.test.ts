/** Every code of a file's warnings, by each format that gives it: a file that provokes it alone, and its twin that provokes nothing. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type FormatWarning, importMjcf, importUrdf } from "../../src/index.ts";

interface Row {
  readonly code: string;
  /** What the warning says, in one line of the file. */
  readonly says: RegExp;
  readonly line: number;
  readonly faulty: string;
  /** The least change that leaves nothing to warn of. */
  readonly clean: string;
}

const mjcf = (inside: string): string =>
  `<mujoco>\n<worldbody><body name="b"><joint name="j"/><geom size="0.1" contype="0" conaffinity="0"/></body></worldbody>\n${inside}\n</mujoco>`;

const ofMjcf: readonly Row[] = [
  {
    code: "unknown",
    says: /model\.xml:3: <motor name="m">: attribute gaer is not understood and has no effect/,
    line: 3,
    faulty: mjcf('<actuator><motor name="m" joint="j" gaer="2"/></actuator>'),
    clean: mjcf('<actuator><motor name="m" joint="j" gear="2"/></actuator>'),
  },
  {
    code: "ignored",
    says: /model\.xml:3: <motor name="m">: its gear, gain or tendon is 0|its gear/,
    line: 3,
    faulty: mjcf('<actuator><motor name="m" joint="j" gear="0"/></actuator>'),
    clean: mjcf('<actuator><motor name="m" joint="j" gear="-1"/></actuator>'),
  },
  {
    code: "adjusted",
    says: /model\.xml:3: <fixed>: springlength: a spring has no slack here; it rests in the middle/,
    line: 3,
    faulty: mjcf('<tendon><fixed stiffness="1" springlength="0 1"><joint joint="j" coef="1"/></fixed></tendon>'),
    clean: mjcf('<tendon><fixed stiffness="1" springlength="1 1"><joint joint="j" coef="1"/></fixed></tendon>'),
  },
  {
    code: "assumed",
    says: /model\.xml:2: <geom>: .*plane/,
    line: 2,
    faulty: '<mujoco>\n<worldbody><body><freejoint/><geom size="0.1"/></body></worldbody>\n</mujoco>',
    clean:
      '<mujoco>\n<worldbody><geom type="plane" size="1 1 1"/><body><freejoint/><geom size="0.1"/></body></worldbody>\n</mujoco>',
  },
  {
    code: "not-expressible",
    says: /model\.xml:3: <fixed>: frictionloss of a tendon is not simulated; put it on joints/,
    line: 3,
    faulty: mjcf('<tendon><fixed stiffness="1" frictionloss="1"><joint joint="j" coef="1"/></fixed></tendon>'),
    clean: mjcf('<tendon><fixed stiffness="1" frictionloss="0"><joint joint="j" coef="1"/></fixed></tendon>'),
  },
];

const inertia = (ixx: number): string =>
  `<inertial><mass value="1"/><inertia ixx="${ixx}" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>`;
const urdf = (link: string, jointType = "continuous", root = ""): string =>
  `<robot name="r"${root}>\n<link name="world"/><link name="a">${link}</link>\n<joint name="j" type="${jointType}"><parent link="world"/><child link="a"/><axis xyz="0 0 1"/></joint>\n</robot>`;

const ofUrdf: readonly Row[] = [
  {
    code: "unknown",
    says: /robot\.urdf:1: <robot name="r">: unknown attribute verison="1.0", did you mean version\?/,
    line: 1,
    faulty: urdf(inertia(1), "continuous", ' verison="1.0"'),
    clean: urdf(inertia(1), "continuous", ' version="1.0"'),
  },
  {
    code: "adjusted",
    says: /robot\.urdf:2: <.*inertia/,
    line: 2,
    faulty: urdf(inertia(2.02)),
    clean: urdf(inertia(2)),
  },
  {
    code: "assumed",
    says: /robot\.urdf:2: .*has a mass but no <inertia>/,
    line: 2,
    faulty: urdf(
      '<inertial><mass value="1"/></inertial><collision><geometry><sphere radius="0.1"/></geometry></collision>',
    ),
    clean: urdf(`${inertia(1)}<collision><geometry><sphere radius="0.1"/></geometry></collision>`),
  },
];

const read = {
  mjcf: (text: string): readonly FormatWarning[] => importMjcf(text).warnings,
  urdf: (text: string): readonly FormatWarning[] => importUrdf(text, { fileName: "robot.urdf" }).warnings,
};

describe.each([
  ["mjcf", ofMjcf],
  ["urdf", ofUrdf],
] as const)("%s", (format, rows) => {
  test.each(rows)("$code", ({ code, says, line, faulty, clean }) => {
    const warnings = read[format](faulty);
    expect(warnings.map((warning) => [warning.code, warning.line])).toEqual([[code, line]]);
    expect(warnings[0].message).toMatch(says);
    expect(read[format](clean)).toEqual([]);
  });
});

test("the table has every code", () => {
  const text = readFileSync(join(import.meta.dirname, "../../src/formats/formatError.ts"), "utf8");
  const union = text.slice(text.indexOf("export type FormatWarningCode"));
  const codes = [...union.slice(0, union.indexOf(";\n")).matchAll(/\| "([a-z-]+)"/g)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(4);
  expect(new Set(ofMjcf.map(({ code }) => code))).toEqual(new Set(codes));
});
