/**
 * Counts the turns of angles from step to step (coordinates/angles.ts), so that limits, springs, servos and gears see them go on where a
 * state's own jump by their period. Before each step, or part of one, they are set for the state that it starts from.
 *
 * A gear's relation Σ ratio·θ = offset may hold only with turns that nobody has counted, those before a cold start. What it is off by
 * then, if that is more than half the smallest jump that turns could make, stays with the gear for the rest of the run.
 */
import { type KnownAngles, turnsTowards, turnsWithin } from "../../coordinates/index.ts";
import { coordinates, jointParameterNames } from "../../equations/index.ts";
import type { NodePlace, System } from "../../kernels/index.ts";
import { equalityGears, type Mechanism, type MechanismGear } from "../../mechanism/index.ts";
import { copyInto } from "../copyInto.ts";
import { configurationNow } from "../states/configuration.ts";
import { currentMechanism } from "../states/currentMechanism.ts";

interface TurningGear {
  readonly base: NodePlace;
  readonly terms: readonly NodePlace[];
  readonly threshold: number;
  readonly turns: number;
}

/** Half the smallest jump of a gear's relation, by its angles' periods; Infinity where nothing turns. */
export function halfJump(mechanism: Mechanism, { terms }: MechanismGear): number {
  return Math.min(
    ...terms.map(({ joint, coordinate, ratio }) => {
      const { shape, coordinates: own } = mechanism.joints[joint];
      if (own[coordinate].motion === "translation") return Number.POSITIVE_INFINITY;
      // a rotation vector jumps to its other end
      const period = coordinates(shape)[coordinate].period || 4 * Math.PI;
      return (period / 2) * Math.abs(ratio);
    }),
  );
}

/** Writes the turns of a state's angles into memory, or a copy of it; those of gears, which only forces of the gear know, as none. */
export function turnsInto(out: Float64Array, system: System, state: Float64Array, known?: KnownAngles): void {
  const mechanism = currentMechanism(system);
  const where = configurationNow(state, known);
  for (const { joint: j, coordinate, turns } of system.turns.angles) {
    const joint = mechanism.joints[j];
    const value = coordinates(joint.shape)[coordinate].value(where.relative(joint)) as number;
    out[turns] = where.coordinate(joint, coordinate) - value;
  }
  for (const turns of system.turns.gears) out[turns] = 0;
}

export class AngleTurns {
  /** Angles where the last step, or its last part, started. */
  readonly values: Float64Array;
  /** Angles where the last whole step started. */
  readonly start: Float64Array;

  private readonly system: System;
  private readonly gears: readonly TurningGear[];
  /** Memory indices of both limits of each angle, or −1. */
  private readonly limits: Int32Array;
  private isFirst = true;

  constructor(system: System) {
    const { mechanism, nodes, turns } = system;
    this.system = system;
    this.gears = equalityGears(mechanism).map((gear, i) => ({
      base: nodes.find((node) => node.kind === "gear" && node.index === gear.index) as NodePlace,
      terms: nodes.filter((node) => node.kind === "gearTerm" && node.index === gear.index),
      threshold: halfJump(mechanism, gear),
      turns: turns.gears[i],
    }));
    this.values = new Float64Array(turns.angles.length);
    this.start = new Float64Array(turns.angles.length);
    this.limits = Int32Array.from(
      turns.angles.flatMap(({ joint, coordinate }) => {
        const own = mechanism.joints[joint];
        const { lower, upper } = own.coordinates[coordinate];
        if (lower === null || upper === null) return [-1, -1];
        const names = jointParameterNames(own.coordinates.length);
        return ["lower", "upper"].map((side) => nodes[joint].parameters + names.indexOf(`${side}.${coordinate}`));
      }),
    );
  }

  /** Whether there is anything to count. */
  get isNeeded(): boolean {
    return this.values.length > 0 || this.gears.length > 0;
  }

  /** The next step starts from a state of which nothing is known. */
  forget(): void {
    this.values.fill(Number.NaN);
    for (const { turns } of this.gears) this.system.f64[turns] = 0;
    this.isFirst = true;
  }

  /** The next step starts where the last one has ended. */
  goOn(): void {
    this.isFirst = true;
  }

  /** What comes next starts where the last whole step did. */
  rewind(): void {
    copyInto(this.values, 0, this.start, 0, this.start.length);
  }

  /** The next step starts near these angles, NaN where nothing is known of one, with these turns of gears. */
  goOnFrom(angles: Float64Array, gears: Float64Array): void {
    this.values.set(angles);
    this.gears.forEach(({ turns }, i) => {
      this.system.f64[turns] = gears[i] ?? 0;
    });
    this.isFirst = true;
  }

  /** Turns of the gears as they are. */
  gearTurns(): Float64Array {
    return Float64Array.from(this.gears, ({ turns }) => this.system.f64[turns]);
  }

  /** Sets the turns of angles for the state whose values are prepared; true when any has changed. */
  updateAngles(): boolean {
    const { values, limits } = this;
    const { f64, turns: places } = this.system;
    let hasChanged = false;
    for (let i = 0; i < values.length; i++) {
      const { value: at, period, turns: place } = places.angles[i];
      const value = f64[at];
      const known = values[i];
      // nearly always they are those of the last step
      if (Math.abs(known - value - f64[place]) < period / 4) {
        values[i] = value + f64[place];
        continue;
      }
      const turns = Number.isNaN(known)
        ? turnsWithin(value, period, this.limit(limits[2 * i]), this.limit(limits[2 * i + 1]))
        : turnsTowards(value, period, known);
      values[i] = value + turns;
      if (turns !== f64[place]) hasChanged = true;
      f64[place] = turns;
    }
    if (this.isFirst) copyInto(this.start, 0, values, 0, values.length);
    this.isFirst = false;
    return hasChanged;
  }

  /** Sets the turns of gears, once those of angles are prepared; true when any has changed. */
  updateGears(): boolean {
    const { f64 } = this.system;
    let hasChanged = false;
    for (const { base, terms, threshold, turns } of this.gears) {
      let off = -f64[base.parameters] - f64[turns];
      for (const term of terms) off += f64[term.observations];
      if (!(Math.abs(off) > threshold)) continue;
      f64[turns] += off;
      hasChanged = true;
    }
    return hasChanged;
  }

  private limit(index: number): number | null {
    return index < 0 ? null : this.system.f64[index];
  }
}
