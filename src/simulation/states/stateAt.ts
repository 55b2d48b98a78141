/**
 * A physical initial condition, position and velocity at one and the same instant, as a state. A state's velocities are means
 * over the interval that led to it, half a step old; taken for those of now they cost the trajectory an error of h/2 times the
 * acceleration. So they are moved back by half a step,
 *   θ̇₋ = θ̇ − ½ (θ̇₊ − θ̇₋),
 * with θ̇₊ the rates after one step from (θ, θ̇₋): then the mean of the two intervals around the instant is θ̇, and the
 * trajectory is of second order (dampers apart, which are of first order unless `damperCentering` is 1).
 *
 * A run whose steps are divided by a tolerance may start with a part of any size. Its states are written in the time step and belong to the part that
 * led to them: here to the smallest one, so that velocities are those of the instant.
 *
 * What is about to collide in that step has not done so yet: contacts and limits count only where they touch and do not
 * approach faster than half a step of gravity, as those do that carry a load. Shapes find each other by themselves: where the step has pushed any that
 * do not touch so, a look at the smallest part of it shows which changes are collisions.
 */
import {
  type JointState,
  jointRates,
  type KnownAngles,
  maximalFromMinimal,
  maximalState,
} from "../../coordinates/index.ts";
import { coordinates as coordinatesOfType } from "../../equations/index.ts";
import {
  angularVelocityAt,
  bodyAt,
  orientationAt,
  type Quaternion,
  quaternion,
  type Vector3,
  vector,
  velocityAt,
} from "../../math/index.ts";
import { type Mechanism, type MechanismBody, optionNamesOf, requireOptionNames } from "../../mechanism/index.ts";
import { smallestPart } from "../division/pace.ts";
import { type Continuation, continuationAt } from "../runs/continuation.ts";
import type { Simulation } from "../simulation.ts";
import { requireStepOptions } from "../step/stepOptionRules.ts";
import { ShapeDistances } from "../touch/shapeDistances.ts";
import { configurationBefore, configurationNow } from "./configuration.ts";
import { projectState } from "./projectState.ts";
import { contactDistance, gapShift, gearLength, sizeOf } from "./violations.ts";

/** The second round counts how velocity-dependent forces change over half a step: errors of chains fall by up to half. */
const rounds = 2;
/** Part of the mechanism's size (metres), and radians, within which something touches. */
const touching = 1e-6;
/** Part of what gravity does to a body in half a step: less is no push. */
const slightly = 1e-3;
/** Where contacts and limits that do not count are put, in sizes of the mechanism (radians) beyond where they are. */
const outOfTheWay = 100;
/** Cosine of half an angle that no joint reaches. */
const widestTilt = -0.99;

export interface StateAtOptions {
  /** Input at the instant. Default zero; servos take it for their target. */
  readonly input?: Float64Array;
  /** Error tolerance of the steps to come, where they are given one that the simulation itself does not have. */
  readonly errorTolerance?: number;
}

const stateAtOptionNames = optionNamesOf<StateAtOptions>()("input errorTolerance");

/** Joints by name; what is left out is zero. The simulation's parameters and wrenches count; it takes steps on the way. */
export function stateAt(
  simulation: Simulation,
  joints: Readonly<Record<string, JointState>> = {},
  options: StateAtOptions = {},
): Float64Array {
  requireOptionNames("options", options, stateAtOptionNames);
  const { timestep } = simulation;
  const part = smallestPart * timestep;
  const motion = (): InstantMotion => motionOver(simulation, joints, options);
  const { errorTolerance = simulation.options.errorTolerance } = options;
  if (errorTolerance !== undefined) {
    requireStepOptions({ errorTolerance });
    const state = inStepsOf(simulation, part, () => stateOf(simulation, motion()));
    return simulation.transferState(state, timestep, part);
  }
  const whole = motion();
  const state = stateOf(simulation, whole);
  if (!hasCollided(simulation, state)) return state;
  return stateOf(simulation, { ...whole, change: unhit(whole.change, inStepsOf(simulation, part, motion).change) });
}

