/**
 * A contact node: parts of two bodies that may touch, a *feature* (contactFeature.ts), such as a sphere on one body and a half-space fixed to
 * another body or to the world. With p the point of the body's core that is nearest at z, ρ its radius there, n the normal at z and T its
 * tangents, in the frame of `other` and with d where p is seen from there:
 *   gap    φ at z₊                                                  [sdf]
 *   slip   v = T (d₊ − d)/h + ρ T (n × ω_rel)                       finite difference, as the paper says
 * and three models of what happens there:
 *   impact  γ ⊥ φ                                                   [impact_ineq, impact_comp]
 *   linear  four-sided cone                                         [mdp_linear, mdp_eq … mdp_ineq]
 *   cone    exact second-order cone                                 [mdp_socp, ncp]
 * Impulses act at the current configuration, along the gradients of φ and of the slip: at p − ρ n, on both bodies. Bodies that move as one do not
 * slip, whatever the step; neither does a core that turns about the point where it touches, nor what is round that rolls, to second order in h.
 */
import {
  type ContactFeature,
  type FeatureField,
  featureAt,
  featureFields,
  featureValueNames,
} from "../geometry/index.ts";
import { add, cross, div, dot, Graph, mul, neg, type Scalar, sub, sum, vscale, vsub } from "../symbolic/index.ts";
import { featureGeometry } from "./contactFeature.ts";
import { seenFrom, unit } from "./featureGeometry.ts";
import {
  bodySymbols,
  type ConeSymbols,
  type Elimination,
  globalSymbols,
  impulseRows,
  type NodeEquations,
  type RotationSource,
  world,
} from "./node.ts";
import { type Pose, turned, turnedBack } from "./pose.ts";

export interface ContactSpecies {
  readonly model: "impact" | "linear" | "cone";
  /** What meets what. */
  readonly feature: ContactFeature;
  /** Whether what is met belongs to a moving body. */
  readonly otherMoves: boolean;
  /** Whether it may bounce: one parameter more, which impacts read (impact.ts). */
  readonly bounces?: boolean;
}

/** Where the friction coefficient stands among a contact's parameters: after those of the feature that are in the body's frame. */
export function frictionPlace(feature: ContactFeature): number {
  const firstOfOther = featureFields[feature].find(({ carrier }) => carrier === "other") as FeatureField;
  return featureAt[feature][firstOfOther.name];
}

/** The parameter that takes away from the gap what it gains, and has no other effect. */
export function gapParameter(feature: ContactFeature): "offset" | "otherRadius" {
  return feature === "pointPlane" || feature === "roundPlane" ? "offset" : "otherRadius";
}

/** Names of a contact's parameters, in order. */
export function contactNames({ feature, bounces }: Pick<ContactSpecies, "feature" | "bounces">): readonly string[] {
  const [names, friction] = [featureValueNames[feature], frictionPlace(feature)];
  return [
    ...names.slice(0, friction),
    "frictionCoefficient",
    ...names.slice(friction),
    ...(bounces ? ["restitution"] : []),
  ];
}

/** The values of the feature among a contact's parameters. */
export function featureValuesOf<T>(feature: ContactFeature, parameters: readonly T[]): T[] {
  const friction = frictionPlace(feature);
  return parameters.filter((_, i) => i !== friction).slice(0, featureValueNames[feature].length);
}

/** What a contact model adds to the gap: its variables' equations, and the friction impulse along the two tangents. */
interface Friction {
  readonly cones: readonly ConeSymbols[];
  readonly eliminations: readonly Elimination[];
  readonly impulse: readonly Scalar[];
}

