/** What the lens says of what it shows. */
import { type Direction, exact } from "../../../experiments/gradient-comparison/box.ts";
import { threshold } from "./exactCurve.ts";

/** Four digits; powers of ten below a thousandth. */
export function digits(value: number): string {
  if (value === 0) return "0";
  return Math.abs(value) < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

export function kappaName(kappa: number): string {
  return `κ = ${kappa.toExponential().replace("e+0", "")}`;
}

export function durationName(seconds: number): string {
  if (seconds < 1e-3) return `${(1e6 * seconds).toFixed(0)} µs`;
  const millis = 1e3 * seconds;
  return `${millis < 10 ? millis.toFixed(1) : millis.toFixed(0)} ms`;
}

const pushes: Readonly<Record<Direction, { readonly how: string; readonly limit: string; readonly event: string }>> = {
  impact: { how: "up", limit: "its weight", event: "lift-off" },
  friction: { how: "sideways", limit: "what friction holds (0.8 of its weight)", event: "slipping" },
};

export function explanation(direction: Direction): readonly string[] {
  const { how, limit, event } = pushes[direction];
  const edge = threshold(direction).toFixed(2);
  return [
    `A box of 1 kg rests on the floor and is pushed ${how} for one step of 0.1 s. Below ${limit}, ${edge} N, it stays where it is. ` +
      `There the gradient of the hard step is exactly 0: it does not tell how near ${event} is.`,
    "On the central path at κ > 0 the contact acts a little early and lets go a little late. The next position bends smoothly, " +
      `and its gradient, computed exactly for that κ, sees ${event} coming. A smaller κ is closer to the hard step, and sharper.`,
    "Randomised smoothing finds a similar slope without derivatives: it averages many hard steps with random forces. " +
      "That costs a step for each sample, and the result is noisy.",
  ];
}

/** One sentence about the current force. */
export function remark(direction: Direction, force: number, kappa: number, gradient: number): string {
  const hard = 1e3 * exact(direction, force).gradient;
  const { event } = pushes[direction];
  const where = force > threshold(direction) ? `beyond ${event}` : `short of ${event}`;
  return `At ${force.toFixed(2)} N, ${where}: gradient ${digits(hard)} mm/N by the hard step, ${digits(1e3 * gradient)} mm/N at ${kappaName(kappa)}.`;
}
