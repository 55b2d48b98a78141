/** What the options of `dojo identify` say, read before any work. Those that would have no effect beside the others are refused. */
import { intervalKinds, lossKinds, type Noise, type StartFreedom, startFreedoms } from "../../index.ts";
import { InputError } from "../inputError.ts";
import { count, oneOf, positive, wholeNumber } from "../parse.ts";

export interface DataFlags {
  readonly data?: string;
  readonly model?: string;
  readonly parameters?: string;
  readonly parametersFrom?: string;
  readonly train?: string;
  readonly rate?: string;
  readonly body?: string;
  readonly length?: string;
  readonly columns?: string;
  readonly ignore?: string;
  readonly window?: string;
  readonly every?: string;
  readonly stepsPerFrame?: string;
  readonly starts?: string;
  readonly loss?: string;
  readonly noise?: string;
  readonly intervals?: string;
  readonly evaluations?: string;
  readonly iterations?: string;
  readonly seed?: string;
}

/** What was given; undefined is left to whoever uses it. */
export interface Settings {
  readonly train: number | undefined;
  readonly rate: number | undefined;
  readonly length: number | undefined;
  readonly columns: Readonly<Record<string, string>> | undefined;
  readonly ignore: readonly string[] | undefined;
  readonly window: number | "whole" | undefined;
  readonly every: number | undefined;
  readonly stepsPerFrame: number | undefined;
  readonly starts: StartFreedom | undefined;
  readonly loss: (typeof lossKinds)[number] | undefined;
  readonly noise: Noise | undefined;
  readonly intervals: (typeof intervalKinds)[number] | undefined;
  readonly evaluations: number | undefined;
  readonly iterations: number | undefined;
  readonly seed: number | undefined;
}

export function settingsOf(flags: DataFlags): Settings {
  const read = <T>(name: keyof DataFlags, parse: (what: string, text: string) => T): T | undefined => {
    const text = flags[name];
    return text === undefined ? undefined : parse(flagOf(name), text);
  };
  return {
    train: read("train", wholeNumber),
    rate: read("rate", (what, text) => positive(what, text, "hertz")),
    length: read("length", (what, text) => positive(what, text, "metres per unit")),
    columns: read("columns", (_, text) => renamed(text)),
    ignore: read("ignore", (_, text) => text.split(",").map((name) => name.trim())),
    window: read("window", (what, text) => (text === "whole" ? text : count(what, text))),
    every: read("every", count),
    stepsPerFrame: read("stepsPerFrame", count),
    starts: read("starts", (what, text) => oneOf(what, text, startFreedoms)),
    loss: read("loss", (what, text) => oneOf(what, text, lossKinds)),
    noise: read("noise", noiseOf),
    intervals: read("intervals", (what, text) => oneOf(what, text, intervalKinds)),
    evaluations: read("evaluations", wholeNumber),
    iterations: read("iterations", wholeNumber),
    seed: read("seed", wholeNumber),
  };
}

/** "--steps-per-frame" of stepsPerFrame. */
function flagOf(name: keyof DataFlags): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

const reading = ["rate", "body", "length", "columns", "ignore"] as const;
const comparing = ["stepsPerFrame", "starts", "loss", "noise", "intervals"] as const;
const fitting = ["window", "every", ...comparing, "iterations", "evaluations"] as const;

/** Whether the tossed cube's own recipe is what is fitted by. */
export function isRecipe(flags: DataFlags, isCube: boolean): boolean {
  return isCube && flags.window === undefined && flags.every === undefined;
}

/** Throws an `InputError` at the first option that would change nothing. */
export function requireEffect(flags: DataFlags, isCube: boolean): void {
  const refuse = (names: readonly (keyof DataFlags)[], why: string): void => {
    const name = names.find((each) => flags[each] !== undefined);
    if (name !== undefined) throw new InputError(`${flagOf(name)}: ${why}`);
  };
  if (flags.parametersFrom !== undefined) {
    refuse(["model"], "--parameters-from brings its mechanism; leave one of them out");
    refuse(["parameters"], "--parameters-from brings its parameters; leave one of them out");
  }
  if (flags.data === undefined) refuse(reading, "says how files are read, and tosses are made up; give --data too");
  else refuse(["seed"], "is of made-up tosses, and --data gives recordings; leave it out");
  if (flags.train !== undefined && wholeNumber("--train", flags.train) === 0) {
    refuse(fitting, "says how to fit, and --train 0 only scores; leave one of them out");
  }
  if (isRecipe(flags, isCube)) {
    refuse(comparing, "the tossed cube has a recipe of its own; give --window too, or leave this out");
  } else refuse(["evaluations"], "is of the search in the tossed cube's own recipe, which is not used; leave it out");
}

function noiseOf(what: string, text: string): Noise {
  const sigma = text.split(",").map((part) => positive(what, part));
  if (sigma.length > 2) throw new InputError(`${what}: "${text}" has ${sigma.length} parts; give one or two`);
  return { position: sigma[0], rotation: sigma[1] ?? sigma[0], coordinates: sigma[0] };
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
