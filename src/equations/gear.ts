/**
 * A gear: what acts on a linear combination ℓ = Σ ratioᵢ θᵢ of joint coordinates, with one impulse λ that acts on every
 * coordinate in proportion to its ratio. It serves mimic joints, joint equalities and fixed tendons:
 *   equality   ℓ₊ = offset
 *   range      λ = γ_lower − γ_upper,   γ_lower ⊥ ℓ₊ − lower,   γ_upper ⊥ upper − ℓ₊
 *   spring     λ = −h k (ℓ + w₊(ℓ₊ − ℓ) − w₋(ℓ − ℓ₋) − rest) − d (ℓ₊ − ℓ + ρ(ℓ − ℓ₋))/(1+ρ)          weights as in joint.ts
 * The rows are shared: the base sets them, and each term adds its coordinate. The base of a range knows no body, so the length
 * ℓ₊ is a multiplier of its own; before λ, since then no pivot of the node's block can vanish.
 */
import { add, div, type Expr, Graph, mul, neg, type Scalar, sub } from "../symbolic/index.ts";
import { bodySymbols, type RotationSource, world } from "./bodySymbols.ts";
import { ConeForces } from "./coneForces.ts";
import { damperWeights, intervalShares, springWeights } from "./joint.ts";
import { coordinates, type JointType, relativePose } from "./jointGeometry.ts";
import { frameParameters, framesFrom, turnsParameter } from "./jointSpecies.ts";
import { type GlobalSymbols, globalSymbols, impulseRows, type NodeEquations } from "./node.ts";
import { previousPose } from "./pose.ts";

/** Everything that decides which equations a gear has. */
export type GearSpecies =
  | { readonly kind: "equality" }
  | { readonly kind: "spring" }
  | { readonly kind: "range"; readonly lower: boolean; readonly upper: boolean };

export interface GearTermSpecies {
  readonly gear: GearSpecies["kind"];
  readonly type: JointType;
  readonly parentMoves: boolean;
  /** Which free coordinate of the joint. */
  readonly coordinate: number;
}

/** Names in memory order. `turns` is what turns of the angles before the run, which nobody has counted, add to the relation. */
export const gearParameterNames = {
  equality: ["offset", "regularization", turnsParameter],
  range: ["lower", "upper"],
  spring: ["stiffness", "rest", "damping"],
} as const;

export function gearEquations(species: GearSpecies): NodeEquations {
  const graph = new Graph();
  const globals = globalSymbols(graph);
  const h = globals.timestep;
  const parameters = gearParameterNames[species.kind].map((name) => graph.symbol(name));
  const multipliers = gearMultipliers(graph, species.kind);
  const coneForces = new ConeForces(graph);
  const { rows, regularization } = rowsOf();
  return {
    graph,
    bodies: [],
    globals,
    parameterGroups: [parameters],
    inputs: [],
    multipliers,
    cones: coneForces.cones,
    bodyRows: [],
    rows,
    eliminations: coneForces.eliminations,
    regularization,
    observations: [],
    sharesRows: false,
  };

  function rowsOf(): { readonly rows: Scalar[]; readonly regularization: Scalar[] } {
    if (species.kind === "equality") {
      const [offset, regularization, turns] = parameters;
      return { rows: [neg(div(add(offset, turns), h))], regularization: [regularization] };
    }
    if (species.kind === "spring") {
      const [stiffness, rest] = parameters;
      return { rows: [sub(multipliers[0], mul(mul(globals.duration, stiffness), rest))], regularization: [0] };
    }
    const [length, impulse] = multipliers;
    const [lower, upper] = parameters;
    const push = species.lower ? coneForces.lowerLimit("lower", length, lower) : 0;
    const pull = species.upper ? coneForces.lowerLimit("upper", neg(length), neg(upper)) : 0;
    return { rows: [neg(div(length, h)), sub(impulse, sub(push, pull))], regularization: [0, 0] };
  }
}

