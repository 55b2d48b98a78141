/** Title and figures above the view. */
import type { ReplayData } from "dojo-sim";
import { element } from "./elements.ts";
import { formatNumber } from "./numbers.ts";

export function createSummary({ title, summary, notes, contacts }: ReplayData): HTMLElement {
  const { model, steps, timestep, solved, iterationsMean, iterationsMax, retries, substepped, smallestDistance } =
    summary;
  const facts: [string, string, boolean?][] = [
    ["model", model],
    ["steps", `${steps} of ${formatNumber(timestep)} s`],
    ["solved", solved === steps ? "all" : `${solved} of ${steps}`, solved < steps],
    ["iterations", `${iterationsMean.toFixed(1)} per step, at most ${iterationsMax}`],
  ];
  if (retries > 0) facts.push(["retries", String(retries)]);
  if (substepped > 0) facts.push(["steps in parts", String(substepped)]);
  if (smallestDistance !== null && contacts.length > 0) {
    facts.push(["smallest distance", `${formatNumber(smallestDistance)} m`, smallestDistance < 0]);
  }
  for (const { label, text } of notes) facts.push([label, text]);
  const list = facts.map(([label, text, alarming = false]) =>
    element("div", alarming ? { class: "alarming" } : {}, element("dt", {}, label), element("dd", {}, text)),
  );
  return element("header", {}, element("h1", {}, title), element("dl", {}, ...list));
}
