/**
 * What a bounce within a step needs besides steps and impacts, as smooth functions (docs/decisions/0016-bounce.md). With z, v the state, v_f the
 * velocities of the step without the contacts that bounce, φ the gap of such a contact:
 *   V₀ = (φ(z ⊖ h v) − φ)/h,   V = (φ − φ(z ⊕ h v_f))/h        approach before z and after it
 *   A = (V − V₀)/h,   p = (V₀ + V)/2,   u = √(p² + 2 A φ)       acceleration, approach at z and at the surface
 *   θ h = 2 φ/(u + p)                                           when it touches
 *   G = x² (3 − 2 x),   x = u_g/(g h) − 1 within [0, 1],   u_g = √((V₀ + g h/2)² + 2 g φ)
 * The gate G depends on the state alone: an impact slower than g h does not bounce, one of 2 g h or more bounces in full. g is the gravity that the
 * bodies feel, the larger of the two. Where a step is taken in parts, h is that of the part, and the h of the gate that of the whole step.
 */
import {
  abs,
  add,
  div,
  dot,
  Graph,
  matMul,
  matVec,
  max,
  min,
  mul,
  rotationMatrix,
  type Scalar,
  sqrt,
  square,
  sub,
  transpose,
  vadd,
  vscale,
  vsub,
} from "../symbolic/index.ts";
import { type BodySymbols, world } from "./bodySymbols.ts";
import {
  type ContactSpecies,
  contactEquations,
  contactGap,
  contactNames,
  contactSides,
  featureValuesOf,
} from "./contact.ts";
import { impulseRows } from "./node.ts";
import { angularMomentum, nextPose, type Pose, previousPose, symmetric, type Velocity } from "./pose.ts";
import {
  attitudeOf,
  inertiaInputs,
  inverse,
  poseInputs,
  type SmoothFunction,
  type Variable,
  vectorOf,
  velocityInputs,
} from "./smoothFunction.ts";

/** Sides of a contact, in the order of its node: what is met, then what meets it. */
export const contactSideNames = ["other", "body"] as const;

/** A square of a speed that is none: its root has a derivative. */
const nearZero = 1e-100;

interface Side {
  readonly pose: Pose;
  readonly velocity: Velocity;
  readonly free: Velocity;
  /** Its share of gravity. */
  readonly gravityScale: Scalar;
}

