/**
 * A contact node: parts of two bodies that may touch, a *feature* (contactFeature.ts), such as a sphere on one body and a half-space fixed to
 * another body or to the world. The `body` of the node moves, and has the core unless the world has it. With p the point of the core that is
 * nearest at z, ρ its radius there, n the normal at z and T its tangents, in the frame of what the core meets and with d where p is seen from
 * there:
 *   gap    φ at z₊                                                  [sdf]
 *   slip   v = T (d₊ − d)/h + ρ T (n × ω_rel)                       finite difference, as the paper says
 * Where the contact moves along the bodies, as it does on what is round, p and n of the slip are those of the middle of the step, and ω_rel is as
 * what is met sees it there; at z₊ = z they are the same, so impulses act along the same lines.
 * The normal impulse is γ ⊥ φ [impact_ineq, impact_comp]; friction has three models (contactFriction.ts). Turning can have friction too:
 * with torsional and rolling coefficients c_s and c_r, lengths, the slip goes on with
 *   (c_s/c_f) n·ω_rel   and   (c_r/c_f) T ω_rel
 * so that impulses f, torsional ones τ and rolling ones ρ are bound together by |f|²/c_f² + τ²/c_s² + |ρ|²/c_r² ≤ γ²: MuJoCo's elliptic cone of
 * condim 4 and 6, as exact cones of size 4 to 6.
 * Impulses act at the current configuration, along the gradients of φ and of the slip: at p − ρ n, on both bodies. Bodies that move as one do not
 * slip, whatever the step; neither does a core that turns about the point where it touches, nor what is round that rolls, to second order in h.
 */

import {
  type ContactFeature,
  type FeatureField,
  featureAt,
  featureFields,
  featureKinds,
  featureValueNames,
} from "../geometry/index.ts";
import { add, cross, div, dot, Graph, mul, type Scalar, sub, vadd, vscale, vsub } from "../symbolic/index.ts";
import { bodySymbols, type RotationSource, world } from "./bodySymbols.ts";
import { coneRoles } from "./coneRoles.ts";
import { featureGeometry } from "./contactFeature.ts";
import { frictionOf } from "./contactFriction.ts";
import { seenFrom, unit } from "./featureGeometry.ts";
import { type ConeSymbols, type Elimination, globalSymbols, impulseRows, type NodeEquations } from "./node.ts";
import { type Pose, turned, turnedBack } from "./pose.ts";

export interface ContactSpecies {
  readonly model: "impact" | "linear" | "cone";
  /** What meets what. */
  readonly feature: ContactFeature;
  /** Whether both bodies move. */
  readonly otherMoves: boolean;
  /** Whether the core is the world's and the body, which moves, has what it meets. */
  readonly coreOnWorld?: boolean;
  /** Whether it may bounce: one parameter more, which impacts read (impact.ts). */
  readonly bounces?: boolean;
  /** Whether friction resists turning about the normal, and across it (the exact cone only): a parameter more each. */
  readonly torsional?: boolean;
  readonly rolling?: boolean;
}

/** Where the friction coefficient stands among a contact's parameters: after those of the feature that are in the body's frame. */
export function frictionPlace(feature: ContactFeature): number {
  return frictionPlaces[feature];
}

const frictionPlaces = Object.fromEntries(
  featureKinds.map((feature) => {
    const firstOfOther = featureFields[feature].find(({ carrier }) => carrier === "other") as FeatureField;
    return [feature, featureAt[feature][firstOfOther.name]];
  }),
) as Readonly<Record<ContactFeature, number>>;

/** The parameter that takes away from the gap what it gains, and has no other effect. */
export function gapParameter(feature: ContactFeature): "offset" | "otherRadius" {
  return "offset" in featureAt[feature] ? "offset" : "otherRadius";
}

/** Names of a contact's parameters, in order. */
export function contactNames({
  feature,
  bounces,
  torsional,
  rolling,
}: Pick<ContactSpecies, "feature" | "bounces" | "torsional" | "rolling">): readonly string[] {
  const [names, friction] = [featureValueNames[feature], frictionPlace(feature)];
  return [
    ...names.slice(0, friction),
    "frictionCoefficient",
    ...names.slice(friction),
    ...(bounces ? ["restitution"] : []),
    ...(torsional ? ["torsionalFriction"] : []),
    ...(rolling ? ["rollingFriction"] : []),
  ];
}

