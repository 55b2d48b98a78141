/**
 * Starts that can be. A recorded frame has the noise of its sensors, so a body that stands on a floor is recorded inside it half of the time,
 * and a step that begins there throws it out by its depth within one step. So a start is moved to the nearest that can be, in the metric of
 * the noise, with g the distances of contacts and of joint coordinates from their limits:
 *   pose        min ‖W^½ δ‖     subject to   g(z ⊕ δ) ≥ 0
 *   velocity    min ‖W^½ δv‖    subject to   g − h ∂g (v + δv) ≥ 0      contacts had not closed one step before
 * A change of a start then acts through the rows A of ∂g that push, to first order in δ over the lengths of the bodies:
 *   δz' = δz − Q (A δz + ∂g/∂θ δθ)      Q = W⁻¹Aᵀ(A W⁻¹ Aᵀ)⁻¹
 */
import { CoordinateMaps, maximalFromMinimal, needsClosure } from "../coordinates/index.ts";
import { contactGap, worldPose } from "../equations/index.ts";
import { featureValueNames } from "../geometry/index.ts";
import type { ParameterDirection } from "../gradients/index.ts";
import {
  bodyStateSize,
  bodyTangentSize,
  cholesky,
  choleskySolve,
  dot,
  type Quaternion,
  quaternion,
  stateOffsets,
  tangentOffsets,
} from "../math/index.ts";
import { equalityGears, type Mechanism, type MechanismContact, worldIndex } from "../mechanism/index.ts";
import { Quantities, QuantityFunction } from "../quantities/index.ts";
import type { Simulation } from "../simulation/index.ts";
import { leastShift } from "./leastShift.ts";
import type { Channels, Noise } from "./measurement.ts";

/** Distances count as kept from this far below zero, m or rad. */
const tolerance = 1e-10;
/** One round is enough where contacts are flat; round ones need two or three. */
const mostRounds = 6;

export interface Start {
  readonly state: Float64Array;
  readonly changes: readonly Float64Array[] | undefined;
  /** Joint coordinates of the minimal state, whose angles may be turns away from those that the state has. */
  readonly positions?: Float64Array | undefined;
}

export class FeasibleStarts {
  private readonly simulation: Simulation;
  private readonly isMaximal: boolean;
  private readonly contacts: readonly MechanismContact[];
  private readonly made: QuantityFunction | undefined;
  /** Memory places of the numbers of contacts. */
  private readonly places: readonly number[];
  private readonly values: Float64Array;
  private readonly maps: CoordinateMaps | undefined;
  /** Diagonal of W⁻¹, of poses or joint coordinates. */
  private readonly spread: Float64Array;

  /** Undefined where nothing bounds a start, or where joint coordinates depend on each other. */
  static of(simulation: Simulation, channels: Channels, noise: Noise = {}): FeasibleStarts | undefined {
    const { mechanism } = simulation;
    const isMaximal = channels.bodies.length > 0;
    const isTied = needsClosure(mechanism) || equalityGears(mechanism).length > 0;
    const isBounded = mechanism.contacts.length > 0 || (!isMaximal && limitsOf(simulation).length > 0);
    return isBounded && !(isTied && !isMaximal) ? new FeasibleStarts(simulation, isMaximal, noise) : undefined;
  }

  private constructor(simulation: Simulation, isMaximal: boolean, noise: Noise) {
    const { mechanism, system } = simulation;
    this.simulation = simulation;
    this.isMaximal = isMaximal;
    this.contacts = mechanism.contacts;
    const q = new Quantities(mechanism);
    const paths = this.contacts.flatMap(({ name, feature }) =>
      featureValueNames[feature].map((value) => `contacts.${name}.${value}`),
    );
    const poseOf = (body: number) => (body === worldIndex ? worldPose : q.body(mechanism.bodies[body].name));
    const gaps = this.contacts.map(({ name, feature, body, other }) => {
      const values = featureValueNames[feature].map((value) => q.parameter(`contacts.${name}.${value}`));
      return contactGap(feature, values, poseOf(body), poseOf(other));
    });
    this.made = gaps.length > 0 ? new QuantityFunction(q, gaps, undefined, paths) : undefined;
    this.places = paths.map((path) => system.parameters.get(path) as number);
    this.values = new Float64Array(paths.length);
    this.maps = isMaximal ? undefined : new CoordinateMaps(mechanism);
    this.spread = Float64Array.from(startNoise(mechanism, isMaximal, noise), (sigma) => sigma ** 2);
  }

