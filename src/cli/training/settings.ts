/** What the options of `dojo train` say about the training, checked, as settings that are plain data. */
import type { Command } from "commander";
import {
  optimizerKinds,
  policyKinds,
  type Schedule,
  type TrainingMethod,
  type TrainingSettings,
  trainingMethods,
  usualMethod,
} from "../../index.ts";
import { InputError } from "../inputError.ts";
import { finite, oneOf, positive } from "../parse.ts";

/** Options of the training itself, as they are typed. */
export interface SettingFlags {
  /** Left out: what suits the environment. */
  readonly method?: string;
  readonly policy: string;
  readonly updates?: string;
  readonly step?: string;
  readonly optimizer?: string;
  readonly clip?: string;
  readonly kappa?: string;
  readonly relativeKappa?: string;
  readonly gradient?: string;
  readonly directions?: string;
  readonly noise?: string;
  readonly horizon?: string;
  readonly actors?: string;
  readonly hiddenUnits?: string;
}

export function addSettingOptions(command: Command): Command {
  return command
    .option("--method <m>", `${trainingMethods.join(", ")} (default: ags, of the pendulum ars)`)
    .option("--policy <p>", policyKinds.join(" or "), "network")
    .option("--updates <n>", "updates of a training (default: what suits method and environment)")
    .option("--step <s>", "size of the first update (default: what suits method and environment)")
    .option("--optimizer <o>", `ags, random: ${optimizerKinds.join(" or ")} (default: by the policy)`)
    .option("--clip <norm>", "ags, random, shac: gradients are shortened to this 2-norm")
    .option(
      "--relative-kappa <k,...>",
      "ags, shac: how smooth gradients are; several: each for a share of the updates (1)",
    )
    .option("--kappa <k,...>", "the same in SI units")
    .option("--gradient <g>", "ags: full, or published: the incomplete one of the paper's code (full)")
    .option("--directions <n>", "ars, random: directions per update (6, 1)")
    .option("--noise <s>", "ars, random: how far they go (0.03)")
    .option("--horizon <n>", "shac: steps of a gradient (20)")
    .option("--actors <n>", "shac: episodes that go on side by side (1)")
    .option("--hidden-units <n>", "of the network (32; 16 for the pendulum by ars)");
}

/** Which methods an option is for. */
const methodsOf: Readonly<Partial<Record<keyof SettingFlags, readonly TrainingMethod[]>>> = {
  optimizer: ["ags", "random"],
  clip: ["ags", "random", "shac"],
  kappa: ["ags", "shac"],
  relativeKappa: ["ags", "shac"],
  gradient: ["ags"],
  directions: ["ars", "random"],
  noise: ["ars", "random"],
  horizon: ["shac"],
  actors: ["shac"],
};

/** Settings of every seed, for a training in this environment. */
export function settingsOf(flags: SettingFlags, environment: string): (seed: number) => TrainingSettings {
  const method = oneOf("--method", flags.method ?? usualMethod(environment), trainingMethods);
  const policy = oneOf("--policy", flags.policy, policyKinds);
  for (const [key, methods] of Object.entries(methodsOf)) {
    if (flags[key as keyof SettingFlags] === undefined || methods.includes(method)) continue;
    throw new InputError(`${optionOf(key)}: --method ${method} has none; it is for ${methods.join(", ")}`);
  }
  if (flags.hiddenUnits !== undefined && policy === "linear") {
    throw new InputError("--hidden-units: a linear policy has none; --policy network has");
  }
  if (flags.kappa !== undefined && flags.relativeKappa !== undefined) {
    throw new InputError("--kappa and --relative-kappa say the same in other units; give one of them");
  }
  const given = <T>(key: keyof SettingFlags, read: (what: string, text: string) => T, name: string = key) => {
    const text = flags[key];
    return text === undefined ? {} : { [name]: read(optionOf(key), text) };
  };
  const settings = {
    method,
    policy,
    ...given("updates", count),
    ...given("step", positive),
    ...given("optimizer", (what, text) => oneOf(what, text, optimizerKinds)),
    ...given("clip", positive, "largestNorm"),
    ...given("kappa", schedule),
    ...given("relativeKappa", schedule),
    ...given("gradient", (what, text) => oneOf(what, text, ["full", "published"])),
    ...given("directions", count),
    ...given("noise", positive),
    ...given("horizon", count),
    ...given("actors", count),
    ...given("hiddenUnits", count),
  };
  return (seed) => ({ ...settings, seed }) as TrainingSettings;
}

const optionOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** A whole number that is no slip of the keyboard. */
export function count(what: string, text: string): number {
  const value = finite(what, text);
  if (Number.isInteger(value) && value >= 1 && value <= 1e6) return value;
  throw new InputError(`${what}: ${text} is no whole number from 1 to 1e6`);
}

/** "1" or "1,0.3,0.1". */
function schedule(what: string, text: string): Schedule {
  const values = text.split(",").map((part) => positive(what, part));
  return values.length === 1 ? values[0] : values;
}
