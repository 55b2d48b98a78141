/** What a description is made into, once for all environments that share it. Throws where a field is out of range. */
import { maximalState, minimalState } from "../coordinates/index.ts";
import { ArgumentError, type Mechanism, requireOptionNames } from "../mechanism/index.ts";
import { compile } from "../simulation/index.ts";
import { type EnvironmentDescription, environmentFields } from "./description.ts";
import { type ActionMap, EnvironmentFunctions } from "./environmentFunctions.ts";
import { BoxSpace, perEntry } from "./space.ts";

export interface EnvironmentParts {
  readonly mechanism: Mechanism;
  readonly actions: ActionMap;
  readonly actionSpace: BoxSpace;
  readonly observationSpace: BoxSpace;
  readonly stepsPerAction: number;
  readonly functions: EnvironmentFunctions;
  /** Joint coordinates of starts, then rates, and the half-width of their noise. */
  readonly startCenter: Float64Array;
  readonly startNoise: Float64Array;
}

export function environmentParts(description: EnvironmentDescription): EnvironmentParts {
  requireOptionNames("environment", description, environmentFields);
  const { horizon, stepsPerAction = 1, start = {}, startNoise = 0, observationBounds = {} } = description;
  const { actionScale = 1, actionOffset = 0, actionLimit = Number.POSITIVE_INFINITY } = description;
  requireCount("horizon", horizon);
  requireCount("stepsPerAction", stepsPerAction);
  const { relativeKappa = 1 } = description;
  checked("relativeKappa", 1, relativeKappa, "positive", (value) => value > 0 && value < Number.POSITIVE_INFINITY);
  const mechanism = compile(description.mechanism);
  const { inputSize, coordinateCount } = mechanism;
  const scale = checked(
    "actionScale",
    inputSize,
    actionScale,
    "positive",
    (value) => value > 0 && value < Number.POSITIVE_INFINITY,
  );
  const offset = checked("actionOffset", inputSize, actionOffset, "finite", Number.isFinite);
  const limit = checked("actionLimit", inputSize, actionLimit, "positive", (value) => value > 0);
  const isWidth = (value: number): boolean => value >= 0 && value < Number.POSITIVE_INFINITY;
  const noise = checked("startNoise", 2 * coordinateCount, startNoise, "0 or more", isWidth);
  const actions = { offset, scale };
  const functions = new EnvironmentFunctions(mechanism, actions, description);
  const lowest = Array.from(limit, (most) => -most);
  return {
    mechanism,
    actions,
    actionSpace: new BoxSpace(inputSize, lowest, Array.from(limit)),
    observationSpace: new BoxSpace(functions.observationSize, observationBounds.low, observationBounds.high),
    stepsPerAction,
    functions,
    startCenter: minimalState(mechanism, maximalState(mechanism, start)),
    startNoise: noise,
  };
}

function requireCount(path: string, value: number): void {
  if (Number.isInteger(value) && value >= 1) return;
  throw new ArgumentError("out-of-range", path, `${value}: give a whole number of steps, 1 or more`);
}

/** One number for each entry, each of them as it must be. */
function checked(
  path: string,
  size: number,
  given: Parameters<typeof perEntry>[1],
  what: string,
  isGood: (value: number) => boolean,
): Float64Array {
  const values = perEntry(size, given, path);
  const bad = values.findIndex((value) => !isGood(value));
  if (bad < 0) return values;
  throw new ArgumentError("out-of-range", `${path}[${bad}]`, `${values[bad]}: give a number that is ${what}`);
}