/** Whether the step last taken, from about this state, has pushed shapes that do not lie on each other there. */
function hasCollided(simulation: Simulation, state: Float64Array): boolean {
  const { currentMechanism: mechanism, timestep: h } = simulation;
  if (!mechanism.touch) return false;
  const pairOf = (...sides: (readonly string[])[]): string =>
    sides
      .map((side) => JSON.stringify(side))
      .sort()
      .join();
  const lying = new Set<string>();
  const length = touching * sizeOf(mechanism);
  for (const { bodies, shapes } of new ShapeDistances(mechanism).at(state, length)) {
    lying.add(pairOf([bodies[0], shapes[0]], [bodies[1], shapes[1]]));
  }
  const slow = (h * vector.norm(mechanism.gravity)) / 2;
  return simulation.touches().some(({ body, other, shape, otherShape, point, normal, normalForce }) => {
    const { mass } = mechanism.bodies.find(({ name }) => name === body) as MechanismBody;
    if (h * normalForce <= slightly * mass * slow) return false;
    const apart = vector.sub(velocityOf(mechanism, state, body, point), velocityOf(mechanism, state, other, point));
    return -vector.dot(normal, apart) > slow + length / h || !lying.has(pairOf([body, shape], [other, otherShape]));
  });
}

/** The velocity of a point of a body, or of the world. */
function velocityOf({ bodies }: Mechanism, state: Float64Array, name: string, point: Vector3): Vector3 {
  const body = bodies.findIndex((own) => own.name === name);
  if (body < 0) return vector.zero;
  const three = (at: number): Vector3 => [state[at], state[at + 1], state[at + 2]];
  const turn = orientationAt(body);
  const orientation: Quaternion = [state[turn], ...three(turn + 1)];
  const spin = quaternion.rotate(orientation, three(angularVelocityAt(body)));
  return vector.add(three(velocityAt(body)), vector.cross(spin, vector.sub(point, three(bodyAt(body)))));
}

/**
 * The changes over a step without what shapes meet in it, from those over the step and over its smallest part. What shapes are about to meet changes
 * rates more in the step than forces do that act in the part; forces of stiff springs change them less. What they meet in the part, they meet now,
 * and nothing says what forces do.
 */
function unhit(whole: Float64Array, part: Float64Array): Float64Array {
  if (largest(part) > largest(whole) / 2) return new Float64Array(whole.length);
  return whole.map((change, i) => {
    const smooth = part[i] / smallestPart;
    return Math.abs(smooth) < Math.abs(change) ? smooth : change;
  });
}

/** Coordinates and their rates at an instant, and how these change over a step around it. */
interface InstantMotion {
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  readonly change: Float64Array;
}

function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

/** The state at the end of a step whose middle is half a step before the instant: θ̇ − ½ (θ̇₊ − θ̇₋). */
function stateOf(simulation: Simulation, { positions, velocities, change }: InstantMotion): Float64Array {
  const mechanism = simulation.currentMechanism;
  const rates = velocities.map((velocity, i) => velocity - change[i] / 2);
  const state = maximalFromMinimal(mechanism, Float64Array.of(...positions, ...rates), simulation.timestep);
  return mechanism.loopJoints.length > 0 ? projectState(simulation, state) : state;
}

/** Runs with another time step for as long as it takes. */
function inStepsOf<T>(simulation: Simulation, timestep: number, run: () => T): T {
  const snapshot = simulation.save();
  try {
    simulation.setParameter("timestep", timestep);
    return run();
  } finally {
    simulation.restore(snapshot);
  }
}

