/**
 * Fourth-order central differences of a step, with everything held that its gradients hold, or free, with features of shapes that are found anew
 * in every step:
 *   f' ≈ (8 (f(ε) − f(−ε)) − (f(2ε) − f(−2ε))) / 12 ε
 * and one-sided ones where an input lies on a limit of what it drives, which has a kink there:
 *   f' ≈ (−25 f(0) + 48 f(ε) − 36 f(2ε) + 16 f(3ε) − 3 f(4ε)) / 12 ε,   to the side that the sign of ε says
 */
import { bodyStateSize, bodyTangentSize } from "../math/index.ts";
import type { Mechanism } from "../mechanism/index.ts";
import {
  currentMechanism,
  minimalFromState,
  type Simulation,
  type StepOptions,
  type StepResult,
  stateFromMinimal,
} from "../simulation/index.ts";
import type { StepGradients } from "./gradientResult.ts";
import type { Coordinates } from "./jacobians.ts";
import type { ParameterDirection } from "./parameters.ts";
import { addError, stateError } from "./stateError.ts";
import { stepDirections } from "./touchingSteps.ts";

/** @internal Where shapes touch: the pieces that the step is taken as, if it is held as several. */
export function heldPieces({ touching }: Simulation) {
  return touching?.isHeld && touching.isInPieces ? touching.pieces : undefined;
}

interface Setting {
  readonly coordinates: Coordinates;
  readonly exact: StepOptions;
  /** The step about which the differences are taken. */
  readonly gradients: StepGradients;
  /** Of free differences. */
  readonly free?: FreeSteps;
}

/** How steps find features of their own: in a step with these options. `hold` then holds what else the gradients hold. */
export interface FreeSteps {
  readonly finding: StepOptions;
  readonly hold: <T>(run: () => T) => T;
}

type VariedEntry = ParameterDirection["entries"][number] & { readonly f64: Float64Array };

export class Differences {
  private readonly simulation: Simulation;
  private readonly state: Float64Array;
  private readonly minimal: Float64Array;
  private readonly input: Float64Array;
  private readonly setting: Setting;
  /** The time step over the intervals of the states before and after the step; none where the step was not told. */
  private readonly from: number | undefined;
  private readonly to: number;
  private mechanism: Mechanism;

  constructor(simulation: Simulation, state: Float64Array, input: Float64Array, setting: Setting) {
    this.simulation = simulation;
    this.state = state;
    this.input = input;
    this.setting = setting;
    this.mechanism = currentMechanism(simulation.system);
    const { timestep } = simulation;
    const { interval } = setting.exact;
    this.from = interval && Math.round(timestep / interval);
    this.to = Math.round(timestep / setting.gradients.interval);
    this.minimal =
      setting.coordinates === "minimal"
        ? minimalFromState(simulation, state, interval, undefined, setting.exact.continuation)
        : new Float64Array(0);
  }

  /** `isOneSided`: to the side that the sign of the step says. */
  byState(column: number, step: number, isOneSided = false): Float64Array | undefined {
    const isMinimal = this.setting.coordinates === "minimal";
    return difference(isOneSided, step, (amount) => {
      const from = isMinimal
        ? Float64Array.from(this.minimal)
        : new Float64Array((this.state.length / bodyStateSize) * bodyTangentSize);
      from[column] += amount;
      return this.end(isMinimal ? this.stateOf(from) : addError(this.state, from), this.input);
    });
  }

  /** Whether an input is where its thruster or motor begins to be limited. */
  isOnLimit(column: number): boolean {
    const { thrusters, joints } = this.mechanism;
    const value = this.input[column];
    const isBound = ({ lower, upper }: { readonly lower: number | null; readonly upper: number | null }): boolean =>
      value === lower || value === upper;
    if (thrusters.some((thruster) => thruster.input === column && isBound(thruster))) return true;
    return joints.some(({ coordinates }) =>
      coordinates.some(
        ({ input, servo, effortLimit, effortCenter }) =>
          input === column && !servo && effortLimit !== null && Math.abs(value - effortCenter) === effortLimit,
      ),
    );
  }

  /** The difference with respect to an input, to one side where it is on a limit: that of the step's sign. */
  byInput(column: number, step: number, isOneSided = false): Float64Array | undefined {
    const length = step * Math.max(1, Math.abs(this.input[column]));
    return difference(isOneSided || this.isOnLimit(column), length, (amount) => {
      const input = Float64Array.from(this.input);
      input[column] += amount;
      return this.end(this.state, input);
    });
  }

