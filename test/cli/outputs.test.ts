/** The files that `dojo simulate --out` writes, read back. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { McapIndexedReader } from "@mcap/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compile, models, Simulation } from "../../src/index.ts";
import { buildCli, dojo, dojoProcess, notedRobot, stepping, workFolder } from "./runCli.ts";

const folder = workFolder();
const kinds = ["json", "csv", "npz", "mcap", "html"];
const read = (name: string): Buffer => readFileSync(join(folder, name));
const steps = 20;
let trajectory: {
  format: string;
  timestep: number;
  times: number[];
  states: number[][];
  stateNames: string[];
  inputs: number[][];
  coordinates: number[][];
  contacts: Record<string, { normal: number; distance: number }[]>;
  reports: unknown[];
  summary: { model: string; steps: number };
};

beforeAll(async () => {
  await buildCli();
  const out = kinds.flatMap((kind) => ["--out", `run.${kind}`]);
  const args = ["simulate", "hopper", "--time", "0.2", "--input", "random:3:2", ...out];
  const { code, stdout, stderr } = await dojo(args, folder);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const kind of kinds) expect(stdout).toContain(`run.${kind} (`);
  trajectory = JSON.parse(read("run.json").toString());
});
afterAll(() => rmSync(folder, { recursive: true }));

test("nothing but the files is left", () => {
  expect(readdirSync(folder).sort()).toEqual(kinds.map((kind) => `run.${kind}`).sort());
});

describe("JSON", () => {
  test("has states, inputs, contacts and reports of every step", () => {
    expect(trajectory.format).toBe("dojo-sim trajectory");
    expect(trajectory.summary).toMatchObject({ model: "hopper", steps });
    expect(trajectory.times).toHaveLength(steps + 1);
    expect(trajectory.states).toHaveLength(steps + 1);
    expect(trajectory.states[0]).toHaveLength(trajectory.stateNames.length);
    expect(trajectory.inputs).toHaveLength(steps);
    expect(trajectory.reports).toHaveLength(steps);
    expect(Object.keys(trajectory.contacts).length).toBeGreaterThan(0);
    for (const readings of Object.values(trajectory.contacts)) {
      expect(readings).toHaveLength(steps);
      for (const { distance } of readings) expect(distance).toBeGreaterThan(0);
    }
  });

  test("its states are those of the library, bit for bit", () => {
    const simulation = new Simulation(compile(models.hopper()));
    let state = Float64Array.from(trajectory.states[0]);
    trajectory.inputs.forEach((input, k) => {
      const { status, next } = simulation.step(state, Float64Array.from(input));
      expect(status).toBe("solved");
      state = Float64Array.from(next);
      expect(Array.from(state)).toEqual(trajectory.states[k + 1]);
    });
  });
});

test("CSV has named columns, a row a state, and the same numbers", () => {
  const [heading, ...rows] = read("run.csv").toString().trimEnd().split("\n");
  const columns = heading.split(",");
  expect(rows).toHaveLength(steps + 1);
  expect(new Set(columns).size).toBe(columns.length);
  const cells = rows.map((row) => row.split(","));
  for (const row of cells) expect(row).toHaveLength(columns.length);
  const time = columns.indexOf("time");
  expect(cells.map((row) => Number(row[time]))).toEqual(trajectory.times);
  trajectory.stateNames.forEach((name, i) => {
    const at = columns.indexOf(name);
    expect(cells.map((row) => Number(row[at]))).toEqual(trajectory.states.map((state) => state[i]));
  });
  // what acts in a step stands with the state it leads to
  const input = columns.findIndex((name) => name.startsWith("inputs."));
  expect(cells[0][input]).toBe("");
  expect(Number(cells[1][input])).toBe(trajectory.inputs[0][0]);
});

test("NPZ is a zip of arrays with the same numbers", () => {
  const arrays = npzArrays(read("run.npz"));
  expect(arrays.get("timestep")?.values).toEqual([trajectory.timestep]);
  expect(arrays.get("time")?.values).toEqual(trajectory.times);
  expect(arrays.get("states")?.shape).toEqual([steps + 1, trajectory.stateNames.length]);
  expect(arrays.get("states")?.values).toEqual(trajectory.states.flat());
  expect(arrays.get("inputs")?.values).toEqual(trajectory.inputs.flat());
  expect(arrays.get("coordinates")?.values).toEqual(trajectory.coordinates.flat());
  expect(arrays.get("states_names")?.values[0]).toBe(trajectory.stateNames[0].replace("bodies.", ""));
});

test("MCAP is read by its own library, with poses of every state", async () => {
  const bytes = read("run.mcap");
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: async () => BigInt(bytes.length),
      read: async (offset, length) => new Uint8Array(bytes.subarray(Number(offset), Number(offset + length))),
    },
  });
  expect([...reader.channelsById.values()].map(({ topic }) => topic).sort()).toEqual(["/scene", "/telemetry", "/tf"]);
  expect([...reader.schemasById.values()].map(({ name }) => name)).toContain("foxglove.FrameTransforms");
  const poses: { transforms: { child_frame_id: string; translation: { x: number } }[] }[] = [];
  const times: number[] = [];
  for await (const message of reader.readMessages({ topics: ["/tf"] })) {
    poses.push(JSON.parse(new TextDecoder().decode(message.data)));
    times.push(Number(message.logTime) / 1e9);
  }
  expect(poses).toHaveLength(steps + 1);
  times.forEach((time, k) => {
    expect(time).toBeCloseTo(trajectory.times[k], 9);
    expect(poses[k].transforms[0].translation.x).toBe(trajectory.states[k][0]);
  });
});

test("HTML is one page with its data inside", () => {
  const page = read("run.html").toString();
  expect(page).toMatch(/^<!doctype html>/i);
  expect(page).toContain("hopper");
  expect(page).not.toMatch(/<script[^>]+src=/);
});

test("Ctrl-C writes what was recorded so far, and says so", async () => {
  writeFileSync(join(folder, "noted.urdf"), notedRobot);
  const args = ["simulate", "noted.urdf", "--time", "100000", "--out", "cut.csv", "--out", "cut.json"];
  const { code, stdout, stderr } = await dojoProcess(args, folder, (child) => {
    void stepping(child).then(() => child.kill("SIGINT"));
  });
  expect(code).toBe(130);
  expect(stderr).toMatch(/interrupted after \d+ of 10000000 steps; the files hold these/);
  const taken = Number(/interrupted after (\d+)/.exec(stderr)?.[1]);
  expect(taken).toBeGreaterThan(0);
  expect(stdout).toContain("cut.csv (");
  const rows = read("cut.csv").toString().trimEnd().split("\n");
  expect(rows).toHaveLength(taken + 2);
  const { states, summary } = JSON.parse(read("cut.json").toString());
  expect(states).toHaveLength(taken + 1);
  expect(summary.interrupted).toBe(true);
  expect(readdirSync(folder).filter((name) => name.includes(".tmp"))).toEqual([]);
});

/** Members of a stored zip, each an .npy file of numbers or texts. */
function npzArrays(bytes: Buffer): Map<string, { shape: number[]; values: (number | string)[] }> {
  const arrays = new Map<string, { shape: number[]; values: (number | string)[] }>();
  // the directory's place and length are in the last record
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < bytes.readUInt16LE(end + 10); i++) {
    expect(bytes.readUInt32LE(at)).toBe(0x02014b50);
    const [size, nameLength] = [bytes.readUInt32LE(at + 24), bytes.readUInt16LE(at + 28)];
    const offset = bytes.readUInt32LE(at + 42);
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const start = offset + 30 + bytes.readUInt16LE(offset + 26);
    arrays.set(name.replace(".npy", ""), npyArray(bytes.subarray(start, start + size)));
    at += 46 + nameLength;
  }
  return arrays;
}

