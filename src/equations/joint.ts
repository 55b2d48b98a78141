/**
 * A joint node: constraints that hold at z₊ [max_2body], and one row for every free coordinate that carries a force.
 *
 *   c(z₊)/h = 0                                          multiplier: constraint impulse along ∂c/∂z at z
 *   λ = −h k (θ + w₊(θ₊ − θ) − w₋(θ − θ₋) − rest) − d (Δ₊ + ρ_d Δ₋)/(1+ρ_d) − (I/h)(Δ₊ − Δ₋) + γ_lower − γ_upper + f
 *
 * with θ = value(z) + turns (jointGeometry.ts), the spring weights w₊ = 1/(1+ρ)², w₋ = ρ²/(1+ρ)², increments Δ (jointGeometry.ts), ρ_d of the dampers,
 * and cone variables
 *   γ_lower ⊥ θ₊ − lower,   γ_upper ⊥ upper − θ₊                  (hard limits)
 *   F h + f ⊥ p,   F h − f ⊥ n,   p − n = Δ₊/h                    (Coulomb friction of the joint)
 * A position servo adds h kₚ (target − θ − w₊(θ₊ − θ) + w₋(θ − θ₋)) − k_d (Δ₊ + ρ_d Δ₋)/(1+ρ_d) with weights w of ρ_d, held within its effort by
 * the same kind of box. With the damper's ρ in all three places, inertia, damping and stiffness are those of s = (1+ρ)(z−1)/(h(z+ρ)), and for
 * different ρ none can add energy to a linear system either: docs/decisions/0019-dampers-between-two-increments.md.
 * Inputs act along the same directions: h u. λ is kept as a multiplier, so that parent and child stay uncoupled in the matrix but for the joint
 * between them.
 *
 * After an interval of another length h₋ forces act for t = (h₋ + h)/2 in place of h (node.ts), Δ₋ is the increment over h₋, and springs and dampers weigh
 * the two intervals by their lengths: θ + (h w₊Δ₊ − h₋ w₋Δ₋)/t and t (Δ₊ + ρ Δ₋)/(h + ρ h₋).
 *
 * Where two or three rotations are free, dampers, rotors, friction and inputs act about the child's axes, and λ is a torque. What has a
 * potential acts along the gradient of that which it is a function of, f·de/d(spin) at z, or its work would depend on the way: springs
 * by the departure e from rest, servos by that from their targets (with k_d for its change), limits by the rotation vector itself.
 */
import {
  add,
  div,
  type Expr,
  Graph,
  max,
  min,
  mul,
  neg,
  quaternionConjugate,
  quaternionMultiply,
  type Scalar,
  sqrt,
  square,
  sub,
  sum,
} from "../symbolic/index.ts";
import { bodySymbols, type RotationSource, world } from "./bodySymbols.ts";
import { ConeForces } from "./coneForces.ts";
import { coneRoles } from "./coneRoles.ts";
import {
  type Coordinate,
  canLock,
  constraintRows,
  coordinates,
  lockRoom,
  relativePose,
  turningCoordinates,
} from "./jointGeometry.ts";
import {
  type CoordinateFeatures,
  carriesForce,
  framesFrom,
  hasPotential,
  type JointSpecies,
  jointParameterNames,
  loadedCoordinates,
  turnsParameter,
} from "./jointSpecies.ts";
import { type GlobalSymbols, globalSymbols, impulseRows, type NodeEquations, type Ports } from "./node.ts";
import { previousPose } from "./pose.ts";
import { type Departure, departureFrom, rotationVector } from "./rotationVector.ts";

