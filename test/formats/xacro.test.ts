// biome-ignore-all lint/suspicious/noTemplateCurlyInString: xacro has such expressions in texts
/** xacro files beside what they stand for, written out by hand. */
import { describe, expect, test } from "vitest";
import { evaluate, type XacroValue } from "../../src/formats/urdf/xacroExpression.ts";
import { importUrdf, type UrdfOptions } from "../../src/index.ts";

const robot = (...parts: string[]) =>
  `<?xml version="1.0"?>\n<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n${parts.join("\n")}\n</robot>`;
const inertial = (mass: string) =>
  `<inertial><mass value="${mass}"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>`;
const link = (name: string, mass = "1") => `<link name="${name}">${inertial(mass)}</link>`;
const joint = (name: string, parent: string, child: string, origin: string) =>
  `<joint name="${name}" type="continuous"><parent link="${parent}"/><child link="${child}"/><origin xyz="${origin}"/></joint>`;
const two = robot('<link name="world"/>', link("left_arm", "2.5"), joint("left_hinge", "world", "left_arm", "0.5 0 1"));

const same = (xacro: string, plain = two, options: UrdfOptions = {}) => {
  const found = importUrdf(xacro, options);
  expect(found.description).toEqual(importUrdf(plain).description);
  return found.warnings;
};

describe("a file and what it stands for", () => {
  const arm = `<xacro:macro name="arm" params="side parent mass:=2.5 x=\${width / 2} *pose **more">
    <link name="\${side}_arm">\${none}<xacro:insert_block name="more"/></link>
    <joint name="\${side}_hinge" type="continuous"><parent link="\${parent}"/><child link="\${side}_arm"/><xacro:insert_block name="pose"/></joint>
  </xacro:macro>`
    .replaceAll("\\$", "$")
    .replace("${none}", "");
  const call = `<xacro:arm side="left" parent="world">
    <origin xyz="\${width / 2} 0 \${1 if width > 0 else 2}"/><content>${inertial("${2 * 1.25}")}</content></xacro:arm>`.replaceAll(
    "\\$",
    "$",
  );
  const width = '<xacro:property name="width" value="1"/>';

  test("macros with parameters, defaults and blocks, defined before and after properties", () => {
    expect(same(robot(width, arm, '<link name="world"/>', call))).toEqual([]);
    // properties are evaluated where they are used
    same(
      robot(
        '<xacro:property name="half" value="${width / 2}"/>',
        width,
        arm,
        '<link name="world"/>',
        call.replace("${width / 2}", "${half}"),
      ),
    );
  });

  test("includes, beside the file and in packages", () => {
    const files: Record<string, string> = {
      "parts/arm.xacro": robot('<xacro:include filename="width.xacro"/>', arm),
      "parts/width.xacro": robot(width),
      "package://my_robot/arm.xacro": robot('<xacro:include filename="../my_robot/width.xacro"/>', arm),
      "package://my_robot/width.xacro": robot(width),
    };
    const readFile = (file: string) => files[file];
    for (const name of ["parts/arm.xacro", "$(find my_robot)/arm.xacro"]) {
      const text = robot(`<xacro:include filename="${name}"/>`, '<link name="world"/>', call);
      for (const fileName of ["robot.xacro", "/robots/robot.xacro"]) same(text, two, { readFile, fileName });
    }
    const missing = robot('<xacro:include filename="none.xacro"/>');
    expect(() => importUrdf(missing, { readFile })).toThrow(/urdf:3: <xacro:include>: "none.xacro" was not found/);
    expect(() => importUrdf(missing)).toThrow(/pass readFile/);
    // a fault in an included file names that file
    files["bad.xacro"] = robot('<xacro:property name="a" value="${1 +}"/>', '<link name="${a}"/>');
    expect(() => importUrdf(robot('<xacro:include filename="bad.xacro"/>'), { readFile })).toThrow(/^bad\.xacro:3/);
  });

  test("conditions and arguments", () => {
    const text = robot(
      '<xacro:arg name="side" default="right"/><xacro:arg name="tool" default="false"/>',
      '<xacro:property name="n" value="3"/><link name="world"/>',
      link("$(arg side)_arm", "$(eval 2 + n / 6)"),
      joint("$(arg side)_hinge", "world", "$(arg side)_arm", "$(optenv NOWHERE 0.5 0 1)"),
      `<xacro:if value="$(arg tool)">${link("tool")}</xacro:if><xacro:unless value="\${n == 3 and not False}">${link("b")}</xacro:unless>`,
    );
    same(text, two, { xacroArgs: { side: "left" } });
    same(text, two.replaceAll("left", "right"));
    expect(() => importUrdf(text, { xacroArgs: { tool: "perhaps" } })).toThrow(/"perhaps" is neither true nor false/);
  });

  test("properties of blocks, scopes and inherited parameters", () => {
    const text = robot(
      '<xacro:property name="pose"><origin xyz="0.5 0 1"/></xacro:property>',
      '<xacro:property name="mass" value="2.5"/><link name="world"/>',
      `<xacro:macro name="name_it" params=""><xacro:property name="who" value="left" scope="parent"/></xacro:macro>`,
      `<xacro:macro name="arm" params="mass:=^ side:=^|left"><xacro:property name="x" value="9"/>${link("${side}_arm", "${mass}")}
        <joint name="\${side}_hinge" type="continuous"><parent link="world"/><child link="\${side}_arm"/><xacro:insert_block name="pose"/></joint>
      </xacro:macro>`,
      "<xacro:name_it/><xacro:if value=\"${who == 'left'}\"><xacro:arm/></xacro:if>",
    );
    same(text);
  });

  test("$$ is a dollar, and names of macros that nothing defines are a warning", () => {
    const name = importUrdf(robot(link("world"), link("$${a}"), joint("j", "world", "$${a}", "0 0 1"))).description;
    expect(Object.keys(name.bodies)).toContain("${a}");
    const warnings = same(two.replace("</robot>", '<xacro:sensor_usb name="imu"/></robot>'));
    expect(warnings.map(({ message }) => message).join()).toContain(
      'no macro "sensor_usb" is defined; what it would make is missing',
    );
  });
});

