/** The panel in which a policy is trained: what to choose, the learning curve, and how far it is. */
import { element } from "../../replay/elements.ts";
import { createChart } from "../lens/chart.ts";
import { button } from "../ui/button.ts";
import type { TrainingReport } from "./protocol.ts";

export interface TrainingActions {
  train(): void;
  stop(): void;
  continue(): void;
}

export interface TrainingPanel {
  readonly root: HTMLElement;
  /** A training begins, or there is none yet. */
  clear(isRunning: boolean): void;
  show(training: TrainingReport): void;
  /** It pauses between two updates. */
  stopped(): void;
}

/** `choices` are put beside the buttons. */
export function createTrainingPanel(actions: TrainingActions, ...choices: readonly HTMLElement[]): TrainingPanel {
  const train = button("Train", "train", actions.train);
  train.classList.add("primary");
  const stop = button("Stop", "stop", actions.stop);
  const goOn = button("Continue", "continue", actions.continue);
  const progress = element("output", { class: "training", "aria-label": "How far the training is" });
  const chart = createChart({
    name: "learning",
    title: "Return of each update",
    xLabel: "evaluations: steps simulated and differentiated",
    description: "Learning curve: the return of each update over the evaluations so far",
  });
  let last: TrainingReport | undefined;
  const enable = (isRunning: boolean): void => {
    stop.disabled = !isRunning;
    goOn.disabled = isRunning || !last || last.isDone;
  };
  const root = element(
    "section",
    { class: "panel training-panel", "aria-label": "Training" },
    element("h2", {}, "Train one here"),
    element("div", { class: "row" }, train, stop, goOn, progress),
    element("div", { class: "choices" }, ...choices),
    chart.root,
  );
  return {
    root,
    clear(isRunning) {
      last = undefined;
      progress.value = isRunning ? "compiling" : "";
      Object.assign(progress.dataset, { updates: 0, done: false, running: isRunning });
      delete progress.dataset.score;
      chart.root.hidden = true;
      enable(isRunning);
    },
    show(training) {
      last = training;
      const { returns, spent, updates, seconds, divergence, score, isDone } = training;
      const now = returns[returns.length - 1];
      const words = [`update ${returns.length} of ${updates}`, `return ${now.toFixed(1)}`, `${seconds.toFixed(1)} s`];
      if (divergence) words.push(`ended: ${divergence}`);
      if (score !== undefined) words.push(`mean of 20 new starts ${score.toFixed(1)}`);
      progress.value = words.join(", ");
      Object.assign(progress.dataset, { updates: returns.length, return: now, done: isDone });
      if (score !== undefined) progress.dataset.score = String(score);
      chart.root.hidden = false;
      const [low, high] = [Math.min(0, ...returns), Math.max(1, ...returns)];
      chart.update({
        x: [0, Math.max((spent[spent.length - 1] * updates) / returns.length, 1)],
        y: [low, high + 0.05 * (high - low)],
        curves: [{ key: "engine", x: spent, y: returns }],
      });
      enable(!isDone);
    },
    stopped() {
      progress.dataset.running = "false";
      enable(false);
    },
  };
}
