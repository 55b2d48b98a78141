/** What is wrong with a file is told with its name and the place in it, one fault per line; marks and line ends of Windows are no faults. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { compile, dumpStep, models, Simulation, startState, toJson } from "../../src/index.ts";
import { dojo, notedRobot, workFolder } from "./runCli.ts";

const folder = workFolder();
const write = (name: string, text: string | Uint8Array): void => writeFileSync(join(folder, name), text);
const pendulum = models.pendulum();

describe("a fault is told with the file's name", () => {
  beforeAll(() => {
    const faulty = toJson(pendulum).replaceAll(/"mass": [\d.]+/g, '"mass": -1, "extra": 1');
    write("two faults.json", faulty);
    const mechanism = compile(pendulum);
    const dump = JSON.parse(JSON.stringify(dumpStep(new Simulation(mechanism), startState(mechanism))));
    write("state.json", JSON.stringify({ ...dump, state: [1, 2] }));
    write("turned.json", JSON.stringify({ ...dump, state: dump.state.map(() => 0) }));
  });
  test.each([
    ["a model", ["simulate", "two faults.json"]],
    ["a model to be exported", ["export", "two faults.json", "--out", "x.urdf"]],
  ])("%s, each on a line of its own", async (_, args) => {
    const { code, stdout, stderr } = await dojo(args, folder);
    expect(stderr).toMatch(
      /^error: two faults\.json: the description has 2 faults:\n\S+ at bodies\..*\n\S+ at bodies\..*\n$/,
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
  test.each([
    ["a dump of another size", "state.json", /^error: state\.json: wrong-size at state: has 2 numbers; give 13\n$/],
    [
      "a dump from which no step can be taken",
      "turned.json",
      /^error: turned\.json: no step can be taken .*:\n\S+ at bodies/,
    ],
  ])("%s", async (_, name, message) => {
    const { code, stdout, stderr } = await dojo(["replay-step", name], folder);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
});

test.each([
  ["a byte-order mark", (text: string) => Buffer.from(`\ufeff${text}`, "utf8")],
  ["UTF-16", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le")],
  ["UTF-16 with the larger byte first", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
  ["line ends of Windows", (text: string) => Buffer.from(text.replaceAll("\n", "\r\n"))],
])("a file with %s is read", async (_, encoded) => {
  write("windows.json", encoded(toJson(pendulum)));
  write(
    "windows.urdf",
    encoded(`<?xml version="1.0"?>
${notedRobot}`),
  );
  for (const name of ["windows.json", "windows.urdf"]) {
    const { code, stderr } = await dojo(["export", name, "--out", "out.json"], folder);
    expect({ code, error: stderr.match(/error.*/)?.[0] }).toEqual({ code: 0, error: undefined });
  }
});
