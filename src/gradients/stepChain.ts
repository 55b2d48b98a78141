/**
 * The linear map of one solved step, through its substeps if it took any:
 *   start   every body's ω goes over to the interval of a substep    (intervalChange.ts)
 *   between ω goes over from the interval of one substep to that of the next, where they differ
 *   each    substep, with its share of ḣ and of the lead that it has, and with what drives it (sensitivity.ts)
 *   end     ω goes over to the interval of the next state
 * Tangents go forwards, many columns per factorisation; a cotangent goes backwards.
 *
 * Substeps are differentiated at κ about the states as they were simulated, and so are the changes of interval. The point at κ itself
 * may be faster than the longer interval can express; the states of the step never are.
 */
import type { Target } from "../codegen/index.ts";
import { bodyParameterNames, leadOffset, symmetric } from "../equations/index.ts";
import { nextLayout, type SensitivityScope, type System } from "../kernels/index.ts";
import {
  angularVelocityAt,
  bodyAt,
  type Matrix3,
  orientationAt,
  tangentAngularVelocityAt,
  tangentAt,
  type Vector3,
  velocityAt,
} from "../math/index.ts";
import type { Mechanism, TouchPool } from "../mechanism/index.ts";
import { type BounceRecord, boundedInput, changedSpin, copyInto, weightBefore } from "../simulation/index.ts";
import { BounceSensitivity } from "./bounceSensitivity.ts";
import { type IntervalBlocks, IntervalChange, type IntervalSpin } from "./intervalChange.ts";
import type { ParameterDirection } from "./parameters.ts";
import { partBeforeOf, partOf, type SolvedStep } from "./point.ts";
import { StepSensitivity } from "./sensitivity.ts";

/** A tangent on its way through a step: of the state, 12 per body, changed in place; and of memory. */
export interface Column {
  readonly state: Float64Array;
  readonly entries: ParameterDirection["entries"];
  /** Of the input of the step before, at the places of the input: it drives the end of the last part of that step. */
  readonly last?: ParameterDirection["entries"] | undefined;
}

export class StepChain {
  readonly sensitivity: StepSensitivity;
  /** Cotangents of all memory: of parameters and wrenches over all that was pulled since the last `clear`, of the input in the last `pull`. */
  readonly mirror: Float64Array;
  /** Cotangent of the input of the step before in the last `pull`, which drives the first part as well where steps are divided. */
  readonly lastInput: Float64Array;

  private readonly system: System;
  private readonly change = new IntervalChange();
  private readonly target: Target;
  private lazyBounces: BounceSensitivity | undefined;

  /** In scope "motion" it only pulls, and what `mirror` has of parameters and wrenches means nothing. */
  constructor(mechanism: Mechanism, target: Target, scope: SensitivityScope, pools: readonly TouchPool[] = []) {
    this.target = target;
    this.sensitivity = new StepSensitivity(mechanism, target, scope, "step", pools);
    this.system = this.sensitivity.system;
    this.mirror = this.sensitivity.mirror;
    this.lastInput = new Float64Array(mechanism.inputSize);
  }

  /** Takes every column through the step; afterwards `next` is the state about which the result holds. */
  push(step: SolvedStep, columns: readonly Column[], next?: Float64Array): void {
    const { sensitivity } = this;
    const { from = 1, to = 1 } = step;
    const count = step.points.length;
    const first = partOf(step, 0).size;
    const last = partOf(step, count - 1).size;
    if (first !== 1 / from) {
      const start = this.startChange(step);
      for (const column of columns) this.pushChange(start, column, 1 / from, first);
    }
    for (let k = 0; k < count; k++) {
      const bounce = step.bounces?.[k];
      if (this.changesAt(step, k)) {
        const change = this.partChange(step, k);
        const [before, after] = [partOf(step, k - 1).size, partOf(step, k).size];
        for (const column of columns) this.pushChange(change, column, before, after);
      }
      if (bounce) {
        this.pushBounce(step, k, bounce, columns);
        continue;
      }
      sensitivity.linearise(step, k);
      sensitivity.clear();
      for (const column of columns) {
        const entries = this.entriesOf(step, k, column);
        sensitivity.state.set(column.state);
        for (const { index, weight } of entries) sensitivity.mirror[index] += weight;
        sensitivity.push();
        column.state.set(sensitivity.error);
        for (const { index } of entries) sensitivity.mirror[index] = 0;
      }
    }
    if (next) this.readNext(step, next);
    if (last !== 1 / to) {
      const end = this.endChange(step);
      for (const column of columns) this.pushChange(end, column, last, 1 / to);
      next?.set(step.next);
    }
  }

