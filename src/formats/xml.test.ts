import { describe, expect, it } from "vitest";
import { FormatError } from "./formatError.ts";
import {
  onlyChild,
  parseXml,
  readBoolean,
  readChoice,
  readDirection,
  readNumber,
  readNumbers,
  readQuaternion,
  readRollPitchYaw,
  required,
  WarningList,
} from "./xml.ts";

const parse = (text: string) => parseXml(text, "robot.urdf");

describe("parseXml", () => {
  it("keeps names, attributes, children, text and places", () => {
    const root = parse(
      '\ufeff<?xml version="1.0"?>\n<!-- <x> -->\n<robot name="r">\n  <link a="1 &lt; 2"/>hi<b><c/></b>\n</robot>',
    );
    expect(root.name).toBe("robot");
    expect(root.line).toBe(3);
    expect(root.text.trim()).toBe("hi");
    expect(root.children.map((child) => child.name)).toEqual(["link", "b"]);
    expect(root.children[0].attributes.get("a")).toBe("1 < 2");
    expect(root.children[0]).toMatchObject({ line: 4, column: 3, file: "robot.urdf" });
    expect(root.children[1].children[0].name).toBe("c");
  });

  const bad: Record<string, string> = {
    "an empty file": "",
    "no XML": "hello",
    "an open tag": "<a><b></b>",
    "crossed tags": "<a><b></a></b>",
    "two roots": "<a/><b/>",
    "no quotes": "<a b=1/>",
    "an attribute twice": '<a b="1" b="2"/>',
    "an unknown entity": "<a>&boom;</a>",
    "an entity bomb": '<!DOCTYPE a [<!ENTITY x "yyyy"><!ENTITY z "&x;&x;">]><a>&z;</a>',
    "an undeclared prefix": '<a><x:b y:c="1"/></a>',
    depth: "<a>".repeat(50_000) + "</a>".repeat(50_000),
    "half-open depth": "<a>".repeat(500_000),
    "many elements": `<a>${"<b/>".repeat(250_000)}</a>`,
    "open comments": `<a>${"<!--".repeat(100_000)}`,
    "open quotes": '<a b="'.repeat(100_000),
  };
  for (const [name, text] of Object.entries(bad)) {
    it(`refuses ${name} soon, with a line`, () => {
      // processor time, that of sweeping the heap of all tests before among it: others may be using the machine
      const start = process.cpuUsage().user;
      expect(() => parse(text)).toThrow(FormatError);
      expect(() => parse(text)).toThrow(/^robot\.urdf:\d+: .+/);
      expect(process.cpuUsage().user - start).toBeLessThan(5e6);
    });
  }

  it.each([
    [
      "a wrong closing tag",
      "<a>\n<b>\n<!-- c -->\n</a>",
      /^robot.urdf:4: .*mismatch: <\/a> where <b> of line 2 is open; close every/,
    ],
    ["a closing tag too many", "<a>\n</a>\n\n</a>", /^robot.urdf:4: .*mismatch: <\/a> where nothing is open/],
    ["a tag that is never closed", "<a>\n<b>\n<c/>\n", /^robot.urdf:2: .*<b> is never closed/],
    ["the same with other line ends", "<a>\r\n<b>\r\n<c/>\r\n</a>", /^robot.urdf:4: .*<b> of line 2 is open/],
    ["no quotes", "<a>\n\n<b c=1/></a>", /^robot.urdf:3: /],
    ["an attribute twice", '<a>\n<b c="1" c="1"/></a>', /^robot.urdf:2: /],
  ])("says in which line: %s", (_, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});

describe("attribute readers", () => {
  const element = (attributes: string) => parse(`<joint name="knee" ${attributes}/>`);

  it("read numbers, vectors, rotations, booleans and words", () => {
    expect(readNumber(element('x=" -1.5e-3 "'), "x")).toBe(-0.0015);
    expect(readNumber(element('x="+.5"'), "x")).toBe(0.5);
    expect(readNumber(element(""), "x")).toBeUndefined();
    expect(readNumbers(element('x="1 2\t3"'), "x", 3)).toEqual([1, 2, 3]);
    expect(readDirection(element('x="0 0 2"'), "x")).toEqual([0, 0, 1]);
    expect(readDirection(element('x="0.6 0.8 0"'), "x")).toEqual([0.6, 0.8, 0]);
    expect(readQuaternion(element('x="0 0 0 -3"'), "x")).toEqual([0, 0, 0, -1]);
    expect(readBoolean(element('x="true"'), "x")).toBe(true);
    expect(readChoice(["red", "green"])(element('x="green"'), "x")).toBe("green");
    // yaw of a quarter turn after roll of a quarter turn takes y to z
    const q = readRollPitchYaw(element(`x="${Math.PI / 2} 0 ${Math.PI / 2}"`), "x");
    expect(q?.map((entry) => Math.round(entry * 1e12) / 1e12)).toEqual([0.5, 0.5, 0.5, 0.5]);
  });

  it.each([
    ['x="NaN"', /x="NaN" has "NaN", which is no number/],
    ['x="1e999"', /too large/],
    ['x="1,2,3"', /separate numbers by blanks, not commas/],
    ['x="1 2"', /has 2 numbers; give 1/],
    ['x=""', /has 0 numbers; give 1/],
    ['x="0x10"', /no number/],
    ['x="1_000"', /no number/],
  ])("refuse %s", (attributes, message) => {
    expect(() => readNumber(element(attributes), "x")).toThrow(message);
    expect(() => readNumber(element(attributes), "x")).toThrow(/^robot.urdf:1: <joint name="knee">: /);
  });

  it("refuse zero directions, rotations, and words that are not on the list", () => {
    expect(() => readDirection(element('x="0 0 0"'), "x")).toThrow(/no direction; give an axis/);
    expect(() => readQuaternion(element('x="0 0 0 0"'), "x")).toThrow(/no rotation/);
    expect(() => readBoolean(element('x="maybe"'), "x")).toThrow(/neither true nor false/);
    expect(() => readChoice(["red", "green"])(element('x="gren"'), "x")).toThrow(/did you mean green/);
    expect(() => required(readNumber, element('radus="1"'), "radius")).toThrow(/radius is missing; is radus a slip/);
  });

  it("collect what nothing reads", () => {
    const warnings = new WarningList();
    const root = parse('<robot nam="r" v="1"><lnk/><gazebo/><link/>\n<link/></robot>');
    warnings.addUnknown(root, {
      attributes: ["name"],
      ignoredAttributes: ["v"],
      children: ["link"],
      ignoredChildren: ["gazebo"],
    });
    onlyChild(root, "link", warnings);
    expect(warnings.warnings.map((warning) => warning.code)).toEqual([
      "unknown",
      "ignored",
      "unknown",
      "ignored",
      "ignored",
    ]);
    expect(warnings.warnings[0].message).toBe(
      'robot.urdf:1: <robot>: unknown attribute nam="r", did you mean name?; ignored',
    );
    expect(warnings.warnings[4]).toMatchObject({ line: 2 });
  });

  it("say once what holds in many places, but each change", () => {
    const { children } = parseXml(`<robot>\n${'<limit velocity="1"/>\n'.repeat(9)}</robot>`, "robot.urdf");
    const warnings = new WarningList();
    children.forEach((element, i) => {
      warnings.add("ignored", element, `velocity="${i}": speeds are not limited`);
      if (i < 2) warnings.add("adjusted", element, `inertia of link "${i}" was changed`);
    });
    expect(warnings.warnings.map(({ message }) => message)).toEqual([
      'robot.urdf:2: <limit>: velocity="0": speeds are not limited (and 8 more: lines 3, 4, 5, 6, 7, …)',
      'robot.urdf:2: <limit>: inertia of link "0" was changed',
      'robot.urdf:3: <limit>: inertia of link "1" was changed',
    ]);
  });
});