  /** The nearest start that can be, and how it changes; `entries` are what each parameter moves, changes being first by these. */
  nearest(start: Start, entries: readonly ParameterDirection["entries"][]): Start {
    const { simulation, spread } = this;
    const { f64 } = simulation.system;
    this.places.forEach((place, i) => {
      this.values[i] = f64[place];
    });
    const h = simulation.timestep;
    let moved: Start = { ...start, changes: start.changes?.map((each) => each.slice()) };
    const pushing = new Set<number>();
    let bounds = this.boundsAt(moved);
    for (let round = 0; round < mostRounds && bounds.some(({ gap }) => gap < -tolerance); round++) {
      const { shift, active } = leastShift(
        bounds.map(({ row }) => row),
        bounds.map(({ gap }) => -gap),
        spread,
      );
      if (active.length === 0) break;
      for (const i of active) pushing.add(i);
      moved = this.shifted(moved, shift);
      bounds = this.boundsAt(moved);
    }
    const pose = [...pushing].map((i) => bounds[i]);
    this.hold(moved.changes, pose, 0, entries);

    // one step before
    const velocity = this.velocityOf(moved);
    const { shift, active } = leastShift(
      bounds.map(({ row }) => row.map((entry) => -entry)),
      bounds.map(({ gap, row, isVelocityFree }) =>
        isVelocityFree ? Number.NEGATIVE_INFINITY : dot(row, velocity) - gap / h,
      ),
      spread,
    );
    if (active.length === 0) return moved;
    const held = active.map((i) => bounds[i]);
    moved = this.withVelocity(
      moved,
      velocity.map((each, i) => each + shift[i]),
    );
    this.hold(moved.changes, held, 1, entries);
    return moved;
  }

  private boundsAt({ state, positions }: Start): Bound[] {
    const { contacts, isMaximal, made, maps, simulation, spread, values } = this;
    const m = spread.length;
    const found: Bound[] = contacts.map(({ restitution }) => ({
      gap: 0,
      row: new Float64Array(m),
      byPlace: [],
      isVelocityFree: (restitution ?? 0) > 0,
    }));
    if (made) {
      made.linearize({ state, parameters: values });
      made.values.forEach((gap, i) => {
        found[i].gap = gap;
      });
      const { rows, columns, entries } = made.byState;
      if (isMaximal) {
        for (let i = 0; i < entries.length; i++) found[rows[i]].row[poseColumn(columns[i])] += entries[i];
      } else {
        maps?.update(state, simulation.timestep);
        const S = maps?.maximalJacobian() as Float64Array;
        for (let i = 0; i < entries.length; i++) {
          const { row } = found[rows[i]];
          for (let c = 0; c < m; c++) row[c] += entries[i] * S[2 * m * columns[i] + c];
        }
      }
      const { byParameter } = made;
      for (let i = 0; i < byParameter.entries.length; i++) {
        const place = this.places[byParameter.columns[i]];
        found[byParameter.rows[i]].byPlace.push({ place, entry: byParameter.entries[i] });
      }
    }
    if (isMaximal || !positions) return found;
    for (const { at, lower, upper } of limitsOf(simulation)) {
      const along = (sign: number): Float64Array => {
        const row = new Float64Array(m);
        row[at] = sign;
        return row;
      };
      if (lower !== null) found.push({ gap: positions[at] - lower, row: along(1), byPlace: [], isVelocityFree: true });
      if (upper !== null) found.push({ gap: upper - positions[at], row: along(-1), byPlace: [], isVelocityFree: true });
    }
    return found;
  }

  /**
   * Makes changes such that distances which hold with equality stay zero: A δz + ∂g/∂θ δθ = 0 of poses, and A δv = (A δz + ∂g/∂θ δθ)/h of
   * velocities.
   */
  private hold(
    changes: readonly Float64Array[] | undefined,
    bounds: readonly Bound[],
    half: 0 | 1,
    entries: readonly ParameterDirection["entries"][],
  ): void {
    if (!changes || bounds.length === 0) return;
    const { simulation, spread } = this;
    const kept: Bound[] = [];
    let factor: Float64Array = new Float64Array(0);
    for (const bound of bounds) {
      const wider = gramian([...kept, bound], spread);
      if (!wider) continue;
      kept.push(bound);
      factor = wider;
    }
    for (const [i, change] of changes.entries()) {
      const pose = this.blockOf(change, 0);
      const own = half === 0 ? pose : this.blockOf(change, 1);
      const missing = Float64Array.from(kept, (bound) => {
        const opened = dot(bound.row, pose) + parameterPart(bound, entries[i]);
        return half === 0 ? -opened : opened / simulation.timestep - dot(bound.row, own);
      });
      choleskySolve(factor, missing, kept.length, 1);
      kept.forEach(({ row }, k) => {
        for (let c = 0; c < own.length; c++) own[c] += spread[c] * row[c] * missing[k];
      });
      this.setBlock(change, half, own);
    }
  }