  /** Is called before the first `pull`. */
  clear(): void {
    this.mirror.fill(0);
  }

  /**
   * Takes a cotangent of the next state (12 per body) back to that of the state, in place, and leaves the others in `mirror`. In scope
   * "contacts" it has cotangents of the impulses as well, which are sums over the substeps.
   */
  pull(step: SolvedStep, cotangent: Float64Array, impulses?: Float64Array): void {
    const { sensitivity, system, mirror } = this;
    const { globals, input } = system.places;
    const { from = 1, to = 1 } = step;
    const count = step.points.length;
    const first = partOf(step, 0).size;
    const last = partOf(step, count - 1).size;
    mirror.fill(0, input, input + system.mechanism.inputSize);
    this.lastInput.fill(0);
    if (last !== 1 / to) {
      sensitivity.linearise(step, count - 1);
      this.pullChange(this.endChange(step), cotangent, last, 1 / to);
    }
    for (let k = count - 1; k >= 0; k--) {
      const byTimestep = mirror[globals];
      const bounce = step.bounces?.[k];
      mirror[globals + leadOffset] = 0;
      const byInput = k === 0 && step.division?.drive ? mirror.slice(input, input + this.lastInput.length) : undefined;
      if (byInput) mirror.fill(0, input, input + byInput.length);
      if (bounce) {
        const { bounces } = this;
        bounces.load(step, k, bounce);
        bounces.pull(cotangent, mirror, impulses);
        this.shareTimestep(step, k, byTimestep);
        this.shareInput(step, byInput);
        this.pullPartChange(step, k, cotangent);
        continue;
      }
      sensitivity.linearise(step, k);
      sensitivity.state.fill(0);
      copyInto(sensitivity.error, 0, cotangent, 0, cotangent.length);
      sensitivity.impulse.fill(0);
      if (impulses) sensitivity.impulse.set(impulses);
      sensitivity.pull();
      copyInto(cotangent, 0, sensitivity.state, 0, cotangent.length);
      if (count > 1 || step.division) this.shareTimestep(step, k, byTimestep);
      this.shareInput(step, byInput);
      this.pullPartChange(step, k, cotangent);
    }
    if (first !== 1 / from) this.pullChange(this.startChange(step), cotangent, 1 / from, first);
  }

  /** Turns what part k has added to the cotangents of its own size and lead into that of the time step; `before` is what that had already. */
  private shareTimestep(step: SolvedStep, k: number, before: number): void {
    const { mirror } = this;
    const { globals } = this.system.places;
    const { size, lead } = partOf(step, k);
    mirror[globals] = before + (mirror[globals] - before) * size + mirror[globals + leadOffset] * lead;
    mirror[globals + leadOffset] = 0;
  }

  /** The same of the input in the first part of a step that follows on another one; `before` is what the other parts have added. */
  private shareInput(step: SolvedStep, before: Float64Array | undefined): void {
    const { mirror, lastInput } = this;
    const { input } = this.system.places;
    before?.forEach((sum, i) => {
      const { own, last } = this.weightsOf(step, i);
      lastInput[i] = last * mirror[input + i];
      mirror[input + i] = sum + own * mirror[input + i];
    });
  }

  /** How the mean input of the first part of a step goes with its own input and with that of the step before. */
  private weightsOf({ division, input, data }: SolvedStep, i: number): { readonly own: number; readonly last: number } {
    const { drive, before = 0, parts = [1] } = division ?? {};
    if (!drive) return { own: 1, last: 0 };
    const weight = weightBefore(before, parts[0]);
    const isFree = (value: number): boolean => boundedInput(this.system, data, i, value) === value;
    return { own: isFree(input[i]) ? 1 - weight : 0, last: isFree(drive[i]) ? weight : 0 };
  }

