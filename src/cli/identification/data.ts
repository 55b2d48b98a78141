/** What `dojo identify` works on: mechanism, parameters and recordings, from files, by name, or made up. */
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import {
  compile,
  type IdentificationProblem,
  type MechanismDescription,
  namedParameters,
  type ParameterSet,
  parseFitFile,
  parseRecording,
  type Recording,
  requireAboveGround,
  requireParameterSet,
  requireWindows,
  type Sampling,
  Simulation,
  type Stage,
  syntheticTosses,
  tossedCube,
  tossedCubeDescription,
  tossParameters,
  tossStages,
  tossWidth,
  usualWindow,
  valuesOf,
  wholeToss,
} from "../../index.ts";
import { InputError } from "../inputError.ts";
import { loadModel } from "../loadModel.ts";
import { reason } from "../outputs/outputFile.ts";
import { readText } from "../readFile.ts";
import { type DataFlags, isRecipe, requireEffect, type Settings, settingsOf } from "./options.ts";

export interface Task {
  readonly problem: IdentificationProblem;
  readonly model: string;
  readonly stages: readonly Stage[];
  /** How many recordings are fitted, the first of them. */
  readonly train: number;
  /** Values to begin from, of a fit that was read. */
  readonly values: Readonly<Record<string, number>>;
  /** How predictions are scored, and the length that errors of position are parts of; none of joint angles. */
  readonly scoring: { readonly sampling: Sampling; readonly width: number } | undefined;
  /** Parameters of data that were made up. */
  readonly truth: Readonly<Record<string, number>> | undefined;
}

export const cubeName = "tossed-cube";
const defaultToss = "friction,halfWidth,inertia,centerOfMass,gravity,restitution";
/** The made-up cube: near the real one, as fits see it. */
const syntheticTruth: Readonly<Record<string, number>> = {
  friction: 0.17,
  halfWidth: 0.0513,
  inertia: 1.05e-3,
  comX: 0.001,
  comY: -0.0005,
  comZ: 0.006,
  gravity: 9.6,
  radius: 0.002,
  restitution: 0.2,
};
const syntheticCount = 40;
/** Recordings that are fitted unless told otherwise: of made-up tosses some are left to score. */
const usualTrain = { files: 100, madeUp: 30 };
const syntheticNoise = { position: 5e-4, rotation: 5e-3 };

export function taskOf(flags: DataFlags): Task {
  const settings = settingsOf(flags);
  const kept = flags.parametersFrom === undefined ? undefined : fitOf(flags.parametersFrom);
  const isCube = kept ? kept.model === cubeName : flags.model === undefined || flags.model === cubeName;
  requireEffect(flags, isCube);
  if (flags.data === undefined && !isCube) throw new InputError("--data: which recordings? Give a folder or a file");
  const { description, set, model } = kept ? { ...kept, set: kept.definition } : chosen(flags, isCube);
  const values = kept ? valuesOf(kept.parameters) : {};
  const recordings =
    flags.data === undefined
      ? madeUp(set, settings)
      : read(flags.data, description, { ...settings, body: flags.body }, isCube ? tossedCube.rate : undefined);
  requireAboveGround(compile(description), recordings);
  const usual = flags.data === undefined ? usualTrain.madeUp : usualTrain.files;
  const isPosed = Object.keys(recordings[0].poses).length > 0;
  if (!isPosed && flags.length !== undefined) {
    throw new InputError("--length: scales positions, and only joint coordinates were recorded; leave it out");
  }
  const scoring = isPosed
    ? {
        sampling: isCube ? wholeToss : ({ window: "whole" } as const),
        width: isCube ? tossWidth : reachOf(description),
      }
    : undefined;
  const stages = isRecipe(flags, isCube) ? cubeStages(set, settings) : [plainStage(settings)];
  const train = settings.train ?? usual;
  // what workers would find out after a while
  for (const { sampling } of train === 0 ? [] : stages) requireWindows(recordings.slice(0, train), sampling ?? {});
  if (scoring) requireWindows(recordings, scoring.sampling);
  return {
    problem: { description, set, recordings },
    model,
    stages,
    train,
    values,
    scoring,
    truth: flags.data === undefined ? syntheticTruth : undefined,
  };
}

function fitOf(path: string) {
  return parseFitFile(readText(path), path);
}