  private shifted({ state, positions, changes }: Start, shift: Float64Array): Start {
    const { isMaximal, simulation } = this;
    if (!isMaximal && positions) {
      const x = positions.slice();
      shift.forEach((each, i) => {
        x[i] += each;
      });
      return { positions: x, changes, state: this.stateOf(x) };
    }
    const next = state.slice();
    for (const { index } of simulation.mechanism.bodies) {
      const [at, from] = [bodyStateSize * index, 6 * index];
      for (let k = 0; k < 3; k++) next[at + k] += shift[from + k];
      const q = at + stateOffsets.orientation;
      const turn = quaternion.fromRotationVector([shift[from + 3], shift[from + 4], shift[from + 5]]);
      const orientation: Quaternion = [next[q], next[q + 1], next[q + 2], next[q + 3]];
      next.set(quaternion.multiply(orientation, turn), q);
    }
    return { state: next, changes };
  }

  private stateOf(x: Float64Array): Float64Array {
    const { simulation } = this;
    return maximalFromMinimal(simulation.currentMechanism, x, simulation.timestep);
  }

  private velocityOf({ state, positions }: Start): Float64Array {
    const m = this.spread.length;
    if (positions) return positions.slice(m);
    return Float64Array.from({ length: m }, (_, i) => state[velocityPlace(i)]);
  }

  private withVelocity(start: Start, velocity: Float64Array): Start {
    if (start.positions) {
      const x = start.positions.slice();
      x.set(velocity, velocity.length);
      return { ...start, positions: x, state: this.stateOf(x) };
    }
    const state = start.state.slice();
    velocity.forEach((each, i) => {
      state[velocityPlace(i)] = each;
    });
    return { ...start, state };
  }

  /** The numbers of a change that are of poses (0) or of velocities (1). */
  private blockOf(change: Float64Array, half: 0 | 1): Float64Array {
    const m = this.spread.length;
    if (!this.isMaximal) return change.slice(half * m, (half + 1) * m);
    return Float64Array.from({ length: m }, (_, i) => change[tangentPlace(i, half)]);
  }

  private setBlock(change: Float64Array, half: 0 | 1, block: Float64Array): void {
    if (!this.isMaximal) change.set(block, half * block.length);
    else
      block.forEach((each, i) => {
        change[tangentPlace(i, half)] = each;
      });
  }
}

/** Standard deviations of recorded poses, six numbers per body, or of joint coordinates. */
export function startNoise(mechanism: Mechanism, isMaximal: boolean, noise: Noise): number[] {
  const { position = 1e-3, rotation = 1e-2, coordinates = 1e-3 } = noise;
  if (isMaximal) return mechanism.bodies.flatMap(() => [position, position, position, rotation, rotation, rotation]);
  return mechanism.coordinateNames.map((name) =>
    typeof coordinates === "number" ? coordinates : (coordinates[name] ?? 1e-3),
  );
}

/** One distance that is not to be negative. */
interface Bound {
  gap: number;
  readonly row: Float64Array;
  /** Its derivatives with respect to numbers in the simulation's memory. */
  readonly byPlace: { readonly place: number; readonly entry: number }[];
  /** Whether velocities at it stay as they are: bodies bounce, and joints are thrown against limits, from where a search would not find back. */
  readonly isVelocityFree: boolean;
}

interface Limit {
  readonly at: number;
  readonly lower: number | null;
  readonly upper: number | null;
}

function limitsOf({ currentMechanism }: Simulation): Limit[] {
  return currentMechanism.joints.flatMap(({ coordinates, coordinateOffset }) =>
    coordinates.flatMap(({ lower, upper }, i) =>
      lower === null && upper === null ? [] : [{ at: coordinateOffset + i, lower, upper }],
    ),
  );
}

function parameterPart({ byPlace }: Bound, entries: ParameterDirection["entries"] | undefined): number {
  let total = 0;
  for (const { index, weight } of entries ?? []) {
    for (const { place, entry } of byPlace) if (place === index) total += weight * entry;
  }
  return total;
}

/** The factor of A W⁻¹ Aᵀ; undefined where rows depend on each other. */
function gramian(bounds: readonly Bound[], spread: Float64Array): Float64Array | undefined {
  const n = bounds.length;
  const scaled = bounds.map(({ row }) => row.map((entry, i) => entry * spread[i]));
  const G = Float64Array.from({ length: n * n }, (_, at) => dot(bounds[Math.floor(at / n)].row, scaled[at % n]));
  return cholesky(G, n, 1e-10) >= 0 ? undefined : G;
}

/** The place of one of the twelve numbers of a body's tangent among the six of its pose. */
function poseColumn(column: number): number {
  return 6 * Math.floor(column / bodyTangentSize) + (column % bodyTangentSize);
}

function velocityPlace(i: number): number {
  return bodyStateSize * Math.floor(i / 6) + stateOffsets.velocity + (i % 6);
}

function tangentPlace(i: number, half: 0 | 1): number {
  return bodyTangentSize * Math.floor(i / 6) + (half === 0 ? 0 : tangentOffsets.velocity) + (i % 6);
}
