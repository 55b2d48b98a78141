/**
 * Observation, reward and margins of an environment as functions of numbers, with what takes cotangents back through them:
 *   o(x, z, λ, t)     ō  → adds (∂o/∂x)ᵀ ō, (∂o/∂z)ᵀ ō and (∂o/∂λ)ᵀ ō
 *   r(x, z, λ, t; u; x₊, z₊, λ₊, t₊)     adds ∂r/∂(x, z, λ), ∂r/∂u and ∂r/∂(x₊, z₊, λ₊)
 * x is the minimal state, z the state of the bodies, whose cotangents have 12 numbers per body, in attitude errors, and λ the impulses of
 * the contacts in the step that led there. Nothing is allocated.
 */
import { impulseSize } from "../kernels/index.ts";
import { bodyTangentSize, type Vector3 } from "../math/index.ts";
import { ArgumentError, type Mechanism } from "../mechanism/index.ts";
import { Quantities, QuantityFunction, type SparseJacobian } from "../quantities/index.ts";
import { div, type Scalar, sub, symbolsOf } from "../symbolic/index.ts";
import type { EnvironmentDescription } from "./description.ts";
import type { Moment } from "./moment.ts";
import { OtherMoment } from "./otherMoment.ts";

/** The gradient of a number with respect to a state, in two parts that are to be summed, and to the impulses that led there. */
export interface StateCotangent {
  readonly minimal: Float64Array;
  /** 12 numbers per body. */
  readonly state: Float64Array;
  /** Three numbers per contact. */
  readonly impulse: Float64Array;
}

export function stateCotangent(mechanism: Mechanism): StateCotangent {
  return {
    minimal: new Float64Array(2 * mechanism.coordinateCount),
    state: new Float64Array(bodyTangentSize * mechanism.bodies.length),
    impulse: new Float64Array(impulseSize * mechanism.contacts.length),
  };
}

/** Inputs of an action: offset + scale · action. */
export interface ActionMap {
  readonly offset: Float64Array;
  readonly scale: Float64Array;
}

export class EnvironmentFunctions {
  readonly observationSize: number;
  /** Whether observation, reward or margins read impulses of contacts. */
  readonly readsImpulses: boolean;
  private readonly observed: QuantityFunction;
  private readonly alive: QuantityFunction | undefined;
  private readonly mechanism: Mechanism;
  private readonly description: EnvironmentDescription;
  private readonly aim: QuantityFunction | undefined;
  /** The reward, to be differentiated at the state after the step and at the one before. */
  private readonly atAfter: RewardFunction;
  private readonly atBefore: RewardFunction | undefined;

  constructor(mechanism: Mechanism, actions: ActionMap, description: EnvironmentDescription) {
    const { observation, alive, reward, goal } = description;
    this.mechanism = mechanism;
    this.description = description;
    const ofState = (rows: (q: Quantities) => readonly Scalar[], path: string): QuantityFunction => {
      const q = new Quantities(mechanism);
      const made = rows(q);
      requireStateOnly(q, made, path);
      return new QuantityFunction(q, made);
    };
    this.observed = ofState(observation, "observation");
    this.observationSize = this.observed.values.length;
    this.alive = alive && ofState(alive, "alive");
    this.aim = goal && ofState(goal, "goal");
    const actionOf = (q: Quantities): Scalar[] =>
      q.inputs.map((input, i) => div(sub(input, actions.offset[i]), actions.scale[i]));
    this.atAfter = new RewardFunction(mechanism, (after, before) => reward({ before, after, action: actionOf(after) }));
    if (this.atAfter.readsOther) {
      this.atBefore = new RewardFunction(mechanism, (before, after) =>
        reward({ before, after, action: actionOf(before) }),
      );
    }
    const all = [this.observed, this.alive, this.atAfter, this.atBefore];
    this.readsImpulses = all.some((made) => made?.readsImpulses);
  }

  /** The observation: a view that the next call rewrites. Throws where an entry is not finite. */
  observe(moment: Moment): Float64Array {
    this.observed.evaluate(moment);
    const { values } = this.observed;
    for (let i = 0; i < values.length; i++)
      if (!Number.isFinite(values[i])) throw this.notFinite("observation", values[i], moment, i);
    return values;
  }

  pullObservationInto(out: StateCotangent, moment: Moment, cotangent: Float64Array): void {
    this.observed.linearize(moment);
    addTransposedInto(out, this.observed, cotangent);
  }

  reward(before: Moment, input: Float64Array, after: Moment): number {
    return this.atAfter.evaluate(after, before, input);
  }

  /** Adds the reward's gradient to the cotangents that are given. */
  pullRewardInto(
    out: { readonly before?: StateCotangent; readonly input?: Float64Array; readonly after?: StateCotangent },
    before: Moment,
    input: Float64Array,
    after: Moment,
  ): void {
    if (out.after || out.input) this.atAfter.pullInto(out.after, out.input, after, before, input);
    if (out.before) this.atBefore?.pullInto(out.before, undefined, before, after, input);
  }

