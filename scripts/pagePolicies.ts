/**
 * Trains the policies that the playground's page of policies comes with, and writes them beside it:
 *   npx tsx scripts/pagePolicies.ts
 * They are networks, trained by gradients, the last policy of each. Numbers are rounded to six digits, and scored so. The page runs them
 * at 0.01 s, and on after the end of an episode: of seeds 1 to 4 the ant of seed 4 was the fastest there, and that of seed 1, which has
 * 149 of 150 at the 0.05 s of its training, came to a stop.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  augmentedGradientSearch,
  Environment,
  environments,
  namedEnvironment,
  policyJson,
  policyScore,
  type TrainedPolicy,
} from "../src/index.ts";

const folder = join(import.meta.dirname, "../apps/playground/policy/policies");
/** Said in full, so that other defaults make no other policies. */
const method = { policy: "network", optimizer: "adam", step: 0.01, largestNorm: 10, relativeKappa: 1 } as const;
/** Updates are of one episode each. */
const trainings = { "half-cheetah": { seed: 1, updates: 35 }, ant: { seed: 4, updates: 60 } } as const;

for (const name of ["half-cheetah", "ant"] as const) {
  const environment = new Environment(environments[name]());
  const training = augmentedGradientSearch(environment, { ...method, ...trainings[name] });
  const policy = rounded(training.policy);
  const scores = [environment, namedEnvironment(name, { timestep: 0.01 })].map((each) => policyScore(each, policy));
  writeFileSync(join(folder, `${name}.json`), `${policyJson(policy)}\n`);
  const words = scores.map((score) => score.toFixed(1)).join(", and at 0.01 s ");
  console.log(`${name}: ${training.evaluations} evaluations, mean return ${words}`);
}
// as the linter has them
execFileSync("npx", ["biome", "format", "--write", folder], { stdio: "inherit" });

function rounded({ environment, shape, parameters, filter }: TrainedPolicy): TrainedPolicy {
  const short = (values: readonly number[]): number[] => values.map((value) => Number(value.toPrecision(6)));
  const { count, mean, deviations } = filter;
  return {
    environment,
    shape,
    parameters: short(parameters),
    filter: { count, mean: short(mean), deviations: short(deviations) },
  };
}
