/** Whether data that were read are a parameter set: of files and messages, whose types nobody has checked. */
import { ArgumentError } from "../mechanism/index.ts";
import type { Simulation } from "../simulation/index.ts";
import { ParameterMap, type ParameterSet, requireParameters } from "./parameterSet.ts";

/**
 * Throws at the first part of another type; with a simulation, also at the first formula that does not fit it. `at` stands before the path of
 * the fault, such as the file's name.
 */
export function requireParameterSet(data: unknown, at = "", simulation?: Simulation): ParameterSet {
  const placed = (path: string): string => (at === "" ? path : `${at}: ${path}`);
  const wrong = (path: string, wanted: string): never => {
    throw new ArgumentError("bad-type", placed(path), `must be ${wanted}`);
  };
  const record = (value: unknown, path: string, wanted: string): Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : wrong(path, wanted);
  const formula = (value: unknown, path: string): void => {
    if (typeof value !== "string") wrong(path, `a formula as text, such as ${JSON.stringify(exampleOf(value))}`);
  };
  const { parameters, constants, values, measured } = record(data, "the file", "an object with parameters and values");
  const ranges = record(parameters, "parameters", 'an object of "name": { "start", "lower", "upper" }');
  for (const [name, range] of Object.entries(ranges)) {
    const entries = Object.entries(record(range, `parameters.${name}`, 'an object with "start"'));
    for (const [key, value] of entries) {
      if (typeof value !== "number") wrong(`parameters.${name}.${key}`, "a number");
    }
  }
  for (const [name, value] of Object.entries(
    constants === undefined ? {} : record(constants, "constants", "an object of numbers"),
  )) {
    if (typeof value !== "number") wrong(`constants.${name}`, "a number");
  }
  for (const [path, value] of Object.entries(record(values, "values", 'an object of "path": "formula"'))) {
    formula(value, `values.${path}`);
  }
  for (const [body, value] of Object.entries(
    measured === undefined ? {} : record(measured, "measured", "an object of bodies"),
  )) {
    const { point, scale } = record(value, `measured.${body}`, 'an object with "point" or "scale"');
    if (scale !== undefined) formula(scale, `measured.${body}.scale`);
    if (point === undefined) continue;
    if (!Array.isArray(point) || point.length !== 3) wrong(`measured.${body}.point`, "three formulas");
    (point as unknown[]).forEach((each, i) => {
      formula(each, `measured.${body}.point.${i}`);
    });
  }
  const set = data as ParameterSet;
  try {
    requireParameters(set);
    if (simulation) new ParameterMap(simulation, set, Object.keys(set.measured ?? {}));
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    const [{ code, path, message }] = error.faults;
    throw new ArgumentError(code, placed(path), message);
  }
  return set;
}

const exampleOf = (value: unknown): string => (typeof value === "number" ? String(value) : "2 * half");