/** How the instant's motion changes over a step. */
function motionOver(
  simulation: Simulation,
  joints: Readonly<Record<string, JointState>>,
  options: StateAtOptions,
): InstantMotion {
  const mechanism = simulation.currentMechanism;
  // checks names, counts and numbers
  maximalState(mechanism, joints);
  const positions = new Float64Array(mechanism.coordinateCount);
  const velocities = new Float64Array(mechanism.coordinateCount);
  for (const { name, coordinateOffset } of mechanism.joints) {
    positions.set(joints[name]?.position ?? [], coordinateOffset);
    velocities.set(joints[name]?.velocity ?? [], coordinateOffset);
  }
  let motion: InstantMotion = { positions, velocities, change: new Float64Array(velocities.length) };
  for (let round = 0; round < rounds; round++) {
    const { change: last } = motion;
    const state = stateOf(simulation, motion);
    const after = ratesAfter(simulation, mechanism, state, options.input, continuationAt(mechanism, joints));
    if (!after) break;
    motion = { ...motion, change: after.map((rate, i) => rate - (velocities[i] - last[i] / 2)) };
  }
  return motion;
}

/** Rates after a step without collisions; undefined when it cannot be taken. */
function ratesAfter(
  simulation: Simulation,
  mechanism: Mechanism,
  state: Float64Array,
  input: Float64Array | undefined,
  continuation: Continuation,
): Float64Array | undefined {
  const { timestep: h, system } = simulation;
  const snapshot = simulation.save();
  try {
    for (const [path, value] of collisionsAside(mechanism, state, h, continuation)) {
      system.f64[system.parameters.get(path) as number] = value;
    }
    const { status, next } = simulation.step(state, input, {
      errorTolerance: undefined,
      division: undefined,
      continuation,
    });
    return status === "solved" ? jointRates(mechanism, next, h) : undefined;
  } finally {
    simulation.restore(snapshot);
  }
}

/** Parameters that put contacts and limits out of the way, unless they touch and hardly approach. */
function collisionsAside(mechanism: Mechanism, state: Float64Array, h: number, known: KnownAngles): [string, number][] {
  const size = sizeOf(mechanism);
  const length = touching * size;
  // half a step of gravity, over a step
  const slow = (h * h * vector.norm(mechanism.gravity)) / 2;
  const [now, before] = [configurationNow(state, known), configurationBefore(state, h)];
  const changes: [string, number][] = [];
  for (const contact of mechanism.contacts) {
    const { index } = contact;
    const distance = contactDistance(mechanism, index, now);
    const approach = contactDistance(mechanism, index, before) - distance;
    if (distance > length || approach > slow + length) {
      const shift = gapShift(contact);
      changes.push([shift.path, shift.value - outOfTheWay * size - Math.abs(approach)]);
    }
  }
  for (const joint of mechanism.joints) {
    const path = `joints.${joint.name}`;
    const relative = now.relative(joint);
    coordinatesOfType(joint.shape).forEach((coordinate, i) => {
      const { lower, upper, motion } = joint.coordinates[i];
      if (lower === null && upper === null) return;
      const unit = motion === "translation" ? size : 1;
      const value = now.coordinate(joint, i);
      const ahead = coordinate.change(before.relative(joint), relative) as number;
      const collides = (distance: number, approach: number): boolean =>
        distance > touching * unit || approach > (slow / size + touching) * unit;
      if (lower !== null && collides(value - lower, -ahead)) {
        changes.push([`${path}.lower.${i}`, lower - outOfTheWay * unit]);
      }
      if (upper !== null && collides(upper - value, ahead)) {
        changes.push([`${path}.upper.${i}`, upper + outOfTheWay * unit]);
      }
    });
    // a tilt limit carries a load too seldom to look closer
    if (joint.tiltLimit !== null) changes.push([`${path}.tiltCosine`, widestTilt]);
  }
  for (const gear of mechanism.gears) {
    if (gear.kind !== "range") continue;
    const value = gearLength(mechanism, gear, now);
    const ahead = value - gearLength(mechanism, gear, before);
    const collides = (distance: number, approach: number): boolean =>
      distance > touching || approach > slow / size + touching;
    const { lower, upper, name } = gear;
    if (lower !== null && collides(value - lower, -ahead)) changes.push([`gears.${name}.lower`, lower - outOfTheWay]);
    if (upper !== null && collides(upper - value, ahead)) changes.push([`gears.${name}.upper`, upper + outOfTheWay]);
  }
  return changes;
}
