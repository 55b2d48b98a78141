/** The lists that the iterations of a step run, of contacts near by or of all where there is no difference. */
import type { System } from "../../kernels/index.ts";

export class StepLists {
  readonly look: () => void;
  readonly measure: () => void;
  readonly factor: () => void;
  readonly linearise: () => void;
  /** Of mechanisms with a prediction. */
  readonly finish: () => void;
  /** By the number of the direction. */
  readonly predict: (() => void)[] = [];
  readonly correct: (() => void)[] = [];
  readonly advance: (() => void)[] = [];
  private readonly runner: (name: string) => () => void;

  constructor(system: System, prefix: string) {
    this.runner = (name) => system.runner(system.has(prefix + name) ? prefix + name : name);
    this.look = this.runner("look");
    this.measure = this.runner("measure");
    this.factor = this.runner("factor");
    this.linearise = this.runner("linearise");
    this.finish = this.runner("finish");
  }

  add(number: number): void {
    this.predict[number] = this.runner(`predict.${number}`);
    this.correct[number] = this.runner(`correct.${number}`);
    this.advance[number] = this.runner(`advance.${number}`);
  }
}
