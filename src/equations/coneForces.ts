/**
 * Forces that cone variables carry, all of them pairs on the orthant, with the equations by which they are condensed away:
 *   limit      0 ≤ γ ⊥ value − bound ≥ 0
 *   friction   F + f ⊥ p,  F − f ⊥ n,  p − n = rate              f in [−F, F] opposes the rate
 *   effort     F + τ − c ⊥ p,  F − τ + c ⊥ n,  p − n = τ − wanted        τ in [c − F, c + F] is the nearest to the wanted one
 */
import { add, div, type Expr, type Graph, mul, type Scalar, sub } from "../symbolic/index.ts";
import { type ConeRole, coneRoles } from "./coneRoles.ts";
import type { ConeSymbols, Elimination } from "./node.ts";

export class ConeForces {
  readonly cones: ConeSymbols[] = [];
  readonly eliminations: Elimination[] = [];
  private readonly graph: Graph;

  constructor(graph: Graph) {
    this.graph = graph;
  }

  /** Impulse γ ≥ 0 complementary to the gap value − bound. */
  lowerLimit(name: string, value: Scalar, bound: Scalar, role: ConeRole = coneRoles.limit): Scalar {
    const [gamma, slack] = this.orthant(name, role);
    this.eliminations.push({ kind: "equality", value: sub(slack, sub(value, bound)), solves: slack });
    this.eliminations.push({ kind: "complementarity", cone: this.cones.length - 1, entry: 0, solves: gamma });
    return gamma;
  }

  /** Friction impulse f in [−F, F] that opposes the rate. */
  coulomb(name: string, bound: Scalar, rate: Scalar): Scalar {
    const [low, forward] = this.orthant(`${name}.low`, coneRoles.jointFrictionLow); // F + f against the forward rate
    const [high, backward] = this.orthant(`${name}.high`, coneRoles.jointFrictionHigh); // F − f against the backward rate
    this.box(low, forward, high, backward, bound, rate);
    return div(sub(low, high), 2);
  }

  /** The impulse nearest to the wanted one in [center − F, center + F]. */
  saturated(name: string, wanted: Scalar, center: Scalar, bound: Scalar): Scalar {
    const [low, below] = this.orthant(`${name}.low`, coneRoles.effortLow);
    const [high, above] = this.orthant(`${name}.high`, coneRoles.effortHigh);
    const effort = add(center, div(sub(low, high), 2));
    this.box(low, below, high, above, bound, sub(effort, wanted));
    return effort;
  }

  /** low + high = 2·bound, low ⊥ forward, high ⊥ backward, forward − backward = rate. */
  private box(low: Expr, forward: Expr, high: Expr, backward: Expr, bound: Scalar, rate: Scalar): void {
    const first = this.cones.length - 2;
    this.eliminations.push({ kind: "complementarity", cone: first, entry: 0, solves: forward });
    this.eliminations.push({ kind: "complementarity", cone: first + 1, entry: 0, solves: backward });
    this.eliminations.push({ kind: "equality", value: sub(add(low, high), mul(2, bound)), solves: high });
    this.eliminations.push({ kind: "equality", value: sub(sub(forward, backward), rate), solves: low });
  }

  private orthant(name: string, role: ConeRole): [Expr, Expr] {
    const b = this.graph.symbol(`${name}.b`);
    const c = this.graph.symbol(`${name}.c`);
    this.cones.push({ role, b: [b], c: [c] });
    return [b, c];
  }
}
