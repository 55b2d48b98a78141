/**
 * The sum of losses over the windows of a recording, and its normal equations with respect to the parameters θ and to the local numbers
 * λ of each window's start, as a kind of work: a job is one recording at one θ. With r the residuals of a frame over the noise, w their
 * weight and J = ∂r/∂(θ, λ) from the engine's gradients at κ,
 *   cost = Σ ρ(‖r‖²)      H = Σ w Jᵀ(1 − b r rᵀ/‖r‖²)J      g = Σ w Jᵀr      (half the gradient of the cost)
 * with b the bend of a robust loss (loss.ts) near the minimum, and 0 on the way there.
 */
import { minimalStateInto } from "../coordinates/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import type { SparseJacobian } from "../quantities/index.ts";
import { type PathParameter, StateError, type StepReport } from "../simulation/index.ts";
import type { WorkKind } from "../work/index.ts";
import { type Loss, lossOf, requireLoss } from "./loss.ts";
import { Measurement } from "./measurement.ts";
import { type RunsContext, type WindowRun, WindowRuns } from "./windowRuns.ts";

/** What all jobs of a fit share: plain data. */
export interface FitContext extends RunsContext {
  /** Default squared. */
  readonly loss?: Loss;
  /** What counts the same: every frame, or every recording, however long. Default "frames". */
  readonly weighting?: "frames" | "recordings";
}

export interface FitJob {
  readonly recording: number;
  readonly theta: Float64Array;
  /** Local numbers of all windows of the recording. */
  readonly locals: Float64Array;
  /** Where on the central path to differentiate; undefined where only the cost is wanted. */
  readonly path?: PathParameter | undefined;
  /** Whether H has the curvature that a robust loss takes off: right near the minimum, and harmful where most frames are far out. Default false. */
  readonly bends?: boolean;
}

/** Row-major matrices. */
export interface FitOutcome {
  /** Infinite where θ leaves the physics. */
  readonly cost: number;
  /** Σ ‖r‖², as they are. */
  readonly squares: number;
  /** Rows of residuals. */
  readonly rows: number;
  /** Σ a²‖r‖² and Σ a (n − b), with a the weight of a frame and n its rows: how gradients scatter, and how cost resists. Both are known with H. */
  readonly scatter: number;
  readonly resistance: number;
  /** Σ a r·a'r' of frames that follow each other in a window, and their rows. */
  readonly lagged: number;
  readonly laggedRows: number;
  /** Windows whose simulation ended early or with less precision or friction than it was asked for, or that have no gradients. */
  readonly failures: number;
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
  /** What each window has of its own: ∂²/∂λ², ∂²/∂λ∂θ (a row per λ), ∂/∂λ. */
  readonly local: readonly {
    readonly hessian: Float64Array;
    readonly cross: Float64Array;
    readonly gradient: Float64Array;
  }[];
}

export const fitKind: WorkKind<FitContext, FitJob, FitOutcome> = {
  name: "identification",
  prepare(context) {
    const work = new RecordingCost(context);
    return (job) => work.outcome(job);
  },
};

/** The cost of recordings, for one context. */
export class RecordingCost {
  readonly runs: WindowRuns;
  private readonly context: FitContext;
  private readonly measurement: Measurement;
  private readonly minimal: Float64Array;
  private jacobian = new Float64Array(0);

  constructor(context: FitContext) {
    requireLoss(context.loss ?? { kind: "squared" });
    this.context = context;
    this.runs = new WindowRuns(context);
    const { mechanism } = this.runs.simulation;
    this.measurement = new Measurement(mechanism, this.runs.channels, context.noise);
    this.minimal = new Float64Array(2 * mechanism.coordinateCount);
  }

  outcome({ recording, theta, locals, path, bends = false }: FitJob): FitOutcome {
    const { runs } = this;
    const sums = new Sums(runs.map.names.length, runs.localCount);
    try {
      runs.apply(theta);
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error;
      return { ...sums, cost: Number.POSITIVE_INFINITY };
    }
    const windows = runs.windows[recording];
    const frames = windows.reduce((total, window) => total + window.frames.length, 0);
    const share = this.context.weighting === "recordings" ? 1 / frames : 1;
    for (const index of windows.keys()) {
      sums.beginWindow();
      const run = runOf(runs, recording, index, locals, path);
      if (!run) return { ...sums, cost: Number.POSITIVE_INFINITY };
      const isWhole =
        run.trajectory.solved &&
        run.trajectory.reports.every(isAsAsked) &&
        (path === undefined || run.tangents !== undefined);
      if (!isWhole) sums.failures++;
      this.addWindow(sums, recording, run, share, bends);
    }
    return { ...sums };
  }

