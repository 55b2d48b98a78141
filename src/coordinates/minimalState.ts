/**
 * Minimal states: all joint positions, then all joint velocities, in description order. Velocities are those of the last
 * interval, and the configuration at its start satisfies the joints too.
 *   minimalState(mechanism, z) → x          maximalFromMinimal(mechanism, x) → z
 * and their Jacobians in attitude errors, 12 numbers per body: dx/dz (2c × 12n) and dz/dx (12n × 2c), row-major. Their product
 * dx/dz · dz/dx is the identity where no loop and no gear ties coordinates together.
 *
 * Loops: `maximalFromMinimal` goes along the spanning tree and leaves the joints that close loops open where the others do not
 * fit them (`stateFromMinimal` of a simulation closes them). `maximalJacobian` is that of the closed map at a closed state: its
 * columns are tangent to the loops and gears, and those of coordinates that the tree does not use are zero.
 */
import { ArgumentError, type Mechanism, requireStateSize } from "../mechanism/index.ts";
import type { AnglesNear } from "./angles.ts";
import { coordinateKernels } from "./coordinateKernels.ts";
import { CoordinateMaps } from "./coordinateMaps.ts";

/** Angles go on from those that `known` has of them: the continuation of a run, or a minimal state one step away. */
export function minimalState(
  mechanism: Mechanism,
  state: Float64Array,
  timestep = mechanism.timestep,
  known?: AnglesNear,
): Float64Array {
  const x = new Float64Array(2 * mechanism.coordinateCount);
  minimalStateInto(x, mechanism, state, timestep, known);
  return x;
}

/** The same into an array of the caller's, which may be `known` itself; nothing is allocated. */
export function minimalStateInto(
  x: Float64Array,
  mechanism: Mechanism,
  state: Float64Array,
  timestep = mechanism.timestep,
  known?: AnglesNear,
): void {
  requireMinimal(mechanism, x);
  requireStateSize(mechanism, state);
  requireInterval(timestep);
  coordinateKernels(mechanism).minimalInto(x, mechanism.joints, state, timestep, known);
}

/**
 * Joint coordinates of a state. Angles are the nearest to those that `known` has of them, over any number of turns. Where nothing is known
 * they are those of the state, or lie between the joint's limits (angles.ts).
 */
export function jointCoordinates(mechanism: Mechanism, state: Float64Array, known?: AnglesNear): Float64Array {
  return bothOf(mechanism, state, mechanism.timestep, known).subarray(0, mechanism.coordinateCount);
}

/** Rates over `h`, the interval of the state's velocities: the increments since the configuration one step ago, over the time step. */
export function jointRates(mechanism: Mechanism, state: Float64Array, h = mechanism.timestep): Float64Array {
  return bothOf(mechanism, state, h).subarray(mechanism.coordinateCount);
}

function bothOf(mechanism: Mechanism, state: Float64Array, h: number, known?: AnglesNear): Float64Array {
  requireStateSize(mechanism, state);
  const x = new Float64Array(2 * mechanism.coordinateCount);
  coordinateKernels(mechanism).minimalInto(x, mechanism.joints, state, h, known);
  return x;
}

export function maximalFromMinimal(mechanism: Mechanism, x: Float64Array, timestep = mechanism.timestep): Float64Array {
  const state = new Float64Array(mechanism.stateSize);
  maximalFromMinimalInto(state, mechanism, x, timestep);
  return state;
}

/** The same into an array of the caller's; nothing is allocated. */
export function maximalFromMinimalInto(
  state: Float64Array,
  mechanism: Mechanism,
  x: Float64Array,
  timestep = mechanism.timestep,
): void {
  requireMinimal(mechanism, x);
  requireInterval(timestep);
  const tooFast = coordinateKernels(mechanism).maximalInto(state, mechanism.joints, x, timestep);
  if (!tooFast) return;
  const message = `more than half a turn in a step of ${timestep} s; take a smaller timestep or a lower velocity`;
  throw new ArgumentError("too-fast", `bodies.${tooFast.name}.angularVelocity`, message);
}

/** dx/dz: joint positions and velocities with respect to the bodies' states. */
export function minimalJacobian(
  mechanism: Mechanism,
  state: Float64Array,
  timestep = mechanism.timestep,
): Float64Array {
  const maps = new CoordinateMaps(mechanism);
  maps.updateMinimal(state, timestep);
  return maps.minimalJacobian();
}

/** dz/dx at a state that satisfies its joints. */
export function maximalJacobian(
  mechanism: Mechanism,
  state: Float64Array,
  timestep = mechanism.timestep,
): Float64Array {
  const maps = new CoordinateMaps(mechanism);
  maps.update(state, timestep);
  return maps.maximalJacobian();
}

export function requireMinimal({ coordinateCount }: Mechanism, x: Float64Array): void {
  if (x.length === 2 * coordinateCount) return;
  const message = `has ${x.length} numbers; give ${2 * coordinateCount}: ${coordinateCount} positions, then as many velocities`;
  throw new ArgumentError("wrong-size", "minimal state", message);
}

/** Velocities are means over an interval that has a length. */
export function requireInterval(h: number): void {
  if (h > 0 && h < Number.POSITIVE_INFINITY) return;
  throw new ArgumentError("out-of-range", "timestep", `${String(h)}: give seconds above 0, or leave it out`);
}
