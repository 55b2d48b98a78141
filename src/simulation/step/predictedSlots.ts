/**
 * Contacts that are bound at run time in a predicted start (predictedStart.ts): their ports with rates and last impulses for the sweeps,
 * what their impulses do to both bodies, and their pairs on the central path.
 */
import { portNumbers, type SlotResponses, type System } from "../../kernels/index.ts";
import { type PathPoint, placeFriction, placeOrthant } from "./pathPairs.ts";
import type { Predictable } from "./predictable.ts";

const smallestCoefficient = 1e-3;
/**
 * Least answer of a gap to its own impulse, as a part of what a slip answers. Bodies that turn far in a step carry the gradient of a gap away
 * from the direction in which it pushes: sweeps over what answers to nothing, or the wrong way, run away.
 */
const leastAnswer = 0.02;
/** Least distance of a contact that is out of the sweeps, in units of V h. */
const farAway = 5;

export class PredictedSlots {
  private readonly system: System;
  private readonly problem: Predictable;
  private readonly responses: SlotResponses;
  private readonly respond: () => void;
  /** Number of the first visit in the lists. */
  private readonly first: number;
  /** By lane: whether it is in the sweeps, 1 or 0. */
  private readonly isSwept: Uint8Array;

  constructor(system: System, problem: Predictable, responses: SlotResponses, first: number) {
    this.system = system;
    this.problem = problem;
    this.responses = responses;
    this.respond = system.runner("slots.responses");
    this.first = first;
    this.isSwept = new Uint8Array(responses.numbers.length);
  }

  /** How many visits there are. */
  get visits(): number {
    return 2 * this.responses.numbers.length;
  }

  /** Whether the answers of all that are bound can be known. */
  prepare(): boolean {
    this.responses.arrange();
    return this.responses.isComplete;
  }

  /** Ports with their rates after the free step and the last impulses; adds their visits to those near by, and returns how many there are. */
  gather(near: Int32Array, before: number): number {
    const { system, problem, responses } = this;
    const { bound, contacts } = responses;
    const { f64, places, unknowns } = system;
    const { residual, weight, lastPair } = problem;
    const h = f64[places.globals];
    if (bound.bound.length === 0) return before;
    this.respond();
    let count = before;
    for (let lane = 0; lane < bound.bound.length; lane++) {
      const slot = bound.bound[lane];
      const { ports } = contacts[slot];
      const node = bound.nodes[slot];
      const numbers = this.numbersOf(lane, ports);
      const row = unknowns + node.equality;
      this.isSwept[lane] = this.answersItself(lane, ports) ? 1 : 0;
      if (this.isSwept[lane] === 0) continue;
      near[count++] = this.first + 2 * lane + (ports === 1 ? 0 : 1);
      f64[numbers + portNumbers.x] = lastPair.b[node.cone];
      f64[numbers + portNumbers.free] = this.rateOf(slot, 0) - residual[row] / h;
      f64[numbers + portNumbers.sign] = 1;
      f64[numbers + portNumbers.perUnit] = h / weight[node.cone];
      if (ports > 1) {
        f64[numbers + portNumbers.coefficient] = f64[bound.coefficients[slot]];
        f64[numbers + portNumbers.perUnit + 1] = 1 / weight[node.cone + 1];
        for (let k = 1; k <= 2; k++) {
          f64[numbers + portNumbers.x + k] = lastPair.b[node.cone + 1 + k];
          f64[numbers + portNumbers.free + k] = this.rateOf(slot, k) - residual[row + 1 + k];
        }
      }
    }
    return count;
  }

  private answersItself(lane: number, ports: number): boolean {
    const { responses } = this;
    let most = 0;
    for (let port = 1; port < ports; port++) most = Math.max(most, responses.ownAnswer(lane, port));
    const own = responses.ownAnswer(lane, 0);
    return own > 0 && own > leastAnswer * most;
  }

  private numbersOf(lane: number, ports: number): number {
    return this.responses.numbers[lane][ports === 1 ? 0 : 1];
  }

  /** Rate of a port in the step that is in memory. */
  private rateOf(slot: number, port: number): number {
    const { f64 } = this.system;
    const { contacts, bound, twists } = this.responses;
    const { bodies } = bound.nodes[slot];
    const { gradient } = contacts[slot];
    let rate = 0;
    for (let side = 0; side < 2; side++) {
      if (bodies[side] < 0) continue;
      const row = gradient[side] + 6 * port;
      const twist = twists + 6 * bodies[side];
      for (let k = 0; k < 6; k++) rate += f64[row + k] * f64[twist + k];
    }
    return rate;
  }

  /** Adds the impulses of the sweeps to what acts on bodies. */
  push(): void {
    const { f64 } = this.system;
    const { contacts, bound, force } = this.responses;
    for (let lane = 0; lane < bound.bound.length; lane++) {
      if (this.isSwept[lane] === 0) continue;
      const slot = bound.bound[lane];
      const { bodies } = bound.nodes[slot];
      const { ports, direction } = contacts[slot];
      const x = this.numbersOf(lane, ports) + portNumbers.x;
      for (let side = 0; side < 2; side++) {
        if (bodies[side] < 0) continue;
        const to = force[bodies[side]];
        for (let port = 0, d = direction[side]; port < ports; port++, d += 6)
          for (let k = 0; k < 6; k++) f64[to + k] += f64[d + k] * f64[x + port];
      }
    }
  }

  /** Puts all pairs on the central path. */
  place(point: PathPoint): void {
    const { system, problem } = this;
    const { bound, contacts } = this.responses;
    const { f64, places, unknowns } = system;
    const { weight, residual, units } = problem;
    const h = f64[places.globals];
    for (let lane = 0; lane < bound.bound.length; lane++) {
      const slot = bound.bound[lane];
      const { ports } = contacts[slot];
      const { cone: at, equality } = bound.nodes[slot];
      const numbers = this.numbersOf(lane, ports);
      const [x, rate] = [numbers + portNumbers.x, numbers + portNumbers.rate];
      const isSwept = this.isSwept[lane] === 1;
      if (isSwept) placeOrthant(point, at, weight[at], h * f64[numbers + portNumbers.own], f64[x], h * f64[rate]);
      else {
        const distance = Math.max(h * this.rateOf(slot, 0) - residual[unknowns + equality], farAway * units.speed * h);
        point.c[at] = point.gamma[at] = distance;
        point.beta[at] = weight[at] / distance;
        point.b[at] = point.mu * point.beta[at];
      }
      if (ports > 1) {
        const most = Math.max(f64[bound.coefficients[slot]], smallestCoefficient) * point.b[at];
        const unit = weight[at + 1];
        if (isSwept) {
          const answer = f64[numbers + portNumbers.own + 1];
          placeFriction(point, at + 1, unit, answer, most, f64[x + 1], f64[x + 2], f64[rate + 1], f64[rate + 2]);
        } else {
          const row = unknowns + equality;
          const slip = this.rateOf(slot, 1) - residual[row + 2];
          const other = this.rateOf(slot, 2) - residual[row + 3];
          placeFriction(point, at + 1, unit, (units.speed * units.speed) / unit, most, 0, 0, slip, other);
        }
      }
    }
  }
}
