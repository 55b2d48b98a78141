/**
 * Work that takes long: planning, training, identification. `run.open` says what is wanted, and every `run.next` goes on to the next piece
 * of progress or to the result, so that whoever waits can show it, or end it and have what there is.
 */
import {
  ArgumentError,
  compile,
  type EnvironmentData,
  type EpisodeContext,
  type Executor,
  episodeKind,
  type FitContext,
  fitParameters,
  fromJson,
  type Goal,
  goalTask,
  namedEnvironment,
  namedParameters,
  type ParameterSet,
  type PlanningTask,
  parseRecording,
  planJson,
  planning,
  planningTasks,
  policyJson,
  policyScore,
  Simulation,
  searchOf,
  startOf,
  type TrainingSettings,
  threadExecutor,
  usualMethod,
} from "../../../index.ts";
import { InputError, suggestion } from "../../inputError.ts";
import { readText } from "../../readFile.ts";
import { declineOf } from "../../training/decline.ts";
import type { Parameters } from "../parameters.ts";
import { fitSettings, requireTrainingSettings } from "../runSettings.ts";
import type { Answer, MethodTable } from "../session.ts";
import { stacked } from "./simulations.ts";

type Progress = Readonly<Record<string, unknown>>;
/** Pieces of progress, then the result; `next(false)` asks for an end. */
type Pieces = AsyncGenerator<Progress, Answer, boolean | undefined>;

class Run {
  readonly pieces: Pieces;
  private begun = false;

  constructor(pieces: Pieces) {
    this.pieces = pieces;
  }

  async next(goOn: boolean): Promise<Answer> {
    // the first argument of a generator goes nowhere
    const step = await (this.begun ? this.pieces.next(goOn) : this.pieces.next());
    this.begun = true;
    if (!step.done) return { result: { done: false, progress: step.value } };
    const { result = {}, arrays = {} } = step.value;
    return { result: { done: true, ...result }, arrays };
  }

  /** Nobody waits for it any more: its threads end. */
  close(): void {
    void this.pieces.return({}).catch(() => {});
  }
}

/** One entry for each kind of long work. */
const kinds: Readonly<Record<string, (parameters: Parameters) => Pieces>> = { plan, train, identify };

export const runMethods: MethodTable = {
  "run.open": (session, parameters) => {
    const kind = parameters.text("kind");
    if (!Object.hasOwn(kinds, kind)) {
      throw new ArgumentError("unknown-kind", "kind", `"${kind}": give one of ${Object.keys(kinds).join(", ")}`);
    }
    return { result: { run: session.keep(new Run(kinds[kind](parameters))) } };
  },
  "run.next": (session, parameters) => session.thing(Run, parameters.number("run")).next(!parameters.flag("end")),
};

/** A task of the library by its name, or a goal for a description. */
function taskOf(parameters: Parameters): PlanningTask {
  const description = parameters.maybeText("description");
  if (description !== undefined) {
    const simulation = new Simulation(compile(fromJson(description, "description")));
    const start = parameters.maybeArray("start") ?? startOf(simulation).state;
    const goal = parameters.record("goal") as unknown as Goal;
    const input = parameters.maybeArray("input");
    return goalTask(simulation, start, input ? { ...goal, input } : goal);
  }
  const name = parameters.text("task");
  const names = Object.keys(planningTasks);
  if (!names.includes(name)) {
    throw new InputError(`"${name}" is no task${suggestion(name, names)} (have: ${names.join(", ")})`);
  }
  return planningTasks[name].make();
}

async function* plan(parameters: Parameters): Pieces {
  const task = taskOf(parameters);
  const [kappa, tolerance] = [parameters.maybeNumber("kappa"), parameters.maybeNumber("tolerance")];
  const maxIterations = parameters.maybeNumber("maxIterations");
  const run = planning(task, {
    ...(kappa !== undefined && { path: () => ({ kappa }) }),
    ...(tolerance !== undefined && { tolerance }),
    ...(maxIterations !== undefined && { maxIterations }),
  });
  let goOn: boolean | undefined;
  for (;;) {
    const step = run.next(goOn);
    if (!step.done) {
      const { iteration, phase, round, cost, violation } = step.value;
      goOn = yield { iteration, phase, round, cost, violation };
      continue;
    }
    const { start, inputs, states, gains, ...facts } = step.value;
    return {
      result: { ...facts, json: planJson(step.value, task.simulation) },
      arrays: { start, inputs: stacked(inputs), states: stacked(states), gains: stacked(gains) },
    };
  }
}