function chosen(
  flags: DataFlags,
  isCube: boolean,
): { description: MechanismDescription; set: ParameterSet; model: string } {
  const { parameters } = flags;
  const isFile = parameters?.endsWith(".json") ?? false;
  const names = (parameters ?? defaultToss)
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length === 0) throw new InputError("--parameters is empty; give names between commas, or a .json file");
  if (isCube) {
    const described = (set: ParameterSet): MechanismDescription =>
      tossedCubeDescription({ restitution: Object.keys(set.values).some((path) => path.endsWith(".restitution")) });
    const set = isFile ? setFile(parameters as string, described) : tossParameters(names, { gravity: 9.6 });
    return { description: described(set), set, model: cubeName };
  }
  const { name, description } = loadModel(flags.model as string);
  if (parameters === undefined) {
    const hint = "such as joints.hinge.damping.0,bodies.rod.inertia, or a .json file with formulas";
    throw new InputError(`--parameters: which are to be found? Give names, ${hint}`);
  }
  const set = isFile
    ? setFile(parameters, () => description)
    : namedParameters(new Simulation(compile(description)), names);
  return { description, set, model: name };
}

/** Parameters with formulas, as docs/identification.md has them, that fit the mechanism. */
function setFile(path: string, described: (set: ParameterSet) => MechanismDescription): ParameterSet {
  const text = readText(path);
  try {
    const set = requireParameterSet(JSON.parse(text), path);
    return requireParameterSet(set, path, new Simulation(compile(described(set))));
  } catch (error) {
    throw error instanceof SyntaxError ? new InputError(`${path}: ${error.message}`) : error;
  }
}

function madeUp(set: ParameterSet, { seed = 1 }: Settings): Recording[] {
  const truth = Object.fromEntries(
    Object.keys(set.parameters).map((name) => [name, syntheticTruth[name] ?? set.parameters[name].start]),
  );
  return syntheticTosses(set, truth, { count: syntheticCount, seed, noise: syntheticNoise });
}

function read(
  path: string,
  description: MechanismDescription,
  { rate, length, body, columns, ignore }: Settings & Pick<DataFlags, "body">,
  usualRate: number | undefined,
): Recording[] {
  const mechanism = compile(description);
  const options = { rate, usualRate, body, length, ...(columns && { columns }), ...(ignore && { ignore }) };
  return filesOf(path).map((file) => parseRecording(readText(file), mechanism, { ...options, file: basename(file) }));
}

function filesOf(path: string): string[] {
  let files: string[];
  try {
    if (!statSync(path).isDirectory()) return [path];
    files = readdirSync(path)
      .filter((name) => name.toLowerCase().endsWith(".csv"))
      .sort();
  } catch (error) {
    throw new InputError(`--data ${path}: ${reason(error)}`);
  }
  if (files.length === 0) throw new InputError(`--data ${path}: has no .csv files`);
  return files.map((name) => join(path, name));
}

function cubeStages(set: ParameterSet, { evaluations, iterations }: Settings): Stage[] {
  const stages = tossStages(set, evaluations === undefined ? {} : { evaluations: Math.max(1, evaluations) });
  return stages
    .filter(({ kind }) => kind === "fit" || evaluations !== 0)
    .map((stage) =>
      stage.kind === "fit" && iterations !== undefined ? { ...stage, maxIterations: iterations } : stage,
    );
}

function plainStage(settings: Settings): Stage {
  const { window, every, stepsPerFrame, starts, loss, noise, intervals, iterations } = settings;
  return {
    kind: "fit",
    name: window === "whole" ? "whole recordings" : `windows of ${window ?? usualWindow}`,
    sampling: {
      ...(every !== undefined && { every }),
      ...(window !== undefined && { window }),
      ...(stepsPerFrame !== undefined && { stepsPerFrame }),
    },
    ...(starts && { starts }),
    ...(loss && { loss: { kind: loss } }),
    ...(noise && { noise }),
    ...(intervals && { intervals }),
    ...(iterations !== undefined && { maxIterations: iterations }),
  };
}

/** Twice the farthest contact of all, from its body's centre of mass. */
function reachOf(description: MechanismDescription): number {
  const { contacts } = compile(description);
  const reach = Math.max(0, ...contacts.map(({ point, radius }) => Math.hypot(...point) + radius));
  return reach > 0 ? 2 * reach : 1;
}
