/** The lists that the iterations of a step run, of contacts near by or of all where there is no difference. */
import type { System } from "../../kernels/index.ts";

/** Runs lists in a row, each in its version with the prefix where there is one. */
export function runnerWith(system: System, prefix: string): (...names: string[]) => () => void {
  return (...names) => system.runner(...names.map((name) => (system.has(prefix + name) ? prefix + name : name)));
}

export class StepLists {
  readonly look: () => void;
  readonly measure: () => void;
  readonly lookAndMeasure: () => void;
  /** A step of Newton's method on the central path, of mechanisms with a prediction. */
  readonly finish: () => void;
  /** The point is kept, the matrix factored and the first direction found. */
  readonly firstPredict: () => void;
  /** Lists that find a direction, correct it and go along it, by its number. */
  readonly predict: (() => void)[] = [];
  readonly correct: (() => void)[] = [];
  readonly advance: (() => void)[] = [];
  /** Lists where no cone takes part: `advance` with a look; a whole step of Newton's method with its look, with new factors, or with those of an earlier point (a chord step). */
  readonly advanceAndLook: (() => void)[] = [];
  readonly newton: () => void;
  readonly chord: () => void;
  private readonly runner: (...names: string[]) => () => void;

  constructor(system: System, prefix: string) {
    this.runner = runnerWith(system, prefix);
    this.look = this.runner("look");
    this.measure = this.runner("measure");
    this.lookAndMeasure = this.runner("look", "states");
    this.finish = this.runner("linearise", "factor", "finish");
    this.firstPredict = this.runner("keep.0", "linearise", "factor", "predict.1");
    const step = ["predict.1", "advance.1", "look"];
    this.newton = this.runner("keep.0", "linearise", "factor", ...step);
    this.chord = this.runner("keep.0", "rebase", ...step);
  }

  add(number: number): void {
    this.predict[number] = this.runner(`predict.${number}`);
    this.correct[number] = this.runner(`correct.${number}`);
    this.advance[number] = this.runner(`advance.${number}`);
    this.advanceAndLook[number] = this.runner(`advance.${number}`, "look");
  }
}
