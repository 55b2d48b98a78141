/** What the timing experiment measures, what the paper prints, and what must hold. */
import type { Facts } from "./facts.ts";
import type { RobotTimes } from "./measure.ts";
import type { RobotName } from "./robots.ts";

export interface RobotResult extends RobotTimes {
  readonly setUp: string;
  readonly facts: Facts;
}

export interface TimingResult {
  readonly timestep: number;
  readonly steps: number;
  readonly rounds: number;
  readonly node: string;
  readonly robots: Readonly<Record<RobotName, RobotResult>>;
  /** What must hold, and whether it does. */
  readonly targets: readonly Target[];
  /** Seconds of 1000 steps with gradients, as printed; on its machine. */
  readonly paper: Readonly<Record<string, Readonly<Record<RobotName, number>>>>;
}

export interface Target {
  readonly robot: RobotName;
  readonly what: string;
  readonly bound: number;
  readonly value: number;
  readonly met: boolean;
}

/** [table:time_benchmark] */
export const paper = {
  MuJoCo: { humanoid: 1.512, a1: 1.114, panda: 0.335, x2: 0.047 },
  Drake: { humanoid: 5.463, a1: 3.87, panda: 2.352, x2: 0.571 },
  Brax: { humanoid: 6.975, a1: 11.064, panda: 10.954, x2: 7.953 },
  "Dojo.jl": { humanoid: 1.75, a1: 5.235, panda: 1.159, x2: 0.807 },
} as const;

/** Least ratios to MuJoCo, and the most that a rollout with its pullback may cost in rollouts. */
export const bounds = {
  forward: { humanoid: 1, a1: 1, panda: 0.5, x2: 0.5 },
  jacobians: { humanoid: 10, a1: 10, panda: 5, x2: 5 },
  overForward: 1.6,
} as const;

export function targetsOf(name: RobotName, { forward, jacobians, pullback }: RobotTimes): Target[] {
  const least = (what: string, value: number, bound: number): Target => {
    return { robot: name, what, bound, value, met: value >= bound };
  };
  const { overForward } = pullback;
  return [
    least("forward.ratio", forward.ratio ?? 0, bounds.forward[name]),
    least("jacobians.ratio", jacobians.ratio ?? 0, bounds.jacobians[name]),
    {
      robot: name,
      what: "pullback.overForward",
      bound: bounds.overForward,
      value: overForward,
      met: overForward <= bounds.overForward,
    },
  ];
}
