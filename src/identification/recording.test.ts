/** Tables of recordings: what is read, and how faults are named. */
import { describe, expect, it } from "vitest";
import { capsule, revolute } from "../mechanism/index.ts";
import { compile } from "../simulation/index.ts";
import { parseRecording } from "./recording.ts";
import { tossedCubeDescription } from "./tossedCube.ts";

const cube = compile(tossedCubeDescription());
const arm = compile({
  timestep: 0.01,
  bodies: { rod: capsule({ radius: 0.05, length: 1, mass: 1 }) },
  joints: {
    hinge: revolute({ parent: "world", child: "rod", axis: [1, 0, 0], childAnchor: [0, 0, 0.5], actuated: true }),
  },
});
const header = "x,y,z,qw,qx,qy,qz";
const frames = ["0,0,0.3,1,0,0,0", "0.01,0,0.29,1,0,0,0", "0.02,0,0.28,-1,0,0,0"];
const read = (lines: readonly string[], options = {}) =>
  parseRecording(lines.join("\n"), cube, { file: "toss.csv", rate: 148, ...options });

describe("recordings", () => {
  it("of poses have seven numbers per frame, with quaternions that do not jump", () => {
    const { poses, frames: count, interval } = read([header, ...frames]);
    expect(count).toBe(3);
    expect(interval).toBe(1 / 148);
    expect(Array.from(poses.cube.slice(14))).toEqual([0.02, 0, 0.28, 1, -0, -0, -0]);
  });

  it("may have their names and numbers in quotation marks, and have to be UTF-8", () => {
    const quoted = [header, ...frames].map((line) => line.replace(/[^,]+/g, '"$&"'));
    expect(read(quoted)).toEqual(read([header, ...frames]));
    expect(() => read([...`${header}\n${frames[0]}`].map((letter) => `${letter}\0`))).toThrow("not-text at toss.csv:1");
  });

  it("may be tables of a simulation, in which inputs stand where their steps end", () => {
    const rows = ["time,coordinates.hinge.angle,rates.hinge.angle,inputs.hinge.angle,solver.iterations"];
    rows.push("0,0.1,0,,", "0.01,0.11,1,5,3", "0.02,0.12,1,6,3");
    const { coordinates, inputs } = parseRecording(rows.join("\n"), arm, { file: "run.csv" });
    expect(Array.from(coordinates["hinge.angle"])).toEqual([0.1, 0.11, 0.12]);
    expect(Array.from(inputs["hinge.angle"]).slice(0, 2)).toEqual([5, 6]);
    // elsewhere an empty field stays a gap
    const own = ["time,hinge.angle,inputs.hinge.angle", "0,0.1,", "0.01,0.11,5", "0.02,0.12,6"];
    expect(() => parseRecording(own.join("\n"), arm, { file: "own.csv" })).toThrow("not-finite at own.csv:2");
  });

  it("take rate, body and unit of length from notes above the header", () => {
    const notes = ["# rate: 50", "# length: 0.001", "# body: cube"];
    const { poses, interval } = read([...notes, header, ...frames], { rate: undefined });
    expect(interval).toBe(0.02);
    expect(poses.cube[2]).toBeCloseTo(3e-4, 12);
  });

  it("of joint angles and inputs go by their names, or by names of one's own", () => {
    const text = "t;q1;inputs.hinge.angle;battery\n0;0.1;1;12\n0.01;0.2;2;12\n0.02;0.3;3;12";
    const options = { columns: { q1: "hinge.angle" }, ignore: ["battery"] };
    const { coordinates, inputs, interval } = parseRecording(text, arm, options);
    expect(Array.from(coordinates["hinge.angle"])).toEqual([0.1, 0.2, 0.3]);
    expect(Array.from(inputs["hinge.angle"])).toEqual([1, 2, 3]);
    expect(interval).toBeCloseTo(0.01, 12);
  });

  it.each([
    ["ragged-row at toss.csv:3", [header, frames[0], "0,0,0.3,1,0,0", frames[2]]],
    ["not-finite at toss.csv:2", [header, "0,0,NaN,1,0,0,0", frames[1], frames[2]]],
    ["not-finite at toss.csv:4", [header, frames[0], "", ",0,0.3,1,0,0,0", frames[2]]],
    ["unsorted at toss.csv:4", [`time,${header}`, `0,${frames[0]}`, `0.02,${frames[1]}`, `0.01,${frames[2]}`]],
    ["time-units at toss.csv:3", [`time,${header}`, ...[0, 10, 20, 30].map((t) => `${t},${frames[0]}`)]],
    ["uneven-time at toss.csv:4", [`time,${header}`, ...[0, 0.01, 0.03, 0.04].map((t) => `${t},${frames[0]}`)]],
    ["not-unit at toss.csv:2", [header, "0,0,0.3,0.5,0,0,0", ...frames]],
    ["unknown-column at toss.csv:1", [`${header},speed`, ...frames.map((row) => `${row},1`)]],
    ["unknown-column at toss.csv:1", [`${header},constructor`, ...frames.map((row) => `${row},1`)]],
    ["incomplete-pose at toss.csv:1", ["x,y,z", "0,0,1", "0,0,1", "0,0,1"]],
    ["no-header at toss.csv:1", frames],
    ["too-few-frames at toss.csv", [header, frames[0]]],
    ["empty-file at toss.csv", [""]],
    ["bad-note at toss.csv:1", ["# rate: fast", header, ...frames]],
  ])("with a fault are refused with file and line: %s", (expected, lines) => {
    expect(() => read(lines, expected.startsWith("bad-note") ? { rate: undefined } : {})).toThrow(expected);
  });

  it("with inputs of a joint without a motor say so", () => {
    const text = ["time,hinge.angle,inputs.hinge.angle", "0,0,1", "0.01,0,2", "0.02,0,3"].join("\n");
    expect(parseRecording(text, arm).inputs["hinge.angle"]).toEqual(Float64Array.of(1, 2, 3));
    const hinge = revolute({ parent: "world", child: "rod", axis: [1, 0, 0], childAnchor: [0, 0, 0.5] });
    const free = compile({ ...arm.description, joints: { hinge } });
    expect(() => parseRecording(text, free)).toThrow("hinge.angle has no motor in this mechanism");
  });

  it("without a clock are refused with the way out", () => {
    expect(() => read([header, ...frames], { rate: undefined })).toThrow(/no-time at toss.csv:1: .*# rate: 100/);
  });
});
