/**
 * Policies: an action from a normalised observation, by parameters that training changes.
 *   linear     a = W o
 *   network    a = V tanh(W ō + b) + c,   one hidden layer,   ō = o between −5 and 5
 * The bounds are for observations that training has not met yet, such as how far a runner has come when it first runs: with them, units do
 * not all saturate, and of 30 half-cheetahs the worst reaches 60 of 80 instead of 10.
 * Parameters are one array, matrices row by row: W, then b, V, c. tanh is our own, so that policies act with the same bits everywhere.
 */
import type { Environment } from "../environments/index.ts";
import { hyperbolicTangent, type Random } from "../math/index.ts";
import { ArgumentError } from "../mechanism/index.ts";

export const policyKinds = ["linear", "network"] as const;
export type PolicyKind = (typeof policyKinds)[number];

export interface PolicyShape {
  readonly kind: PolicyKind;
  readonly observationSize: number;
  readonly actionSize: number;
  /** Hidden units of the network. Default 32. */
  readonly hiddenUnits?: number;
}

export interface Policy {
  readonly shape: PolicyShape;
  /** Changed in place by training. */
  readonly parameters: Float64Array;
  actInto(action: Float64Array, observation: Float64Array): void;
  /** Adds (∂a/∂θ)ᵀ ā to θ̄, and writes ō = (∂a/∂o)ᵀ ā. */
  pullInto(
    out: { readonly parameters: Float64Array; readonly observation: Float64Array },
    observation: Float64Array,
    action: Float64Array,
  ): void;
  /** @internal Adds (∂a/∂θ)ᵀ ā to θ̄, at the observation that it has just acted on. */
  pullParametersInto(parameters: Float64Array, observation: Float64Array, action: Float64Array): void;
}

const defaultHiddenUnits = 32;
/** Deviations from the mean beyond which a network sees no difference. */
const farthestSeen = 5;

/** A policy of zeros, or with the parameters that are given. */
export function policyOf(shape: PolicyShape, parameters?: ArrayLike<number>): Policy {
  requireShape(shape);
  const count = parameterCount(shape);
  if (parameters && parameters.length !== count) {
    const message = `has ${parameters.length} numbers; a ${shape.kind} policy from ${shape.observationSize} observations to ${shape.actionSize} actions has ${count}`;
    throw new ArgumentError("wrong-length", "parameters", message);
  }
  const own = parameters ? Float64Array.from(parameters) : new Float64Array(count);
  return shape.kind === "linear" ? new LinearPolicy(shape, own) : new NetworkPolicy(shape, own);
}

function requireShape({ kind, observationSize, actionSize, hiddenUnits = defaultHiddenUnits }: PolicyShape): void {
  if (!policyKinds.includes(kind))
    throw new ArgumentError(
      "unknown-kind",
      "kind",
      `"${String(kind)}" is no kind of policy (have: ${policyKinds.join(", ")})`,
    );
  for (const [name, count] of Object.entries({ observationSize, actionSize, hiddenUnits })) {
    if (Number.isInteger(count) && count >= 1) continue;
    throw new ArgumentError("out-of-range", name, `${count}: give a whole number, 1 or more`);
  }
}

/** Throws where a policy observes or acts otherwise than an environment does. */
export function requireFit(
  { observationSize, actionSize }: PolicyShape,
  environment: Environment,
  trainedIn?: string,
): void {
  const [observed, acted] = [environment.observationSpace.size, environment.actionSpace.size];
  if (observationSize === observed && actionSize === acted) return;
  const origin = trainedIn === undefined ? "" : `; it says that it was trained in ${trainedIn}`;
  const message = `takes ${observationSize} observations to ${actionSize} actions, and ${environment.description.name} has ${observed} and ${acted}${origin}`;
  throw new ArgumentError("wrong-environment", "policy", message);
}

function parameterCount({ kind, observationSize: n, actionSize: m, hiddenUnits }: PolicyShape): number {
  const hidden = hiddenUnits ?? defaultHiddenUnits;
  return kind === "linear" ? m * n : hidden * (n + 1) + m * (hidden + 1);
}

/**
 * A policy to begin with. Linear: 0.1 · N(0, 1), as published with ARS. Network: hidden weights N/√observations, output weights
 * 0.3 · N/√units, biases zero: actions of about 0.2 of their unit.
 */
export function randomPolicy(shape: PolicyShape, random: Random): Policy {
  const policy = policyOf(shape);
  const { parameters } = policy;
  const { observationSize: n, actionSize: m, hiddenUnits: hidden = defaultHiddenUnits } = shape;
  const fill = (from: number, count: number, scale: number): void => {
    for (let i = from; i < from + count; i++) parameters[i] = scale * random.normal();
  };
  if (shape.kind === "linear") fill(0, m * n, 0.1);
  else {
    fill(0, hidden * n, 1 / Math.sqrt(n));
    fill(hidden * (n + 1), m * hidden, 0.3 / Math.sqrt(hidden));
  }
  return policy;
}

class LinearPolicy implements Policy {
  readonly shape: PolicyShape;
  readonly parameters: Float64Array;

