/**
 * Settings by environment, where others than a method's defaults are known to be better: how many updates its figures take
 * (docs/learning.md), and how large they are. All others train with the defaults. So it is with the method: gradients of whole episodes, where
 * nothing else is known to be better.
 */
import type { TrainingMethod } from "./methodNames.ts";
import type { PolicyKind } from "./policy.ts";

export interface Recipe {
  readonly updates?: number;
  readonly step?: number;
  /** Directions of random search. */
  readonly directions?: number;
  readonly noise?: number;
  /** Of gradient search. */
  readonly steady?: boolean;
  /** Hidden units of the network. */
  readonly hiddenUnits?: number;
}

type Recipes = Readonly<Partial<Record<TrainingMethod | `${TrainingMethod} ${PolicyKind}`, Recipe>>>;

const recipes: Readonly<Record<string, Recipes>> = {
  // without it one network in twenty ends below 65 of 80
  "half-cheetah": { "ags network": { steady: true } },
  ant: {
    // as published: 180,000 evaluations
    ars: { updates: 100 },
    // 35,850 evaluations, and 18,150 of the network; with steps of 0.03 the linear policy ends at 133 of 150, with these at 148
    "ags linear": { updates: 119, step: 0.05 },
    "ags network": { updates: 60 },
    "random linear": { updates: 119 },
    "random network": { updates: 60 },
    shac: { updates: 450 },
  },
  // balances for all 200 steps from all starts
  cartpole: { "ags linear": { updates: 60, step: 0.3 }, "ags network": { updates: 60, step: 0.1 } },
  // gradients do not learn the swing-up (docs/learning.md); with 32 units, noise of 0.1 and steps of 0.15, networks end at −650, with these at −370
  pendulum: {
    "ars linear": { updates: 200, directions: 8, noise: 0.1, step: 0.15 },
    "ars network": { updates: 200, directions: 8, noise: 0.2, step: 0.3, hiddenUnits: 16 },
  },
  hopper: { ags: { updates: 150 } },
  walker: { ags: { updates: 150 } },
  "humanoid-stand": { ags: { updates: 80 } },
  "quadruped-walk": { ags: { updates: 80 } },
  "quadrotor-waypoints": { ags: { updates: 100 } },
  box: { ags: { updates: 100 } },
  "box-push": { ags: { updates: 100 } },
};

const methods: Readonly<Record<string, TrainingMethod>> = { pendulum: "ars" };

/** The method that a training takes where none is chosen. */
export function usualMethod(environment: string): TrainingMethod {
  return Object.hasOwn(methods, environment) ? methods[environment] : "ags";
}

/** What is known for a training in an environment; nothing for most. */
export function recipeOf(environment: string, method: TrainingMethod, policy: PolicyKind): Recipe {
  const own = Object.hasOwn(recipes, environment) ? recipes[environment] : {};
  return own[`${method} ${policy}`] ?? own[method] ?? {};
}
