/**
 * Projects a configuration onto what a mechanism allows: onto its joints and gears alone, or onto its limits and contacts too.
 *
 * Close to a valid configuration one bare step does it. Far away that step has no solution, since its impulses act along
 * Jacobians at z and not at the solution; then
 *   joints   move along its first Newton iteration, shortened until the violation falls (Gauss-Newton with a line search);
 *   limits   and contacts, once the joints hold, are approached by a part of what is missing at a time.
 */
import type { Target } from "../../codegen/index.ts";
import type { KnownAngles } from "../../coordinates/index.ts";
import type { System } from "../../kernels/index.ts";
import type { Mechanism } from "../../mechanism/index.ts";
import { atRest, BareStep } from "./bareStep.ts";
import { type Configuration, configurationNow } from "./configuration.ts";
import { contactDistance, gapShift, largestViolation, limitViolations, rangeViolations, sizeOf } from "./violations.ts";

/** Rounds of either kind. Four-bars and Stewart platforms from random guesses need up to 10, stretched to a line 40. */
const mostRounds = 60;
/** A loop that does not close creeps towards its best: this many rounds in a row that leave more than this part end it. */
const mostSlowRounds = 6;
const slow = 0.95;
/** A Newton step is halved this often before the search is given up. */
const mostHalvings = 12;
/** What part of the missing distance to limits and contacts is asked for, in the order tried. */
const parts = [1, 0.5, 0.2, 0.05] as const;

export interface Projection {
  /** Positions and orientations as in a state; velocities zero. */
  readonly configuration: Float64Array;
  /** Largest violation that is left: radians, or metres over the mechanism's size. */
  readonly violation: number;
}

export class Projector {
  private readonly mechanism: Mechanism;
  private readonly target: Target;
  private readonly size: number;
  private jointStep: BareStep | undefined;
  private fullStep: BareStep | undefined;

  constructor(mechanism: Mechanism, target: Target) {
    this.mechanism = mechanism;
    this.target = target;
    this.size = sizeOf(mechanism);
  }

  /** Onto joints and gears. `current` has the parameters of now; `source`, if any, is the system where they are set. */
  ontoJoints(
    state: Float64Array,
    tolerance: number,
    current = this.mechanism,
    source?: System,
    known?: KnownAngles,
  ): Projection {
    this.jointStep ??= new BareStep(this.mechanism, this.target, false);
    const step = this.jointStep;
    if (source) step.adopt(source);
    const measure = this.measure(current, false, known);
    return descend(atRest(state), tolerance, measure, (configuration, violation) => {
      const length = violation * this.size;
      const where = configurationNow(configuration, known);
      step.startAt(where);
      const along = step.newtonStep(configuration, length);
      // where the Newton step must be shortened, the exact one has no solution
      const first = along(1);
      if (measure(first) < 0.5 * violation) {
        step.startAt(where);
        return step.project(configuration, length) ?? first;
      }
      for (let halvings = 0, fraction = 1; halvings <= mostHalvings; halvings++, fraction /= 2) {
        const next = along(fraction);
        if (measure(next) < violation) return next;
      }
      return undefined;
    });
  }

  /** Onto joints, gears, limits and contacts. */
  ontoAll(
    state: Float64Array,
    tolerance: number,
    current = this.mechanism,
    source?: System,
    known?: KnownAngles,
  ): Projection {
    this.fullStep ??= new BareStep(this.mechanism, this.target, true);
    const step = this.fullStep;
    if (source) step.adopt(source);
    const measure = this.measure(current, true, known);
    const towards = (configuration: Float64Array, violation: number, part: number): Float64Array | undefined => {
      const where = configurationNow(configuration, known);
      askFor(step, current, where, part);
      step.startAt(where);
      const next = step.project(configuration, violation * this.size);
      return next && measure(next) < violation ? next : undefined;
    };
    const start = atRest(state);
    const violation = measure(start);
    const near =
      violation <= tolerance
        ? start
        : (towards(start, violation, 1) ?? this.ontoJoints(start, tolerance, current, source, known).configuration);
    return descend(near, tolerance, measure, (configuration, left) => {
      for (const part of parts) {
        const next = towards(configuration, left, part);
        if (next) return next;
      }
      return undefined;
    });
  }

  private measure(mechanism: Mechanism, inequalities: boolean, known: KnownAngles | undefined): Measure {
    return (configuration) =>
      largestViolation(mechanism, configurationNow(configuration, known), inequalities, this.size);
  }
}

type Measure = (configuration: Float64Array) => number;

/** Improves until the violation is small enough or no longer falls. */
function descend(
  start: Float64Array,
  tolerance: number,
  measure: Measure,
  improve: (configuration: Float64Array, violation: number) => Float64Array | undefined,
): Projection {
  let configuration = start;
  let violation = measure(start);
  let slowRounds = 0;
  for (let round = 0; round < mostRounds && violation > tolerance && slowRounds < mostSlowRounds; round++) {
    const next = improve(configuration, violation);
    const left = next ? measure(next) : Number.POSITIVE_INFINITY;
    if (!next || !(left < violation)) break;
    slowRounds = left > slow * violation ? slowRounds + 1 : 0;
    configuration = next;
    violation = left;
  }
  return { configuration, violation };
}

/** Sets limits and contacts so that only a part of what is missing to them is asked for. */
function askFor(step: BareStep, mechanism: Mechanism, where: Configuration, part: number): void {
  for (const joint of mechanism.joints) {
    const path = `joints.${joint.name}`;
    joint.coordinates.forEach(({ lower, upper }, i) => {
      if (lower !== null) step.set(`${path}.lower.${i}`, lower);
      if (upper !== null) step.set(`${path}.upper.${i}`, upper);
    });
    if (joint.tiltLimit !== null) step.set(`${path}.tiltCosine`, Math.cos(joint.tiltLimit / 2));
    for (const { coordinate, side, value, bound } of limitViolations(joint, where, 0)) {
      const asked = value + part * (bound - value);
      if (coordinate < 0) step.set(`${path}.tiltCosine`, Math.cos(asked / 2));
      else step.set(`${path}.${side}.${coordinate}`, asked);
    }
  }
  for (const gear of mechanism.gears) {
    if (gear.kind !== "range") continue;
    for (const side of ["lower", "upper"] as const) {
      const bound = gear[side];
      if (bound !== null) step.set(`gears.${gear.name}.${side}`, bound);
    }
  }
  for (const { gear, side, value, bound } of rangeViolations(mechanism, where, 0)) {
    step.set(`gears.${gear}.${side}`, value + part * (bound - value));
  }
  for (const contact of mechanism.contacts) {
    const depth = Math.min(0, contactDistance(mechanism, contact.index, where));
    const shift = gapShift(contact);
    step.set(shift.path, shift.value + (1 - part) * depth);
  }
}