  constructor(shape: PolicyShape, parameters: Float64Array) {
    this.shape = shape;
    this.parameters = parameters;
  }

  actInto(action: Float64Array, observation: Float64Array): void {
    multiplyInto(action, this.parameters, 0, observation);
  }

  pullInto(out: Parameters<Policy["pullInto"]>[0], observation: Float64Array, action: Float64Array): void {
    out.observation.fill(0);
    pullProductInto(out.parameters, out.observation, this.parameters, 0, observation, action);
  }

  pullParametersInto(parameters: Float64Array, observation: Float64Array, action: Float64Array): void {
    addOuterInto(parameters, 0, observation, action);
  }
}

class NetworkPolicy implements Policy {
  readonly shape: PolicyShape;
  readonly parameters: Float64Array;
  /** ō. */
  private readonly seen: Float64Array;
  private readonly hidden: Float64Array;
  private readonly hiddenCotangent: Float64Array;
  /** Where b, V and c begin; W is first. */
  private readonly b: number;
  private readonly V: number;
  private readonly c: number;

  constructor(shape: PolicyShape, parameters: Float64Array) {
    const { observationSize: n, actionSize: m, hiddenUnits = defaultHiddenUnits } = shape;
    this.shape = shape;
    this.parameters = parameters;
    this.seen = new Float64Array(n);
    this.hidden = new Float64Array(hiddenUnits);
    this.hiddenCotangent = new Float64Array(hiddenUnits);
    this.b = hiddenUnits * n;
    this.V = hiddenUnits * (n + 1);
    this.c = this.V + m * hiddenUnits;
  }

  actInto(action: Float64Array, observation: Float64Array): void {
    const { parameters, hidden, V, c } = this;
    this.hide(observation);
    multiplyInto(action, parameters, V, hidden);
    for (let i = 0; i < action.length; i++) action[i] += parameters[c + i];
  }

  pullInto(out: Parameters<Policy["pullInto"]>[0], observation: Float64Array, action: Float64Array): void {
    const { parameters, seen, hiddenCotangent } = this;
    this.hide(observation);
    this.pullHidden(out.parameters, action);
    out.observation.fill(0);
    pullProductInto(out.parameters, out.observation, parameters, 0, seen, hiddenCotangent);
    for (let j = 0; j < seen.length; j++) if (seen[j] !== observation[j]) out.observation[j] = 0;
  }

  pullParametersInto(parameters: Float64Array, _: Float64Array, action: Float64Array): void {
    this.pullHidden(parameters, action);
    addOuterInto(parameters, 0, this.seen, this.hiddenCotangent);
  }

  /** Goes from the action back to what goes into tanh: adds to the cotangents of V, c and b. */
  private pullHidden(out: Float64Array, action: Float64Array): void {
    const { parameters, hidden, hiddenCotangent, b, V, c } = this;
    hiddenCotangent.fill(0);
    pullProductInto(out, hiddenCotangent, parameters, V, hidden, action);
    for (let i = 0; i < action.length; i++) out[c + i] += action[i];
    // through tanh, whose slope is 1 − tanh²
    for (let j = 0; j < hidden.length; j++) {
      hiddenCotangent[j] *= 1 - hidden[j] * hidden[j];
      out[b + j] += hiddenCotangent[j];
    }
  }

  private hide(observation: Float64Array): void {
    const { parameters, seen, hidden, b } = this;
    for (let j = 0; j < seen.length; j++) seen[j] = Math.min(Math.max(observation[j], -farthestSeen), farthestSeen);
    multiplyInto(hidden, parameters, 0, seen);
    for (let j = 0; j < hidden.length; j++) hidden[j] = hyperbolicTangent(hidden[j] + parameters[b + j]);
  }
}

/** y ← M x, M at `at`. */
function multiplyInto(y: Float64Array, matrix: Float64Array, at: number, x: Float64Array): void {
  const [rows, columns] = [y.length, x.length];
  for (let i = 0, k = at; i < rows; i++) {
    let sum = 0;
    for (let j = 0; j < columns; j++) sum += matrix[k++] * x[j];
    y[i] = sum;
  }
}

/** Adds ȳ xᵀ to M̄ and Mᵀ ȳ to x̄. */
function pullProductInto(
  matrixOut: Float64Array,
  xOut: Float64Array,
  matrix: Float64Array,
  at: number,
  x: Float64Array,
  y: Float64Array,
): void {
  for (let i = 0; i < y.length; i++) {
    for (let j = 0; j < x.length; j++) {
      const k = at + i * x.length + j;
      matrixOut[k] += y[i] * x[j];
      xOut[j] += matrix[k] * y[i];
    }
  }
}

/** Adds ȳ xᵀ to M̄. */
function addOuterInto(matrixOut: Float64Array, at: number, x: Float64Array, y: Float64Array): void {
  const [rows, columns] = [y.length, x.length];
  for (let i = 0, k = at; i < rows; i++) {
    const weight = y[i];
    for (let j = 0; j < columns; j++) matrixOut[k++] += weight * x[j];
  }
}
