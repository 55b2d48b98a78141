/** Takes the steps of the robustness benchmark and adds them up, by class of scene. */
import { compile, type MechanismDescription, Random, ShapeDistances, Simulation, type StepResult } from "dojo-sim";
import { randomScene, type Scene, type SceneClass, sceneClasses } from "./scenes.ts";
import { anchorError, fastestSpin, largestSpin, randomInput, randomStart, setScene } from "./starts.ts";

/** Joints of a step that calls itself solved must be closed to this part of the scene's size. */
const closed = 1e-5;
/** Shapes that touch overlap by no more than this part of it, unless the step says so. */
const apart = 1e-6;
/** How often a scene is started, and for how many steps: in short runs, of which every step starts cold if asked, or in one long run. */
const runLengths = {
  short: { starts: 3, steps: 25 },
  cold: { starts: 3, steps: 25 },
  continued: { starts: 1, steps: 120 },
} as const;
export type Runs = keyof typeof runLengths;

export class Tally {
  steps = 0;
  firstAttempt = 0;
  retried = 0;
  substepped = 0;
  failed = 0;
  /** How many of those that are solved were so with less friction, to less precision, or with an overlap, which the step says. */
  conceded = 0;
  /** Called solved, but with a penetration, an open joint or a number that is none. */
  unreported = 0;
  iterations = 0;
  readonly histogram: number[] = [];

  add(result: StepResult, sound: boolean, size: number): void {
    this.steps++;
    this.iterations += result.iterations;
    this.histogram[result.iterations] = (this.histogram[result.iterations] ?? 0) + 1;
    if (result.status === "solved" && isConceded(result, size)) this.conceded++;
    if (result.status !== "solved") this.failed++;
    else if (!sound) this.unreported++;
    else if (result.substeps > 1) this.substepped++;
    else if (result.retries > 0) this.retried++;
    else this.firstAttempt++;
  }

  merge(other: Tally): void {
    this.steps += other.steps;
    this.firstAttempt += other.firstAttempt;
    this.retried += other.retried;
    this.substepped += other.substepped;
    this.failed += other.failed;
    this.conceded += other.conceded;
    this.unreported += other.unreported;
    this.iterations += other.iterations;
    other.histogram.forEach((count, n) => {
      this.histogram[n] = (this.histogram[n] ?? 0) + count;
    });
  }

  get mean(): number {
    return this.iterations / this.steps;
  }

  get max(): number {
    return this.histogram.length - 1;
  }

  /** Iterations that a part of the steps does not exceed. */
  quantile(part: number): number {
    let seen = 0;
    for (let n = 0; n < this.histogram.length; n++) {
      seen += this.histogram[n] ?? 0;
      if (seen >= part * this.steps) return n;
    }
    return this.max;
  }
}

/** Whether a solved step of shapes that touch says that it is less than what it was asked for. */
function isConceded({ frictionScale = 1, precision, overlap = 0 }: StepResult, size: number): boolean {
  return frictionScale < 1 || precision === "fast" || overlap > apart * size;
}

/** A step that did not go through at the first attempt. */
export interface Incident {
  readonly scene: number;
  readonly kind: SceneClass;
  readonly start: number;
  readonly step: number;
  readonly iterations: number;
  readonly retries: number;
  readonly substeps: number;
  readonly status: string;
  readonly sound: boolean;
}

export interface Replay {
  readonly scene: Scene;
  readonly simulation: Simulation;
  readonly state: Float64Array;
  readonly input: Float64Array;
}

export interface Measurement {
  readonly total: Tally;
  /** All but those of shapes that touch, which are solved again where the end of a step shows a pair that nobody foresaw. */
  readonly foreseen: Tally;
  readonly classes: ReadonlyMap<SceneClass, Tally>;
  readonly incidents: readonly Incident[];
  /** Steps repeated with all masses and forces 1024 times larger, and how many of them took as many iterations. */
  readonly scaled: {
    readonly steps: number;
    readonly equal: number;
    readonly mean: number;
    readonly meanScaled: number;
  };
}

export interface MeasureOptions {
  readonly seed: number;
  readonly steps: number;
  readonly only?: SceneClass | undefined;
  /**
   * "short" runs, of which each step goes on from the one before (the default); the same with every step from a "cold" start; or one
   * long run per scene, "continued".
   */
  readonly runs?: Runs | undefined;
  /** Called before every step. */
  readonly onStep?:
    | ((replay: Replay, incident: Omit<Incident, "iterations" | "retries" | "substeps" | "status" | "sound">) => void)
    | undefined;
  readonly onProgress?: ((steps: number) => void) | undefined;
}

/** Every how many-th scene is repeated with other masses. */
const scaledEvery = 10;
/** A power of two, so that rounding is the same and the iterations must be, too. */
export const massFactor = 1024;

