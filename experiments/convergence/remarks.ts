/** What the figures mean, misses included. */
import { steps } from "./robots.ts";
import type { ConvergenceResult, Sweep } from "./run.ts";

/** The paper's. */
export const mostIterations = 15;
/** Condition numbers are known to this part. */
const accuracy = 0.01;

export const power = (value: number): string => value.toExponential(0);
export const ratioText = (value: number): string =>
  value < 1e4 ? String(Number(value.toPrecision(2))) : value.toExponential(0);

type LabelledSweep = Sweep & { readonly label: string };

export function remarksOf({ robots }: ConvergenceResult): string[] {
  const sweeps = robots.flatMap(({ label, kappaSweep, residualSweep }) =>
    [...kappaSweep, ...residualSweep].map((sweep): LabelledSweep => ({ ...sweep, label })),
  );
  const conditionRatios = robots.flatMap(({ compared }) =>
    compared.map(({ ours, primalOnly }) => primalOnly.scaleFree / ours.scaleFree),
  );
  return [
    iterationRemark(sweeps),
    correctorRemark(sweeps),
    primalOnlyRemark(conditionRatios),
    "In SI units most bounds are missed: the factored matrix has the cone variables eliminated, and a contact adds h γ/s ≈ h γ²/κ to the block of a light foot. That is a scale on some rows and columns, which elimination does not notice: with the best scaling all bounds hold.",
    ...acceptanceRemark(sweeps),
  ];
}

function iterationRemark(sweeps: readonly LabelledSweep[]): string {
  const longer = sweeps.filter(({ fall, impact }) => Math.max(fall.most, impact.iterations) > mostIterations);
  const failed = sweeps.reduce((sum, { fall }) => sum + fall.failed, 0);
  const unsolved = failed > 0 ? ` ${failed} solves fail without the engine's retries.` : "";
  if (longer.length === 0)
    return `Every step of every fall is solved within ${mostIterations} iterations at every tolerance of the paper (kept).${unsolved}`;
  const list = longer.map(({ label, to, fall }) => {
    return `${label} at κ_tol ${power(to.kappa)}, r_tol ${power(to.residual)}: ${fall.most}`;
  });
  return `Some steps take more than ${mostIterations} iterations (missed): ${list.join("; ")}.${unsolved}`;
}

function correctorRemark(sweeps: readonly LabelledSweep[]): string {
  const gains = (key: "withoutCorrector" | "classic"): string => {
    const ratios = sweeps.map((sweep) => sweep[key].mean / sweep.fall.mean).sort((a, b) => a - b);
    const places = [0, Math.floor(ratios.length / 2), ratios.length - 1];
    const [least, middle, most] = places.map((i) => ratios[i].toFixed(1));
    return `${middle} times (${least} to ${most})`;
  };
  const lost = sweeps.reduce((sum, { classic }) => sum + classic.failed, 0);
  const without = `Without the second-order term a solve takes ${gains("withoutCorrector")} the iterations: the median over robots and tolerances, and the range. The paper's "often halving" is not reached.`;
  return `${without} Without the feedback on κ as well (classic: one plain Newton step an iteration), it takes ${gains("classic")} the iterations where it gets there, and ${lost} of ${sweeps.length * steps} steps are not solved.`;
}

function primalOnlyRemark(ratios: readonly number[]): string {
  const worse = ratios.filter((ratio) => ratio < 1 - accuracy);
  const percent = (100 * (1 - Math.min(...ratios))).toFixed(0);
  const better =
    worse.length === 0
      ? "nowhere better conditioned than ours"
      : `better conditioned than ours in ${worse.length} of ${ratios.length} cases (missed), by up to ${percent}%, and up to ${ratioText(Math.max(...ratios))} times worse in the others,`;
  return `The primal-only solver's matrix is ${better} in the best scaling. On the central path the two are the same matrix, with γ/s = κ/s²; ours is better where the solve arrives at the final κ with its last step and need not factor there.`;
}

function acceptanceRemark(sweeps: readonly LabelledSweep[]): string[] {
  const above = sweeps.filter(({ fall }) => fall.above > 0);
  if (above.length === 0) return [];
  const worst = Math.max(...above.map(({ fall }) => fall.excess));
  return [
    `Some steps are accepted with r_vio above r_tol (missed; up to ${ratioText(worst)} times). Once the complementarity rests, the solver takes a residual below 1000 tolerances that a full step does not halve for rounding: the impulse of a hard impact is κ/s, and s is a difference of positions with 16 digits.`,
  ];
}