function npyArray(bytes: Buffer): { shape: number[]; values: (number | string)[] } {
  expect(bytes.toString("latin1", 1, 6)).toBe("NUMPY");
  const start = 10 + bytes.readUInt16LE(8);
  expect(start % 64).toBe(0);
  const header = bytes.toString("latin1", 10, start);
  const type = /'descr': '<(\w)(\d+)'/.exec(header) ?? [];
  const shape = (/'shape': \(([^)]*)\)/.exec(header)?.[1] ?? "").split(",").filter((part) => part.trim() !== "");
  const sizes = shape.map(Number);
  const count = sizes.reduce((product, size) => product * size, 1);
  const width = type[1] === "U" ? 4 * Number(type[2]) : Number(type[2]);
  expect(bytes.length).toBe(start + count * width);
  const values = Array.from({ length: count }, (_, i) => {
    const from = start + i * width;
    if (type[1] === "f") return bytes.readDoubleLE(from);
    const points = Array.from({ length: width / 4 }, (__, k) => bytes.readUInt32LE(from + 4 * k));
    return String.fromCodePoint(...points.filter((point) => point > 0));
  });
  return { shape: sizes, values };
}

test("files of a scene say which bodies pressed on which, and the summary what was left of an overlap", async () => {
  const there = workFolder();
  const args = ["simulate", "stack", "--time", "0.3", "--out", "run.csv", "--out", "run.json", "--json"];
  const { code, stdout, stderr } = await dojo(args, there);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ lessFrictionSteps: 0, lessPreciseSteps: 0 });
  expect(JSON.parse(stdout).largestOverlap).toBeLessThan(1e-9);
  const [heading, ...rows] = readFileSync(join(there, "run.csv"), "utf8").trimEnd().split("\n");
  const { description, touches } = JSON.parse(readFileSync(join(there, "run.json"), "utf8"));
  const [lowest] = Object.keys(description.bodies);
  const column = heading.split(",").indexOf(`touches.${lowest}.world.force.z`);
  const weight = 9.81 * Object.values<{ mass: number }>(description.bodies).reduce((sum, { mass }) => sum + mass, 0);
  expect(Math.abs(Number(rows.at(-1)?.split(",")[column]) - weight)).toBeLessThan(1e-3 * weight);
  expect(touches).toHaveLength(rows.length - 1);
  expect(touches.at(-1)[0]).toMatchObject({ distance: expect.any(Number), shape: expect.any(String) });
  rmSync(there, { recursive: true });
});