/** The values of the feature among a contact's parameters. */
export function featureValuesOf<T>(feature: ContactFeature, parameters: readonly T[]): T[] {
  const friction = frictionPlace(feature);
  return parameters.filter((_, i) => i !== friction).slice(0, featureValueNames[feature].length);
}

export function contactEquations(species: ContactSpecies, source: RotationSource = "shared"): NodeEquations {
  const graph = new Graph();
  const globals = globalSymbols(graph);
  const h = globals.timestep;
  const body = bodySymbols(graph, "body", source);
  const other = species.otherMoves ? bodySymbols(graph, "other", source) : world;
  const bodies = [other, body];
  const { core, met } = contactSides(species, body, other);
  const names = contactNames(species);
  const parameters = names.map((name) => graph.symbol(name));
  const coefficient = parameters[frictionPlace(species.feature)];
  const geometry = featureGeometry(species.feature, featureValuesOf(species.feature, parameters));
  const frame = frameAbout(geometry.normal(core.pose, met.pose), geometry.tangent);

  // gap and slip
  const gap = geometry.gap(core.next, met.next, { body: core.pose, other: met.pose });
  const slip = slipVelocity();

  // γ ⊥ φ, then friction
  const gamma = graph.symbol("normal");
  const slack = graph.symbol("gap");
  const friction = frictionOf(species.model, graph, slip, mul(coefficient, gamma));
  const cones: ConeSymbols[] = [{ role: coneRoles.contactNormal, b: [gamma], c: [slack] }, ...friction.cones];
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
    observations: [frame.normal, ...frame.tangents].flatMap(axisOnBody),
    sharesRows: false,
    ports: {
      kind: "contact",
      values: [gap, ...slip].slice(0, amounts.length),
      scales: amounts.map((_, i) => (i === 0 ? h : 1)),
      amounts,
      constraints: 0,
      along: [],
    },
  };

  function slipVelocity(): Scalar[] {
    const [start, end] = [
      { body: core.pose, other: met.pose },
      { body: core.next, other: met.next },
    ];
    const nearest = geometry.core(start.body, start.other);
    const { point, normal } = geometry.middle?.(start, end) ?? { point: nearest.point, normal: frame.normal };
    const moved = vsub(seenFrom(met.next, core.next, point), seenFrom(met.pose, core.pose, point));
    const spin = vsub(seenInMiddle(turned(core.pose, core.nextVelocity.angular)), met.nextVelocity.angular);
    const rolling = vscale(cross(normal, spin), nearest.radius);
    const sliding = frame.tangents.map((t) => add(div(dot(t, moved), h), dot(t, rolling)));
    const turning = (name: string, axes: readonly (readonly Scalar[])[]): Scalar[] => {
      const length = div(parameters[names.indexOf(name)], coefficient);
      return axes.map((axis) => mul(length, dot(axis, spin)));
    };
    return [
      ...sliding,
      ...(species.torsional ? turning("torsionalFriction", [frame.normal]) : []),
      ...(species.rolling ? turning("rollingFriction", frame.tangents) : []),
    ];
  }

  /** A direction of the world as what is met sees it in the middle of the step, to first order. */
  function seenInMiddle(direction: readonly Scalar[]): Scalar[] {
    const seen = turnedBack(met.pose, direction);
    return met.moves ? vscale(vadd(seen, turnedBack(met.next, direction)), 0.5) : seen;
  }

  /** An axis along which the core is pushed as one along which the body is, in the frame of `other`. */
  function axisOnBody(axis: readonly Scalar[]): readonly Scalar[] {
    return species.coreOnWorld ? vscale(turned(met.pose, axis), -1) : axis;
  }
}

/** Which side of a contact has the core, and which what it meets. */
export function contactSides<Side>(
  { coreOnWorld = false }: Pick<ContactSpecies, "coreOnWorld">,
  body: Side,
  other: Side,
): { readonly core: Side; readonly met: Side } {
  return coreOnWorld ? { core: other, met: body } : { core: body, met: other };
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
