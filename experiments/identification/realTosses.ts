/** The real tosses, where they are at hand: fits on the first 100, scores on the others. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  compile,
  type Executor,
  identify,
  parseRecording,
  Random,
  type Recording,
  type Score,
  scoreRecordings,
  startedFrom,
  tossedCube,
  tossedCubeDescription,
  tossParameters,
  tossStages,
  tossWidth,
  valuesOf,
  wholeToss,
} from "dojo-sim";

/** In a folder beside the repository, or where this variable says. */
export function tossFolder(): string | undefined {
  const folder = process.env.DOJO_TOSSES ?? join(process.cwd(), "../shared/data/contactnets-tosses");
  return existsSync(folder) ? folder : undefined;
}

export function readTosses(folder: string): Recording[] {
  const mechanism = compile(tossedCubeDescription());
  const names = readdirSync(folder).filter((name) => name.endsWith(".csv"));
  return names
    .sort()
    .map((file) =>
      parseRecording(readFileSync(join(folder, file), "utf8"), mechanism, { file, rate: tossedCube.rate }),
    );
}

export interface FitRow {
  readonly name: string;
  readonly parameters: Readonly<
    Record<string, { readonly value: number; readonly interval: readonly [number, number] | null }>
  >;
  readonly train: Score;
  readonly test: Score;
  readonly seconds: number;
}

/** One set of parameters, by the recipe of `dojo identify`. */
export async function fitted(
  name: string,
  parameters: readonly string[],
  recordings: readonly Recording[],
  trainCount: number,
  evaluations: number,
  executor: Executor,
): Promise<FitRow> {
  const description = tossedCubeDescription({ restitution: parameters.includes("restitution") });
  const set = tossParameters(parameters, { gravity: 9.6 });
  const begin = performance.now();
  const train = recordings.slice(0, trainCount);
  const found = await identify({ description, set, recordings: train }, tossStages(set, { evaluations }), { executor });
  const seconds = (performance.now() - begin) / 1000;
  const values = valuesOf(found.parameters);
  const score = (own: readonly Recording[]): Promise<Score> =>
    scoreRecordings({ description, set, recordings: own }, values, wholeToss, tossWidth, executor);
  return {
    name,
    parameters: Object.fromEntries(
      Object.entries(found.parameters).map(([key, { value, interval }]) => [key, { value, interval }]),
    ),
    train: await score(train),
    test: await score(recordings.slice(trainCount)),
    seconds,
  };
}

export interface CornerRow {
  readonly tosses: number;
  /** Distance of corners from their places over the half-width of the data's own cube: mean and largest. */
  readonly mean: number;
  readonly largest: number;
  readonly friction: number;
  readonly iterations: number;
  readonly seconds: number;
}

/** 25 parameters, friction and corners, from corners 1.1 to 1.5 times too far out and a friction of 0.4, every seventh frame. */
export async function corners(recordings: readonly Recording[], seed: number, executor: Executor): Promise<CornerRow> {
  const half = tossedCube.recordedHalfWidth;
  const set = tossParameters(["friction", "corners"], { gravity: 9.6, inertia: 1.1e-3, com: [0, 0, 0.006] });
  const random = new Random(seed);
  const starts = Object.fromEntries(
    Object.entries(set.parameters).map(([name, { start }]) => [
      name,
      name === "friction" ? 0.4 : start * random.uniform(1.1, 1.5),
    ]),
  );
  const own = startedFrom(set, starts);
  const stage = tossStages(own)[0];
  const description = tossedCubeDescription();
  const begin = performance.now();
  const found = await identify({ description, set: own, recordings }, [stage], { executor });
  const seconds = (performance.now() - begin) / 1000;
  const distances = Array.from({ length: 8 }, (_, i) =>
    Math.hypot(
      ...["X", "Y", "Z"].map((axis) => {
        const name = `corner${i}${axis}`;
        return found.parameters[name].value - Math.sign(found.parameters[name].value) * half;
      }),
    ),
  );
  return {
    tosses: recordings.length,
    mean: distances.reduce((sum, each) => sum + each, 0) / 8 / half,
    largest: Math.max(...distances) / half,
    friction: found.parameters.friction.value,
    iterations: found.stages[0].count,
    seconds,
  };
}