/** θ, e G, φ(z ⊕ h v_f), G, φ, V₀, of a contact. */
export function touchFunction(species: Pick<ContactSpecies, "feature" | "otherMoves" | "coreOnWorld">): SmoothFunction {
  const { feature, otherMoves } = species;
  const graph = new Graph();
  const inputs: Variable[] = [];
  const sides = contactSideNames.map((name): Side => {
    const { pose: still, velocity: none } = world;
    if (name === "other" && !otherMoves) return { pose: still, velocity: none, free: none, gravityScale: 0 };
    const pose = poseInputs(graph, inputs, name);
    const velocity = velocityInputs(graph, inputs, name);
    const free = velocityInputs(graph, inputs, `${name}.free`);
    const gravityScale = graph.symbol(`${name}.gravityScale`);
    inputs.push(vectorOf(`${name}.gravityScale`, [gravityScale]));
    return { pose, velocity, free, gravityScale };
  });
  const parameters = graph.symbols("parameter", contactNames({ feature, bounces: true }).length);
  const gravity = graph.symbols("gravity", 3);
  const [h, lead, parts, slowest] = ["timestep", "lead", "parts", "slowest"].map((name) => graph.symbol(name));
  inputs.push(vectorOf("parameters", parameters), vectorOf("gravity", gravity));
  inputs.push(vectorOf("timestep", [h]), vectorOf("lead", [lead]), vectorOf("gate", [parts, slowest]));
  const restitution = parameters[parameters.length - 1];

  const [other, body] = sides;
  const values = featureValuesOf(feature, parameters);
  const gapAt = (place: (side: Side) => Pose): Scalar => {
    const { core, met } = contactSides(species, place(body), otherMoves ? place(other) : other.pose);
    return contactGap(feature, values, core, met);
  };
  const gap = gapAt(({ pose }) => pose);
  const last = gapAt(({ pose, velocity }) => previousPose(pose, velocity, h));
  const ahead = gapAt(({ pose, free }) => nextPose(pose, free, h));

  // when it touches
  const approachBefore = div(sub(last, gap), h);
  const approachAfter = div(sub(gap, ahead), h);
  const change = sub(approachAfter, approachBefore);
  const duration = add(h, lead);
  const acceleration = div(change, duration);
  // the two approaches are those of the middles of intervals that may differ
  const here = add(div(add(approachBefore, approachAfter), 2), mul(change, div(lead, mul(2, duration))));
  const speed = sqrt(add(square(here), mul(2, mul(acceleration, gap))));
  const time = div(mul(2, gap), add(speed, here));

  // whether it bounces
  const g = mul(sqrt(max(nearZero, dot(gravity, gravity))), max(abs(body.gravityScale), abs(other.gravityScale)));
  const falling = max(0, add(approachBefore, div(mul(g, h), 2)));
  // what touches may be in each other by rounding, on the other side of which nothing changes
  const meeting = sqrt(max(nearZero, add(square(falling), mul(2, mul(g, gap)))));
  const x = min(1, max(0, sub(div(meeting, add(mul(g, mul(parts, h)), slowest)), 1)));
  const gate = mul(square(x), sub(3, mul(2, x)));
  return {
    inputs,
    outputs: [
      vectorOf("time", [div(time, h)]),
      vectorOf("gain", [mul(restitution, gate)]),
      vectorOf("ahead", [ahead]),
      vectorOf("gate", [gate]),
      vectorOf("gap", [gap]),
      vectorOf("approach", [approachBefore]),
    ],
  };
}

/**
 * z ⊕ θ h v_f, and the velocities there. Those of an interval hold in its middle: a momentum P_f after forces that change it by P_f − P per
 * step is P_f + (θ − ½)(P_f − P) when θ of the step has gone. Of angular momenta, in the frame at z: J ω⁻ = R(Δ)ᵀ Π⁻, with Δ the turn until then.
 */
export function impactStateFunction(): SmoothFunction {
  const graph = new Graph();
  const inputs: Variable[] = [];
  const pose = poseInputs(graph, inputs, "body");
  const motion = motionInputs(graph, inputs);
  const { free, h, theta } = motion;
  const until = mul(theta, h);
  const there = nextPose(pose, free, until);
  const turn = nextPose(world.pose, free, until).orientation;
  const shift = shiftOf(motion);
  const angular = vadd(angularMomentum(motion.inertia, free.angular, h, 1), shift.angular);
  return {
    inputs,
    outputs: [
      vectorOf("position", there.position),
      attitudeOf("orientation", there.orientation),
      vectorOf("velocity", vadd(free.linear, shift.linear)),
      vectorOf("spin", matVec(inverse(motion.inertia), matVec(transpose(rotationMatrix(turn)), angular))),
    ],
  };
}

/**
 * Velocities after the impact as those of an interval again, of a body at q₊: (θ − ½)(P_f − P) is taken off, and
 * J ω' = R(q₊)ᵀ (R(q*) J ω⁺ − R(q) (θ − ½)(Π_f − Π)).
 */
