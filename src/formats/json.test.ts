import { describe, expect, it } from "vitest";
import { box, DescriptionError, floating, type MechanismDescription } from "../mechanism/index.ts";
import { FormatError } from "./formatError.ts";
import { fromJson, toJson } from "./json.ts";

const description: MechanismDescription = {
  timestep: 0.01,
  bodies: { crate: box({ size: [1, 2, 3], mass: 0.1 + 0.2 }) },
  joints: { base: floating({ parent: "world", child: "crate" }) },
};

describe("JSON", () => {
  it("gives back the same description, to the last bit", () => {
    const text = toJson(description);
    expect(JSON.parse(text)).toMatchObject({ format: "dojo-sim", version: 1 });
    expect(fromJson(text)).toEqual(description);
  });

  it("refuses to write what is not valid", () => {
    expect(() => toJson({ ...description, timestep: Number.NaN })).toThrow(DescriptionError);
  });

  it.each<[string, RegExp]>([
    ['{"format": "dojo-sim",\n "version": 1,\n "description": {]}', /^a\.json:3: not JSON: /],
    ['{"format": "dojo-sim",\n "vers', /^a\.json:2: not JSON: /],
    ["", /^a\.json:1: the file is empty; /],
    [" \n", /^a\.json:1: the file is empty; /],
    ["[]", /no object/],
    ["null", /no object/],
    ['{"bodies": {}}', /put the description into {"format": "dojo-sim", "version": 1, "description": {…}}/],
    ['{"format": "gltf"}', /another kind of file/],
    ['{"format": "dojo-sim", "version": 2}', /version 2 is not known; this release reads version 1/],
    ['{"format": "dojo-sim"}', /version undefined/],
  ])("says where %j is wrong", (text, message) => {
    expect(() => fromJson(text, "a.json")).toThrow(FormatError);
    expect(() => fromJson(text, "a.json")).toThrow(message);
  });

  it("lists the faults of a description", () => {
    expect(() => fromJson('{"format": "dojo-sim", "version": 1}')).toThrow(DescriptionError);
    expect(() =>
      fromJson('{"format": "dojo-sim", "version": 1, "description": {"timestep": 0, "bodies": {}}}'),
    ).toThrow(/non-positive at timestep[\s\S]*no-bodies at bodies/);
    const proto = '{"format": "dojo-sim", "version": 1, "description": {"timestep": 1, "bodies": {"__proto__": {}}}}';
    expect(() => fromJson(proto)).toThrow(/reserved-name/);
  });
});
