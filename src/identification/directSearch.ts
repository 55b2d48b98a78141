/**
 * A direct search for a few parameters whose cost jumps or has no useful derivative: Nelder and Mead's simplex, kept inside bounds. Each
 * step replaces the worst corner of the simplex by one beyond the others' centre, or draws all corners towards the best.
 */
export interface DirectSearchProblem {
  readonly start: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** How far the first corners stand from the start, per parameter. */
  readonly steps: Float64Array;
  cost(theta: Float64Array): Promise<number>;
}

export interface DirectSearchOptions {
  /** Default 100. */
  readonly maxEvaluations?: number;
  /** Ends where all corners cost the same to this fraction. Default 1e-6. */
  readonly tolerance?: number;
  /** Called whenever a better point is found, and at the start; returning false ends the search. */
  readonly onBetter?: (progress: DirectSearchProgress) => boolean | undefined;
}

export interface DirectSearchProgress {
  readonly evaluations: number;
  readonly cost: number;
  readonly theta: Float64Array;
}

export interface DirectSearchResult extends DirectSearchProgress {
  readonly end: "converged" | "evaluationLimit" | "ended";
}

interface Corner {
  readonly theta: Float64Array;
  readonly cost: number;
}

export async function directSearch(
  problem: DirectSearchProblem,
  options: DirectSearchOptions = {},
): Promise<DirectSearchResult> {
  const { maxEvaluations = 100, tolerance = 1e-6, onBetter } = options;
  const { start, lower, upper, steps } = problem;
  const n = start.length;
  let evaluations = 0;
  let best: Corner | undefined;
  let wanted = true;
  const evaluated = async (theta: Float64Array): Promise<Corner> => {
    const inside = theta.map((value, i) => Math.min(upper[i], Math.max(lower[i], value)));
    const cost = await problem.cost(inside);
    evaluations++;
    const corner = { theta: inside, cost: Number.isNaN(cost) ? Number.POSITIVE_INFINITY : cost };
    if (!best || corner.cost < best.cost) {
      best = corner;
      if (onBetter?.({ evaluations, cost: corner.cost, theta: inside }) === false) wanted = false;
    }
    return corner;
  };

  let corners = [await evaluated(start)];
  for (let i = 0; i < n && goesOn(); i++) {
    const theta = start.slice();
    // away from a bound
    theta[i] += theta[i] + steps[i] > upper[i] ? -steps[i] : steps[i];
    corners.push(await evaluated(theta));
  }
  let end: DirectSearchResult["end"] = "converged";
  for (;;) {
    corners.sort((a, b) => a.cost - b.cost);
    if (!goesOn()) {
      end = wanted ? "evaluationLimit" : "ended";
      break;
    }
    const [least, worst] = [corners[0], corners[n]];
    if (worst.cost - least.cost <= tolerance * Math.abs(least.cost)) break;
    const center = new Float64Array(n);
    for (const { theta } of corners.slice(0, n)) for (let i = 0; i < n; i++) center[i] += theta[i] / n;
    const beyond = (factor: number): Promise<Corner> =>
      evaluated(center.map((value, i) => value + factor * (value - worst.theta[i])));
    const reflected = await beyond(1);
    let next: Corner | undefined = reflected.cost < corners[n - 1].cost ? reflected : undefined;
    if (reflected.cost < least.cost && goesOn()) {
      const expanded = await beyond(2);
      if (expanded.cost < reflected.cost) next = expanded;
    } else if (!next && goesOn()) {
      const contracted = await beyond(reflected.cost < worst.cost ? 0.5 : -0.5);
      if (contracted.cost < Math.min(reflected.cost, worst.cost)) next = contracted;
    }
    if (next) {
      corners[n] = next;
      continue;
    }
    const drawn = [least];
    for (const { theta } of corners.slice(1)) {
      if (!goesOn()) break;
      drawn.push(await evaluated(theta.map((value, i) => (value + least.theta[i]) / 2)));
    }
    corners = drawn.length === n + 1 ? drawn : corners;
  }
  const { theta, cost } = best as Corner;
  return { theta, cost, evaluations, end };

  function goesOn(): boolean {
    return wanted && evaluations < maxEvaluations;
  }
}
