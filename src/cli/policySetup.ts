/** A trained policy made ready to run: its environment's mechanism and start, and the policy as their controller, which adds up rewards. */
import { type Environment, namedEnvironment, PolicyRun, policyFromJson, Random, type TrainedPolicy } from "../index.ts";
import { inFile } from "./inFile.ts";
import { InputError } from "./inputError.ts";
import { positive, wholeNumber } from "./parse.ts";
import { readText } from "./readFile.ts";
import { requireOfUse } from "./requireOfUse.ts";
import type { Setup, SimulationFlags } from "./setUp.ts";

/** What a policy's run is of use with. */
const taken = new Set(["timestep", "time", "seed", "policy", "out", "dump", "continue", "json"]);

export interface PolicySetup {
  readonly setup: Setup;
  /** Seconds of an episode. */
  readonly seconds: number;
  readonly run: PolicyRun;
}

/** What `simulate --policy` runs. `what` may repeat the name of the environment. */
export function setUpPolicy(
  path: string,
  what: string | undefined,
  flags: SimulationFlags & { readonly seed?: string },
): PolicySetup {
  requireOfUse(flags, taken, "a policy runs in its environment as it is; leave it out, --timestep can be given");
  const seed = flags.seed === undefined ? 1 : wholeNumber("--seed", flags.seed);
  const timestep = flags.timestep === undefined ? undefined : positive("--timestep", flags.timestep, "seconds");
  return inFile(path, () => {
    const trained = policyFromJson(readText(path));
    if (what !== undefined && what !== trained.environment) {
      throw new InputError(`${path} was trained in ${trained.environment}; leave "${what}" out`);
    }
    const { setup, ...rest } = policySetup(trained, timestep, seed);
    const { controller } = rest.run;
    // the file's numbers may turn out to be wrong while it runs
    return { ...rest, setup: { ...setup, controller: (...now) => inFile(path, () => controller(...now)) } };
  });
}

function policySetup(trained: TrainedPolicy, timestep: number | undefined, seed: number): PolicySetup {
  const begin = performance.now();
  const environment: Environment = namedEnvironment(
    trained.environment,
    timestep === undefined ? undefined : { timestep },
  );
  const { simulation, mechanism, description } = environment;
  const start = environment.start(new Random(seed));
  const run = new PolicyRun(environment, trained);
  simulation.step(start);
  simulation.continuation = undefined;
  const setup: Setup = {
    name: `${trained.shape.kind} policy in ${trained.environment}`,
    simulation,
    mechanism,
    start,
    controller: run.controller,
    compileSeconds: (performance.now() - begin) / 1000,
    notes: [],
  };
  return { setup, seconds: description.horizon * environment.timestep, run };
}