export function measure({ seed, steps, only, runs = "short", onStep, onProgress }: MeasureOptions): Measurement {
  const length = runLengths[runs];
  const classes = new Map<SceneClass, Tally>();
  const incidents: Incident[] = [];
  const scaled = { steps: 0, equal: 0, mean: 0, meanScaled: 0 };
  let done = 0;
  for (let round = 0; done < steps; round++) {
    const [kind, number] = only ? ([only, round] as const) : sceneOf(round);
    const random = new Random(seed * 1e6 + number);
    const scene = randomScene(random, kind);
    const mechanism = compile(scene.description);
    const simulation = new Simulation(mechanism);
    const shapes = new ShapeDistances(mechanism);
    const heavy =
      number % scaledEvery === 3 ? new Simulation(compile(heavier(scene.description, massFactor))) : undefined;
    const tally = classes.get(kind) ?? new Tally();
    classes.set(kind, tally);
    const input = new Float64Array(simulation.inputSize);
    for (let start = 0; start < length.starts; start++) {
      const begin = randomStart(random, scene, mechanism);
      const { state, effort } = begin;
      setScene(simulation, begin);
      if (heavy) setScene(heavy, begin);
      // as rollouts do: what ends too fast for the time step goes on in a shorter one
      let { timestep: interval } = mechanism;
      for (let step = 0; step < length.steps && largestSpin(mechanism, state) < fastestSpin; step++) {
        randomInput(random, scene, mechanism, effort, input);
        onStep?.({ scene, simulation, state, input }, { scene: number, kind, start, step });
        if (runs === "cold") for (const each of [simulation, heavy]) startCold(each);
        const result = simulation.step(state, input, { ...simulation.options, interval });
        const sound = isSound(scene, simulation, shapes, result);
        tally.add(result, sound, scene.size);
        done++;
        if (result.status !== "solved" || result.retries > 0 || result.substeps > 1 || !sound) {
          const { iterations, retries, substeps, status } = result;
          incidents.push({ scene: number, kind, start, step, iterations, retries, substeps, status, sound });
        }
        if (heavy) {
          const again = heavy.step(
            state,
            input.map((u) => massFactor * u),
            { ...heavy.options, interval },
          );
          scaled.steps++;
          scaled.mean += result.iterations;
          scaled.meanScaled += again.iterations;
          if (again.iterations === result.iterations) scaled.equal++;
        }
        if (result.status !== "solved") break;
        state.set(result.next);
        interval = result.interval;
      }
    }
    onProgress?.(done);
  }
  const [total, foreseen] = [new Tally(), new Tally()];
  for (const [kind, tally] of classes) {
    total.merge(tally);
    if (kind !== "touching") foreseen.merge(tally);
  }
  scaled.mean /= scaled.steps;
  scaled.meanScaled /= scaled.steps;
  return { total, foreseen, classes, incidents, scaled };
}

/** Classes take turns. Scenes of touching shapes have numbers of their own, so that the others are what they were before there were any. */
function sceneOf(round: number): readonly [SceneClass, number] {
  const turn = round % sceneClasses.length;
  const kind = sceneClasses[turn];
  const before = Math.floor(round / sceneClasses.length);
  return [kind, kind === "touching" ? firstTouching + before : before * (sceneClasses.length - 1) + turn];
}
const firstTouching = 500_000;

/** The next step has the angles of the run, and none of its impulses. */
function startCold(simulation: Simulation | undefined): void {
  const continuation = simulation?.continuation;
  if (!simulation || !continuation) return;
  const { warm: _, ...rest } = continuation;
  simulation.continuation = rest;
}

/** A solved step must be what it says: finite, above all half-spaces, its joints closed, its shapes out of each other. */
function isSound(scene: Scene, simulation: Simulation, shapes: ShapeDistances, result: StepResult): boolean {
  if (result.status !== "solved") return true;
  if (!result.next.every(Number.isFinite)) return false;
  const { overlap = 0 } = result;
  const allowed = Math.max(apart * scene.size, 1.01 * overlap);
  if (shapes.at(result.next).some(({ distance }) => -distance > allowed)) return false;
  return simulation.smallestDistance > 0 && anchorError(scene, simulation.mechanism, result.next) < closed;
}

/** The same mechanism with all masses, and all that has the unit of a mass, multiplied. */
function heavier(description: MechanismDescription, factor: number): MechanismDescription {
  const times = <T>(value: T): T =>
    (typeof value === "number" ? value * factor : Array.isArray(value) ? value.map(times) : value) as T;
  const bodies = Object.entries(description.bodies).map(([name, body]) => [
    name,
    { ...body, mass: times(body.mass), inertia: times(body.inertia) },
  ]);
  const joints = Object.entries(description.joints ?? {}).map(([name, joint]) => {
    const { stiffness, damping, armature, friction } = joint;
    const forces = Object.entries({ stiffness, damping, armature, friction }).filter(
      ([, value]) => value !== undefined,
    );
    return [name, { ...joint, ...Object.fromEntries(forces.map(([key, value]) => [key, times(value)])) }];
  });
  return { ...description, bodies: Object.fromEntries(bodies), joints: Object.fromEntries(joints) };
}
