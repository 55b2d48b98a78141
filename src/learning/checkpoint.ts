/**
 * A training between two updates, as JSON: environment, settings, and the state of its search with that of its random stream. A training
 * that is read goes on to the bit, on every machine. It does so only with the version of the engine that wrote it.
 */
import type { Environment } from "../environments/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import { version } from "../simulation/index.ts";
import { searchOf, type TrainingSettings } from "./methods.ts";
import { savedAmount, savedFields, savedFlag } from "./savedState.ts";
import type { Search, SearchState } from "./search.ts";

const checkpointFormat = "dojo-sim training 1";

export interface Checkpoint {
  readonly environment: string;
  readonly settings: TrainingSettings;
  readonly state: SearchState;
  /** Whether nothing is left to do. */
  readonly done: boolean;
  /** Seconds that it took so far. */
  readonly seconds: number;
}

export function checkpointJson({ environment, settings, state, done, seconds }: Checkpoint): string {
  return `${JSON.stringify({ format: checkpointFormat, version, environment, settings, done, seconds, state })}\n`;
}

/** Throws where the text is no checkpoint, or one of another version. */
export function checkpointFromJson(text: string): Checkpoint {
  const refuse = (path: string, message: string): never => {
    throw new ArgumentError("no-checkpoint", path, message);
  };
  let data: Partial<Checkpoint> & { readonly format?: unknown; readonly version?: unknown };
  try {
    data = JSON.parse(text);
  } catch {
    return refuse("checkpoint", "is no JSON; give one that training has written");
  }
  if (data?.format !== checkpointFormat) return refuse("checkpoint.format", `is not "${checkpointFormat}"`);
  if (data.version !== version) {
    const message = `${JSON.stringify(data.version)}: it was written by another version than this, ${version}, whose bits may differ; begin anew, or go on with that version`;
    return refuse("checkpoint.version", message);
  }
  const { environment, settings, state, done, seconds } = data;
  if (typeof environment !== "string") return refuse("checkpoint.environment", "is no name");
  savedFields("checkpoint.settings", settings);
  savedFields("checkpoint.state", state);
  return {
    environment,
    settings: settings as TrainingSettings,
    state: state as SearchState,
    done: savedFlag("checkpoint.done", done),
    seconds: savedAmount("checkpoint.seconds", seconds),
  };
}

/** The search of a checkpoint, ready to go on. Throws where the environment or the settings are others, by their names. */
export function resumedSearch(environment: Environment, settings: TrainingSettings, checkpoint: Checkpoint): Search {
  const { name } = environment.description;
  if (checkpoint.environment !== name) {
    const message = `it trains in ${checkpoint.environment}, not in ${name}; begin anew, or give that environment`;
    throw new ArgumentError("wrong-environment", "checkpoint", message);
  }
  const [wanted, found] = [settings, checkpoint.settings].map((given) => given as unknown as Record<string, unknown>);
  const other = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].find(
    (key) => JSON.stringify(wanted[key]) !== JSON.stringify(found[key]),
  );
  if (other !== undefined) {
    const say = (value: unknown): string => (value === undefined ? "its default" : JSON.stringify(value));
    const message = `it was begun with ${say(found[other])}, not with ${say(wanted[other])}; give the same, or begin anew`;
    throw new ArgumentError("wrong-settings", `checkpoint.settings.${other}`, message);
  }
  const search = searchOf(environment, settings);
  search.restore(checkpoint.state, "checkpoint.state");
  return search;
}