/** `hasHinges`: something outside of these equations acts on its hinges, so that motions are measured along them. */
export function jointEquations(
  species: JointSpecies,
  source: RotationSource = "shared",
  hasHinges = false,
): NodeEquations {
  const graph = new Graph();
  const globals = globalSymbols(graph);
  const { timestep: h, duration: t, before } = globals;
  const bodies = [
    species.parentMoves ? bodySymbols(graph, "parent", source) : world,
    bodySymbols(graph, "child", source),
  ];
  const names = jointParameterNames(species.features.length);
  const parameters = names.map((name) => graph.symbol(name));
  const parameter = (name: string): Expr => parameters[names.indexOf(name)];
  const frames = framesFrom(parameters);

  // relative poses at z₋, z and z₊
  const relative = relativePose(frames, bodies[0].pose, bodies[1].pose);
  const next = relativePose(frames, bodies[0].next, bodies[1].next);
  const [parentBefore, childBefore] = bodies.map((body) =>
    body.moves ? previousPose(body.pose, body.velocity, before) : body.pose,
  );
  const previous = relativePose(frames, parentBefore, childBefore);

  // constraints
  const constraints = constraintRows(species.type, frames, next);
  const translations = species.type.translation;
  const regularization: Scalar[] = constraints.map((_, i) =>
    parameter(i < translations ? "regularization.translation" : "regularization.rotation"),
  );
  const rows = constraints.map((row) => div(row, h));
  const multipliers = graph.symbols("impulse", constraints.length);
  const acting: Scalar[] = [...constraints];
  const amounts: Scalar[] = [...multipliers];

  // forces on the free coordinates
  const coneForces = new ConeForces(graph);
  const observations: Scalar[] = [];
  const inputs: Expr[] = [];
  const free = coordinates(species.type);
  const loaded = loadedCoordinates(species);
  const turning = turningCoordinates(species.type);
  const isTurned = turning.some((i) => hasPotential(species.features[i]));
  // limits hold angles that jump at the lock: hinges with limits stay on their side of it
  const passes = canLock(species.type) && species.features.every(({ lower, upper }) => !lower && !upper);
  const turn = quaternionMultiply(quaternionConjugate(relative.rotation), next.rotation);
  const targets = species.features.map(({ actuated, servo }, i) =>
    actuated || servo ? graph.symbol(`input.${i}`) : undefined,
  );
  const rest = departureFrom(turning.map((i) => parameter(`rest.${i}`)));
  const aim = departureFrom(turning.map((i) => (species.features[i].servo ? (targets[i] as Expr) : 0)));
  const torques: Scalar[] = [0, 0, 0];
  const isIdle = species.features.every((features) => !carriesForce(features) && !features.actuated);
  const locks = canLock(species.type) && isIdle && !hasHinges;
  free.forEach((coordinate, i) => {
    const features = species.features[i];
    const ahead = onward(coordinate);
    // steps count the turns of angles that repeat
    if (coordinate.period > 0) observations.push(coordinate.value(relative));
    const input = targets[i];
    if (input) inputs.push(input);
    if (input && !features.servo) {
      acting.push(ahead);
      amounts.push(
        faded(
          i,
          mul(
            t,
            features.effort ? clamped(input, parameter(`effortCenter.${i}`), parameter(`effortLimit.${i}`)) : input,
          ),
        ),
      );
    }
    if (!loaded.includes(i)) return;
    addForce(graph.symbol(`force.${i}`), ahead, coordinateForce(coordinate, features, i, input));
  });
  if (isTurned) addTorques();
  if (species.tilt) {
    // the room 2 (cos(φ/2) − c)/√(1−c²), c the cosine at the limit: smooth at φ = 0, and radians where it counts
    const cosine = parameter("tiltCosine");
    const sine = sqrt(sub(1, square(cosine)));
    const [, ...axis] = next.rotation;
    const room = div(mul(2, sub(next.rotation[0], cosine)), sine);
    const push = coneForces.lowerLimit("tilt", room, 0, coneRoles.tilt);
    // its impulse acts along its gradient at z₊: at z, a link that crosses the cone within a step would be pushed on
    for (let k = 0; k < 3 - species.type.rotation; k++) {
      addForce(graph.symbol(`tilt.${k}`), mul(2, turn[1 + k]), neg(mul(push, div(axis[k], sine))));
    }
  }

  const bodyRows = impulseRows(acting, amounts, bodies, h);
  return {
    graph,
    bodies,
    globals,
    parameterGroups: [parameters],
    inputs,
    multipliers,
    cones: coneForces.cones,
    bodyRows,
    rows,
    eliminations: coneForces.eliminations,
    regularization,
    observations,
    wrench: bodyRows[1].map(neg),
    sharesRows: false,
    ports: ports(),
  };

  function onward(coordinate: Coordinate): Scalar {
    return passes ? coordinate.onward(relative, next) : coordinate.increment(relative, next);
  }

  function sofar(coordinate: Coordinate): Scalar {
    return passes ? coordinate.sofar(previous, relative) : coordinate.increment(previous, relative);
  }

  /** λ along the gradient of `along` at z, and its row λ = force. */
  function addForce(lambda: Expr, along: Scalar, force: Scalar): void {
    multipliers.push(lambda);
    acting.push(along);
    amounts.push(lambda);
    rows.push(sub(lambda, force));
    regularization.push(0);
  }

  /** The torques of potentials: added to the forces about the child's axes, where these are free, or on their own. */
  function addTorques(): void {
    const first = rows.length - turning.length;
    torques.forEach((torque, k) => {
      if (k < turning.length) rows[first + k] = sub(rows[first + k], torque);
      else addForce(graph.symbol(`torque.${k}`), mul(2, turn[1 + k]), torque);
    });
  }

  /** A force on entry k of a departure, as torques about the child's axes. */
  function turnBy({ bySpin }: Departure, k: number, force: Scalar): void {
    bySpin(relative.rotation)[k].forEach((rate, axis) => {
      torques[axis] = add(torques[axis], mul(rate, force));
    });
  }

  function ports(): Ports {
    const values = [...constraints, ...freeMotions()];
    const amountOn = (value: Scalar): Scalar => sum(amounts.filter((_, i) => acting[i] === value));
    return {
      kind: "joint",
      values,
      scales: values.map(() => h),
      amounts: values.map(amountOn),
      constraints: constraints.length,
      along: multipliers.map((multiplier) => acting[amounts.indexOf(multiplier)]),
    };
  }

  /** What the child is free to do. Where nothing acts on three hinges in a row, a rotation vector, which never locks, serves as well. */
  function freeMotions(): Scalar[] {
    const increments = free.map(onward);
    if (!locks) return increments;
    return [...increments.slice(0, -3), ...turn.slice(1).map((entry) => mul(2, entry))];
  }

  /** What acts along a coordinate's increment. Of rotation vectors, whatever has a potential goes to the torques. */
  function coordinateForce(coordinate: Coordinate, features: CoordinateFeatures, i: number, target?: Expr): Scalar {
    const ahead = onward(coordinate);
    const entry = turning.indexOf(i);
    const forces: Scalar[] = [];
    const push = (force: Scalar, from: Departure): void => {
      if (entry < 0) forces.push(force);
      else turnBy(from, entry, force);
    };
    if (features.passive) {
      const { spring, damper, rotor } = resistance(coordinate, i);
      if (entry >= 0) turnBy(rest, entry, neg(spring));
      forces.push(neg(entry < 0 ? add(add(spring, damper), rotor) : add(damper, rotor)));
    }
    const end = add(angle(coordinate, i), entry < 0 ? ahead : coordinate.change(relative, next));
    if (features.lower) push(coneForces.lowerLimit(`lower.${i}`, end, parameter(`lower.${i}`)), rotationVector);
    if (features.upper)
      push(neg(coneForces.lowerLimit(`upper.${i}`, neg(end), neg(parameter(`upper.${i}`)))), rotationVector);
    if (features.friction)
      forces.push(coneForces.coulomb(`friction.${i}`, mul(t, parameter(`friction.${i}`)), div(ahead, h)));
    if (target && features.servo) {
      const seen = entry < 0 ? along(coordinate, i) : away(aim, entry);
      const gap = entry < 0 ? sub(target, weighed(seen, globals.damperCentering)) : neg(weighedDeparture(aim, entry));
      const wanted = sub(
        mul(mul(t, parameter(`servoStiffness.${i}`)), gap),
        damped(`servoDamping.${i}`, seen.ahead, seen.behind),
      );
      const asked = faded(i, wanted);
      const [center, bound] = ["effortCenter", "effortLimit"].map((name) => mul(t, parameter(`${name}.${i}`)));
      push(features.effort ? coneForces.saturated(`effort.${i}`, asked, center, bound) : asked, aim);
    }
    return sum(forces);
  }

  /** Forces that do not yield to motion fade beside a lock, where the outer hinges would turn the child ever faster. */
  function faded(i: number, force: Scalar): Scalar {
    const isOuter = canLock(species.type) && i !== free.length - 2 && i >= free.length - 3;
    return isOuter ? mul(lockRoom(relative), force) : force;
  }

  /** θ at z, over any number of turns. */
  function angle(coordinate: Coordinate, i: number): Scalar {
    const value = coordinate.value(relative);
    return coordinate.period > 0 ? add(value, parameter(`${turnsParameter}.${i}`)) : value;
  }

  /** θ + w₊(θ₊ − θ) − w₋(θ − θ₋) − rest. */
  function stretch(coordinate: Coordinate, i: number): Scalar {
    const entry = turning.indexOf(i);
    if (entry >= 0) return weighed(away(rest, entry), globals.springConservation);
    return sub(weighed(along(coordinate, i), globals.springConservation), parameter(`rest.${i}`));
  }

  /** θ + (h w₊Δ₊ − h₋ w₋Δ₋)/t. */
  function weighed({ place, ahead, behind }: Increments, rho: Scalar): Scalar {
    const { forward, backward } = springWeights(rho);
    const [after, since] = intervalShares(globals);
    return add(place, sub(mul(mul(after, forward), ahead), mul(mul(since, backward), behind)));
  }

  /** The same of a servo's departure as (e₊ + 2ρe + ρ²e₋)/(1+ρ)² for intervals alike, which at ρ = 0 is e₊ to the bit. */
  function weighedDeparture(from: Departure, entry: number): Scalar {
    const rho = globals.damperCentering;
    const [before, now, then] = [previous, relative, next].map(({ rotation }) => from.vector(rotation)[entry]);
    const [after, since] = intervalShares(globals);
    const rest = add(sub(1, after), mul(square(rho), sub(1, since)));
    const past = add(mul(add(mul(2, rho), rest), now), mul(mul(since, square(rho)), before));
    return mul(springWeights(rho).forward, add(mul(after, then), past));
  }

  /** A coordinate at z, and its increments Δ₊ and Δ₋. */
  function along(coordinate: Coordinate, i: number): Increments {
    return { place: angle(coordinate, i), ahead: onward(coordinate), behind: sofar(coordinate) };
  }

  /** The same of an entry of a departure. */
  function away(from: Departure, entry: number): Increments {
    const [before, now, then] = [previous, relative, next].map(({ rotation }) => from.vector(rotation)[entry]);
    return { place: now, ahead: sub(then, now), behind: sub(now, before) };
  }

  /** d t (Δ₊ + ρ Δ₋)/(h + ρ h₋). */
  function damped(name: string, ahead: Scalar, behind: Scalar): Scalar {
    const { forward, last } = damperWeights(globals.damperCentering, intervalShares(globals));
    return mul(mul(forward, parameter(name)), add(ahead, mul(last, behind)));
  }

  /** Impulses against which a coordinate moves. */
  function resistance(coordinate: Coordinate, i: number): Record<"spring" | "damper" | "rotor", Scalar> {
    const ahead = onward(coordinate);
    const behind = sofar(coordinate);
    return {
      spring: faded(i, mul(mul(t, parameter(`stiffness.${i}`)), stretch(coordinate, i))),
      damper: damped(`damping.${i}`, ahead, behind),
      rotor: mul(div(parameter(`armature.${i}`), h), sub(ahead, mul(div(h, before), behind))),
    };
  }
}

