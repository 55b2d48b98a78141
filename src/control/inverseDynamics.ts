/**
 * The way from a motion to what causes it, by the step's own equations.
 *
 * Given are a state and the configuration one step later; so the next velocities are known, and the bodies' equations are linear
 * in all impulses that act (balance.ts). Sought are inputs, together with what the contacts and limits that touch can bear:
 * forces within their friction cones, or, where a contact slips, on their boundary. Of all that leave the smallest imbalance (in the
 * metric of the masses, that is, of the accelerations), the answer is the one with the smallest inputs. So it is exact where the
 * motion can be had, a least-squares fit where there are too few actuators, and the least effort where there are too many.
 * Effort limits are not enforced. Joint friction opposes the motion, and is nothing at rest.
 */
import { allFinite, requireFiniteArgument, stateError } from "../gradients/index.ts";
import { bodyStateSize, stateOffsets, tangentAt } from "../math/index.ts";
import { ArgumentError, optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import type { Continuation, Simulation, TouchReading } from "../simulation/index.ts";
import { type Balance, StepBalance } from "./balance.ts";
import type { Bearing } from "./bearing.ts";
import { fitForces } from "./forceFit.ts";

export interface InverseDynamicsOptions {
  /** Explicit contacts that may bear, by name. Default: those nearer than `contactDistance` in the next configuration. */
  readonly contacts?: readonly string[];
  /** Shapes that touch each other bear where they are nearer than this in the next configuration, m. Default 1e-3. */
  readonly contactDistance?: number;
  /** What the run that led to the state has left: springs and servos go by its angles. Default as for `step`. */
  readonly continuation?: Continuation | undefined;
}

const optionNames = optionNamesOf<InverseDynamicsOptions>()("contacts contactDistance continuation");

export interface InverseDynamics {
  /** Motors and thrusters: forces and torques. Servos: targets. */
  readonly input: Float64Array;
  /** Forces that the contacts bear, N: normal, friction along the two tangents. */
  readonly contactForces: Readonly<
    Record<string, { readonly normal: number; readonly friction: readonly [number, number] }>
  >;
  /** What the shapes bear that are near each other: force, normal and place of each of their contacts. */
  readonly touches: readonly TouchReading[];
  /** What remains unbalanced: the largest force or torque on a body, N or N·m. Zero up to rounding if the motion can be had. */
  readonly residual: number;
  /** The same by body: force (world frame) and torque (body frame). */
  readonly imbalance: Float64Array;
}

const defaultContactDistance = 1e-3;
/** How often directions are looked up anew, and from which change of the inputs on they are not. */
const mostFits = 30;
const settled = 1e-12;

/** The velocities of `nextState` are not looked at: the motion to it says them. */
export function inverseDynamics(
  simulation: Simulation,
  state: Float64Array,
  nextState: Float64Array,
  options: InverseDynamicsOptions = {},
): InverseDynamics {
  requireOptionNames("options", options, optionNames);
  const { mechanism, timestep: h } = simulation;
  const { contacts: named, contactDistance = defaultContactDistance } = options;
  if (!Number.isFinite(contactDistance))
    throw new ArgumentError("not-finite", "contactDistance", `${contactDistance}; give a distance in metres`);
  const bearing: Bearing = {
    contact: (contact, distance) =>
      named ? named.includes(mechanism.contacts[contact].name) : distance < contactDistance,
    distance: contactDistance,
  };

  requireFiniteArgument("state", state);
  requireFiniteArgument("nextState", nextState);
  // v₊ = (x₊ − x)/h, ω₊ = 2 vec(q⁻¹ q₊)/h
  const moved = stateError(state, nextState);
  const velocities = new Float64Array(6 * mechanism.bodies.length);
  mechanism.bodies.forEach((_, i) => {
    for (let k = 0; k < 6; k++) velocities[6 * i + k] = moved[tangentAt(i) + k] / h;
  });
  const continuation = options.continuation ?? simulation.continuationOf(state);
  const motion = { state, next: nextState, velocities, continuation };
  const step = simulation.resource("balance", () => new StepBalance(simulation));
  let balance = step.assemble(motion, bearing);
  let { inputs, forces } = fitForces(balance.r, balance.inputs, balance.forces, balance.cones);
  let input = balance.inputFor(inputs);
  // servos on rotation vectors push in directions that their targets change
  for (let n = 0, moved = 1; balance.isNonlinear && n < mostFits && moved > settled; n++) {
    const before = input;
    balance = step.assemble(motion, bearing, before);
    ({ inputs, forces } = fitForces(balance.r, balance.inputs, balance.forces, balance.cones));
    input = balance.inputFor(inputs);
    moved = input.reduce((most, entry, i) => Math.max(most, Math.abs(entry - before[i])), 0);
  }
  const imbalance = balance.forcesOf(remainder(balance, inputs, forces));
  requireFiniteResult(input, imbalance);
  const { contacts } = mechanism;
  return {
    input,
    contactForces: Object.fromEntries(
      balance.supports
        .filter(({ node }) => node.index < contacts.length)
        .map(({ node, impulses }) => {
          const [normal, first, second] = impulses(forces);
          return [contacts[node.index].name, { normal: normal / h, friction: [first / h, second / h] as const }];
        }),
    ),
    touches: balance.touches(forces),
    residual: imbalance.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0),
    imbalance,
  };
}

/**
 * The inputs that hold a configuration still: inverse dynamics from rest to where it is. A robot that stands is held by its inputs
 * and by the contacts that touch, with the smallest inputs that do; what cannot be held (a floating body in the air, a
 * pendulum without a motor) shows as `residual`.
 */
export function gravityCompensation(
  simulation: Simulation,
  state: Float64Array,
  options: InverseDynamicsOptions = {},
): InverseDynamics {
  const { continuation = simulation.continuationOf(state) } = options;
  const still = Float64Array.from(state);
  for (let at = stateOffsets.velocity; at < still.length; at += bodyStateSize) still.fill(0, at, at + 6);
  return inverseDynamics(simulation, still, still, { ...options, continuation });
}

function requireFiniteResult(...results: readonly Float64Array[]): void {
  if (results.every(allFinite)) return;
  throw new RangeError(
    "the motion needs forces that are not finite: check the state and the next one, and the simulation's parameters and wrenches",
  );
}

/** r + Y y + F f. */
function remainder({ r, inputs: Y, forces: F }: Balance, y: Float64Array, f: Float64Array): Float64Array {
  const rest = Float64Array.from(r);
  const add = (columns: readonly Float64Array[], amounts: Float64Array): void =>
    columns.forEach((column, j) => {
      for (let i = 0; i < rest.length; i++) rest[i] += amounts[j] * column[i];
    });
  add(Y, y);
  add(F, f);
  return rest;
}
