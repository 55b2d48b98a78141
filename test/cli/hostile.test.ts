/** Hostile files, closed streams and signals: a short message, the exit code that docs/cli.md has for it, and whole files. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { box, floating, type MechanismDescription, toJson } from "../../src/index.ts";
import { buildCli, busy, dojo, dojoJson, dojoProcess, notedRobot, stepping, workFolder } from "./runCli.ts";

const folder = workFolder();
let main: string;
beforeAll(async () => {
  main = await buildCli();
});
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const includes = (file: string): string => `<mujoco>\n  <include file="${file}"/>\n</mujoco>\n`;

describe.skipIf(process.platform === "win32")("a file without end", () => {
  beforeAll(() => {
    expect(spawnSync("mkfifo", [join(folder, "pipe.xml")]).status).toBe(0);
    write("endless.xml", includes("/dev/zero"));
    write("waiting.xml", includes("pipe.xml"));
  });
  test.each([
    ["a device in an include", ["simulate", "endless.xml"], /endless\.xml:2: .*"\/dev\/zero".*device or a pipe/],
    ["a pipe in an include", ["simulate", "waiting.xml"], /waiting\.xml:2: .*"pipe\.xml".*device or a pipe/],
    ["a pipe", ["simulate", "pipe.xml"], /pipe\.xml: it is a device or a pipe/],
    ["a dump that is a device", ["replay-step", "/dev/zero"], /\/dev\/zero: it is a device or a pipe/],
  ])("%s is refused at once", async (_, args, message) => {
    const { code, stderr } = await dojoProcess(args, folder, endAfter(120_000));
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});

test("files that include each other without end are refused", async () => {
  for (let i = 0; i < 300; i++)
    write(`chain${i}.xml`, `<mujoco><default>${includes(`chain${i + 1}.xml`)}</default></mujoco>`);
  write("a.xml", includes("b.xml"));
  write("b.xml", includes("a.xml"));
  const long = await dojo(["simulate", "chain0.xml"], folder);
  expect(long.stderr).toMatch(/chain\d+\.xml:\d+: .*nests deeper than 200 with its includes/);
  const circle = await dojo(["simulate", "a.xml"], folder);
  expect(circle.stderr).toMatch(/b\.xml:2: .*"a\.xml" is included already/);
  expect([long.code, circle.code]).toEqual([2, 2]);
});

describe("control characters of a file are shown, not obeyed", () => {
  const evil = "tool\u001b[2J\u001b]0;title\u0007\u009b31m\r\nnote: fine\u202e";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  const acting = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/;
  const description: MechanismDescription = {
    name: evil,
    timestep: 0.01,
    bodies: { [evil]: box({ size: [1, 1, 1], mass: 1 }) },
    joints: { [evil]: floating({ parent: "world", child: evil }) },
  };
  beforeAll(() => {
    write("evil.json", toJson(description));
    write("wrong.json", toJson(description).replace('"mass": 1', '"mass": -1'));
    write("broken.json", `{ "x": "${evil}`);
    write("evil.urdf", '<robot name="a&#x9b;31m">\n<link name="b&#x9b;2J&#10;note: fine" colour="&#x9b;1m"/></robot>');
    write(
      "evil.xml",
      '<mujoco model="&#x9b;31m"><worldbody><body name="&#x9b;2J"><geom size="1" type="&#x9b;"/></body></worldbody></mujoco>',
    );
  });
  test.each([
    ["a run", ["simulate", "evil.json", "--time", "0.02"], 0],
    ["a run as JSON", ["simulate", "evil.json", "--time", "0.02", "--json"], 0],
    ["gradients", ["gradients", "evil.json"], 0],
    ["an export", ["export", "evil.json", "--out", "out.urdf"], 0],
    ["a name that is not there", ["simulate", "evil.json", "--set", "bodies.x.mass=1"], 2],
    ["a wrong description", ["simulate", "wrong.json"], 2],
    ["broken JSON", ["simulate", "broken.json"], 2],
    ["a URDF file", ["simulate", "evil.urdf"], 2],
    ["an MJCF file", ["simulate", "evil.xml"], 2],
    ["a file of that name", ["simulate", `${evil}.json`], 2],
    ["an option of that name", ["simulate", `--${evil.replace("\n", "")}`], 2],
  ])("%s", async (_, args, expected) => {
    const { code, stdout, stderr } = await dojo(args, folder);
    expect(stdout + stderr).not.toMatch(acting);
    expect(stderr).not.toMatch(/^note: fine/m);
    expect(stdout).not.toMatch(/^note: fine/m);
    expect(code).toBe(expected);
  });
  test("by their codes", async () => {
    expect((await dojo(["simulate", "wrong.json"], folder)).stderr).toContain("tool\\u001b[2J");
    const { worstEntry } = await dojoJson<{ worstEntry: string }>(["gradients", "evil.json"], folder);
    expect(worstEntry).toContain(evil);
  });
});

describe.skipIf(!existsSync("/dev/full"))("standard output", () => {
  test.each([
    ["a table", ["list"]],
    ["JSON", ["simulate", "pendulum", "--time", "0.1", "--json"]],
    ["help", ["simulate", "--help"]],
  ])("that is full is an error without a stack: %s", (_, args) => {
    const full = openSync("/dev/full", "w");
    const { status, stderr } = spawnSync(process.execPath, [main, ...args], { stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    expect(stderr.toString()).toBe("error: cannot write to standard output: the disk is full\n");
    expect(status).toBe(2);
  });
  test("that is closed early is none", () => {
    const { stdout, stderr } = spawnSync("sh", [
      "-c",
      `"$0" "$1" list | head -1; "$0" "$1" gradients pendulum | head -1`,
      process.execPath,
      main,
    ]);
    expect(stderr.toString()).toBe("");
    expect(stdout.toString()).toMatch(/^model .*\nnext by state/);
  });
  test("that is closed early loses no file", () => {
    const command = '"$0" "$1" plan box-right --iterations 2 --out plan.json | head -1';
    const { stderr } = spawnSync("sh", ["-c", command, process.execPath, main], { cwd: folder });
    expect(stderr.toString()).toMatch(/^note: the limit of iterations was reached.*\n$/);
    expect(existsSync(join(folder, "plan.json"))).toBe(true);
  });
  test("notes that cannot be written change nothing", () => {
    const full = openSync("/dev/full", "w");
    const { status } = spawnSync(process.execPath, [main, "simulate", "nothing"], { stdio: ["ignore", "pipe", full] });
    closeSync(full);
    expect(status).toBe(2);
  });
});

describe.skipIf(process.platform === "win32")("a signal ends the program at once", () => {
  beforeAll(() => {
    // seconds of import and compilation, in which nothing turns the event loop
    const bodies = Array.from(
      { length: 2500 },
      (_, i) => `<body pos="${i} 0 0"><joint axis="0 1 0"/><geom size=".1"/></body>`,
    );
    write(
      "large.xml",
      `<mujoco><worldbody><body><freejoint/><geom size=".1"/>${bodies.join("")}</body></worldbody></mujoco>`,
    );
  });
  test.each(["SIGINT", "SIGTERM"] as const)("%s during an import", async (signal) => {
    const args = ["simulate", "large.xml", "--out", "large.csv"];
    const child = spawn(process.execPath, [main, ...args], { cwd: folder, stdio: "ignore" });
    const ended = new Promise<string | null>((resolve) => child.on("close", (_, by) => resolve(by)));
    await busy(child, 1000);
    child.kill(signal);
    // by the signal itself: a program that listened would go on to the end of the import, and leave by an exit code
    expect(await ended).toBe(signal);
    expect(readdirSync(folder).filter((name) => name.includes("large.csv"))).toEqual([]);
  });
});

test("SIGTERM ends a run as Ctrl-C does, with its own exit code", async () => {
  write("noted.urdf", notedRobot);
  const args = ["simulate", "noted.urdf", "--time", "100000", "--out", "cut.csv"];
  const { code, stderr } = await dojoProcess(args, folder, (child) => {
    void stepping(child).then(() => child.kill("SIGTERM"));
  });
  expect(code).toBe(143);
  expect(stderr).toMatch(/interrupted after \d+ of 10000000 steps; the files hold these/);
  expect(readdirSync(folder).filter((name) => name.includes("cut.csv"))).toEqual(["cut.csv"]);
});

/** So that a wait without end fails the test soon. */
function endAfter(milliseconds: number): (child: ChildProcess) => void {
  return (child) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), milliseconds);
    child.on("close", () => clearTimeout(timer));
  };
}
