/**
 * Random states and inputs of a random scene: coordinates inside their limits, rates scaled so that every body turns slower than
 * 0.5/h, half-spaces moved to touch or nearly touch the lowest point of what may land on them.
 */
import {
  bodyStateSize,
  jointCoordinates,
  type Mechanism,
  maximalState,
  type Random,
  ShapeDistances,
  type Simulation,
  stateOffsets,
  type Vector3,
} from "dojo-sim";
import type { Scene } from "./scenes.ts";

const g = 9.81;
/** |ω| h of the fastest body a step starts from. */
export const fastestSpin = 0.5;

export interface Start {
  readonly state: Float64Array;
  /** Offsets of the contacts' half-spaces, in contact order. */
  readonly offsets: readonly number[];
  /** Rest positions of the springs, in coordinate order. */
  readonly rests: readonly number[];
  /** Size of the inputs, in units of what each joint can bear. */
  readonly effort: number;
}

export function randomStart(random: Random, scene: Scene, mechanism: Mechanism): Start {
  const positions: Record<string, number[]> = {};
  const rates: Record<string, number[]> = {};
  for (const joint of mechanism.joints) {
    if (!scene.free.has(joint.name)) continue;
    positions[joint.name] = randomCoordinates(random, scene, joint);
    rates[joint.name] = randomRates(random, scene, joint, mechanism.timestep);
  }
  // slow everything down until the fastest body is slow enough
  const target = fastestSpin * 0.999 * random.uniform() ** 1.5;
  let factor = 1;
  let state = stateAt(mechanism, positions, rates, factor);
  for (let spin = largestSpin(mechanism, state); spin > target; spin = largestSpin(mechanism, state)) {
    factor *= Math.min(0.9, (0.98 * target) / spin);
    if (factor < 1e-9) factor = 0;
    state = stateAt(mechanism, positions, rates, factor);
    if (factor === 0) break;
  }
  if (scene.kind === "touching") putDown(random, scene, mechanism, state);
  return {
    state,
    offsets: touchingOffsets(random, scene, mechanism, state),
    rests: nearbyRests(random, scene, mechanism, state),
    effort: [0, 0.1, 1][random.integer(3)],
  };
}

function stateAt(
  mechanism: Mechanism,
  positions: Readonly<Record<string, number[]>>,
  rates: Readonly<Record<string, number[]>>,
  factor: number,
): Float64Array {
  const joints = Object.entries(positions).map(([name, position]) => {
    return [name, { position, velocity: rates[name].map((rate) => factor * rate) }] as const;
  });
  return maximalState(mechanism, Object.fromEntries(joints));
}

type Joint = Mechanism["joints"][number];

function randomCoordinates(random: Random, scene: Scene, joint: Joint): number[] {
  if (joint.shape.translation === 0 && joint.shape.rotation === 0) return basePosition(random, scene);
  const values = joint.coordinates.map(({ motion, lower, upper }) => {
    const reach = motion === "translation" ? 0.5 * scene.size : 1;
    const lo = lower ?? -reach;
    const hi = upper ?? reach;
    // now and then almost at a limit
    const t = random.uniform() < 0.15 ? [1e-4, 1 - 1e-4][random.integer(2)] : random.uniform(0.02, 0.98);
    return lo + t * (hi - lo);
  });
  // a rotation vector shorter than the tilt allows
  const { tiltLimit } = joint;
  if (tiltLimit !== null) {
    const turns = joint.coordinates.map((c, i) => (c.motion === "rotation" ? values[i] : 0));
    const angle = Math.hypot(...turns);
    const allowed = tiltLimit * random.uniform(0, 0.98);
    const shrink = angle > allowed ? allowed / angle : 1;
    return values.map((value, i) => (joint.coordinates[i].motion === "rotation" ? shrink * value : value));
  }
  return values;
}

/** Anywhere near the origin: flat, nearly flat or turned at will. */
function basePosition(random: Random, scene: Scene): number[] {
  const tilt = [0, 1e-3, 0.3, 2][random.integer(4)];
  const place = [0, 1, 2].map(() => 0.2 * scene.size * random.uniform(-1, 1));
  // stacked bodies start above each other
  return [place[0], place[1], place[2], ...[0, 1, 2].map(() => tilt * random.uniform(-1, 1))];
}

function randomRates(random: Random, scene: Scene, joint: Joint, h: number): number[] {
  const speed = Math.min(3 * Math.sqrt(g * scene.size), (0.3 * scene.size) / h) * random.uniform() ** 2;
  const spin = (fastestSpin / h) * random.uniform() ** 2;
  const direction = random.unitVector();
  return joint.coordinates.map(({ motion }, i) => (motion === "translation" ? speed : spin) * direction[i % 3]);
}

export function largestSpin(mechanism: Mechanism, state: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < mechanism.bodies.length; i++) {
    const at = bodyStateSize * i + stateOffsets.angularVelocity;
    largest = Math.max(largest, mechanism.timestep * Math.hypot(state[at], state[at + 1], state[at + 2]));
  }
  return largest;
}

function touchingOffsets(random: Random, scene: Scene, mechanism: Mechanism, state: Float64Array): number[] {
  const gap = scene.size * [1e-6, 1e-3, 0.05, 0.5][random.integer(4)];
  const lowest = new Map<string, number>();
  const contacts = mechanism.contacts.filter((contact) => contact.feature === "pointPlane");
  const keyOf = (contact: (typeof contacts)[number]): string => `${contact.other} ${contact.normal.join(" ")}`;
  for (const contact of contacts) {
    const point = pointInWorld(state, contact.body, contact.point);
    const local = contact.other < 0 ? point : pointInBody(state, contact.other, point);
    const height = dot(local, contact.normal) - contact.radius;
    lowest.set(keyOf(contact), Math.min(height, lowest.get(keyOf(contact)) ?? Infinity));
  }
  return contacts.map((contact) => (lowest.get(keyOf(contact)) as number) - gap);
}

