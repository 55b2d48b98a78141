/** Bad input: a helpful message on standard error, exit code 2, nothing on standard output, nothing written. */
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCli, dojo, workFolder } from "./runCli.ts";

const folder = workFolder();
beforeAll(async () => {
  await buildCli();
  mkdirSync(join(folder, "folder.csv"));
  writeFileSync(join(folder, "text.txt"), "hello");
  writeFileSync(join(folder, "broken.urdf"), '<robot name="r">\n  <link name="a">\n  </lnk>\n</robot>\n');
  writeFileSync(
    join(folder, "massless.urdf"),
    '<robot name="r">\n  <link name="a">\n    <inertial><mass value="heavy"/></inertial>\n  </link>\n</robot>\n',
  );
  writeFileSync(join(folder, "broken.xml"), "<mujoco>\n  <worldbody>\n    <body>\n  </worldbody>\n</mujoco>\n");
  writeFileSync(join(folder, "broken.json"), '{ "format": "dojo-sim",\n  "version": 1,\n');
  writeFileSync(join(folder, "other.json"), '{ "name": "something else" }');
  writeFileSync(join(folder, "empty.urdf"), "");
});
afterAll(() => rmSync(folder, { recursive: true }));

const cases: [string, string[], RegExp][] = [
  ["an unknown model", ["simulate", "atlsa"], /no model "atlsa"; did you mean "atlas"\?/],
  ["an unknown model like no other", ["simulate", "zeppelin"], /no model "zeppelin".*dojo list/],
  ["no model", ["simulate"], /which model\?/],
  ["a file that is not there", ["simulate", "nothing.urdf"], /cannot read nothing\.urdf: no such file/],
  ["a folder", ["simulate", "folder.csv"], /folder\.csv: it is a folder; give a file in it/],
  ["a file of another kind", ["simulate", "text.txt"], /"\.txt" files are not read; have: \.urdf/],
  ["malformed URDF", ["simulate", "broken.urdf"], /broken\.urdf:\d+: not well-formed/],
  ["a mass that is no number", ["simulate", "massless.urdf"], /massless\.urdf:3: .*mass/],
  ["malformed MJCF", ["simulate", "broken.xml"], /broken\.xml:\d+: /],
  ["malformed JSON", ["simulate", "broken.json"], /broken\.json:\d+: not JSON/],
  ["JSON of another kind", ["simulate", "other.json"], /other\.json:1: .*format/],
  ["an empty file", ["simulate", "empty.urdf"], /empty\.urdf:1: /],
  ["a time that is no number", ["simulate", "pendulum", "--time", "NaN"], /--time: "NaN" is no finite number/],
  ["an infinite time", ["simulate", "pendulum", "--time", "Infinity"], /--time: "Infinity"/],
  ["a negative time", ["simulate", "pendulum", "--time", "-1"], /--time: -1 must be above 0/],
  ["a time step of zero", ["simulate", "pendulum", "--timestep", "0"], /--timestep: 0 must be above 0/],
  ["too many steps", ["simulate", "pendulum", "--time", "1e12"], /steps of 0\.01 s; give at most/],
  [
    "too many steps before",
    ["gradients", "pendulum", "--after", "1e12"],
    /--after 1000000000000 s are .* give at most/,
  ],
  [
    "an output with a slash at its end",
    ["simulate", "pendulum", "--out", "x.csv/"],
    /--out x\.csv\/: that names a folder/,
  ],
  ["an output of 300 letters", ["simulate", "pendulum", "--out", `${"a".repeat(300)}.csv`], /the name is too long/],
  ["no folder", ["experiment", "timing", "--out", ""], /--out is empty/],
  ["no host", ["view", "--host", ""], /--host is empty/],
  ["a kappa of zero", ["simulate", "block", "--kappa", "0"], /--kappa: 0 must be above 0/],
  [
    "a kappa beyond all",
    ["simulate", "block", "--kappa", "1e300"],
    /kappa: 1e\+300 must be above 0 and at most 1000000000000/,
  ],
  ["the same of gradients", ["gradients", "block", "--kappa", "1e300"], /kappa: 1e\+300 must be above 0 and at most/],
  [
    "the same in other units",
    ["gradients", "block", "--relative-kappa", "1e300"],
    /relativeKappa: 1e\+300 must be above 0/,
  ],
  [
    "two exports",
    ["export", "block", "--out", "a.xml", "--out", "b.xml"],
    /--out is given twice, as "a\.xml" and as "b\.xml"/,
  ],
  [
    "two times",
    ["simulate", "block", "--time", "1", "--time", "2"],
    /--time is given twice, as "1" and as "2"; give it once/,
  ],
  ["a name of 300 letters", ["simulate", "a".repeat(300)], /there is no model "aaa/],
  ["a path through a file", ["simulate", "text.txt/a.urdf"], /cannot read text\.txt\/a\.urdf: /],
  ["gravity of two parts", ["simulate", "block", "--gravity", "1,2"], /--gravity: .*give three/],
  ["negative friction", ["simulate", "block", "--friction", "-1"], /--friction: -1 must be 0 or more/],
  ["too much bounce", ["simulate", "block", "--restitution", "1.2"], /--restitution: 1\.2 would make energy/],
  ["another floor", ["simulate", "block", "--floor", "lava"], /--floor: "lava" is not one of none/],
  ["another base", ["simulate", "block", "--base", "flying"], /--base: "flying" is not one of floating, fixed/],
  ["a base of a model", ["simulate", "block", "--base", "fixed"], /--base is for URDF files/],
  [
    "an unknown parameter",
    ["simulate", "a1", "--set", "bodies.trnk.mass=2"],
    /no parameter "bodies\.trnk\.mass"; did you mean "bodies\.trunk\.mass"\?/,
  ],
  ["a parameter out of range", ["simulate", "a1", "--set", "bodies.trunk.mass=-2"], /bodies\.trunk\.mass: -2/],
  ["a parameter without value", ["simulate", "a1", "--set", "bodies.trunk.mass="], /--set: bodies\.trunk\.mass/],
  [
    "a parameter given twice",
    ["simulate", "a1", "--set", "bodies.trunk.mass=2", "--set", "bodies.trunk.mass=3"],
    /--set: bodies\.trunk\.mass is given twice; give it one value/,
  ],
  ["an unknown state", ["simulate", "a1", "--state", "sitting"], /no state "sitting" \(have: rest, raised, zero\)/],
  ["an unknown coordinate", ["simulate", "pendulum", "--position", "hing.angle=1"], /did you mean "hinge\.angle"\?/],
  ["an unknown input", ["simulate", "cartpole", "--input", "motor=1"], /no input "motor"/],
  ["a random input of too many parts", ["simulate", "cartpole", "--input", "random:1:2:3"], /random:seed:scale/],
  ["an output of no kind", ["simulate", "pendulum", "--out", "x.foo"], /--out x\.foo: .*have: .*\.csv/],
  ["an output in no folder", ["simulate", "pendulum", "--out", "no/x.csv"], /there is no folder/],
  ["an output that is a folder", ["simulate", "pendulum", "--out", "folder.csv"], /exists and is no file/],
  ["an output that cannot be", ["simulate", "pendulum", "--out", "/proc/x.csv"], /cannot write|no folder/],
  ["a dump in no folder", ["simulate", "pendulum", "--dump", "no/x.json"], /--dump no\/x\.json: there is no folder/],
  ["an output twice", ["simulate", "pendulum", "--out", "x.csv", "--out", "./x.csv"], /x\.csv is to be written twice/],
  ["a dump over an output", ["simulate", "pendulum", "--out", "x.json", "--dump", "x.json"], /written twice/],
  ["a run over its robot", ["simulate", "other.json", "--out", "other.json"], /other\.json is read by this command/],
  ["an export over its robot", ["export", "other.json", "--out", "./other.json"], /other\.json is read by this/],
  ["a run over its plan", ["simulate", "--plan", "other.json", "--out", "other.json"], /other\.json is read by this/],
  ["a dump over its policy", ["simulate", "--policy", "other.json", "--dump", "other.json"], /is read by this command/],
  ["a fit over its formulas", ["identify", "--parameters", "other.json", "--out", "other.json"], /is read by this/],
  ["a fit over its robot", ["identify", "--model", "other.json", "--out", "other.json"], /is read by this command/],
  ["a coordinate twice", ["simulate", "block", "--position", "base.z=1,base.z=2"], /base\.z is given twice/],
  ["an unknown option", ["simulate", "pendulum", "--tme", "1"], /unknown option '--tme'[\s\S]*--time/],
  ["an unknown command", ["simulte", "pendulum"], /unknown command 'simulte'[\s\S]*simulate/],
  ["other coordinates", ["gradients", "block", "--coordinates", "polar"], /not one of minimal, maximal/],
  [
    "an unknown parameter to differentiate by",
    ["gradients", "block", "--parameters", "bodies.block.mas"],
    /did you mean "bodies\.block\.mass"\?/,
  ],
  ["an export without file", ["export", "block"], /--out is missing/],
  ["an export of no kind", ["export", "block", "--out", "block.stl"], /have: \.urdf, \.xml, \.json/],
  ["a dump that is none", ["replay-step", "other.json"], /no dumped step/],
  ["a dump that is not there", ["replay-step", "nothing.json"], /cannot read nothing\.json/],
  ["an unknown model to time", ["bench", "a2"], /no model "a2"; did you mean "a1"\?/],
];

describe("is refused", () => {
  test.each(cases)("%s", async (_, args, message) => {
    const before = readdirSync(folder);
    const { code, stdout, stderr } = await dojo(args, folder);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain("    at ");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(readdirSync(folder)).toEqual(before);
  });
});

test.skipIf(process.getuid?.() === 0)("a folder without permission is refused", async () => {
  const locked = join(folder, "locked");
  mkdirSync(locked);
  chmodSync(locked, 0o500);
  const { code, stderr } = await dojo(["simulate", "pendulum", "--out", "locked/x.csv"], folder);
  expect(code).toBe(2);
  expect(stderr).toContain("no permission");
});
