/** What an experiment is: a folder with a run.ts whose default export is an Experiment. */
import type { Panel } from "./report.ts";

export interface RunOptions {
  /** A short form for continuous integration: fewer cases, the same fields. */
  readonly quick: boolean;
  /** Address of a Redis whose workers are measured too, where the experiment is one of them. */
  readonly redis?: string | undefined;
  /** Says how far the run is (0 to 1) and what it does now. */
  readonly progress: (fraction: number, doing: string) => void;
}

export interface Table {
  readonly caption: string;
  /** The first row holds the headings. */
  readonly rows: readonly (readonly (string | number)[])[];
}

export interface Figure {
  /** File name without its ending. */
  readonly name: string;
  readonly caption: string;
  readonly panels: readonly (readonly Panel[])[];
}

export interface Presentation {
  readonly tables: readonly Table[];
  readonly figures: readonly Figure[];
  /** What the figures mean, misses included. Remarks and cells with the word "miss" or "missed" stand out on the page. */
  readonly remarks: readonly string[];
}

export interface Experiment<Result = unknown> {
  /** As in `dojo experiment <name>`; the folder's name. */
  readonly name: string;
  readonly title: string;
  /** What the paper claims, with its label. */
  readonly claim: string;
  /** About how long it runs. */
  readonly seconds: { readonly full: number; readonly quick: number };
  /** Measures. What it returns is what result.json holds. */
  run(options: RunOptions): Result | Promise<Result>;
  /** Tables and figures of a result, also of one read back from result.json. */
  present(result: Result): Presentation;
}
