/**
 * What the contact tests share: bodies on planes, and measures of their own that do not look inside the engine.
 */
import {
  type BodyDescription,
  box,
  boxCorners,
  type ContactDescription,
  type ContactModel,
  type ContactSphere,
  capsule,
  capsuleEnds,
  compile,
  floating,
  type HalfSpace,
  halfSpace,
  type Mechanism,
  type Quaternion,
  type Random,
  Simulation,
  type SimulationOptions,
  type StepResult,
  sphere,
  sphereContact,
  type Vector3,
} from "../../src/index.ts";

export const gravity = 9.81;

/** One free body, its contact spheres and the plane they meet. */
export interface Scene {
  readonly simulation: Simulation;
  readonly mechanism: Mechanism;
  readonly spheres: readonly ContactSphere[];
  readonly plane: HalfSpace;
}

export interface SceneOptions {
  readonly body: BodyDescription;
  readonly spheres: readonly ContactSphere[];
  readonly timestep: number;
  readonly friction: number;
  readonly model?: ContactModel;
  readonly plane?: HalfSpace;
  readonly gravity?: Vector3;
  readonly options?: SimulationOptions;
}

const floor: HalfSpace = halfSpace({ normal: [0, 0, 1] });

export function freeBody({ body, spheres, timestep, friction, model, plane, gravity, options }: SceneOptions): Scene {
  const surface = plane ?? floor;
  const mechanism = compile({
    timestep,
    ...(gravity && { gravity }),
    bodies: { body },
    joints: { base: floating({ parent: "world", child: "body" }) },
    contacts: spheres.map(
      ({ point, radius }, i): ContactDescription => ({
        name: `c${i}`,
        body: "body",
        point,
        radius,
        halfSpace: surface,
        model: model ?? "cone",
        ...(model !== "impact" && { frictionCoefficient: friction }),
      }),
    ),
  });
  return { simulation: new Simulation(mechanism, options), mechanism, spheres, plane: surface };
}

export const asPoints = (points: readonly Vector3[]): ContactSphere[] => points.map((point) => ({ point, radius: 0 }));

/** State of one body: position, orientation, velocity, angular velocity (body frame). */
export function bodyState(
  position: Vector3,
  orientation: Quaternion = [1, 0, 0, 0],
  velocity: Vector3 = [0, 0, 0],
  spin: Vector3 = [0, 0, 0],
): Float64Array {
  return Float64Array.from([...position, ...orientation, ...velocity, ...spin]);
}

export function rotationMatrix([w, x, y, z]: readonly number[] | Float64Array): number[][] {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}

/** n·(x + R p) − offset − ρ, by hand. */
export function gap(state: ArrayLike<number>, { point, radius }: ContactSphere, { normal, offset }: HalfSpace): number {
  return dot(normal, pointInWorld(state, point)) - offset - radius;
}

/** Where a body-fixed point is. */
export function pointInWorld(state: ArrayLike<number>, point: Vector3): Vector3 {
  const R = rotationMatrix([state[3], state[4], state[5], state[6]]);
  const along = (i: number): number => state[i] + (R[i][0] * point[0] + R[i][1] * point[1] + R[i][2] * point[2]);
  return [along(0), along(1), along(2)];
}

/**
 * Slip of a contact sphere in a step, in the world: the centre's mean velocity plus ρ n × Rω₊, without its normal part.
 * R is that of the start of the step; R₊ω₊ = Rω₊.
 */
export function slip(
  before: ArrayLike<number>,
  after: ArrayLike<number>,
  { point, radius }: ContactSphere,
  n: Vector3,
  h: number,
): Vector3 {
  const R = rotationMatrix([before[3], before[4], before[5], before[6]]);
  const w = [0, 1, 2].map((i) => R[i][0] * after[10] + R[i][1] * after[11] + R[i][2] * after[12]);
  const from = pointInWorld(before, point);
  const to = pointInWorld(after, point);
  const rolling = cross(n, [w[0], w[1], w[2]]);
  const v = [0, 1, 2].map((i) => (to[i] - from[i]) / h + radius * rolling[i]);
  const out = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
  return [v[0] - out * n[0], v[1] - out * n[1], v[2] - out * n[2]];
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Vector3, b: Vector3): Vector3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function distanceBetween(a: Vector3, b: Vector3): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

