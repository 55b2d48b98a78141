/** Parameters of the tossed cube from recordings, given or made up, with a toss beside its prediction at each step. Knows nothing of threads. */
import {
  compareRecording,
  compile,
  type FitStage,
  type FittedParameter,
  type IdentificationProblem,
  type IdentifyProgress,
  identify,
  parseRecording,
  poseSize,
  type Recording,
  requireAboveGround,
  type Stage,
  startedFrom,
  syntheticTosses,
  tossedCube,
  tossedCubeDescription,
  tossParameters,
  tossStages,
  tossWidth,
  wholeToss,
} from "dojo-sim";
import { mechanismParts } from "../engine/sceneInfo.ts";
import type { StageInfo } from "../stage/stage.ts";
import type { FitReport, GivenRecording, TossPicture } from "./protocol.ts";

/** The cube that is made up, and where the search for it begins. */
const truth: Readonly<Record<string, number>> = {
  ...{ friction: 0.17, halfWidth: 0.0513, inertia: 1.05e-3, gravity: 9.6, radius: 0.002, restitution: 0.2 },
  ...{ comX: 0.001, comY: -0.0005, comZ: 0.006 },
};
const astray: Readonly<Record<string, number>> = { friction: 0.3, halfWidth: 0.057, inertia: 7e-4, gravity: 9.81 };
const madeUp = { count: 12, seed: 1, noise: { position: 5e-4, rotation: 5e-3 } } as const;
/** The search on whole tosses finds what no derivative does. */
const searched = ["radius", "restitution"];

/** A fit that somebody watches ends where nothing is to be seen any more. Deviations between recordings need several of them. */
function watched(recordings: number): Pick<FitStage, "tolerance" | "intervals"> {
  return { tolerance: 1e-3, intervals: recordings < 5 ? "hessian" : "recordings" };
}

export class TossFit {
  readonly info: StageInfo;
  private readonly problem: IdentificationProblem;
  private readonly stages: readonly Stage[];
  private readonly truth: typeof truth | undefined;

  /** Throws where a recording is wrong, with file and line. */
  constructor(names: readonly string[], recordings?: readonly GivenRecording[]) {
    const whole = tossParameters(names, { gravity: 9.6 });
    const description = tossedCubeDescription({ restitution: names.includes("restitution") });
    const mechanism = compile(description);
    const isMadeUp = recordings === undefined;
    const read = ({ name, text }: GivenRecording): Recording =>
      parseRecording(text, mechanism, { file: name, usualRate: tossedCube.rate });
    const some = (values: typeof truth): typeof truth =>
      Object.fromEntries(Object.entries(values).filter(([name]) => name in whole.parameters));
    const own = isMadeUp ? syntheticTosses(whole, some(truth), madeUp) : recordings.map(read);
    requireAboveGround(mechanism, own);
    const set = isMadeUp ? startedFrom(whole, some(astray)) : whole;
    this.truth = isMadeUp ? truth : undefined;
    this.problem = { description, set, recordings: own };
    this.stages = tossStages(set, { evaluations: 40 })
      .filter(({ kind }) => kind === "fit" || names.some((name) => searched.includes(name)))
      .map((stage) => (stage.kind === "fit" ? { ...stage, ...watched(own.length) } : stage));
    const half = tossedCube.recordedHalfWidth;
    const parts = mechanismParts(mechanism, half);
    const shape = { kind: "box", size: [2 * half, 2 * half, 2 * half], color: "#c56a1e" } as const;
    this.info = {
      ...parts,
      name: "tossed cube",
      floats: true,
      bodies: parts.bodies.map((body) => ({ ...body, shapes: [shape] })),
    };
  }

  get recordings(): number {
    return this.problem.recordings.length;
  }

  /** Before anything is fitted. */
  first(): FitReport {
    const { parameters } = this.problem.set;
    const values = Object.fromEntries(Object.entries(parameters).map(([name, { start }]) => [name, start]));
    return this.report({ stage: "start", kind: "fit", count: 0, cost: Number.NaN, values, halfWidths: {} });
  }

  async go(
    tell: (report: FitReport) => void,
    signal: AbortSignal,
  ): Promise<{
    readonly parameters: Readonly<Record<string, FittedParameter>>;
    readonly converged: boolean;
    readonly warnings: readonly string[];
  }> {
    const found = await identify(this.problem, this.stages, {
      signal,
      onProgress: (progress) => tell(this.report(progress)),
    });
    const { parameters, converged, warnings } = found;
    return { parameters, converged, warnings: warnings.map(({ message }) => message) };
  }

  private report({ stage, count, cost, values, halfWidths }: IdentifyProgress): FitReport {
    const { parameters } = this.problem.set;
    return {
      stage,
      count,
      cost,
      parameters: Object.entries(parameters).map(([name, { start }]) => {
        const half = halfWidths[name];
        const known = this.truth?.[name];
        return {
          name,
          start,
          value: values[name] ?? start,
          halfWidth: Number.isFinite(half) ? half : null,
          ...(known !== undefined && { truth: known }),
        };
      }),
      toss: this.picture(values),
    };
  }

  private picture(values: Readonly<Record<string, number>>): TossPicture {
    const { recordings } = this.problem;
    const { trajectory, recorded, distances, angles } = compareRecording(this.problem, values, 0, wholeToss);
    const poses = (states: readonly Float64Array[]): Float32Array =>
      Float32Array.from(states.flatMap((state) => Array.from(state.subarray(0, poseSize))));
    const mean = (entries: Float64Array): number => entries.reduce((sum, entry) => sum + entry, 0) / entries.length;
    return {
      name: recordings[0].name,
      interval: recordings[0].interval,
      recorded: poses(recorded),
      predicted: poses(trajectory.states),
      half: values.halfWidth ?? tossedCube.recordedHalfWidth,
      position: (100 * mean(distances)) / tossWidth,
      rotation: (180 * mean(angles)) / Math.PI,
    };
  }
}