  sizeOf({ entries }: ParameterDirection): number {
    return Math.max(...entries.map(({ index }) => Math.abs(this.simulation.system.f64[index])));
  }

  byParameter(direction: ParameterDirection, length: number, isOneSided = false): Float64Array | undefined {
    const { simulation, state, input } = this;
    const before = this.entriesOf(direction).map(({ f64, index }) => f64[index]);
    const moveBy = (amount: number): void =>
      this.entriesOf(direction).forEach(({ f64, index, weight }, i) => {
        f64[index] = before[i] + amount * weight;
      });
    try {
      return difference(isOneSided, length, (amount) => {
        moveBy(amount);
        const isMinimal = this.setting.coordinates === "minimal";
        if (isMinimal) this.mechanism = currentMechanism(simulation.system);
        return this.end(isMinimal ? this.stateOf(this.minimal) : state, input);
      });
    } finally {
      moveBy(0);
      this.mechanism = currentMechanism(simulation.system);
    }
  }

  /**
   * What a parameter moves: in the simulation's memory, and in that of each piece of the step. Free steps write into slots what they find, and
   * may go over to another memory.
   */
  private entriesOf({ name, entries }: ParameterDirection): readonly VariedEntry[] {
    const { system } = this.simulation;
    if (this.setting.free) return [{ f64: system.f64, index: system.parameters.get(name) as number, weight: 1 }];
    const pieces = heldPieces(this.simulation)?.list ?? [];
    const inMemory = (f64: Float64Array, own: ParameterDirection["entries"]) => own.map((entry) => ({ ...entry, f64 }));
    return [
      ...inMemory(system.f64, entries),
      ...pieces.flatMap((piece) => inMemory(piece.data, stepDirections(piece, piece.taken, [name])[0].entries)),
    ];
  }

  private stateOf(x: Float64Array): Float64Array {
    const { simulation, from = 1, mechanism } = this;
    const { continuation } = this.setting.exact;
    return stateFromMinimal(simulation, x, simulation.timestep / from, mechanism, continuation?.gears);
  }

  /** A long way along a small parameter, a mass say, may leave the physics, and there is no step then. */
  private possibleStep(state: Float64Array, input: Float64Array, options: StepOptions): StepResult | undefined {
    const { simulation } = this;
    const { free } = this.setting;
    const take = () => simulation.stepWith(state, input, options);
    try {
      if (!free) return take();
      const { interval } = options;
      return simulation.holdingFeatures(state, input, { ...free.finding, interval }, () => free.hold(take));
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** The next state as a vector; undefined when the step is not solved in the same way. */
  private end(state: Float64Array, input: Float64Array): Float64Array | undefined {
    const { simulation } = this;
    const { from, to } = this;
    const { coordinates, exact, gradients } = this.setting;
    const { next, substeps } = gradients;
    const { timestep } = simulation;
    // an interval is a part of the time step, which may be what varies
    const options = from ? { ...exact, interval: timestep / from } : exact;
    const result = this.possibleStep(state, input, options);
    if (!result) return undefined;
    if (result.status !== "solved") return undefined;
    if (result.substeps !== substeps && exact.errorTolerance === undefined) return undefined;
    if (Math.round(timestep / result.interval) !== to) return undefined;
    return coordinates === "minimal"
      ? minimalFromState(simulation, result.next, result.interval, this.mechanism, exact.continuation)
      : stateError(next, result.next);
  }
}

function difference(
  isOneSided: boolean,
  step: number,
  f: (amount: number) => Float64Array | undefined,
): Float64Array | undefined {
  return isOneSided ? oneSided(step, f) : fourthOrder(step, f);
}

function fourthOrder(step: number, f: (amount: number) => Float64Array | undefined): Float64Array | undefined {
  const [a, b, c, d] = [f(step), f(-step), f(2 * step), f(-2 * step)];
  if (!a || !b || !c || !d) return undefined;
  return a.map((_, i) => (8 * (a[i] - b[i]) - (c[i] - d[i])) / (12 * step));
}

function oneSided(step: number, f: (amount: number) => Float64Array | undefined): Float64Array | undefined {
  const [a, b, c, d, e] = [f(0), f(step), f(2 * step), f(3 * step), f(4 * step)];
  if (!a || !b || !c || !d || !e) return undefined;
  return a.map((_, i) => (-25 * a[i] + 48 * b[i] - 36 * c[i] + 16 * d[i] - 3 * e[i]) / (12 * step));
}
