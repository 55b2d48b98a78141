/**
 * The folder of a training: a policy and a checkpoint per seed, and the learning curves. Files are whole or not there. What an earlier
 * training has left is gone on with, or written over where that is asked for, or else refused.
 */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Checkpoint,
  checkpointFromJson,
  checkpointJson,
  type Environment,
  policyJson,
  resumedSearch,
  type Search,
  type TrainedPolicy,
  type TrainingSettings,
} from "../../index.ts";
import { inFile } from "../inFile.ts";
import { InputError } from "../inputError.ts";
import { requireWritableFolder, writeWhole } from "../outputs/outputFile.ts";
import { readText } from "../readFile.ts";

/** What becomes of what is there already: it is refused, gone on with, or written over. */
export type Earlier = "refused" | "resumed" | "overwritten";

export class TrainingFolder {
  /** What was written and is of use. */
  readonly files: string[] = [];
  private readonly path: string;
  private readonly environment: string;
  private readonly earlier: Earlier;

  constructor(path: string, environment: string, earlier: Earlier = "refused") {
    requireWritableFolder(path);
    this.path = path;
    this.environment = environment;
    this.earlier = earlier;
  }

  /** Throws an `InputError` where files of these trainings are there and are not wanted, or are wanted and cannot be used. */
  check(environment: Environment, trainings: readonly TrainingSettings[]): void {
    if (this.earlier === "overwritten") return;
    let found = 0;
    for (const settings of trainings) {
      if (this.earlier === "refused") this.requireNone(settings);
      const checkpoint = this.read(settings);
      if (!checkpoint) continue;
      found++;
      inFile(this.checkpointPath(settings), () => resumedSearch(environment, settings, checkpoint));
    }
    if (this.earlier === "resumed" && found === 0) {
      throw new InputError(
        `--resume: ${this.path} has no checkpoint of such a training (${this.stem(trainings[0])}-…)`,
      );
    }
  }

  private requireNone(settings: TrainingSettings): void {
    const path = [this.checkpointPath(settings), this.policyPath(settings)].find(existsSync);
    if (path === undefined) return;
    const message =
      "is of an earlier training: --resume goes on with it, --overwrite replaces it; or give another folder";
    throw new InputError(`${path} ${message}`);
  }

  /** True once any seed of a training has something to go on with. */
  hasCheckpoint(settings: TrainingSettings): boolean {
    const stem = `${this.stem(settings)}-`;
    return (
      existsSync(this.path) &&
      readdirSync(this.path).some((name) => name.startsWith(stem) && name.endsWith(".training.json"))
    );
  }

  /** The training as an earlier run left it. */
  resumed(environment: Environment, settings: TrainingSettings): { search: Search; seconds: number } | undefined {
    const checkpoint = this.earlier === "resumed" ? this.read(settings) : undefined;
    return checkpoint && { search: resumedSearch(environment, settings, checkpoint), seconds: checkpoint.seconds };
  }

  save(settings: TrainingSettings, search: Search, seconds: number): void {
    const { environment } = this;
    const text = checkpointJson({ environment, settings, state: search.state, done: search.isDone, seconds });
    this.write(this.checkpointPath(settings), text);
  }

  writePolicy(settings: TrainingSettings, policy: TrainedPolicy): void {
    this.keep(this.policyPath(settings), policyJson(policy));
  }

  writeCurves(settings: TrainingSettings, svg: string): void {
    this.keep(join(this.path, `${this.stem(settings)}.svg`), svg);
  }

  private keep(path: string, text: string): void {
    this.write(path, text);
    this.files.push(path);
  }

  private write(path: string, text: string): void {
    mkdirSync(this.path, { recursive: true });
    writeWhole(path, text);
  }

  private read(settings: TrainingSettings): Checkpoint | undefined {
    const path = this.checkpointPath(settings);
    return existsSync(path) ? inFile(path, () => checkpointFromJson(readText(path))) : undefined;
  }

  private policyPath(settings: TrainingSettings): string {
    return join(this.path, `${this.stem(settings)}-${settings.seed}.json`);
  }

  private checkpointPath(settings: TrainingSettings): string {
    return join(this.path, `${this.stem(settings)}-${settings.seed}.training.json`);
  }

  private stem({ method, policy }: TrainingSettings): string {
    return `${this.environment}-${method}-${policy}`;
  }
}
