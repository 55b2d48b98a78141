/** What `dojo identify` works on: mechanism, parameters and recordings, from files, by name, or made up. */
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import {
  compile,
  type IdentificationProblem,
  lossKinds,
  type MechanismDescription,
  namedParameters,
  type ParameterSet,
  parseFitFile,
  parseRecording,
  type Recording,
  requireAboveGround,
  type Sampling,
  Simulation,
  type Stage,
  startFreedoms,
  syntheticTosses,
  tossedCube,
  tossedCubeDescription,
  tossParameters,
  tossStages,
  tossWidth,
  valuesOf,
  wholeToss,
} from "../../index.ts";
import { InputError } from "../inputError.ts";
import { loadModel } from "../loadModel.ts";
import { reason } from "../outputs/outputFile.ts";
import { finite, notNegative, oneOf, positive, wholeNumber } from "../parse.ts";
import { readText } from "../readFile.ts";

export interface DataFlags {
  readonly data?: string;
  readonly model?: string;
  readonly parameters?: string;
  readonly parametersFrom?: string;
  readonly rate?: string;
  readonly body?: string;
  readonly length?: string;
  readonly columns?: string;
  readonly ignore?: string;
  readonly window?: string;
  readonly every?: string;
  readonly starts?: string;
  readonly loss?: string;
  readonly noise?: string;
  readonly evaluations?: string;
  readonly iterations?: string;
  readonly seed?: string;
}