export function carriedVelocityFunction(): SmoothFunction {
  const graph = new Graph();
  const inputs: Variable[] = [];
  const [start, impact, next] = ["start", "impact", "next"].map((name) => {
    const q = graph.symbols(`${name}.q`, 4);
    inputs.push(attitudeOf(name, q));
    return rotationMatrix(q);
  });
  const after = velocityInputs(graph, inputs, "after");
  const motion = motionInputs(graph, inputs);
  const shift = shiftOf(motion);
  const inWorld = vsub(matVec(impact, matVec(motion.inertia, after.angular)), matVec(start, shift.angular));
  return {
    inputs,
    outputs: [
      vectorOf("velocity", vsub(after.linear, shift.linear)),
      vectorOf("spin", matVec(inverse(motion.inertia), matVec(transpose(next), inWorld))),
    ],
  };
}

/** Velocities before a step and in it, of a body that is hit when `theta` of it has gone. */
interface Motion {
  readonly velocity: Velocity;
  readonly free: Velocity;
  readonly inertia: readonly (readonly Scalar[])[];
  readonly h: Scalar;
  readonly lead: Scalar;
  readonly theta: Scalar;
}

function motionInputs(graph: Graph, inputs: Variable[]): Motion {
  const velocity = velocityInputs(graph, inputs, "body");
  const free = velocityInputs(graph, inputs, "body.free");
  const inertia = symmetric(inertiaInputs(graph, inputs));
  const [h, lead, theta] = ["timestep", "lead", "time"].map((name) => graph.symbol(name));
  inputs.push(vectorOf("timestep", [h]), vectorOf("lead", [lead]), vectorOf("time", [theta]));
  return { velocity, free, inertia, h, lead, theta };
}

/** (θ − ½)(v_f − v) h/t, t the duration for which forces acted, and the same of angular momenta at z. */
function shiftOf({ velocity, free, inertia, h, lead, theta }: Motion): { linear: Scalar[]; angular: Scalar[] } {
  const late = mul(sub(theta, 0.5), div(h, add(h, lead)));
  const change = vsub(angularMomentum(inertia, free.angular, h, 1), angularMomentum(inertia, velocity.angular, h, -1));
  return { linear: vscale(vsub(free.linear, velocity.linear), late), angular: vscale(change, late) };
}

/**
 * Force and torque that stand for a contact's impulse p at the impact, in a step of h from z: those that act from the impact on,
 * (1 − θ) p/t, t the duration for which forces act, with torques in the frame at z.
 */
export function impactWrenchFunction(species: ContactSpecies): SmoothFunction {
  const { graph, bodies, parameterGroups, globals, ports } = contactEquations(species, "own");
  const inputs: Variable[] = [];
  const h = globals.timestep;
  const impulse = graph.symbols("impulse", 3);
  const theta = graph.symbol("time");
  const values = (ports?.values ?? []).slice(0, impulse.length);
  const acting = values.map((value, i) => (i === 0 ? value : mul(h, value)));
  const rows = impulseRows(acting, impulse.slice(0, acting.length), bodies, h);
  const outputs = bodies.flatMap((body, k): Variable[] => {
    if (!body.moves) return [];
    const name = contactSideNames[k];
    poseAsInputs(inputs, `${name}.impact`, body);
    const start = graph.symbols(`${name}.start`, 4);
    inputs.push(attitudeOf(`${name}.start`, start));
    const share = div(sub(theta, 1), globals.duration);
    const turn = matMul(transpose(rotationMatrix(start)), rotationMatrix(body.pose.orientation));
    const torque = matVec(turn, rows[k].slice(3));
    return [
      vectorOf(
        name,
        [...rows[k].slice(0, 3), ...torque].map((entry) => mul(share, entry)),
      ),
    ];
  });
  inputs.push(vectorOf("parameters", parameterGroups[0]), vectorOf("impulse", impulse));
  inputs.push(vectorOf("timestep", [h]), vectorOf("lead", [globals.lead]), vectorOf("time", [theta]));
  return { inputs, outputs };
}

function poseAsInputs(inputs: Variable[], name: string, { poseSymbols: { position, orientation } }: BodySymbols): void {
  inputs.push(vectorOf(`${name}.position`, position), attitudeOf(`${name}.orientation`, orientation));
}
