/**
 * Fits of whole recordings through growing horizons. What a simulation predicts many impacts ahead jumps with where it starts, and the cost of
 * a whole recording has many minima. That of its first frames has few; its result, starts included, is near the right minimum of twice as many.
 */
import { ArgumentError } from "../mechanism/index.ts";
import { type FitOptions, type FitProgress, type FitResult, fitted } from "./fit.ts";
import { valuesOf } from "./fitFile.ts";
import { startedFrom } from "./parameterSet.ts";
import type { FitContext } from "./residuals.ts";
import { usualWindow } from "./sampling.ts";

/** Fits before the last one end where the cost falls by less than this, and recordings that they do not reach yet hardly count. */
const roughTolerance = 1e-3;
const roughLoss = { kind: "cauchy" } as const;

/** One fit per horizon, in frames, then one of all frames, whose result it is. Iterations are counted through. */
export async function fitThroughHorizons(
  context: FitContext,
  horizons: readonly number[],
  options: FitOptions = {},
): Promise<FitResult> {
  const { sampling = {} } = context;
  if (horizons.length > 0 && sampling.window !== "whole") {
    throw new ArgumentError(
      "out-of-range",
      "horizons",
      `windows have ${sampling.window ?? usualWindow} frames; horizons are for whole recordings`,
    );
  }
  let set = context.set;
  let locals = options.locals;
  let before = 0;
  const history: FitProgress[] = [];
  const told = (entry: FitProgress): FitProgress => ({ ...entry, iteration: before + entry.iteration });
  const fitTo = async (horizon: number | undefined): Promise<FitResult> => {
    const rough = horizon !== undefined && { sampling: { ...sampling, horizon }, loss: context.loss ?? roughLoss };
    const own = { ...context, set, ...rough };
    const isLast = horizon === undefined;
    const settings = {
      ...options,
      ...(horizon !== undefined && { tolerance: roughTolerance }),
      ...(locals && { locals }),
      onIteration: (entry: FitProgress) => options.onIteration?.(told(entry)),
    };
    const found = await fitted(own, settings, isLast);
    history.push(...found.history.map(told));
    set = startedFrom(set, valuesOf(found.parameters));
    locals = found.locals;
    before += found.iterations;
    return found;
  };
  for (const horizon of horizons) {
    const rough = await fitTo(horizon);
    if (rough.end === "ended") return { ...rough, iterations: before, history };
  }
  const found = await fitTo(undefined);
  const parameters = Object.fromEntries(
    Object.entries(found.parameters).map(([name, each]) => [
      name,
      { ...each, start: context.set.parameters[name].start },
    ]),
  );
  return { ...found, parameters, iterations: before, history };
}
