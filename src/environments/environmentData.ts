/**
 * Environments as data alone: JSON, or what another language sends. What a description has as functions is text or data here.
 *   observation   "coordinates", "rates", "torso.velocity" …      quantities, as costs of plans name them
 *   reward        "torso.velocity.x - 0.05 |action|^2"           of the state after the step; "before.torso.x" is of the state before it
 *   alive         "torso.z >= 0.2"
 * `contacts.foot.normalImpulse` is the impulse of a contact in the step that led to the state, `frictionImpulse` the two along its tangents.
 */
import { ArgumentError, requireOptionNames } from "../mechanism/index.ts";
import {
  type ExpressionSource,
  type Names,
  namesOf,
  type Quantities,
  readComparison,
  readExpression,
  readScalar,
} from "../quantities/index.ts";
import { neg, type Scalar } from "../symbolic/index.ts";
import { type EnvironmentDescription, environmentFields, type StepQuantities } from "./description.ts";

export interface EnvironmentData extends Omit<EnvironmentDescription, "observation" | "reward" | "alive" | "goal"> {
  /** One after the other; vectors entry by entry. */
  readonly observation: ExpressionSource | readonly ExpressionSource[];
  readonly reward: ExpressionSource;
  /** Inequalities as text, or margins as data: the episode is over when one of these is negative. Default none. */
  readonly alive?: ExpressionSource | readonly ExpressionSource[];
  /** Three numbers: where the task leads. Default nowhere. */
  readonly goal?: ExpressionSource;
}

/** The description of an environment that is given as data, or as its JSON. */
export function readEnvironment(given: EnvironmentData | string): EnvironmentDescription {
  const data = typeof given === "string" ? parsed(given) : given;
  if (typeof data !== "object" || data === null) {
    throw new ArgumentError(
      "wrong-type",
      "environment",
      "give an object with name, mechanism, horizon, observation and reward",
    );
  }
  requireOptionNames("environment", data, environmentFields);
  const { observation, reward, alive, goal, ...rest } = data;
  const missing = (["name", "mechanism", "horizon", "observation", "reward"] as const).find(
    (name) => data[name] === undefined,
  );
  if (missing !== undefined) throw new ArgumentError("missing-field", `environment.${missing}`, "is missing");
  return {
    ...rest,
    observation: (q) =>
      listOf(observation).flatMap((source, i) =>
        readExpression(source, stateNames(q), at("observation", i, observation)),
      ),
    reward: (step) => readScalar(reward, stepNames(step), "reward"),
    ...(alive !== undefined && {
      alive: (q: Quantities) => listOf(alive).flatMap((source, i) => margins(source, q, at("alive", i, alive))),
    }),
    ...(goal !== undefined && { goal: (q: Quantities) => readExpression(goal, stateNames(q), "goal") }),
  };
}

function parsed(text: string): EnvironmentData {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ArgumentError("no-json", "environment", `is no JSON: ${(error as Error).message}`);
  }
}

const listOf = (given: ExpressionSource | readonly ExpressionSource[]): readonly ExpressionSource[] =>
  Array.isArray(given) ? given : [given as ExpressionSource];

const at = (what: string, i: number, given: unknown): string => (Array.isArray(given) ? `${what}[${i}]` : what);

function margins(source: ExpressionSource, q: Quantities, place: string): Scalar[] {
  if (typeof source !== "string") return readExpression(source, stateNames(q), place);
  const { sign, rows } = readComparison(source, stateNames(q), place);
  if (sign === "=")
    throw new ArgumentError("not-expressible", place, "an episode goes on while an inequality holds; give <= or >=");
  return sign === ">=" ? [...rows] : rows.map(neg);
}

const impulsePattern = /^(?:contacts\.)?(.+)\.(normalImpulse|frictionImpulse)$/;

/** Quantities of a state, and the impulses of contacts that led to it. */
function stateNames(q: Quantities): Names {
  const named = namesOf(q);
  return (name, place) => {
    const [, contact, kind] = impulsePattern.exec(name) ?? [];
    return kind === undefined ? named(name, place) : q.contact(contact)[kind as "normalImpulse" | "frictionImpulse"];
  };
}

/** Quantities of the state after a step, of the state before it, and the action. */
function stepNames({ before, after, action }: StepQuantities): Names {
  const [earlier, later] = [stateNames(before), stateNames(after)];
  const { inputNames } = after.mechanism;
  return (name, place) => {
    if (name === "action") return action;
    if (name.startsWith("before.")) return earlier(name.slice("before.".length), place);
    const entry = name.startsWith("action.") ? inputNames.indexOf(name.slice("action.".length)) : -1;
    return entry < 0 ? later(name, place) : action[entry];
  };
}