  private addWindow(
    sums: Sums,
    recording: number,
    { window, trajectory, stateOf, positions, tangents }: WindowRun,
    share: number,
    bends: boolean,
  ) {
    const { measurement, runs, minimal } = this;
    const { recordings, loss = { kind: "squared" } } = this.context;
    const { made, parameters } = measurement;
    const { map, isMaximal, simulation } = runs;
    const columns = map.names.length + runs.localCount;
    if (this.jacobian.length !== measurement.rows * columns)
      this.jacobian = new Float64Array(measurement.rows * columns);
    const last = new Float64Array(measurement.rows);
    let angles = positions;
    let seen = 0;
    for (const [i, frame] of window.frames.entries()) {
      const k = stateOf(frame);
      measurement.load(recordings[recording], frame, map.outside);
      if (!isMaximal) {
        // angles go on from state to state
        for (; seen <= k; seen++) {
          minimalStateInto(minimal, simulation.currentMechanism, trajectory.states[seen], simulation.timestep, angles);
          angles = minimal;
        }
      }
      const point = { state: trajectory.states[k], minimal, parameters };
      if (tangents) made.linearize(point);
      else made.evaluate(point);
      let s = 0;
      for (const value of made.values) s += value * value;
      const { value, weight, bend } = lossOf(loss, s);
      sums.cost += share * value;
      sums.squares += s;
      sums.rows += measurement.rows;
      if (!tangents) continue;
      this.fillJacobian(tangents[k], columns);
      sums.add(made.values, this.jacobian, columns, share * weight);
      if (bends && bend > 0) sums.bend(made.values, this.jacobian, columns, (share * weight * bend) / s);
      sums.scatter += (share * weight) ** 2 * s;
      sums.resistance += share * weight * (measurement.rows - (bends ? bend : 0));
      for (let row = 0; row < last.length; row++) {
        const own = share * weight * made.values[row];
        sums.lagged += own * last[row];
        last[row] = own;
      }
      if (i > 0) sums.laggedRows += measurement.rows;
    }
  }

  /** ∂r/∂(θ, λ) of the frame that the measurement was linearised at. */
  private fillJacobian(tangents: readonly Float64Array[], columns: number): void {
    const { jacobian, measurement, runs } = this;
    const { made } = measurement;
    const { map, isMaximal } = runs;
    jacobian.fill(0);
    const byState: SparseJacobian = isMaximal ? made.byState : made.byMinimal;
    const { rows, columns: places, entries } = byState;
    for (let i = 0; i < entries.length; i++) {
      const [row, place, entry] = [rows[i] * columns, places[i], entries[i]];
      for (let c = 0; c < columns; c++) jacobian[row + c] += entry * tangents[c][place];
    }
    const parameters = map.names.length;
    const own = made.byParameter;
    for (let i = 0; i < own.entries.length; i++) {
      const [row, place, entry] = [own.rows[i] * columns, own.columns[i] * parameters, own.entries[i]];
      for (let c = 0; c < parameters; c++) jacobian[row + c] += entry * map.dOutside_dTheta[place + c];
    }
  }
}

/** Whether a step was solved as it was asked for, and not with less precision or friction. */
const isAsAsked = ({ precision, frictionScale = 1 }: StepReport): boolean =>
  precision === undefined && frictionScale === 1;

/** Undefined where the start is no state that can be simulated: a trial step of the search may go as far. */
function runOf(
  runs: WindowRuns,
  recording: number,
  index: number,
  locals: Float64Array,
  path: PathParameter | undefined,
): WindowRun | undefined {
  try {
    return runs.run(recording, index, locals, path);
  } catch (error) {
    if (error instanceof ArgumentError || error instanceof StateError) return undefined;
    throw error;
  }
}

/** Sums over the frames of a recording. */
class Sums {
  cost = 0;
  squares = 0;
  rows = 0;
  scatter = 0;
  resistance = 0;
  lagged = 0;
  laggedRows = 0;
  failures = 0;
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
  readonly local: FitOutcome["local"][number][] = [];
  readonly #parameters: number;
  readonly #locals: number;

  constructor(parameters: number, locals: number) {
    this.#parameters = parameters;
    this.#locals = locals;
    this.gradient = new Float64Array(parameters);
    this.hessian = new Float64Array(parameters * parameters);
  }

  beginWindow(): void {
    const [n, m] = [this.#parameters, this.#locals];
    if (m === 0) return;
    this.local.push({
      hessian: new Float64Array(m * m),
      cross: new Float64Array(m * n),
      gradient: new Float64Array(m),
    });
  }

  add(residual: Float64Array, jacobian: Float64Array, columns: number, weight: number): void {
    const [n, m] = [this.#parameters, this.#locals];
    const window = this.local.at(-1);
    for (let row = 0; row < residual.length; row++) {
      const at = row * columns;
      for (let i = 0; i < n; i++) {
        const left = weight * jacobian[at + i];
        if (left === 0) continue;
        this.gradient[i] += left * residual[row];
        for (let j = 0; j < n; j++) this.hessian[i * n + j] += left * jacobian[at + j];
      }
      if (!window) continue;
      for (let i = 0; i < m; i++) {
        const left = weight * jacobian[at + n + i];
        if (left === 0) continue;
        window.gradient[i] += left * residual[row];
        for (let j = 0; j < n; j++) window.cross[i * n + j] += left * jacobian[at + j];
        for (let j = 0; j < m; j++) window.hessian[i * m + j] += left * jacobian[at + n + j];
      }
    }
  }

  /** Takes the curvature along the residual off: H − factor (Jᵀr)(Jᵀr)ᵀ. */
  bend(residual: Float64Array, jacobian: Float64Array, columns: number, factor: number): void {
    const [n, m] = [this.#parameters, this.#locals];
    const window = this.local.at(-1);
    const along = new Float64Array(columns);
    for (let row = 0; row < residual.length; row++) {
      for (let c = 0; c < columns; c++) along[c] += residual[row] * jacobian[row * columns + c];
    }
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) this.hessian[i * n + j] -= factor * along[i] * along[j];
    if (!window) return;
    for (let i = 0; i < m; i++) {
      const left = factor * along[n + i];
      for (let j = 0; j < n; j++) window.cross[i * n + j] -= left * along[j];
      for (let j = 0; j < m; j++) window.hessian[i * m + j] -= left * along[n + j];
    }
  }
}
