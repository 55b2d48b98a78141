/** Tables and figures of a result. */
import type { Presentation, Table } from "../experiment.ts";
import { conditionFigure, residualFigure } from "./figures.ts";
import { mostIterations, power, ratioText, remarksOf } from "./remarks.ts";
import type { ComparedStep, ConvergenceResult, Count, RobotResult, Sweep } from "./run.ts";

/** The paper's bounds on condition numbers. */
const bounds = [
  { kappa: 0.1, bound: 1e4 },
  { kappa: 1e-8, bound: 1e9 },
] as const;

const scientific = (value: number): string => (value < 1e3 ? value.toPrecision(2) : value.toExponential(1));

export function present(result: ConvergenceResult): Presentation {
  return {
    tables: [
      ...result.robots.flatMap(sweepTables),
      conditionTable(result, "scaleFree", "in the best scaling of rows and columns, ρ(|A⁻¹||A|)"),
      conditionTable(result, "inUnits", "in SI units, ‖A‖₂‖A⁻¹‖₂"),
      defaultTable(result),
    ],
    figures: [residualFigure(result), conditionFigure(result)],
    remarks: remarksOf(result),
  };
}

function sweepTables(robot: RobotResult): Table[] {
  const row = (name: string, { fall, withoutCorrector, classic, impact, primalOnly }: Sweep) => {
    const end = impact.points[impact.points.length - 1];
    const ends = [end.residual.toExponential(1), end.kappa.toExponential(1), String(fall.above)];
    const counts = [String(impact.iterations), ...[fall, withoutCorrector, classic].flatMap(countText)];
    return [name, `≤ ${mostIterations}`, ...counts, String(primalOnly.iterations), ...ends];
  };
  const variants = ["ours", "no corrector", "classic"].flatMap((name) => [`${name}: mean`, "most"]);
  const heading = ["paper", "impact", ...variants, "impact, primal-only"];
  const table = (name: string, caption: string, rows: string[][]): Table => ({
    caption: `${robot.label}, iterations: ${caption}`,
    rows: [[name, ...heading, "r_vio of the impact", "κ_vio", "steps above r_tol"], ...rows],
  });
  return [
    table(
      "κ_tol",
      "r_tol = 1e-8",
      robot.kappaSweep.map((sweep) => row(power(sweep.to.kappa), sweep)),
    ),
    table(
      "r_tol",
      "κ_tol = 0.1",
      robot.residualSweep.map((sweep) => row(power(sweep.to.residual), sweep)),
    ),
  ];
}

function countText({ mean, most, failed }: Count): string[] {
  return [mean.toFixed(1), failed > 0 ? `${most}, ${failed} unsolved` : String(most)];
}

type Measure = keyof ComparedStep["ours"];

function conditionTable({ robots }: ConvergenceResult, measure: Measure, caption: string): Table {
  const rows = robots.flatMap(({ label, compared }) =>
    bounds.map(({ kappa, bound }) => {
      const steps = compared.filter((step) => step.kappa === kappa);
      const [ours, primal] = (["ours", "primalOnly"] as const).map((method) =>
        Math.max(...steps.map((step) => step[method][measure])),
      );
      const solved = steps.filter(({ primalOnlySolved }) => primalOnlySolved);
      const ratios = solved.map((step) => step.primalOnly[measure] / step.ours[measure]);
      const range = `${ratioText(Math.min(...ratios))} … ${ratioText(Math.max(...ratios))}`;
      const unsolved =
        solved.length < steps.length ? ` (${steps.length - solved.length} of ${steps.length} unsolved)` : "";
      const verdict = ours < bound ? "kept" : "missed";
      return [
        `${label}, κ_tol ${power(kappa)}`,
        `< ${power(bound)}`,
        scientific(ours),
        verdict,
        scientific(primal),
        range + unsolved,
      ];
    }),
  );
  return {
    caption: `Condition of the last matrix factored, largest over steps of the fall, ${caption} (the paper's ratio: 2 … 1e4)`,
    rows: [["", "paper", "ours", "", "primal-only", "primal-only over ours"], ...rows],
  };
}

function defaultTable({ robots }: ConvergenceResult): Table {
  return {
    caption: "Iterations of the engine's steps by default (κ' = 1e-8 in natural units, retries included)",
    rows: [
      ["", "unknowns", "mean", "most"],
      ...robots.map(({ label, unknowns, byDefault: { mean, most } }) => [
        label,
        String(unknowns),
        mean.toFixed(1),
        String(most),
      ]),
    ],
  };
}
