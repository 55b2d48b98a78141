/** Stages one after the other: what they warn of, and what is kept when they are ended. */
import { expect, test } from "vitest";
import { type Executor, inlineExecutor } from "../work/index.ts";
import { startsInContact } from "./groundCheck.ts";
import { type Identification, identify, type Stage } from "./identify.ts";
import type { ParameterSet } from "./parameterSet.ts";
import { requireParameterSet } from "./parameterSetShape.ts";
import type { Recording } from "./recording.ts";
import { syntheticTosses } from "./syntheticTosses.ts";
import { tossedCube, tossedCubeDescription, tossParameters } from "./tossedCube.ts";

const set = tossParameters(["friction"], { gravity: 9.6 });
const recordings = syntheticTosses(set, { friction: 0.25 }, { count: 1, frames: 60 });
const problem = { description: tossedCubeDescription(), set, recordings };
const fit: Stage = { kind: "fit", name: "pairs", sampling: { every: 7, window: 1 }, starts: "fixed", maxIterations: 8 };
const search: Stage = { kind: "search", name: "search", steps: { friction: 0.2 }, sampling: {}, length: 1 };

const codes = ({ warnings }: Identification) => warnings.map(({ code, parameter }) => [code, parameter]);

/** Scores that are best at a friction of one's own. */
function wanting(friction: number): Executor {
  const own = inlineExecutor();
  const map: Executor["map"] = async (kind, context, jobs, options) => {
    if (kind.name !== "identification.score") return own.map(kind, context, jobs, options);
    const outcome = (theta: Float64Array) => ({ position: Math.abs(theta[0] - friction), rotation: 0, failures: 0 });
    return jobs.map((job) => outcome((job as { theta: Float64Array }).theta)) as never;
  };
  return { ...own, map };
}

test("a search that leaves the fit's interval, and windows that start in contact, are warned of", async () => {
  const far = await identify(problem, [fit, search], { executor: wanting(0.9) });
  expect(codes(far)).toEqual([
    ["starts-in-contact", undefined],
    ["moved-out", "friction"],
  ]);
  // the interval goes along with the value
  const { value, interval } = far.parameters.friction;
  expect(value).toBeCloseTo(0.9, 1);
  expect(((interval?.[0] ?? 0) + (interval?.[1] ?? 0)) / 2).toBeCloseTo(value, 12);
  const fitted = (await identify(problem, [fit])).parameters.friction.value;
  const near = await identify(problem, [fit, search], { executor: wanting(fitted) });
  expect(codes(near)).toEqual([["starts-in-contact", undefined]]);
});

test("ended before its first evaluation, a stage leaves what there was", async () => {
  const signal = AbortSignal.abort();
  const { parameters, stages, converged, ended } = await identify(problem, [fit], { signal });
  expect([stages.length, converged, ended]).toEqual([0, false, true]);
  expect(parameters.friction).toEqual({ value: 0.18, interval: null, start: 0.18 });
});

test("windows start in contact where a corner is at the ground", () => {
  // five frames high up, then five with the lower corners in the ground's plane
  const heights = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0].map((up) => up + tossedCube.recordedHalfWidth);
  const recording: Recording = {
    ...recordings[0],
    frames: heights.length,
    poses: { cube: Float64Array.from(heights.flatMap((z) => [0, 0, z, 1, 0, 0, 0])) },
  };
  // starts are frames 1 to 8
  expect(startsInContact(problem.description, [recording], { window: 1 })).toEqual({ count: 4, of: 8 });
});

test.each<[string, unknown]>([
  ["ties.json: parameters", { parameters: null, values: null }],
  ["ties.json: values", { parameters: {}, values: [] }],
  ["ties.json: values.gravity.z", { parameters: {}, values: { "gravity.z": 3 } }],
  ["ties.json: parameters.g.start", { parameters: { g: { start: "1" } }, values: {} }],
  ["ties.json: measured.cube.point.1", { parameters: {}, values: {}, measured: { cube: { point: ["0", 0, "0"] } } }],
])("what is no parameter set is named with its place: %s", (path, data) => {
  expect(() => requireParameterSet(data, "ties.json")).toThrow(`bad-type at ${path}: `);
  const good: ParameterSet = set;
  expect(requireParameterSet(good)).toBe(good);
});