/** w₊ = 1/(1+ρ)² and w₋ = ρ²/(1+ρ)². */
export function springWeights(rho: Scalar): { readonly forward: Scalar; readonly backward: Scalar } {
  const forward = div(1, square(add(1, rho)));
  return { forward, backward: mul(forward, square(rho)) };
}

/** h/t and h₋/t: 1 where the size of steps stays. */
export function intervalShares({ timestep, before, duration }: GlobalSymbols): readonly [Scalar, Scalar] {
  return [div(timestep, duration), div(before, duration)];
}

/** 1/(1+ρ), and what the last increment then counts for: ρ. Where intervals are not alike they have shares. */
export function damperWeights(
  rho: Scalar,
  [after, since]: readonly [Scalar, Scalar] = [1, 1],
): { readonly forward: Scalar; readonly last: Scalar } {
  return { forward: div(1, add(after, mul(since, rho))), last: rho };
}

/** A coordinate, or a function of one, at z, with what it changes by in the step and in the last one. */
interface Increments {
  readonly place: Scalar;
  readonly ahead: Scalar;
  readonly behind: Scalar;
}

/** The value within center ± bound. */
function clamped(value: Scalar, center: Scalar, bound: Scalar): Scalar {
  return max(sub(center, bound), min(add(center, bound), value));
}