  /** Where the task leads; undefined where it leads nowhere. */
  goal(moment: Moment): Vector3 | undefined {
    if (!this.aim) return undefined;
    this.aim.evaluate(moment);
    const [x, y, z] = this.aim.values;
    return [x, y, z];
  }

  /** False where a margin is negative, or no number. */
  isAlive(moment: Moment): boolean {
    this.alive?.evaluate(moment);
    return this.margins.every(isNotNegative);
  }

  /** The margins that were last asked for. */
  get margins(): Float64Array {
    return this.alive?.values ?? none;
  }

  /** What to say where a part of the description, or a row of it, is no number at a moment: when that is, and what it reads. */
  notFinite(part: "observation" | "reward" | "alive", value: number, { time }: Moment, row?: number): ArgumentError {
    const { description, mechanism } = this;
    const step = Math.round(time / ((description.stepsPerAction ?? 1) * mechanism.timestep));
    const when = step === 0 ? "at the start of the episode" : `after step ${step} of the episode`;
    const q = new Quantities(mechanism);
    const rows =
      part === "reward"
        ? [description.reward({ before: q, after: q, action: q.inputs })]
        : (description[part]?.(q) ?? []).slice(row, (row as number) + 1);
    const names = symbolsOf(rows).map(({ name }) => name);
    const from = names.length === 0 ? "" : `, from ${names.slice(0, mostNames).join(", ")}`;
    const message = `${value} ${when}${from}; write it so that it is finite in every state, and reset`;
    return new ArgumentError("not-finite", row === undefined ? part : `${part}[${row}]`, message);
  }
}

const none = new Float64Array(0);
const mostNames = 8;
const isNotNegative = (margin: number): boolean => margin >= 0;

/** The reward as a function that is differentiated at one of its two moments. */
class RewardFunction {
  private readonly made: QuantityFunction;
  private readonly other: OtherMoment;
  private readonly parameters: Float64Array;
  private readonly point: {
    minimal: Float64Array;
    state: Float64Array;
    impulse: Float64Array | undefined;
    time: number;
    input: Float64Array;
    readonly parameters: Float64Array;
  };

  constructor(mechanism: Mechanism, reward: (own: Quantities, other: Quantities) => Scalar) {
    const own = new Quantities(mechanism);
    this.other = new OtherMoment(own);
    this.made = new QuantityFunction(own, [reward(own, this.other)]);
    this.parameters = new Float64Array(this.other.size);
    this.point = { minimal: none, state: none, impulse: none, time: 0, input: none, parameters: this.parameters };
  }

  get readsOther(): boolean {
    return this.parameters.length > 0;
  }

  get readsImpulses(): boolean {
    return this.made.readsImpulses || this.other.readsImpulses;
  }

  evaluate(own: Moment, other: Moment, input: Float64Array): number {
    this.place(own, other, input);
    this.made.evaluate(this.point);
    return this.made.values[0];
  }

  pullInto(
    out: StateCotangent | undefined,
    inputOut: Float64Array | undefined,
    own: Moment,
    other: Moment,
    input: Float64Array,
  ): void {
    this.place(own, other, input);
    this.made.linearize(this.point);
    if (out) addTransposedInto(out, this.made, unit);
    if (inputOut) addProductInto(inputOut, this.made.byInput, unit);
  }

  private place({ minimal, state, impulse, time }: Moment, other: Moment, input: Float64Array): void {
    const { point } = this;
    this.other.parametersInto(this.parameters, other, input);
    point.minimal = minimal;
    point.state = state;
    point.impulse = impulse;
    point.time = time;
    point.input = input;
  }
}

const unit = Float64Array.of(1);

function addTransposedInto(out: StateCotangent, made: QuantityFunction, cotangent: Float64Array): void {
  addProductInto(out.minimal, made.byMinimal, cotangent);
  addProductInto(out.state, made.byState, cotangent);
  addProductInto(out.impulse, made.byImpulse, cotangent);
}

function addProductInto(out: Float64Array, { rows, columns, entries }: SparseJacobian, cotangent: Float64Array): void {
  for (let i = 0; i < entries.length; i++) out[columns[i]] += entries[i] * cotangent[rows[i]];
}

function requireStateOnly(q: Quantities, rows: readonly Scalar[], path: string): void {
  for (const symbol of symbolsOf(rows)) {
    const section = q.places.get(symbol)?.section;
    if (section !== "input" && section !== "parameter") continue;
    const message = `reads ${symbol.name}, and no step has been chosen yet when it is read; read coordinates, bodies, contacts and time`;
    throw new ArgumentError("unsupported", path, message);
  }
}