async function* train(parameters: Parameters): Pieces {
  const data = parameters.maybeText("data");
  const options = parameters.record("options");
  const source = data === undefined ? parameters.text("environment") : (JSON.parse(data) as EnvironmentData);
  const environment = namedEnvironment(source, options);
  const method = parameters.maybeText("method") ?? usualMethod(environment.description.name);
  const given = parameters.record("settings");
  requireTrainingSettings(method, given);
  const settings = { method, seed: parameters.number("seed"), ...given } as unknown as TrainingSettings;
  const search = searchOf(environment, settings);
  const context: EpisodeContext = { environment: source, options, policy: search.shape };
  // a search of one episode at a time has nothing to share out
  const workers = search.episodesPerUpdate === 1 ? 1 : undefined;
  return yield* withExecutor(workers, async function* (executor): Pieces {
    while (!search.isDone) {
      const progress = search.take(await executor.map(episodeKind, context, search.jobs()));
      if (progress && (yield { ...progress }) === false) break;
    }
    const { policy, returns, spent, evaluations, skipped, divergence = null } = search.training;
    const starts = parameters.maybeNumber("starts") ?? 0;
    const score = starts > 0 ? policyScore(environment, policy, { starts }) : null;
    const decline =
      score !== null &&
      (await declineOf({
        reward: score,
        returns,
        method: settings.method,
        untrained: () => policyScore(environment, searchOf(environment, settings).training.policy, { starts }),
        written: (setting, value) => (value === undefined ? setting : `${setting}="${value}"`),
      }));
    return {
      result: {
        policy: policyJson(policy),
        evaluations,
        skipped,
        divergence,
        score,
        warnings: decline ? [`the training ${decline}`] : [],
      },
      arrays: { returns: Float64Array.from(returns), spent: Float64Array.from(spent) },
    };
  });
}

async function* identify(parameters: Parameters): Pieces {
  const how = fitSettings(parameters.record("how"));
  const description = fromJson(parameters.text("description"), "description");
  const mechanism = compile(description);
  const body = parameters.maybeText("body");
  const rate = parameters.maybeNumber("rate");
  const recordings = parameters
    .texts("recordings")
    .map((file) => parseRecording(readText(file), mechanism, { file, body, rate }));
  const names = parameters.texts("names");
  const context = {
    description,
    recordings,
    set:
      names.length > 0
        ? namedParameters(new Simulation(mechanism), names)
        : (parameters.record("set") as unknown as ParameterSet),
    ...how.context,
  } as unknown as FitContext;
  const maxIterations = parameters.maybeNumber("maxIterations");
  const workers = recordings.length === 1 ? 1 : undefined;
  return yield* withExecutor(workers, async function* (executor): Pieces {
    const told = new Told();
    const stop = new AbortController();
    const fit = fitParameters(context, {
      executor,
      signal: stop.signal,
      ...how.options,
      ...(maxIterations !== undefined && { maxIterations }),
      onIteration: ({ iteration, cost, theta }) => told.tell({ iteration, cost, theta: Array.from(theta) }),
    });
    const end = fit.then(
      () => undefined,
      () => undefined,
    );
    for (let next = await told.next(end); next !== undefined; next = await told.next(end)) {
      if ((yield next) === false) stop.abort();
    }
    const { parameters: found, cost, iterations, end: ending, warnings, residual } = await fit;
    return { result: { parameters: found, cost, iterations, end: ending, warnings, residual } };
  });
}

/** Threads for as long as the work goes on. */
async function* withExecutor(workers: number | undefined, work: (executor: Executor) => Pieces): Pieces {
  const executor = threadExecutor({ workers });
  try {
    return yield* work(executor);
  } finally {
    await executor.close();
  }
}

/** What a callback has told, for whoever asks for it one by one. */
class Told {
  private readonly waiting: Progress[] = [];
  private wake = (): void => {};

  tell(progress: Progress): void {
    this.waiting.push(progress);
    this.wake();
  }

  /** The next piece; undefined once there is none and the end has come. */
  async next(end: Promise<undefined>): Promise<Progress | undefined> {
    if (this.waiting.length === 0) {
      await Promise.race([
        end,
        new Promise<void>((done) => {
          this.wake = done;
        }),
      ]);
    }
    return this.waiting.shift();
  }
}
