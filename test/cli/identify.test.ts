/** dojo identify, on data small enough for a test. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import {
  box,
  floating,
  frictionContact,
  identify,
  type MechanismDescription,
  type Stage,
  syntheticTosses,
  toJson,
  tossedCubeDescription,
  tossParameters,
  tossStages,
} from "../../src/index.ts";
import { buildCli, dojo, dojoJson, type Outcome, workFolder } from "./runCli.ts";

interface Score {
  readonly positionPercent: number;
  readonly rotationDegrees: number;
  readonly tosses: number;
}
interface Result {
  readonly train: Score;
  readonly test: Score;
  readonly parameters: Readonly<Record<string, { value: number; interval: [number, number] | null; start: number }>>;
  readonly truth?: Readonly<Record<string, number>>;
}

// replays have the built viewer in them
beforeAll(buildCli);

const header = "x,y,z,qw,qx,qy,qz";
const short = ["--evaluations", "0", "--iterations", "6", "--workers", "1"];

test("fits made-up tosses, writes the fit, and scores others with it", async () => {
  const folder = workFolder();
  const [fit, figure, page] = ["fit.json", "fit.svg", "toss.html"].map((name) => join(folder, name));
  const names = ["--parameters", "friction,halfWidth,centerOfMass"];
  const out = ["--out", fit, "--out", figure, "--out", page];
  const first = await dojoJson<Result>(["identify", ...short, ...names, "--train", "12", ...out]);
  expect([first.train.tosses, first.test.tosses]).toEqual([12, 28]);
  const { friction, comZ } = first.parameters;
  expect(friction.start).toBe(0.18);
  expect(friction.interval?.[0]).toBeLessThan(friction.value);
  expect(Math.abs(comZ.value - 0.006)).toBeLessThan(0.002);
  expect(first.test.positionPercent).toBeLessThan(30);
  expect(readFileSync(figure, "utf8")).toContain("comZ");
  expect(readFileSync(page, "utf8")).toContain("recorded");

  // the same data, only scored: the first 12 count as held out too
  const again = await dojoJson<Result>(["identify", "--parameters-from", fit, "--train", "0", "--workers", "1"]);
  expect(again.test.tosses).toBe(40);
  expect(again.parameters.friction.value).toBe(friction.value);
  const both = (12 * first.train.positionPercent + 28 * first.test.positionPercent) / 40;
  expect(again.test.positionPercent).toBeCloseTo(both, 9);
});

test("reads recordings from a folder: the same numbers as the library's", async () => {
  const folder = workFolder();
  const set = tossParameters(["friction"], { gravity: 9.6 });
  const tosses = syntheticTosses(set, { friction: 0.25 }, { count: 3, seed: 5, frames: 60 });
  tosses.forEach(({ poses, frames }, i) => {
    const rows = Array.from({ length: frames }, (_, k) => poses.cube.subarray(7 * k, 7 * k + 7).join(","));
    writeFileSync(join(folder, `${i}.csv`), `${[header, ...rows].join("\n")}\n`);
  });
  const result = await dojoJson<Result>([
    "identify",
    "--data",
    folder,
    "--parameters",
    "friction",
    ...short,
    "--train",
    "2",
  ]);
  expect([result.train.tosses, result.test.tosses]).toEqual([2, 1]);
  const problem = { description: tossedCubeDescription(), set, recordings: tosses.slice(0, 2) };
  const stages = tossStages(set, { evaluations: 0 }).filter(({ kind }) => kind === "fit");
  const expected = await identify(
    problem,
    stages.map((stage) => ({ ...stage, maxIterations: 6 }) as Stage),
  );
  // quaternions are normalised again when they are read
  expect(result.parameters.friction.value).toBeCloseTo(expected.parameters.friction.value, 9);
});

test("a fit of all recordings says that none is left to score it on, and one of some does not", async () => {
  const folder = workFolder();
  const [{ poses, frames }] = syntheticTosses(tossParameters(["friction"]), {}, { count: 1, seed: 5, frames: 60 });
  const rows = Array.from({ length: frames }, (_, k) => poses.cube.subarray(7 * k, 7 * k + 7).join(","));
  for (const name of ["a.csv", "b.csv"]) writeFileSync(join(folder, name), `${[header, ...rows].join("\n")}\n`);
  const codesOf = async (train: string): Promise<readonly string[]> => {
    const given = ["identify", "--data", folder, "--parameters", "friction", ...short, "--train", train];
    return (await dojoJson<{ warnings: { code: string }[] }>(given)).warnings.map(({ code }) => code);
  };
  expect(await codesOf("2")).toContain("nothing-held-out");
  expect(await codesOf("1")).not.toContain("nothing-held-out");
});

test("a friction that has no upper end is shown so in text, JSON and figure", async () => {
  const folder = workFolder();
  const [log, model, ties, figure] = ["log.csv", "crate.json", "ties.json", "fit.svg"].map((name) =>
    join(folder, name),
  );
  // on a slope of 15 degrees, which it does not slide down
  const description: MechanismDescription = {
    timestep: 0.01,
    gravity: [2.539, 0, -9.4757],
    bodies: { crate: box({ size: [0.2, 0.2, 0.1], mass: 1 }) },
    joints: { base: floating({ parent: "world", child: "crate" }) },
    contacts: [-0.1, 0.1].flatMap((x) =>
      [-0.1, 0.1].map((y) => frictionContact({ body: "crate", point: [x, y, -0.05], frictionCoefficient: 0.6 })),
    ),
  };
  writeFileSync(model, toJson(description));
  const rest = Array.from({ length: 45 }, (_, k) => `${k / 100},0,0,0.05,1,0,0,0`);
  writeFileSync(log, ["time,x,y,z,qw,qx,qy,qz", ...rest].join("\n"));
  const parameters = { friction: { start: 0.6, lower: 0 } };
  writeFileSync(ties, JSON.stringify({ parameters, values: { "contacts.*.frictionCoefficient": "friction" } }));
  const args = ["identify", "--data", log, "--model", model, "--parameters", ties, "--workers", "1"];
  const shown = await dojo([...args, "--out", figure]);
  expect(shown.stdout).toMatch(/friction +0\.6\d* +above 0\.26\d*/);
  expect(shown.stderr).toMatch(/friction is not determined by these data: any above 0\.26\d* predicts them as well/);
  expect(readFileSync(figure, "utf8")).not.toMatch(/NaN|Infinity/);
  const { parameters: found } = await dojoJson<Result>(args);
  expect(found.friction.interval).toEqual([expect.closeTo(0.268, 2), null]);
});

