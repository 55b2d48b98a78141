/**
 * A joint node: constraints that hold at z₊ [max_2body], and one row for every free coordinate that carries a force.
 *
 *   c(z₊)/h = 0                                          multiplier: constraint impulse along ∂c/∂z at z
 *   λ = −h k (θ + w₊(θ₊ − θ) − w₋(θ − θ₋) − rest) − d Δ₊ − (I/h)(Δ₊ − Δ₋) + γ_lower − γ_upper + f
 *
 * with θ = value(z) + turns (jointGeometry.ts), the spring weights w₊ = 1/(1+ρ)², w₋ = ρ²/(1+ρ)², increments Δ (jointGeometry.ts), and cone variables
 *   γ_lower ⊥ θ₊ − lower,   γ_upper ⊥ upper − θ₊                  (hard limits)
 *   F h + f ⊥ p,   F h − f ⊥ n,   p − n = Δ₊/h                    (Coulomb friction of the joint)
 * A position servo adds h kₚ (target − θ₊) − k_d Δ₊, held within its effort by the same kind of box.
 * Inputs act along the same directions: h u. λ is kept as a multiplier, so that parent and child stay uncoupled in the
 * matrix but for the joint between them.
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
import { ConeForces } from "./coneForces.ts";
import {
  type Coordinate,
  constraintRows,
  coordinates,
  type JointFrames,
  type JointType,
  relativePose,
} from "./jointGeometry.ts";
import {
  bodySymbols,
  globalSymbols,
  impulseRows,
  type NodeEquations,
  type Ports,
  type RotationSource,
  world,
} from "./node.ts";
import { previousPose } from "./pose.ts";

/** What acts on one free coordinate. */
export interface CoordinateFeatures {
  /** Spring, damper or armature. */
  readonly passive: boolean;
  readonly lower: boolean;
  readonly upper: boolean;
  readonly friction: boolean;
  readonly actuated: boolean;
  /** Position servo: the input is its target. */
  readonly servo: boolean;
  /** Effort limit of actuator or servo. */
  readonly effort: boolean;
}

/** Everything that decides which equations a joint has; joints that agree in it share their kernels. */
export interface JointSpecies {
  readonly type: JointType;
  readonly parentMoves: boolean;
  /** One a free coordinate. */
  readonly features: readonly CoordinateFeatures[];
  /** Largest rotation angle of a joint with two or three free rotations. */
  readonly tilt: boolean;
}

export const frameParameters = [
  ...["x", "y", "z"].map((k) => `parentAnchor.${k}`),
  ...["w", "x", "y", "z"].map((k) => `parentFrame.${k}`),
  ...["x", "y", "z"].map((k) => `childAnchor.${k}`),
  ...["w", "x", "y", "z"].map((k) => `childFrame.${k}`),
  "skew",
  "axisOffset",
] as const;

const coordinateParameters = [
  "stiffness",
  "rest",
  "damping",
  "armature",
  "lower",
  "upper",
  "friction",
  "servoStiffness",
  "servoDamping",
  "effortLimit",
  "effortCenter",
] as const;

/** What has a place among the parameters, though no user sets it: the steps of a run count the turns of its angles. */
export const turnsParameter = "turns";

/** Parameter names of a joint, in memory order. Turns follow the frame, where gears look for them. */
export function jointParameterNames(species: JointSpecies): string[] {
  const turns = species.features.map((_, i) => `${turnsParameter}.${i}`);
  const perCoordinate = species.features.flatMap((_, i) => coordinateParameters.map((name) => `${name}.${i}`));
  return [
    ...frameParameters,
    ...turns,
    ...perCoordinate,
    "tiltCosine",
    "regularization.translation",
    "regularization.rotation",
  ];
}

export function carriesForce(features: CoordinateFeatures): boolean {
  return features.passive || features.lower || features.upper || features.friction || features.servo;
}