/** Lowers free bodies one after the other until they touch, or nearly touch, the floor or one that is there already. */
function putDown(random: Random, scene: Scene, mechanism: Mechanism, state: Float64Array): void {
  const gap = scene.size * [1e-6, 1e-3, 0.05, 0.5][random.integer(4)];
  const distances = new ShapeDistances(mechanism);
  const count = mechanism.bodies.length;
  // no body is longer than twice the size, and out of the others' way it waits far above
  const pitch = 4 * scene.size;
  for (let i = 0; i < count; i++) state[bodyStateSize * i + 2] = (count + i + 1) * pitch;
  for (let i = 0; i < count; i++) {
    const at = bodyStateSize * i + 2;
    let [low, high] = [-pitch, (i + 1) * pitch];
    for (let halving = 0; halving < 50; halving++) {
      state[at] = (low + high) / 2;
      if (distances.at(state, gap).length > 0) low = state[at];
      else high = state[at];
    }
    state[at] = high;
  }
}

/** Springs are stretched by no more than a tenth of a radian or of the size per (hω_n)², however stiff: that is a tenth a step. */
function nearbyRests(random: Random, scene: Scene, mechanism: Mechanism, state: Float64Array): number[] {
  const values = jointCoordinates(mechanism, state);
  const h = mechanism.timestep;
  return mechanism.joints.flatMap((joint) => {
    const mass = Math.min(mechanism.bodies[joint.child].mass, mechanism.bodies[joint.parent]?.mass ?? Infinity);
    return joint.coordinates.map(({ stiffness, motion }, i) => {
      const isSlide = motion === "translation";
      const inertia = isSlide ? mass : mass * scene.size ** 2;
      const stretch = Math.min(1, 0.1 / ((stiffness * h * h) / inertia + 1e-9)) * (isSlide ? scene.size : 1);
      return values[joint.coordinateOffset + i] + stretch * random.uniform(-1, 1);
    });
  });
}

/** Puts a start's half-spaces and springs where they belong. */
export function setScene(simulation: Simulation, { offsets, rests }: Start): void {
  const { contacts, joints } = simulation.mechanism;
  contacts.forEach(({ name }, i) => {
    simulation.setParameter(`contacts.${name}.offset`, offsets[i]);
  });
  for (const { name, coordinates, coordinateOffset } of joints) {
    coordinates.forEach(({ stiffness }, i) => {
      if (stiffness > 0) simulation.setParameter(`joints.${name}.rest.${i}`, rests[coordinateOffset + i]);
    });
  }
}

/** Forces and torques of what the lighter side of each joint weighs, and no more than turn it by a tenth of a radian a step. */
export function randomInput(
  random: Random,
  scene: Scene,
  mechanism: Mechanism,
  effort: number,
  out: Float64Array,
): void {
  const h = mechanism.timestep;
  for (const joint of mechanism.joints) {
    const child = mechanism.bodies[joint.child];
    const parent = joint.parent < 0 ? child : mechanism.bodies[joint.parent];
    const mass = Math.min(child.mass, parent.mass);
    const inertia = Math.min(child.mass * child.gyration ** 2, parent.mass * parent.gyration ** 2);
    for (const { motion, input } of joint.coordinates) {
      if (input < 0) continue;
      const bearable = motion === "translation" ? mass * g : Math.min(mass * g * scene.size, (0.1 * inertia) / (h * h));
      out[input] = effort * bearable * random.uniform(-1, 1);
    }
  }
}

/** Largest distance between the two anchors of a joint without free translations, in units of the scene. */
export function anchorError(scene: Scene, mechanism: Mechanism, state: Float64Array): number {
  let largest = 0;
  for (const { shape, parent, child, frames } of mechanism.joints) {
    if (shape.translation !== 3) continue;
    const a = parent < 0 ? frames.parentAnchor : pointInWorld(state, parent, frames.parentAnchor);
    const b = pointInWorld(state, child, frames.childAnchor);
    largest = Math.max(largest, Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / scene.size);
  }
  return largest;
}

function dot(a: Vector3, b: Vector3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function pointInWorld(state: Float64Array, body: number, point: Vector3): Vector3 {
  const at = bodyStateSize * body;
  const [w, x, y, z] = state.subarray(at + 3, at + 7);
  const turned = rotate(w, x, y, z, point);
  return [state[at] + turned[0], state[at + 1] + turned[1], state[at + 2] + turned[2]];
}

function pointInBody(state: Float64Array, body: number, point: Vector3): Vector3 {
  const at = bodyStateSize * body;
  const [w, x, y, z] = state.subarray(at + 3, at + 7);
  return rotate(w, -x, -y, -z, [point[0] - state[at], point[1] - state[at + 1], point[2] - state[at + 2]]);
}

/** p + 2w (u × p) + 2 u × (u × p). */
function rotate(w: number, x: number, y: number, z: number, [px, py, pz]: Vector3): Vector3 {
  const [cx, cy, cz] = [y * pz - z * py, z * px - x * pz, x * py - y * px];
  return [
    px + 2 * (w * cx + y * cz - z * cy),
    py + 2 * (w * cy + z * cx - x * cz),
    pz + 2 * (w * cz + x * cy - y * cx),
  ];
}
