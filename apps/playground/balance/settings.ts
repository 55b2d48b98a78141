/** What the reader has chosen, and its form in the page's address: #task=hopper&horizon=25&… */
import type { controlTasks, Place } from "dojo-sim";
import { numbersOf, parametersOf } from "../lens/address.ts";
import { limitedAll, type Range } from "../lens/range.ts";

export interface BalanceSettings {
  /** One of the tasks of control in a loop. */
  readonly task: string;
  /** Steps of a plan. */
  readonly horizon: number;
  /** Time for a plan, ms: passes of gradients go on while there is some left. */
  readonly budget: number;
  /** Smoothness of the gradients, in units of each contact. */
  readonly kappa: number;
  /** Impulse of a push by the button, N·s. */
  readonly impulse: number;
  /** Where it is to go, m. */
  readonly goalX: number;
  readonly goalY: number;
}

/** What each is about, in the words of `controlTasks`, which a test compares: the tasks themselves bring the engine, and stay in workers. */
export const taskSummaries = {
  "a1-walk": "Unitree's A1 trots to a place while its trunk is pushed, and stands there",
  hopper: "Raibert's hopper keeps standing while its body is pushed, and hops where it is told",
  cartpole: "a cart swings its pole up, keeps it up when it is knocked, and goes where it is told",
  "a1-stand": "Unitree's A1 stands while its trunk is pushed",
} as const satisfies Partial<Record<keyof typeof controlTasks, string>>;

export const taskNames = Object.keys(taskSummaries) as (keyof typeof taskSummaries)[];

export const ranges = {
  horizon: { low: 5, high: 40, whole: true },
  budget: { low: 1, high: 100 },
  kappa: { low: 1e-3, high: 1 },
  impulse: { low: 0, high: 60 },
  goalX: { low: -5, high: 5 },
  goalY: { low: -5, high: 5 },
} as const satisfies Record<string, Range>;

/** What suits a task. */
const own: Readonly<Record<string, Omit<BalanceSettings, "task" | "goalX" | "goalY">>> = {
  "a1-walk": { horizon: 20, budget: 20, kappa: 0.01, impulse: 15 },
  "a1-stand": { horizon: 20, budget: 20, kappa: 0.01, impulse: 20 },
  hopper: { horizon: 25, budget: 20, kappa: 0.03, impulse: 3 },
  cartpole: { horizon: 25, budget: 20, kappa: 0.1, impulse: 0.2 },
};

export function defaultsOf(task: string): BalanceSettings {
  return { task, goalX: 0, goalY: 0, ...own[task] };
}

export function goalOf({ goalX, goalY }: BalanceSettings): Place {
  return [goalX, goalY];
}

export function limitedSettings(settings: BalanceSettings): BalanceSettings {
  return { ...settings, ...limitedAll(ranges, settings, defaultsOf(settings.task)) };
}

export function settingsOf(hash: string): BalanceSettings {
  const given = parametersOf(hash);
  const task = taskNames.find((name) => name === given.get("task")) ?? taskNames[0];
  return limitedSettings({ ...defaultsOf(task), ...numbersOf(given, ranges), task });
}

/** The task, and what differs from its own. */
export function hashOf(settings: BalanceSettings): string {
  const defaults = defaultsOf(settings.task);
  const changed = (Object.keys(ranges) as (keyof typeof ranges)[]).filter((name) => settings[name] !== defaults[name]);
  return `#${[`task=${settings.task}`, ...changed.map((name) => `${name}=${settings[name]}`)].join("&")}`;
}