export function smallestGap({ spheres, plane }: Scene, state: ArrayLike<number>): number {
  let smallest = Infinity;
  for (const sphere of spheres) smallest = Math.min(smallest, gap(state, sphere, plane));
  return smallest;
}

/** Radius of the body about its centre, contact spheres included. */
export function reach({ spheres }: Scene): number {
  return Math.max(...spheres.map(({ point, radius }) => Math.hypot(...point) + radius));
}

export const shapes = ["box", "sphere", "capsule"] as const;
export type ShapeName = (typeof shapes)[number];

/** A random solid with its contact spheres; `size` bounds its smallest dimension from below and three times it from above. */
export function randomSolid(
  random: Random,
  shape: ShapeName,
  size: number,
): { body: BodyDescription; spheres: ContactSphere[] } {
  const mass = 10 ** random.uniform(-2, 2);
  const length = (): number => size * random.uniform(1, 3);
  if (shape === "box") {
    const body = box({ size: [length(), length(), length()], mass });
    return { body, spheres: asPoints(boxCorners(body)) };
  }
  if (shape === "sphere") {
    const body = sphere({ radius: length() / 2, mass });
    return { body, spheres: [sphereContact(body)] };
  }
  const body = capsule({ radius: length() / 2, length: length(), mass });
  return { body, spheres: capsuleEnds(body) };
}

/** Above the plane in any attitude, at most `speed` fast in any direction and spinning at most `spin` fast. */
export function randomThrow(scene: Scene, random: Random, speed: number, spin: number): Float64Array {
  const height = reach(scene) * random.uniform(1.01, 2) + scene.mechanism.timestep * speed;
  const v = random.unitVector().map((entry) => entry * random.uniform(0, speed)) as unknown as Vector3;
  const w = random.unitVector().map((entry) => entry * random.uniform(0, spin)) as unknown as Vector3;
  return bodyState([random.uniform(-1, 1), random.uniform(-1, 1), height], random.quaternion(), v, w);
}

/** What the solver did over many steps. */
export class StepCount {
  steps = 0;
  iterations = 0;
  most = 0;
  retries = 0;
  substepped = 0;
  /** Steps that were not solved, each with its label. */
  readonly failures: string[] = [];
  /** Steps that took more than thirty iterations. */
  readonly slow: string[] = [];

  add(result: StepResult, label: string): void {
    this.steps++;
    this.iterations += result.iterations;
    this.most = Math.max(this.most, result.iterations);
    this.retries += result.retries;
    if (result.substeps > 1) this.substepped++;
    if (result.status !== "solved") this.failures.push(`${label}: ${result.status}`);
    else if (result.iterations > 30) this.slow.push(`${label}: ${result.iterations}`);
  }

  get row(): Row {
    const mean = (this.iterations / this.steps).toFixed(2);
    return { steps: this.steps, mean, most: this.most, retries: this.retries, substepped: this.substepped };
  }
}

export type Visit = (next: Float64Array, before: Float64Array, step: number, result: StepResult) => void;

/** Steps one after another, counted, up to the first that is not solved; returns the last state. */
export function run(
  { simulation }: Pick<Scene, "simulation">,
  start: Float64Array,
  steps: number,
  count: StepCount,
  label = "",
  visit?: Visit,
): Float64Array {
  let state: Float64Array = start;
  for (let k = 0; k < steps; k++) {
    const result = simulation.step(state);
    count.add(result, `${label} step ${k}`);
    if (result.status !== "solved") return state;
    const next = Float64Array.from(result.next);
    visit?.(next, state, k, result);
    state = next;
  }
  return state;
}

export type Row = Record<string, string | number>;

export const short = (value: number): string => (value === 0 ? "0" : value.toExponential(1));

/** A small table, one line per row. */
export function printTable(title: string, rows: readonly Row[]): void {
  const names = Object.keys(rows[0]);
  const lines = [names, ...rows.map((row) => names.map((name) => String(row[name])))];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  const text = lines.map((line) => line.map((entry, i) => entry.padStart(widths[i])).join("  "));
  console.log([`\n${title}`, ...text].join("\n"));
}