  /** What a column has of memory in part k: of the time step its share, of inputs those that drive the part. */
  private entriesOf(step: SolvedStep, k: number, { entries, last = [] }: Column): ParameterDirection["entries"] {
    const { places, mechanism } = this.system;
    const { globals, input } = places;
    const { size, lead } = partOf(step, k);
    const isMixed = k === 0 && step.division?.drive !== undefined;
    const mixed = last.map(({ index, weight }) => ({
      index,
      weight: weight * this.weightsOf(step, index - input).last,
    }));
    const own = entries.flatMap(({ index, weight }) => {
      if (index === globals)
        return [
          { index, weight: weight * size },
          { index: globals + leadOffset, weight: weight * lead },
        ];
      const isInput = index >= input && index < input + mechanism.inputSize;
      return [{ index, weight: isMixed && isInput ? weight * this.weightsOf(step, index - input).own : weight }];
    });
    return isMixed ? [...own, ...mixed] : own;
  }

  /** Takes every column through a part that bounced. */
  private pushBounce(step: SolvedStep, k: number, bounce: BounceRecord, columns: readonly Column[]): void {
    const { bounces } = this;
    bounces.load(step, k, bounce);
    bounces.clear();
    for (const column of columns) bounces.push(column.state, this.entriesOf(step, k, column));
  }

  private get bounces(): BounceSensitivity {
    this.lazyBounces ??= new BounceSensitivity(this.system.mechanism, this.target, this.system.pools);
    return this.lazyBounces;
  }

  /** The state that the last substep, linearised, leads to. */
  private readNext(step: SolvedStep, next: Float64Array): void {
    const { f64, places, mechanism } = this.system;
    const last = step.points.length - 1;
    const bounce = step.bounces?.[last];
    // where it bounced, its last stage has the poses
    if (bounce) this.sensitivity.linearise(step, last);
    for (let i = 0; i < mechanism.bodies.length; i++) {
      const pose = places.next + nextLayout.size * i;
      next.set(f64.subarray(pose + nextLayout.position, pose + nextLayout.position + 3), bodyAt(i));
      next.set(f64.subarray(pose + nextLayout.orientation, pose + nextLayout.orientation + 4), orientationAt(i));
      next.set(f64.subarray(places.unknown + 6 * i, places.unknown + 6 * i + 6), velocityAt(i));
    }
    if (bounce) this.bounces.turnInto(next);
  }

  /** Whether part k is of another size than the one before it. */
  private changesAt(step: SolvedStep, k: number): boolean {
    return step.division !== undefined && k > 0 && partOf(step, k).size !== partOf(step, k - 1).size;
  }

  private pullPartChange(step: SolvedStep, k: number, cotangent: Float64Array): void {
    if (!this.changesAt(step, k)) return;
    this.pullChange(this.partChange(step, k), cotangent, partOf(step, k - 1).size, partOf(step, k).size);
  }

  /** The change from the interval of part k − 1 to that of part k, about the state that it started from. */
  private partChange(step: SolvedStep, k: number): IntervalBlocks[] {
    const h = step.data[this.system.places.globals];
    const [before, after] = [h * partOf(step, k - 1).size, h * partOf(step, k).size];
    return this.system.mechanism.bodies.map((_, body) => {
      const inertia = this.inertia(step, body);
      const spin = spinOf(step.points[k], angularVelocityAt(body));
      const matrix = symmetric(Array.from(inertia)) as unknown as Matrix3;
      const from = { spin: changedSpin(spin, matrix, after, before).spin, interval: before };
      return this.change.blocks(from, { spin, interval: after }, inertia);
    });
  }

  /** Takes a tangent of the step's state to that of the state as controllers read it (Simulation.readable). */
  pushSeen(step: SolvedStep, column: Column): void {
    const { from = 1 } = step;
    const part = partBeforeOf(step) ?? 1 / from;
    if (part < 1 / from) this.pushChange(this.seenChange(step, part), column, 1 / from, part);
  }

  /** Takes a cotangent of the state as controllers read it back to that of the step's state, in place. */
  pullSeen(step: SolvedStep, cotangent: Float64Array): void {
    const { from = 1 } = step;
    const part = partBeforeOf(step) ?? 1 / from;
    if (part < 1 / from) this.pullChange(this.seenChange(step, part), cotangent, 1 / from, part);
  }