export function jointEquations(species: JointSpecies, source: RotationSource = "shared"): NodeEquations {
  const graph = new Graph();
  const globals = globalSymbols(graph);
  const h = globals.timestep;
  const bodies = [
    species.parentMoves ? bodySymbols(graph, "parent", source) : world,
    bodySymbols(graph, "child", source),
  ];
  const names = jointParameterNames(species);
  const parameters = names.map((name) => graph.symbol(name));
  const parameter = (name: string): Expr => parameters[names.indexOf(name)];
  const frames = framesFrom(parameters);

  // relative poses at z₋, z and z₊
  const relative = relativePose(frames, bodies[0].pose, bodies[1].pose);
  const next = relativePose(frames, bodies[0].next, bodies[1].next);
  const [parentBefore, childBefore] = bodies.map((body) =>
    body.moves ? previousPose(body.pose, body.velocity, h) : body.pose,
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
  const pushed = constraints.map((_, i) => i);
  const acting: Scalar[] = [...constraints];
  const amounts: Scalar[] = [...multipliers];

  // forces on the free coordinates
  const coneForces = new ConeForces(graph);
  const observations: Scalar[] = [];
  const inputs: Expr[] = [];
  const free = coordinates(species.type);
  const isIdle = species.features.every((features) => !carriesForce(features) && !features.actuated);
  const locks = species.type.serial && species.type.rotation === 0 && isIdle;
  free.forEach((coordinate, i) => {
    const features = species.features[i];
    const ahead = coordinate.increment(relative, next);
    observations.push(coordinate.value(relative));
    const input = features.actuated || features.servo ? graph.symbol(`input.${i}`) : undefined;
    if (input) inputs.push(input);
    if (input && !features.servo) {
      acting.push(ahead);
      amounts.push(
        mul(h, features.effort ? clamped(input, parameter(`effortCenter.${i}`), parameter(`effortLimit.${i}`)) : input),
      );
    }
    if (!carriesForce(features)) return;
    const lambda = graph.symbol(`force.${i}`);
    const force = coordinateForce(coordinate, features, i, input);
    multipliers.push(lambda);
    pushed.push(constraints.length + i);
    acting.push(ahead);
    amounts.push(lambda);
    rows.push(sub(lambda, force));
    regularization.push(0);
  });
  if (species.tilt) {
    // the room 2 (cos(φ/2) − c)/√(1−c²), c the cosine at the limit: smooth at φ = 0, and radians where it counts
    const cosine = parameter("tiltCosine");
    const sine = sqrt(sub(1, square(cosine)));
    const [, ...axis] = next.rotation;
    const push = coneForces.lowerLimit("tilt", div(mul(2, sub(next.rotation[0], cosine)), sine), 0);
    // its impulse acts along its gradient at z₊: at z, a link that crosses the cone within a step would be pushed on
    const increments = quaternionMultiply(quaternionConjugate(relative.rotation), next.rotation);
    for (let k = 0; k < 3 - species.type.rotation; k++) {
      const lambda = graph.symbol(`tilt.${k}`);
      multipliers.push(lambda);
      acting.push(mul(2, increments[1 + k]));
      amounts.push(lambda);
      rows.push(add(lambda, mul(push, div(axis[k], sine))));
      regularization.push(0);
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
    ...(!species.tilt && { ports: ports() }),
  };

  function ports(): Ports {
    const values = [...constraints, ...freeMotions()];
    const amountOn = (value: Scalar): Scalar => sum(amounts.filter((_, i) => acting[i] === value));
    return {
      kind: "joint",
      values,
      scales: values.map(() => h),
      amounts: values.map(amountOn),
      constraints: constraints.length,
      pushed,
      areCoordinates: !locks,
    };
  }

  /** What the child is free to do. Where nothing acts on three hinges in a row, a rotation vector, which never locks, serves as well. */
  function freeMotions(): Scalar[] {
    const increments = free.map((coordinate) => coordinate.increment(relative, next));
    if (!locks) return increments;
    const [, ...turn] = quaternionMultiply(quaternionConjugate(relative.rotation), next.rotation);
    return [...increments.slice(0, -3), ...turn.map((entry) => mul(2, entry))];
  }

  function coordinateForce(coordinate: Coordinate, features: CoordinateFeatures, i: number, target?: Expr): Scalar {
    const ahead = coordinate.increment(relative, next);
    const forces: Scalar[] = [];
    if (features.passive) forces.push(passiveForce(coordinate, i));
    const end = add(angle(coordinate, i), coordinate.change(relative, next));
    if (features.lower) forces.push(coneForces.lowerLimit(`lower.${i}`, end, parameter(`lower.${i}`)));
    if (features.upper) forces.push(neg(coneForces.lowerLimit(`upper.${i}`, neg(end), neg(parameter(`upper.${i}`)))));
    if (features.friction)
      forces.push(coneForces.coulomb(`friction.${i}`, mul(h, parameter(`friction.${i}`)), div(ahead, h)));
    if (target && features.servo) {
      const gap = sub(target, end);
      const wanted = sub(
        mul(mul(h, parameter(`servoStiffness.${i}`)), gap),
        mul(parameter(`servoDamping.${i}`), ahead),
      );
      const [center, bound] = ["effortCenter", "effortLimit"].map((name) => mul(h, parameter(`${name}.${i}`)));
      forces.push(features.effort ? coneForces.saturated(`effort.${i}`, wanted, center, bound) : wanted);
    }
    return sum(forces);
  }

  /** θ at z, over any number of turns. */
  function angle(coordinate: Coordinate, i: number): Scalar {
    const value = coordinate.value(relative);
    return coordinate.period > 0 ? add(value, parameter(`${turnsParameter}.${i}`)) : value;
  }

  function passiveForce(coordinate: Coordinate, i: number): Scalar {
    const weights = springWeights(globals.springConservation);
    const forward = mul(weights.forward, coordinate.change(relative, next));
    const backward = mul(weights.backward, coordinate.change(previous, relative));
    const stretch = sub(add(angle(coordinate, i), sub(forward, backward)), parameter(`rest.${i}`));
    const spring = mul(mul(h, parameter(`stiffness.${i}`)), stretch);
    const ahead = coordinate.increment(relative, next);
    const behind = coordinate.increment(previous, relative);
    const damper = mul(parameter(`damping.${i}`), ahead);
    const rotor = mul(div(parameter(`armature.${i}`), h), sub(ahead, behind));
    return neg(add(add(spring, damper), rotor));
  }
}

/** w₊ = 1/(1+ρ)² and w₋ = ρ²/(1+ρ)². */
export function springWeights(rho: Scalar): { readonly forward: Scalar; readonly backward: Scalar } {
  const forward = div(1, square(add(1, rho)));
  return { forward, backward: mul(forward, square(rho)) };
}

/** The joint's frames from its first parameters. */
export function framesFrom(p: readonly Scalar[]): JointFrames {
  return {
    parentAnchor: p.slice(0, 3),
    parentFrame: p.slice(3, 7),
    childAnchor: p.slice(7, 10),
    childFrame: p.slice(10, 14),
    skew: p[14],
    axisOffset: p[15],
  };
}

/** The value within center ± bound. */
function clamped(value: Scalar, center: Scalar, bound: Scalar): Scalar {
  return max(sub(center, bound), min(add(center, bound), value));
}