export function gearTermEquations(species: GearTermSpecies, source: RotationSource = "shared"): NodeEquations {
  const graph = new Graph();
  const globals = globalSymbols(graph);
  const h = globals.timestep;
  const bodies = [
    species.parentMoves ? bodySymbols(graph, "parent", source) : world,
    bodySymbols(graph, "child", source),
  ];
  const ratio = graph.symbol("ratio");
  // the turns of a joint's coordinates follow its frame
  const frame = frameParameters.map((name) => graph.symbol(name));
  const turns = graph.symbols(turnsParameter, species.coordinate + 1);
  const frames = framesFrom(frame);
  const relative = relativePose(frames, bodies[0].pose, bodies[1].pose);
  const next = relativePose(frames, bodies[0].next, bodies[1].next);
  const coordinate = coordinates(species.type)[species.coordinate];
  const ahead = coordinate.change(relative, next);
  const value = coordinate.value(relative);
  const angle = coordinate.period > 0 ? add(value, turns[species.coordinate]) : value;
  const multipliers = gearMultipliers(graph, species.gear);
  const impulse = multipliers[multipliers.length - 1];
  const bodyRows = impulseRows([ahead], [mul(ratio, impulse)], bodies, h);
  // a spring's term needs the constants of its gear
  const constants = species.gear === "spring" ? gearParameterNames.spring.map((name) => graph.symbol(name)) : undefined;
  return {
    graph,
    bodies,
    globals,
    parameterGroups: [[ratio], [...frame, ...turns], ...(constants ? [constants] : [])],
    inputs: [],
    multipliers,
    cones: [],
    bodyRows,
    rows: termRows(),
    eliminations: [],
    regularization: multipliers.map(() => 0),
    observations: [mul(ratio, angle)],
    wrench: bodyRows[1].map(neg),
    sharesRows: true,
  };

  function termRows(): Scalar[] {
    const end = add(angle, ahead);
    if (!constants) return rowsOfTerm({ kind: species.gear, ratio, end, stretch: 0, pace: 0 }, [], globals);
    const [parentBefore, childBefore] = bodies.map((body) =>
      body.moves ? previousPose(body.pose, body.velocity, globals.before) : body.pose,
    );
    const previous = relativePose(frames, parentBefore, childBefore);
    const { forward, backward } = springWeights(globals.springConservation);
    const behind = coordinate.change(previous, relative);
    const [after, since] = intervalShares(globals);
    const stretch = add(angle, sub(mul(mul(after, forward), ahead), mul(mul(since, backward), behind)));
    const damper = damperWeights(globals.damperCentering, [after, since]);
    const pace = mul(damper.forward, add(ahead, mul(damper.last, behind)));
    return rowsOfTerm({ kind: species.gear, ratio, end, stretch, pace }, constants, globals);
  }
}

/** One coordinate as the rows of a gear see it: θ₊, θ + w₊(θ₊ − θ) − w₋(θ − θ₋), and the increment that dampers see. */
interface Term {
  readonly kind: GearSpecies["kind"];
  readonly ratio: Scalar;
  readonly end: Scalar;
  readonly stretch: Scalar;
  readonly pace: Scalar;
}

/** ratio·θ₊/h, or of a spring ratio·(h k stretch + d pace). */
function rowsOfTerm(
  { kind, ratio, end, stretch, pace }: Term,
  constants: readonly Scalar[],
  globals: GlobalSymbols,
): Scalar[] {
  const { timestep: h, duration: t } = globals;
  if (kind === "spring") {
    const [stiffness, , damping] = constants;
    return [mul(ratio, add(mul(mul(t, stiffness), stretch), mul(damping, pace)))];
  }
  const length = div(mul(ratio, end), h);
  return kind === "range" ? [length, 0] : [length];
}

function gearMultipliers(graph: Graph, kind: GearSpecies["kind"]): Expr[] {
  const impulse = graph.symbol("impulse");
  return kind === "range" ? [graph.symbol("length"), impulse] : [impulse];
}
