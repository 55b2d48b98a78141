/** What is trained, beside what the paper has, and what a run leaves. */
import type { TrainingSettings } from "dojo-sim";
import type { Picture } from "./film.ts";

export type Robot = "half-cheetah" | "ant";
/** Without the seed. */
export type Settings = TrainingSettings extends infer S ? (S extends unknown ? Omit<S, "seed"> : never) : never;

export interface Case {
  readonly robot: Robot;
  readonly label: string;
  readonly settings: Settings;
  /** Number of seeds of a training in which nothing is random. Default: as many as all. */
  readonly seeds?: number;
  /** Rewards that it must reach, and what the paper has. */
  readonly target?: number;
  readonly paper?: string;
}

/** Steps of an episode are at most as many rewards of 1. */
export const most = { "half-cheetah": 80, ant: 150 } as const;
/** Five seeds each, as the published results have them. */
export const published = {
  "half-cheetah": { rewards: [8.7, 37.5, 70.6, 48.9, 63.2], evaluations: 28_800, seconds: "154–197" },
  ant: { rewards: [44.0, 84.1, 58.2, 74.0, 61.3], evaluations: 180_000, seconds: "2600–2980" },
} as const;

const linear = { method: "ags", policy: "linear" } as const;
const network = { method: "ags", policy: "network" } as const;

/** A linear policy begins with zeros and the ant has one start: every seed is the same. */
const antGradient = { settings: { ...linear, updates: 119, step: 0.05 }, seeds: 1 } as const;

export const cases: readonly Case[] = [
  {
    robot: "half-cheetah",
    label: "ARS as published",
    settings: { method: "ars", policy: "linear", updates: 30 },
    paper: "46 ± 24 with 28,800",
  },
  {
    robot: "half-cheetah",
    label: "AGS, linear",
    settings: { ...linear, updates: 35 },
    target: 60,
    paper: "44 ± 24 with 5,000",
  },
  {
    robot: "half-cheetah",
    label: "AGS, linear, published gradient",
    settings: { ...linear, updates: 35, gradient: "published" },
  },
  {
    robot: "half-cheetah",
    label: "AGS as published",
    settings: { ...linear, updates: 35, gradient: "published", kappa: 3e-4, step: 0.005 },
  },
  {
    robot: "half-cheetah",
    label: "random differences, linear",
    settings: { method: "random", policy: "linear", updates: 35 },
  },
  { robot: "half-cheetah", label: "AGS, network", settings: { ...network, updates: 35 }, target: 70 },
  { robot: "half-cheetah", label: "AGS, network, half of it", settings: { ...network, updates: 17 }, target: 65 },
  {
    robot: "half-cheetah",
    label: "short horizons and a critic, network",
    settings: { method: "shac", policy: "network", updates: 140 },
  },
  {
    robot: "ant",
    label: "ARS as published",
    settings: { method: "ars", policy: "linear", updates: 100 },
    paper: "64 ± 15 with 180,000",
  },
  {
    robot: "ant",
    label: "AGS, linear",
    ...antGradient,
    target: 140,
    paper: "54 ± 28 with 20,000",
  },
  {
    robot: "ant",
    label: "AGS, linear, published gradient",
    ...antGradient,
    settings: { ...antGradient.settings, gradient: "published" },
  },
  { robot: "ant", label: "random differences, linear", settings: { method: "random", policy: "linear", updates: 119 } },
  { robot: "ant", label: "AGS, network", settings: { ...network, updates: 60 }, target: 140 },
  {
    robot: "ant",
    label: "short horizons and a critic, network",
    settings: { method: "shac", policy: "network", updates: 450 },
  },
];

export interface SeedResult {
  readonly seed: number;
  /** Mean clipped return of the last policy over the starts. */
  readonly reward: number;
  /** The same policy, 20 actions per second as ever, in a simulation of h = 0.01. */
  readonly fineReward: number;
  readonly evaluations: number;
  readonly seconds: number;
  readonly divergence?: string;
}

export interface Row {
  readonly robot: Robot;
  readonly label: string;
  readonly seeds: readonly SeedResult[];
  /** Mean over seeds of the returns of updates, by evaluations. */
  readonly curve: readonly { readonly evaluations: number; readonly reward: number }[];
}

export interface Result {
  /** A short form: trainings end after a few updates, and no target is asked for. */
  readonly quick: boolean;
  readonly starts: number;
  /** Starts of the finer simulation. */
  readonly fineStarts: number;
  readonly workers: number;
  readonly rows: readonly Row[];
  readonly film: readonly { readonly robot: Robot; readonly pictures: readonly Picture[] }[];
}

export function spread(values: readonly number[]): { readonly mean: number; readonly deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1)) };
}

export const bestThree = (values: readonly number[]): number =>
  spread([...values].sort((a, b) => b - a).slice(0, 3)).mean;
