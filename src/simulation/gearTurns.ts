/**
 * A state knows an angle up to two turns: it jumps by 4π where a wheel passes ±2π, and a gear's relation Σ ratio·θ = offset jumps with
 * it. Before each step the jump is taken out of the relation: it is what the relation is off by at z, if that is more than half the
 * smallest jump, 2π·|ratio|.
 */
import { gearParameterNames } from "../equations/index.ts";
import type { NodePlace, System } from "../kernels/index.ts";
import { equalityGears, type Mechanism, type MechanismGear } from "../mechanism/index.ts";

const turnsParameter = gearParameterNames.equality.indexOf("turns");

interface Gear {
  readonly base: NodePlace;
  readonly terms: readonly NodePlace[];
  readonly threshold: number;
}

/** Half the smallest jump of a gear's relation: 2π·|ratio| of its angles; Infinity where nothing turns. */
export function halfJump(mechanism: Mechanism, { terms }: MechanismGear): number {
  return Math.min(
    ...terms.map(({ joint, coordinate, ratio }) =>
      mechanism.joints[joint].coordinates[coordinate].motion === "rotation"
        ? 2 * Math.PI * Math.abs(ratio)
        : Number.POSITIVE_INFINITY,
    ),
  );
}

/** Memory indices of the turns, which steps themselves change. */
export function turnsIndices({ mechanism, nodes }: System): number[] {
  return nodes
    .filter(({ kind, index }) => kind === "gear" && mechanism.gears[index].kind === "equality")
    .map(({ parameters }) => parameters + turnsParameter);
}

export class GearTurns {
  private readonly system: System;
  private readonly gears: readonly Gear[];
  private readonly ranges: readonly Gear[];

  constructor(system: System) {
    const { mechanism, nodes } = system;
    this.system = system;
    const placesOf = (gear: MechanismGear): Gear => ({
      base: nodes.find((node) => node.kind === "gear" && node.index === gear.index) as NodePlace,
      terms: nodes.filter((node) => node.kind === "gearTerm" && node.index === gear.index),
      threshold: halfJump(mechanism, gear),
    });
    this.gears = equalityGears(mechanism).map(placesOf);
    this.ranges = mechanism.gears.filter(({ kind }) => kind === "range").map(placesOf);
  }

  /** The lengths of gears with a range start where they are at z. */
  startLengths(unknown: Float64Array): void {
    const { f64 } = this.system;
    for (const { base, terms } of this.ranges) {
      for (const term of terms) unknown[base.multiplier] += f64[term.observations];
    }
  }

  /** Sets the turns for the state whose angles are prepared; true when any has changed. */
  update(): boolean {
    const { f64 } = this.system;
    let hasChanged = false;
    for (const { base, terms, threshold } of this.gears) {
      let off = -f64[base.parameters];
      for (const term of terms) off += f64[term.observations];
      const turns = Math.abs(off) > threshold ? off : 0;
      if (turns !== f64[base.parameters + turnsParameter]) hasChanged = true;
      f64[base.parameters + turnsParameter] = turns;
    }
    return hasChanged;
  }
}