  private seenChange(step: SolvedStep, part: number): IntervalBlocks[] {
    const h = step.data[this.system.places.globals];
    const interval = h / (step.from ?? 1);
    return this.system.mechanism.bodies.map((_, body) => {
      const inertia = this.inertia(step, body);
      const spin = spinOf(step.state, angularVelocityAt(body));
      const matrix = symmetric(Array.from(inertia)) as unknown as Matrix3;
      const seen = { spin: changedSpin(spin, matrix, interval, h * part).spin, interval: h * part };
      return this.change.blocks({ spin, interval }, seen, inertia);
    });
  }

  /** The change from the state that the step started from to the one that its first point has. */
  private startChange(step: SolvedStep): IntervalBlocks[] {
    const h = step.data[this.system.places.globals];
    const { state, points, from = 1 } = step;
    return this.system.mechanism.bodies.map((_, body) =>
      this.change.blocks(
        { spin: spinOf(state, angularVelocityAt(body)), interval: h / from },
        { spin: spinOf(points[0], angularVelocityAt(body)), interval: h * partOf(step, 0).size },
        this.inertia(step, body),
      ),
    );
  }

  /**
   * The change to the interval of the next state, about the spin in the longer one of the two, which a shorter one can always express: that of the
   * next state, or that which the last substep, linearised, has solved for.
   */
  private endChange(step: SolvedStep): IntervalBlocks[] {
    const { f64, places, mechanism } = this.system;
    const h = step.data[places.globals];
    const { next, points, to = 1 } = step;
    return mechanism.bodies.map((_, body) => {
      const inertia = this.inertia(step, body);
      const change = (spin: Vector3, before: number, after: number): IntervalSpin => ({
        spin: changedSpin(spin, symmetric(Array.from(inertia)) as unknown as Matrix3, before, after).spin,
        interval: after,
      });
      const [short, long] = [h * partOf(step, points.length - 1).size, h / to];
      if (short < long) {
        const after = { spin: spinOf(next, angularVelocityAt(body)), interval: long };
        return this.change.blocks(change(after.spin, long, short), after, inertia);
      }
      const bounce = step.bounces?.[points.length - 1];
      const spin = bounce ? spinOf(bounce.next, angularVelocityAt(body)) : spinOf(f64, places.unknown + 6 * body + 3);
      const before = { spin, interval: short };
      return this.change.blocks(before, change(before.spin, short, long), inertia);
    });
  }

  private inertiaIndex(body: number): number {
    return this.system.places.bodyParameters + bodyParameterNames.length * body + 1;
  }

  private inertia(step: SolvedStep, body: number): Float64Array {
    const at = this.inertiaIndex(body);
    return step.data.subarray(at, at + 6);
  }

  /** `from` and `to` are the two intervals over the time step. */
  private pushChange(blocks: readonly IntervalBlocks[], column: Column, from: number, to: number): void {
    const { places } = this.system;
    blocks.forEach(({ bySpin, byFrom, byTo, byInertia }, body) => {
      const spin = column.state.subarray(tangentAngularVelocityAt(body), tangentAt(body + 1));
      const [x, y, z] = spin;
      const first = this.inertiaIndex(body);
      for (let row = 0; row < 3; row++) {
        let sum = bySpin[row][0] * x + bySpin[row][1] * y + bySpin[row][2] * z;
        for (const { index, weight } of column.entries) {
          if (index === places.globals) sum += weight * (from * byFrom[row] + to * byTo[row]);
          else if (index >= first && index < first + 6) sum += weight * byInertia[row][index - first];
        }
        spin[row] = sum;
      }
    });
  }

  private pullChange(blocks: readonly IntervalBlocks[], cotangent: Float64Array, from: number, to: number): void {
    const { mirror } = this;
    const { places } = this.system;
    blocks.forEach(({ bySpin, byFrom, byTo, byInertia }, body) => {
      const spin = cotangent.subarray(tangentAngularVelocityAt(body), tangentAt(body + 1));
      const bar = Array.from(spin);
      const first = this.inertiaIndex(body);
      spin.fill(0);
      for (let row = 0; row < 3; row++) {
        for (let k = 0; k < 3; k++) spin[k] += bySpin[row][k] * bar[row];
        for (let k = 0; k < 6; k++) mirror[first + k] += byInertia[row][k] * bar[row];
        mirror[places.globals] += (from * byFrom[row] + to * byTo[row]) * bar[row];
      }
    });
  }
}

function spinOf(values: Float64Array, at: number): Vector3 {
  return [values[at], values[at + 1], values[at + 2]];
}
