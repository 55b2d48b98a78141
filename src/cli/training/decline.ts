/** Whether training has made things worse. */
import type { Training, TrainingMethod } from "../../index.ts";
import { figure } from "../terminal.ts";

/** Shares of an untrained policy's reward by which a trained one may be worse before it is called so. */
const tolerance = 0.1;

interface Trained {
  readonly reward: number;
  readonly returns: Training["returns"];
  readonly method: TrainingMethod;
  /** Scores the untrained policy from the same starts. */
  readonly untrained: () => number | Promise<number>;
  /** How the user writes a setting. */
  readonly written: (name: string, value?: string) => string;
}

/** The untrained policy is scored where the reward is below the first return, so that trainings that went well pay nothing. */
export async function declineOf({ reward, returns, method, untrained, written }: Trained): Promise<string | undefined> {
  if (returns.length === 0 || reward >= returns[0]) return undefined;
  const before = await untrained();
  if (reward >= before - tolerance * Math.abs(before)) return undefined;
  const best = returns.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const smaller = `a smaller ${written("step")}`;
  const others =
    method === "ars" ? `${smaller} or more ${written("directions")}` : `${written("method", "ars")} or ${smaller}`;
  return `ended with a reward of ${figure(reward)}, worse than an untrained policy's ${figure(before)} from the same starts (its best update returned ${figure(best)}): try ${others}`;
}
