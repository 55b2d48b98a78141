import { describe, expect, it } from "vitest";
import { Random } from "../math/index.ts";
import { type Expr, evaluate, jacobian, type Scalar, symbolsOf } from "../symbolic/index.ts";
import { untilted } from "./bodySymbols.ts";
import { condense, coneProduct } from "./condense.ts";
import { contactEquations } from "./contact.ts";
import { jointEquations } from "./joint.ts";
import type { JointSpecies } from "./jointSpecies.ts";
import { type NodeEquations, stepJacobians } from "./node.ts";

const revolute = { translation: 3, rotation: 2, serial: false, mirrored: false } as const;
const loaded: JointSpecies = {
  type: revolute,
  parentMoves: true,
  features: [{ passive: true, lower: true, upper: true, friction: true, actuated: false, servo: true, effort: true }],
  tilt: false,
};

const nodes: readonly [string, () => NodeEquations][] = [
  ["impact contact", () => contactEquations({ model: "impact", feature: "pointPlane", otherMoves: false })],
  ["four-sided contact", () => contactEquations({ model: "linear", feature: "pointPlane", otherMoves: false })],
  ["exact contact", () => contactEquations({ model: "cone", feature: "pointPlane", otherMoves: false })],
  ["exact contact of two bodies", () => contactEquations({ model: "cone", feature: "pointPlane", otherMoves: true })],
  ["hinge with spring, limits and friction", () => jointEquations(loaded)],
];

/** Rounding of a well-scaled system of this size. */
const tolerance = 1e-9;

describe("condensation", () => {
  it.each(nodes)("%s: eliminated steps satisfy the full linear system", (_name, make) => {
    const node = make();
    const condensed = condense(node);
    const value = assignment(
      node,
      condensed.steps.bodies.flat().concat(condensed.steps.multipliers, condensed.steps.coneRhs),
      7,
    );
    const stepOf = (variable: Expr): Scalar => condensed.recovered.get(variable) ?? variable;

    // rows of the full system with the recovered steps in place
    const cones = node.cones.flatMap((cone) => [...cone.b, ...cone.c]);
    const check = (rows: readonly Scalar[]): Scalar[] => {
      const byBody = stepJacobians(rows, node.bodies, node.globals.timestep);
      const byMultiplier = jacobian(rows, node.multipliers).map((row) => untilted(row, node.bodies));
      const byCone = jacobian(rows, cones).map((row) => untilted(row, node.bodies));
      return rows.map((_, i) => {
        const terms: number[] = [];
        node.bodies.forEach((body, b) => {
          if (body.moves)
            for (let k = 0; k < 6; k++) terms.push(value(byBody[b][i][k]) * value(condensed.steps.bodies[b][k]));
        });
        byMultiplier[i].forEach((entry, k) => {
          terms.push(value(entry) * value(condensed.steps.multipliers[k]));
        });
        byCone[i].forEach((entry, k) => {
          terms.push(value(entry) * value(stepOf(cones[k])));
        });
        return terms.reduce((sum, term) => sum + term, 0);
      });
    };
    const equalities = node.eliminations.flatMap((e) => (e.kind === "equality" ? [e.value] : []));
    check(equalities).forEach((sum, i) => {
      expect(Math.abs((sum as number) + value(condensed.equalities[i]))).toBeLessThan(
        tolerance * (1 + Math.abs(sum as number)),
      );
    });
    check(node.cones.flatMap(coneProduct)).forEach((sum, i) => {
      expect(Math.abs((sum as number) - value(condensed.steps.coneRhs[i]))).toBeLessThan(
        tolerance * (1 + Math.abs(sum as number)),
      );
    });

    // kept rows: full left-hand side = condensed left-hand side − condensed right-hand side
    const keptRows = [...node.bodyRows.flat(), ...node.rows];
    const kept = [...condensed.bodyRows.flat(), ...condensed.rows];
    check(keptRows).forEach((sum, i) => {
      let condensedSum = -value(kept[i].rhs);
      for (const [variable, coefficient] of kept[i].coefficients) condensedSum += value(coefficient) * value(variable);
      expect(Math.abs((sum as number) - condensedSum)).toBeLessThan(tolerance * (1 + Math.abs(condensedSum)));
    });
  });
});

/** Random positive numbers for every symbol; cone variables strictly inside their cones. */
function assignment(node: NodeEquations, extra: readonly Expr[], seed: number): (scalar: Scalar) => number {
  const random = new Random(seed);
  const values = new Map<Expr, number>();
  for (const cone of node.cones) {
    for (const side of [cone.b, cone.c]) {
      side.forEach((symbol, k) => {
        values.set(symbol, k === 0 ? random.uniform(1, 2) : random.uniform(-0.5, 0.5));
      });
    }
  }
  for (const symbol of extra) values.set(symbol, random.uniform(-1, 1));
  const numberOf = (symbol: Expr): number => {
    if (!values.has(symbol)) values.set(symbol, random.uniform(0.1, 0.6));
    return values.get(symbol) as number;
  };
  return (scalar) => {
    for (const symbol of symbolsOf([scalar])) numberOf(symbol);
    return evaluate([scalar], numberOf)[0];
  };
}
