/**
 * A contact node: a sphere (radius ρ, a point if zero) on one body against a half-space fixed to another body or to the
 * world. In the frame of the half-space's body, with the sphere's centre at d:
 *   gap    φ = n·d₊ − offset − ρ                                    [sdf]
 *   slip   v = T (d₊ − d)/h + ρ T (n × ω_rel)                       finite difference, as the paper says
 * and three models of what happens there:
 *   impact  γ ⊥ φ                                                   [impact_ineq, impact_comp]
 *   linear  four-sided cone                                         [mdp_linear, mdp_eq … mdp_ineq]
 *   cone    exact second-order cone                                 [mdp_socp, ncp]
 * Impulses act at the current configuration, along the gradients of φ and of the slip.
 */
import {
  add,
  cross,
  div,
  dot,
  Graph,
  mul,
  neg,
  type Scalar,
  sqrt,
  sub,
  sum,
  vadd,
  vscale,
  vsub,
} from "../symbolic/index.ts";
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
  /** Whether the half-space belongs to a moving body. */
  readonly otherMoves: boolean;
  /** Whether it may bounce: one parameter more, which impacts read (impact.ts). */
  readonly bounces?: boolean;
}

export const contactParameterNames = [
  "point.x",
  "point.y",
  "point.z",
  "radius",
  "frictionCoefficient",
  "normal.x",
  "normal.y",
  "normal.z",
  "offset",
  "tangent.x",
  "tangent.y",
  "tangent.z",
] as const;

/** Names of a contact's parameters, in order. */
export function contactNames({ bounces }: Pick<ContactSpecies, "bounces">): readonly string[] {
  return bounces ? [...contactParameterNames, "restitution"] : contactParameterNames;
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
  const point = parameters.slice(0, 3);
  const [radius, coefficient] = parameters.slice(3, 5);
  const offset = parameters[8];
  const frame = planeFrame(parameters.slice(5, 8), parameters.slice(9, 12));

  // gap and slip
  const gap = gapAlong(frame.normal, { point, radius, offset }, body.next, other.next);
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
    const moved = vsub(centre(point, body.next, other.next), centre(point, body.pose, other.pose));
    const spin = vsub(turnedBack(other.pose, turned(body.pose, body.nextVelocity.angular)), other.nextVelocity.angular);
    const rolling = vscale(cross(frame.normal, spin), radius);
    return frame.tangents.map((t) => add(div(dot(t, moved), h), dot(t, rolling)));
  }
}

interface Sphere {
  readonly point: readonly Scalar[];
  readonly radius: Scalar;
  /** Of the half-space. */
  readonly offset: Scalar;
}

/** φ of a sphere against a half-space whose normal may be of any length. */
export function contactGap(contact: Sphere & { readonly normal: readonly Scalar[] }, body: Pose, other: Pose): Scalar {
  return gapAlong(unit(contact.normal), contact, body, other);
}

function gapAlong(normal: readonly Scalar[], { point, radius, offset }: Sphere, body: Pose, other: Pose): Scalar {
  return sub(sub(dot(normal, centre(point, body, other)), offset), radius);
}

/** Centre of the sphere in the frame of the half-space's body. */
function centre(point: readonly Scalar[], body: Pose, other: Pose): Scalar[] {
  return turnedBack(other, vsub(vadd(body.position, turned(body, point)), other.position));
}

/** Unit normal and two tangents; `hint` picks the tangents' direction and only needs to be off the normal. */
function planeFrame(normal: readonly Scalar[], hint: readonly Scalar[]): { normal: Scalar[]; tangents: Scalar[][] } {
  const n = unit(normal);
  const first = unit(vsub(hint, vscale(n, dot(hint, n))));
  return { normal: n, tangents: [first, cross(n, first)] };
}

function unit(v: readonly Scalar[]): Scalar[] {
  return vscale(v, div(1, sqrt(dot(v, v))));
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