export function contactEquations(species: ContactSpecies, source: RotationSource = "shared"): NodeEquations {
  const graph = new Graph();
  const globals = globalSymbols(graph);
  const h = globals.timestep;
  const body = bodySymbols(graph, "body", source);
  const other = species.otherMoves ? bodySymbols(graph, "other", source) : world;
  const bodies = [other, body];
  const parameters = contactNames(species).map((name) => graph.symbol(name));
  const coefficient = parameters[frictionPlace(species.feature)];
  const geometry = featureGeometry(species.feature, featureValuesOf(species.feature, parameters));
  const frame = frameAbout(geometry.normal(body.pose, other.pose), geometry.tangent);

  // gap and slip
  const gap = geometry.gap(body.next, other.next);
  const slip = slipVelocity();

  // γ ⊥ φ, then friction
  const gamma = graph.symbol("normal");
  const slack = graph.symbol("gap");
  const friction = frictionOf(species.model, graph, slip, mul(coefficient, gamma));
  const cones: ConeSymbols[] = [{ kind: "orthant", b: [gamma], c: [slack] }, ...friction.cones];
  const eliminations: Elimination[] = [
    { kind: "equality", value: sub(slack, gap), solves: slack },
    { kind: "complementarity", cone: 0, entry: 0, solves: gamma },
    ...friction.eliminations,
  ];

  const acting = [gap, ...slip.map((entry) => mul(h, entry))].slice(0, 1 + friction.impulse.length);
  const amounts = [gamma, ...friction.impulse];
  const bodyRows = impulseRows(acting, amounts, bodies, h);
  return {
    graph,
    bodies,
    globals,
    parameterGroups: [parameters],
    inputs: [],
    multipliers: [],
    cones,
    bodyRows,
    rows: [],
    eliminations,
    regularization: [],
    observations: [...frame.normal, ...frame.tangents.flat()],
    sharesRows: false,
    ports: {
      kind: "contact",
      values: [gap, ...slip].slice(0, amounts.length),
      scales: [h, 1, 1].slice(0, amounts.length),
      amounts,
      constraints: 0,
      along: [],
    },
  };

  function slipVelocity(): Scalar[] {
    const { point, radius } = geometry.core(body.pose, other.pose);
    const moved = vsub(seenFrom(other.next, body.next, point), seenFrom(other.pose, body.pose, point));
    const spin = vsub(turnedBack(other.pose, turned(body.pose, body.nextVelocity.angular)), other.nextVelocity.angular);
    const rolling = vscale(cross(frame.normal, spin), radius);
    return frame.tangents.map((t) => add(div(dot(t, moved), h), dot(t, rolling)));
  }
}

/** φ of a feature at two poses. */
export function contactGap(feature: ContactFeature, values: readonly Scalar[], body: Pose, other: Pose): Scalar {
  return featureGeometry(feature, values).gap(body, other);
}

/** A unit normal and two tangents; `hint` picks the tangents' direction and only needs to be off the normal. */
function frameAbout(
  normal: readonly Scalar[],
  hint: readonly Scalar[],
): { normal: readonly Scalar[]; tangents: Scalar[][] } {
  const first = unit(vsub(hint, vscale(normal, dot(hint, normal))));
  return { normal, tangents: [first, cross(normal, first)] };
}

export function frictionOf(
  model: ContactSpecies["model"],
  graph: Graph,
  slip: readonly Scalar[],
  bound: Scalar,
): Friction {
  if (model === "cone") return exactCone(graph, slip, bound);
  if (model === "linear") return fourSidedCone(graph, slip, bound);
  return { cones: [], eliminations: [], impulse: [] };
}

/** ξ₁ = c_f γ,  η₂₋₃ = v,  ξ ∘ η = κe in Q³ [ncp]. */
function exactCone(graph: Graph, slip: readonly Scalar[], bound: Scalar): Friction {
  const xi = graph.symbols("xi", 3);
  const eta = graph.symbols("eta", 3);
  return {
    cones: [{ kind: "secondOrder", b: xi, c: eta }],
    impulse: xi.slice(1),
    eliminations: [
      { kind: "equality", value: sub(xi[0], bound), solves: xi[0] },
      { kind: "equality", value: sub(eta[1], slip[0]), solves: eta[1] },
      { kind: "equality", value: sub(eta[2], slip[1]), solves: eta[2] },
      { kind: "complementarity", cone: 1, entry: 1, solves: xi[1] },
      { kind: "complementarity", cone: 1, entry: 2, solves: xi[2] },
      { kind: "complementarity", cone: 1, entry: 0, solves: eta[0] },
    ],
  };
}

/** β ⊥ (v, −v) + ψ1,  ψ ⊥ c_f γ − βᵀ1, friction along the four tangents [mdp_eq … mdp_ineq]. */
function fourSidedCone(graph: Graph, slip: readonly Scalar[], bound: Scalar): Friction {
  const beta = graph.symbols("beta", 4);
  const eta = graph.symbols("eta", 4);
  const psi = graph.symbol("psi");
  const margin = graph.symbol("margin");
  const along = [slip[0], slip[1], neg(slip[0]), neg(slip[1])];
  return {
    cones: [
      ...beta.map((b, i): ConeSymbols => ({ kind: "orthant", b: [b], c: [eta[i]] })),
      { kind: "orthant", b: [psi], c: [margin] },
    ],
    impulse: [sub(beta[0], beta[2]), sub(beta[1], beta[3])],
    eliminations: [
      ...eta.map((e, i): Elimination => ({ kind: "equality", value: sub(e, add(along[i], psi)), solves: e })),
      ...beta.map((b, i): Elimination => ({ kind: "complementarity", cone: 1 + i, entry: 0, solves: b })),
      { kind: "equality", value: sub(margin, sub(bound, sum(beta))), solves: margin },
      { kind: "complementarity", cone: 5, entry: 0, solves: psi },
    ],
  };
}
