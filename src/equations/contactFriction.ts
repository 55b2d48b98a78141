/**
 * Models of friction at a contact: what they add to the gap, for a bound c_f γ of the friction impulse and a slip v.
 *   impact  nothing
 *   linear  four-sided cone                                         [mdp_linear, mdp_eq … mdp_ineq]
 *   cone    exact second-order cone                                 [mdp_socp, ncp]
 */
import { add, type Graph, neg, type Scalar, sub, sum } from "../symbolic/index.ts";
import { coneRoles, exactFrictionRole } from "./coneRoles.ts";
import type { ConeSymbols, Elimination } from "./node.ts";

/** What a contact model adds to the gap: its variables' equations, and the impulse along each entry of the slip. */
export interface Friction {
  readonly cones: readonly ConeSymbols[];
  readonly eliminations: readonly Elimination[];
  readonly impulse: readonly Scalar[];
}

export function frictionOf(
  model: "impact" | "linear" | "cone",
  graph: Graph,
  slip: readonly Scalar[],
  bound: Scalar,
): Friction {
  if (model === "cone") return exactCone(graph, slip, bound);
  if (model === "linear") return fourSidedCone(graph, slip, bound);
  return { cones: [], eliminations: [], impulse: [] };
}

/** ξ₁ = c_f γ,  η₂… = v,  ξ ∘ η = κe in Qⁿ, n = 3 without turning [ncp]. */
function exactCone(graph: Graph, slip: readonly Scalar[], bound: Scalar): Friction {
  const xi = graph.symbols("xi", 1 + slip.length);
  const eta = graph.symbols("eta", 1 + slip.length);
  return {
    cones: [{ role: exactFrictionRole(xi.length), b: xi, c: eta }],
    impulse: xi.slice(1),
    eliminations: [
      { kind: "equality", value: sub(xi[0], bound), solves: xi[0] },
      ...slip.map((v, i): Elimination => ({ kind: "equality", value: sub(eta[1 + i], v), solves: eta[1 + i] })),
      ...slip.map((_, i): Elimination => ({ kind: "complementarity", cone: 1, entry: 1 + i, solves: xi[1 + i] })),
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
      ...beta.map((b, i): ConeSymbols => ({ role: coneRoles.linearFriction, b: [b], c: [eta[i]] })),
      { role: coneRoles.linearMargin, b: [psi], c: [margin] },
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