describe("bad input", () => {
  const rows = ["0,0,0.12,1,0,0,0", "0,0,0.1,1,0,0,0", "0,0,0.08,1,0,0,0", "0,0,0.06,1,0,0,0", "0,0,0.0513,1,0,0,0"];
  const files: readonly [string, string, readonly string[]][] = [
    ["ragged-row at toss.csv:3", [header, rows[0], "1,2", ...rows].join("\n"), []],
    ["not-finite at toss.csv:2", [header, "0,0,inf,1,0,0,0", ...rows].join("\n"), []],
    ["not-finite at toss.csv:3", [header, rows[0], "0,0,0x10,1,0,0,0", ...rows].join("\n"), []],
    [
      "both-given at toss.csv:1",
      [`time,${header}`, ...rows.map((row, k) => `${k / 100},${row}`)].join("\n"),
      ["--rate", "9"],
    ],
    ["unsorted at toss.csv:3", [`time,${header}`, `1,${rows[0]}`, `0,${rows[1]}`, `2,${rows[2]}`].join("\n"), []],
    ["unknown-column at toss.csv:1", [`${header},speed`, ...rows.map((row) => `${row},1`)].join("\n"), []],
    ["below-ground at toss.csv:7", [header, ...rows, "0,0,-0.5,1,0,0,0"].join("\n"), []],
    // millimetres
    [
      "never-lands at toss.csv",
      [header, ...Array.from({ length: 30 }, () => rows[0].replace("0.12", "120"))].join("\n"),
      [],
    ],
    ["too-few-frames at toss.csv", [header, rows[0]].join("\n"), []],
    ["unknown-parameter at frction", [header, ...rows].join("\n"), ["--parameters", "frction"]],
  ];
  test.each(files)("is named with file and line: %s", async (message, text, options) => {
    const file = join(workFolder(), "toss.csv");
    writeFileSync(file, text);
    const { code, stderr } = await dojo(["identify", "--data", file, "--workers", "1", ...options]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  test("of formulas is named with their file", async () => {
    const folder = workFolder();
    const [log, ties] = [join(folder, "toss.csv"), join(folder, "ties.json")];
    writeFileSync(log, [header, ...rows].join("\n"));
    const parameters = { half: { start: 0.05 } };
    for (const [values, message] of [
      [
        { "contacts.corner0.point.z": "-haf" },
        'ties.json: contacts.corner0.point.z: "-haf": no parameter is called "haf"',
      ],
      [
        { "contacts.cornr0.point.z": "-half" },
        "ties.json: contacts.cornr0.point.z: no such parameter of the mechanism",
      ],
    ] as const) {
      writeFileSync(ties, JSON.stringify({ parameters, values }));
      const { code, stderr } = await dojo(["identify", "--data", log, "--parameters", ties]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  });

  test("a replay of joint angles is refused before they are fitted", async () => {
    const folder = workFolder();
    const [log, page, fit] = ["log.csv", "toss.html", "fit.json"].map((name) => join(folder, name));
    writeFileSync(log, ["time,hinge.angle", ...Array.from({ length: 40 }, (_, k) => `${k / 100},1`)].join("\n"));
    const what = ["--data", log, "--model", "pendulum", "--parameters", "gravity.z"];
    const { code, stdout, stderr } = await dojo(["identify", ...what, "--out", page, "--out", fit]);
    expect([code, stdout, stderr]).toEqual([
      2,
      "",
      expect.stringContaining("toss.html: a replay shows recorded poses"),
    ]);
  });

  test.each([
    [[], "friction,friction", "both-given at friction: is named twice"],
    [["--model", "hopper"], "contacts.*.frictionCoefficient,contacts.thigh.frictionCoefficient", "is found by another"],
    [
      ["--model", "hopper"],
      "bodies.torso.inertia.xx,bodies.torso.inertia",
      "bodies.torso.inertia.xx is found by another",
    ],
    [
      ["--model", "hopper"],
      "bodies.torso.centerOfMass,bodies.torso.centerOfMass.z",
      "centerOfMass.z is found by another",
    ],
  ])("of a number that two parameters are for (%j, %s) is told", async (model, names, message) => {
    const { code, stderr } = await dojo(["identify", "--data", "nowhere", ...model, "--parameters", names]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test("of files that are not there, or are no fit, is told with a way out", async () => {
    const nothing = await dojo(["identify", "--data", "nowhere"]);
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining("--data nowhere")]);
    const file = join(workFolder(), "fit.json");
    writeFileSync(file, "{}");
    const noFit = await dojo(["identify", "--parameters-from", file]);
    expect([noFit.code, noFit.stderr]).toEqual([2, expect.stringContaining("bad-fit")]);
  });
});

describe("Ctrl-C", () => {
  /** Sends it as soon as the command listens. */
  const interrupted = async (args: readonly string[], cwd: string): Promise<Outcome> => {
    const run = dojo(["identify", "--parameters", "friction", "--workers", "1", ...args, "--json"], cwd);
    while (process.listenerCount("SIGINT") === 0) await setImmediate();
    process.emit("SIGINT", "SIGINT");
    return run;
  };

  test("in a fit keeps the best so far, and waits for no scores", async () => {
    const folder = workFolder();
    const { code, stdout, stderr } = await interrupted(["--out", "fit.json"], folder);
    expect(stderr).toContain("interrupted: the best fit so far is kept");
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ train: null, test: null, files: ["fit.json"] });
    expect(JSON.parse(readFileSync(join(folder, "fit.json"), "utf8")).parameters.friction.value).toBeGreaterThan(0);
  });

  test("in scores ends them, and loses no fit", async () => {
    const { code, stdout, stderr } = await interrupted(["--train", "0"], workFolder());
    expect(stderr).toContain("interrupted: not all recordings are scored");
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ test: null, files: [] });
  });
});
