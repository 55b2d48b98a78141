/**
 * The steps of a rollout, ready to be differentiated, from the last to the first or the other way round. Between checkpoints they
 * are taken again, a stretch at a time, in a simulation of their own: from the kept state with the kept inputs, parameters and
 * wrenches, and with the same options, so bit by bit what they were. Where a stretch does not end in the state that was recorded, it throws.
 */
import { cached } from "../math/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import {
  type GradientRecord,
  isStepEnd,
  Simulation,
  type SlotSystem,
  type StepResult,
  StepsWithPoints,
  type Trajectory,
} from "../simulation/index.ts";
import { allFinite } from "./finite.ts";
import { hasPoints, type SolvedStep } from "./point.ts";

export class RecordedSteps {
  readonly simulation: Simulation;
  readonly count: number;

  private readonly trajectory: Trajectory;
  private readonly record: GradientRecord;
  /** Memory as it is, for a rollout without steps; and by memory of steps with features, that of the system without them. */
  private readonly present: Float64Array;
  private readonly plain = new Map<Float64Array, Float64Array>();
  /** The stretch that is at hand. */
  private first = -1;
  private stretch: SolvedStep[] = [];

  constructor(trajectory: Trajectory) {
    const record = trajectory.gradients;
    if (!record || !(record.simulation instanceof Simulation)) {
      const message = "it was not recorded for gradients; give `gradients: true` to rollout";
      throw new ArgumentError("no-gradients", "trajectory", message);
    }
    this.trajectory = trajectory;
    this.record = record;
    const { f64, dataEnd } = record.simulation.plainSystem;
    this.present = f64.subarray(0, dataEnd);
    this.simulation = record.simulation;
    this.count = record.steps.length;
  }

  at(k: number): SolvedStep {
    const { record, trajectory } = this;
    if (trajectory.reports[k].status !== "solved") {
      const message = `step ${k} was not solved (${trajectory.reports[k].status}), so nothing can be differentiated through it`;
      throw new ArgumentError("not-solved", "trajectory", message);
    }
    const first = k - (k % record.every);
    if (!record.keepsPoints && first !== this.first) this.replay(first);
    const step = record.keepsPoints ? this.keptStep(k) : this.stretch[k - first];
    if (hasPoints(step)) return step;
    const message = `step ${k} was solved, but it has no point at the ${this.where}; take another`;
    throw new ArgumentError("not-solved", "trajectory", message);
  }

  /** Throws where a tangent or cotangent that went through step k has become anything but numbers. */
  requireFinite(k: number, ...values: readonly Float64Array[]): void {
    if (values.every(allFinite)) return;
    const message = `the gradients of step ${k} are not finite at the ${this.where}; take another`;
    throw new ArgumentError("not-finite", "trajectory", message);
  }

  /** Where on the central path it is differentiated. */
  private get where(): string {
    const { kappa, relativeKappa } = this.record.path;
    if (isStepEnd(this.record.path)) return "end of the step";
    return kappa === undefined ? `smoothing of ${relativeKappa}` : `kappa of ${kappa}`;
  }

  /** Whether its points are ends of steps. */
  private get isCapped(): boolean {
    return isStepEnd(this.record.path);
  }

  private keptStep(k: number): SolvedStep {
    const { inputs, states } = this.trajectory;
    // without spreads, which take longer than a small step
    const { data, points, bounces, from, to, division, taken, bonds, combined, pieces } = this.record.steps[k];
    const [input, state, next] = [inputs[k], states[k], states[k + 1]];
    const { isCapped } = this;
    return { data, points, isCapped, bounces, from, to, division, taken, bonds, combined, pieces, input, state, next };
  }

  /** Memory of the system without features, with the parameters that held when state k was reached or left: the same array where these are the same. */
  data(k: number): Float64Array {
    const kept = this.record.steps[Math.min(k, this.count - 1)];
    if (!kept) return this.present;
    const { taken, data } = kept;
    return taken ? cached(this.plain, data, () => plainData(this.simulation, taken, data)) : data;
  }

  /** The time step over the interval in which state k is written. */
  parts(k: number): number {
    const { steps } = this.record;
    if (this.count === 0) return Math.round(this.simulation.timestep / this.trajectory.interval(0));
    return k < this.count ? steps[k].from : steps[k - 1].to;
  }

  /** State k, taken again if need be. */
  state(k: number): Float64Array {
    const { trajectory } = this;
    if (k === this.count) return trajectory.final;
    if (k % trajectory.every === 0) return trajectory.states[k / trajectory.every];
    return this.at(k).state;
  }

  private replay(first: number): void {
    const { record, trajectory, simulation } = this;
    const { mechanism, options } = simulation;
    const again = simulation.resource("replay", () => new Simulation(mechanism, options));
    const steps = new StepsWithPoints<StepResult>(again, [record.path], options);
    let state = trajectory.states[first / record.every];
    this.first = first;
    this.stretch = [];
    again.memory = record.memories[first / record.every];
    const end = Math.min(first + record.every, this.count);
    for (let k = first; k < end; k++) {
      const { data, from, to, taken: before } = record.steps[k];
      const input = trajectory.inputs[k];
      // parameters and wrenches as they were; turns go on from step to step
      const { f64, turns, places } = again.system;
      const counted = Float64Array.from(turns.indices, (index) => f64[index]);
      if (before) {
        f64.set(data.subarray(0, places.unknown));
        for (const [path, index] of again.parameterPlaces) f64[index] = data[before.parameters.get(path) as number];
      } else f64.set(data);
      turns.indices.forEach((index, i) => {
        f64[index] = counted[i];
      });
      const interval = again.timestep / from;
      const result = steps.take(state, input, interval);
      const next = result.next.slice();
      const [found] = steps.found;
      const points = found.points.map((point) => point.slice());
      const taken = again.touching?.active;
      const own = taken ? taken.system.f64.slice(0, taken.system.dataEnd) : data;
      const bonds = taken?.system.touch?.bonds;
      const combined = again.touching?.combined;
      const { isCapped } = this;
      const step = { data: own, taken, bonds, combined, input, state, next, points, isCapped, bounces: found.bounces };
      this.stretch.push({ ...step, from, to, division: steps.division, pieces: found.pieces });
      state = next;
    }
    const recorded = end === this.count ? trajectory.final : trajectory.states[end / record.every];
    if (state.every((value, i) => Object.is(value, recorded[i]))) return;
    this.first = -1;
    const message = `steps ${first} to ${end - 1}, taken again from the checkpoint, end in another state than was recorded; roll out without checkpointEvery`;
    throw new ArgumentError("not-repeated", "trajectory", message);
  }
}

/** Memory of a step that was taken with features of shapes, as memory of the system without them. */
function plainData(
  { plainSystem, touching }: Simulation,
  { parameters }: SlotSystem,
  data: Float64Array,
): Float64Array {
  const plain = plainSystem.f64.slice(0, plainSystem.dataEnd);
  plain.set(data.subarray(0, plainSystem.places.unknown));
  const there = touching?.plain.parameters ?? plainSystem.parameters;
  for (const [path, index] of parameters) plain[there.get(path) as number] = data[index];
  return plain;
}