export interface Task {
  readonly problem: IdentificationProblem;
  readonly model: string;
  readonly stages: readonly Stage[];
  /** Values to begin from, of a fit that was read. */
  readonly values: Readonly<Record<string, number>>;
  /** How predictions are scored, and the length that errors of position are parts of; none of joint angles. */
  readonly scoring: { readonly sampling: Sampling; readonly width: number } | undefined;
  /** Of data that were made up. */
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
const syntheticNoise = { position: 5e-4, rotation: 5e-3 };

export function taskOf(flags: DataFlags): Task {
  const kept = flags.parametersFrom === undefined ? undefined : fitOf(flags.parametersFrom);
  if (kept && flags.model !== undefined) {
    throw new InputError("--model: --parameters-from brings its mechanism; leave one of them out");
  }
  const isCube = kept ? kept.model === cubeName : flags.model === undefined || flags.model === cubeName;
  if (flags.data === undefined && !isCube) throw new InputError("--data: which recordings? Give a folder or a file");
  const { description, set, model } = kept ? { ...kept, set: kept.definition } : chosen(flags, isCube);
  const values = kept ? valuesOf(kept.parameters) : {};
  const recordings =
    flags.data === undefined
      ? madeUp(set, flags)
      : read(flags.data, description, flags, isCube ? tossedCube.rate : undefined);
  requireAboveGround(compile(description), recordings);
  const isPosed = Object.keys(recordings[0].poses).length > 0;
  const scoring = isPosed
    ? {
        sampling: isCube ? wholeToss : ({ window: "whole" } as const),
        width: isCube ? tossWidth : reachOf(description),
      }
    : undefined;
  return {
    problem: { description, set, recordings },
    model,
    stages:
      isCube && flags.window === undefined && flags.every === undefined ? cubeStages(set, flags) : [plainStage(flags)],
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
    const set = isFile ? setFile(parameters as string) : tossParameters(names, { gravity: 9.6 });
    const bounces = Object.keys(set.values).some((path) => path.endsWith(".restitution"));
    return { description: tossedCubeDescription({ restitution: bounces }), set, model: cubeName };
  }
  const { name, description } = loadModel(flags.model as string);
  if (parameters === undefined) {
    const hint = "such as joints.hinge.damping.0,bodies.rod.inertia, or a .json file with formulas";
    throw new InputError(`--parameters: which are to be found? Give names, ${hint}`);
  }
  const set = isFile ? setFile(parameters) : namedParameters(new Simulation(compile(description)), names);
  return { description, set, model: name };
}

/** Parameters with formulas, as docs/identification.md has them. */
function setFile(path: string): ParameterSet {
  const text = readText(path);
  try {
    const set = JSON.parse(text) as ParameterSet;
    if (typeof set?.parameters === "object" && typeof set.values === "object") return set;
  } catch (error) {
    throw new InputError(`${path}: ${(error as Error).message}`);
  }
  throw new InputError(`${path}: needs "parameters" (name: { start, lower, upper }) and "values" (path: formula)`);
}

function madeUp(set: ParameterSet, flags: DataFlags): Recording[] {
  const seed = flags.seed === undefined ? 1 : finite("--seed", flags.seed);
  const truth = Object.fromEntries(
    Object.keys(set.parameters).map((name) => [name, syntheticTruth[name] ?? set.parameters[name].start]),
  );
  return syntheticTosses(set, truth, { count: syntheticCount, seed, noise: syntheticNoise });
}

function read(
  path: string,
  description: MechanismDescription,
  flags: DataFlags,
  usualRate: number | undefined,
): Recording[] {
  const mechanism = compile(description);
  const rate = flags.rate === undefined ? undefined : positive("--rate", flags.rate, "hertz");
  const options = {
    body: flags.body,
    length: flags.length === undefined ? undefined : positive("--length", flags.length, "metres per unit"),
    ...(flags.columns !== undefined && { columns: renamed(flags.columns) }),
    ...(flags.ignore !== undefined && { ignore: flags.ignore.split(",").map((name) => name.trim()) }),
  };
  return filesOf(path).map((file) => {
    const text = readText(file);
    // a rate that is only usual gives way to a clock in the file
    const ownClock = rate === undefined && /^(#\s*rate\s*:|"?(time|t)"?\s*[,;\t])/im.test(text.slice(0, 2000));
    return parseRecording(text, mechanism, {
      ...options,
      file: basename(file),
      rate: rate ?? (ownClock ? undefined : usualRate),
    });
  });
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

function renamed(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(",").map((part) => {
      const [from, to] = part.split("=").map((name) => name.trim());
      if (!from || !to)
        throw new InputError(`--columns: "${part}" is no pair; write theirs=ours, such as q1=hinge.angle`);
      return [from, to];
    }),
  );
}

function cubeStages(set: ParameterSet, flags: DataFlags): Stage[] {
  const evaluations = flags.evaluations === undefined ? undefined : wholeNumber("--evaluations", flags.evaluations);
  const stages = tossStages(set, evaluations === undefined ? {} : { evaluations: Math.max(1, evaluations) });
  const limited = flags.iterations === undefined ? undefined : wholeNumber("--iterations", flags.iterations);
  return stages
    .filter(({ kind }) => kind === "fit" || evaluations !== 0)
    .map((stage) => (stage.kind === "fit" && limited !== undefined ? { ...stage, maxIterations: limited } : stage));
}

const usualWindow = 20;

function plainStage(flags: DataFlags): Stage {
  const { window = String(usualWindow), every = "1", starts = "free", loss = "squared", noise } = flags;
  const iterations = flags.iterations === undefined ? undefined : wholeNumber("--iterations", flags.iterations);
  const isWhole = window === "whole";
  const sigma = noise === undefined ? undefined : noise.split(",").map((part) => notNegative("--noise", part));
  return {
    kind: "fit",
    name: isWhole ? "whole recordings" : `windows of ${window}`,
    sampling: {
      every: Math.max(1, wholeNumber("--every", every)),
      window: isWhole ? "whole" : Math.max(1, wholeNumber("--window", window)),
    },
    starts: oneOf("--starts", starts, startFreedoms),
    loss: { kind: oneOf("--loss", loss, lossKinds) },
    ...(sigma && { noise: { position: sigma[0], rotation: sigma[1] ?? sigma[0], coordinates: sigma[0] } }),
    ...(iterations !== undefined && { maxIterations: iterations }),
  };
}

/** Twice the farthest contact of all, from its body's centre of mass. */
function reachOf(description: MechanismDescription): number {
  const { contacts } = compile(description);
  const reach = Math.max(0, ...contacts.map(({ point, radius }) => Math.hypot(...point) + radius));
  return reach > 0 ? 2 * reach : 1;
}
