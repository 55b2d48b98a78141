/** What the reader has chosen, and its form in the page's address: #robot=ant&impulse=5&… */
import { numbersOf, parametersOf } from "../lens/address.ts";
import { limitedAll, type Range } from "../lens/range.ts";

export interface PolicySettings {
  readonly robot: RobotName;
  /** How a policy is trained here: along gradients, or by random search. */
  readonly method: MethodName;
  /** Impulse of a push by the button, N·s. */
  readonly impulse: number;
  /** Updates of a training. */
  readonly updates: number;
  readonly seed: number;
}

/** Environments of the library, with or without a policy that the page comes with. */
export const robots = {
  "half-cheetah": { words: "half-cheetah: runs along a line", isTrained: true },
  ant: { words: "ant: runs on four legs", isTrained: true },
  cartpole: { words: "cartpole: balances, once it is trained here", isTrained: false },
} as const;
export type RobotName = keyof typeof robots;
export const robotNames = Object.keys(robots) as RobotName[];

export const methods = {
  ags: "gradients, in one worker",
  ars: "random search, on all cores",
} as const;
export type MethodName = keyof typeof methods;
export const methodNames = Object.keys(methods) as MethodName[];

export const ranges = {
  impulse: { low: 0, high: 40 },
  updates: { low: 1, high: 200, whole: true },
  seed: { low: 1, high: 1000, whole: true },
} as const satisfies Record<string, Range>;

/** What suits a robot. */
const own: Readonly<Record<RobotName, Pick<PolicySettings, "impulse" | "updates">>> = {
  "half-cheetah": { impulse: 10, updates: 35 },
  ant: { impulse: 2, updates: 60 },
  cartpole: { impulse: 0.3, updates: 30 },
};

export function defaultsOf(robot: RobotName): PolicySettings {
  return { robot, method: "ags", seed: 1, ...own[robot] };
}

export function limitedSettings(settings: PolicySettings): PolicySettings {
  return { ...settings, ...limitedAll(ranges, settings, defaultsOf(settings.robot)) };
}

export function settingsOf(hash: string): PolicySettings {
  const given = parametersOf(hash);
  const robot = robotNames.find((name) => name === given.get("robot")) ?? robotNames[0];
  const method = methodNames.find((name) => name === given.get("method")) ?? methodNames[0];
  return limitedSettings({ ...defaultsOf(robot), ...numbersOf(given, ranges), method, robot });
}

/** The robot, and what differs from its own. */
export function hashOf(settings: PolicySettings): string {
  const defaults = defaultsOf(settings.robot);
  const names = ["method", ...Object.keys(ranges)] as Exclude<keyof PolicySettings, "robot">[];
  const changed = names.filter((name) => settings[name] !== defaults[name]);
  return `#${[`robot=${settings.robot}`, ...changed.map((name) => `${name}=${settings[name]}`)].join("&")}`;
}