describe("what is wrong names the place", () => {
  test.each([
    [
      '<link name="${nothing}"/><xacro:property name="a" value="1"/>',
      /<link name="\$\{nothing\}">: "\$\{nothing\}" names "nothing", which nothing defines/,
    ],
    [
      '<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><link name="${a}"/>',
      /names itself/,
    ],
    ['<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>', /nests deeper than 100/],
    ['<xacro:macro name="m" params="a"/><xacro:m/>', /parameter "a" of the macro is missing/],
    ['<xacro:macro name="m" params="a"/><xacro:m a="1" b="2"/>', /has no parameter "b"; have: a/],
    ['<xacro:macro name="m" params="*a"/><xacro:m/>', /block "a" is missing/],
    ['<xacro:insert_block name="a"/>', /there is no block "a"/],
    [
      '<xacro:property name="a" value="${xacro.load_yaml(\'a.yaml\')}"/><link name="${a}"/>',
      /calls "xacro.load_yaml", which is not read here/,
    ],
    ['<xacro:property name="a" value="$(env HOME)"/><link name="${a}"/>', /"\$\(env HOME\)" is not read here/],
    ['<link name="${1"/><xacro:property name="a" value="1"/>', /misses a "}"/],
  ])("%s", (inside, message) => {
    expect(() => importUrdf(robot(inside))).toThrow(message);
  });

  test("macros that double have an end", () => {
    const doubling = Array.from(
      { length: 60 },
      (_, i) => `<xacro:macro name="m${i}" params=""><xacro:m${i + 1}/><xacro:m${i + 1}/></xacro:macro>`,
    );
    expect(() => importUrdf(robot(...doubling, '<xacro:macro name="m60" params=""/><xacro:m0/>'))).toThrow(
      /more than 200000 elements/,
    );
    const longer = Array.from(
      { length: 60 },
      (_, i) => `<xacro:property name="p${i + 1}" value="\${p${i}}\${p${i}}"/>`,
    );
    expect(() =>
      importUrdf(robot('<xacro:property name="p0" value="word"/>', ...longer, '<link name="${p60}"/>')),
    ).toThrow(/more than 100000 characters/);
  });

  test("leftovers in a file without xacro elements stay, with a warning", () => {
    const text = two.replace("</robot>", '<gazebo reference="${gone}"/></robot>');
    expect(
      same(text)
        .map(({ message }) => message)
        .join(),
    ).toContain('names "gone", which nothing defines; it is left as it is');
  });
});

test.each<[string, XacroValue]>([
  ["1 + 2 * 3", 7],
  ["-2 ** 2", -4],
  ["2 ** -1", 0.5],
  ["2 ** 3 ** 2", 512],
  ["7 // 2 - 7 % 4", 0],
  ["-7 // 2", -4],
  ["-7 % 3", 2],
  ["(1 + 2) * 3", 9],
  ["sin(pi / 2) + math.cos(0)", 2],
  ["radians(180) - pi", 0],
  ["max(1, 5, 3) + min([4, 2])", 7],
  ["1 < 2 <= 2 and not 3 == 4", true],
  ["'a' + \"b\"", "ab"],
  ["'x' if 0 else 'y'", "y"],
  ["[1, 2, 3][1] + len([1, 2])", 4],
  ["2 in [1, 2] and 3 not in [1, 2]", true],
  ["round(2.5) + round(3.5)", 6],
  ["int(-2.7) + float('0.5')", -1.5],
  ["a.b", 4],
  ["1e-3 * .5", 5e-4],
])("%s", (text, expected) => {
  expect(evaluate(text, (name) => (name === "a.b" ? 4 : undefined))).toEqual(expected);
});
