/**
 * States of bodies from joint coordinates, by rotation matrices: nothing here knows a quaternion's product, a joint frame or an expression.
 *   R_b = R_a J D,   x_b = x_a + R_a (p_a + d) − R_b p_b
 * J is the turn of the joint in the parent's directions, D the child's orientation at zero coordinates, d the displacement. One step
 * earlier displacements and angles are θ − h θ̇; where a joint turns by a rotation vector, the step's own turn T, of which 2 sin(φ/2)/h
 * about its axis is the velocity, is taken off in the child: J₋ = J Tᵀ. Velocities are v = (x − x₋)/h, and ω = 2 sin(φ/2)/h about the axis of
 * R₋ᵀ R.
 */
import type { JointDescription, Mechanism, Vector3 } from "../../src/index.ts";
import { jointFreedom } from "../../src/mechanism/index.ts";

/** By rows. */
export type Rotation = readonly Vector3[];

export interface PlainPose {
  readonly position: Vector3;
  readonly rotation: Rotation;
}

const one: Rotation = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const origin: PlainPose = { position: [0, 0, 0], rotation: one };

export const times = (m: Rotation, v: Vector3): Vector3 => [inner(m[0], v), inner(m[1], v), inner(m[2], v)];
export const inner = (a: Vector3, b: Vector3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const turnedBack = (m: Rotation): Rotation => [0, 1, 2].map((j) => [m[0][j], m[1][j], m[2][j]]);
const product = (a: Rotation, b: Rotation): Rotation => {
  const columns = turnedBack(b);
  return a.map((row) => [inner(row, columns[0]), inner(row, columns[1]), inner(row, columns[2])]);
};
const plus = (a: Vector3, b: Vector3, scale = 1): Vector3 => [
  a[0] + scale * b[0],
  a[1] + scale * b[1],
  a[2] + scale * b[2],
];
const scaled = (v: Vector3, scale: number): Vector3 => plus([0, 0, 0], v, scale);
const crossed = (a: Vector3, b: Vector3): Vector3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** Rodrigues: cos φ 1 + sin φ [a]× + (1 − cos φ) a aᵀ. */
function turnAbout(vector: Vector3): Rotation {
  const angle = Math.hypot(...vector);
  if (angle === 0) return one;
  const a = scaled(vector, 1 / angle);
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const columns = one.map((e) => plus(plus(scaled(e, c), crossed(a, e), s), a, (1 - c) * inner(a, e)));
  return turnedBack(columns);
}

/** sin φ about the axis, and cos(φ/2). */
function turnOf(m: Rotation): { readonly sine: Vector3; readonly halfCosine: number } {
  const sine: Vector3 = [(m[2][1] - m[1][2]) / 2, (m[0][2] - m[2][0]) / 2, (m[1][0] - m[0][1]) / 2];
  return { sine, halfCosine: Math.sqrt(1 + m[0][0] + m[1][1] + m[2][2]) / 2 };
}

/** The rotation matrix of a unit quaternion (w, x, y, z), entry by entry. */
export function matrixOf(q: ArrayLike<number>): Rotation {
  const [w, x, y, z] = Array.from(q);
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}

/** As it was described. */
function described({ description, joints }: Mechanism, joint: number): JointDescription {
  return (description.joints as Record<string, JointDescription>)[joints[joint].name];
}

/** Turn and displacement of a joint in the parent's directions. */
interface Across {
  readonly turn: Rotation;
  readonly shift: Vector3;
}

function across(joint: JointDescription, values: readonly number[]): Across {
  const { freeAxes } = jointFreedom(joint);
  const along = (motion: string): Vector3 =>
    freeAxes.reduce<Vector3>(
      (sum, axis, i) => (axis.motion === motion ? plus(sum, axis.direction, values[i]) : sum),
      [0, 0, 0],
    );
  const isHinges = joint.kind === "universal" || joint.kind === "serial";
  if (!isHinges) return { turn: turnAbout(along("rotation")), shift: along("translation") };
  const turns = freeAxes.map(({ direction }, i) => turnAbout(scaled(direction, values[i])));
  const turn = turns.reduce(product, one);
  if (!joint.axisOffset || freeAxes.length < 2) return { turn, shift: [0, 0, 0] };
  // the second axis passes the first along their common perpendicular
  const [first, second] = freeAxes.map(({ direction }) => direction);
  const normal = crossed(first, times(turns[0], second));
  return { turn, shift: scaled(normal, joint.axisOffset / Math.hypot(...normal)) };
}

/** Whether a joint's rates are an angular velocity: two or three free rotations that are no hinges. */
function turnsByVector(joint: JointDescription): boolean {
  const rotations = jointFreedom(joint).freeAxes.filter(({ motion }) => motion === "rotation");
  return rotations.length > 1 && joint.kind !== "universal" && joint.kind !== "serial";
}

function acrossBefore(joint: JointDescription, values: readonly number[], rates: readonly number[], h: number): Across {
  const earlier = across(
    joint,
    values.map((value, i) => value - h * rates[i]),
  );
  if (!turnsByVector(joint)) return earlier;
  const now = across(joint, values).turn;
  const axes = jointFreedom(joint).freeAxes.flatMap(({ motion, direction }, i) =>
    motion === "rotation" ? [{ direction, rate: rates[i] }] : [],
  );
  const free = axes.reduce<Vector3>((sum, { direction, rate }) => plus(sum, direction, rate), [0, 0, 0]);
  const before = (spin: Vector3): Rotation => {
    const length = Math.hypot(...spin);
    const angle = 2 * Math.asin((h / 2) * length);
    return product(now, turnedBack(turnAbout(scaled(spin, length === 0 ? 0 : angle / length))));
  };
  if (axes.length === 3) return { turn: before(free), shift: earlier.shift };
  // the spin about the axis that keeps the tilt free of a turn about it
  const axis = crossed(axes[0].direction, axes[1].direction);
  const twist = (spin: number): number => inner(turnOf(before(plus(free, axis, spin))).sine, axis);
  let [low, high] = [-0.5 / h, 0.5 / h];
  for (let k = 0; k < 200 && high - low > 0; k++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (twist(middle) > 0 === twist(low) > 0) low = middle;
    else high = middle;
  }
  return { turn: before(plus(free, axis, low)), shift: earlier.shift };
}

const anchors = ({
  parentAnchor = [0, 0, 0],
  childAnchor = [0, 0, 0],
  orientation = [1, 0, 0, 0],
}: JointDescription) => ({
  parentAnchor,
  childAnchor,
  rest: matrixOf(orientation),
});

function childOf(joint: JointDescription, { turn, shift }: Across, parent: PlainPose): PlainPose {
  const { parentAnchor, childAnchor, rest } = anchors(joint);
  const rotation = product(product(parent.rotation, turn), rest);
  const point = plus(parent.position, times(parent.rotation, plus(parentAnchor, shift)));
  return { rotation, position: plus(point, times(rotation, childAnchor), -1) };
}

function parentOf(joint: JointDescription, { turn, shift }: Across, child: PlainPose): PlainPose {
  const { parentAnchor, childAnchor, rest } = anchors(joint);
  const rotation = product(child.rotation, turnedBack(product(turn, rest)));
  const point = plus(child.position, times(child.rotation, childAnchor));
  return { rotation, position: plus(point, times(rotation, plus(parentAnchor, shift)), -1) };
}

/** All bodies' poses, by whichever joints reach them first. */
function placed(mechanism: Mechanism, acrossOf: (joint: number) => Across): PlainPose[] {
  const { joints, bodies } = mechanism;
  const poses = new Map<number, PlainPose>([[-1, origin]]);
  for (let last = 0; poses.size > last; ) {
    last = poses.size;
    for (const { index, parent, child } of joints) {
      const [above, below] = [poses.get(parent), poses.get(child)];
      const joint = described(mechanism, index);
      if (above && !below) poses.set(child, childOf(joint, acrossOf(index), above));
      if (below && !above) poses.set(parent, parentOf(joint, acrossOf(index), below));
    }
  }
  return bodies.map(({ index }) => poses.get(index) as PlainPose);
}

/** Now, and one step earlier, for joint values and then rates `x`. */
export function plainPoses(mechanism: Mechanism, x: ArrayLike<number>, h: number): [PlainPose[], PlainPose[]] {
  const { joints, coordinateCount } = mechanism;
  const part = (joint: number, from: number): number[] => {
    const { coordinates, coordinateOffset } = joints[joint];
    return coordinates.map((_, i) => x[from + coordinateOffset + i]);
  };
  const now = placed(mechanism, (joint) => across(described(mechanism, joint), part(joint, 0)));
  const before = placed(mechanism, (joint) =>
    acrossBefore(described(mechanism, joint), part(joint, 0), part(joint, coordinateCount), h),
  );
  return [now, before];
}

export interface PlainState extends PlainPose {
  readonly velocity: Vector3;
  /** In the body's own directions. */
  readonly angularVelocity: Vector3;
}

/** Of every body. */
export function plainState(mechanism: Mechanism, x: ArrayLike<number>, h: number): PlainState[] {
  const [now, before] = plainPoses(mechanism, x, h);
  return now.map((pose, body) => {
    const { sine, halfCosine } = turnOf(product(turnedBack(before[body].rotation), pose.rotation));
    return {
      ...pose,
      velocity: scaled(plus(pose.position, before[body].position, -1), 1 / h),
      angularVelocity: scaled(sine, 1 / (h * halfCosine)),
    };
  });
}

/** The flat state: 13 numbers per body, quaternions with w ≥ 0. */
export function flatState(states: readonly PlainState[]): Float64Array {
  return Float64Array.from(
    states.flatMap(({ position, rotation, velocity, angularVelocity }) => {
      const { sine, halfCosine } = turnOf(rotation);
      return [...position, halfCosine, ...scaled(sine, 1 / (2 * halfCosine)), ...velocity, ...angularVelocity];
    }),
  );
}

/** Now and one step earlier, from a flat state: x₋ = x − h v, and T of sine-half h ω/2 is taken off R. */
function posesOf(mechanism: Mechanism, state: Float64Array, h: number): [PlainPose[], PlainPose[]] {
  const at = (body: number, from: number): Vector3 => [0, 1, 2].map((k) => state[13 * body + from + k]) as never;
  const now = mechanism.bodies.map(({ index }) => {
    const q = state.subarray(13 * index + 3, 13 * index + 7);
    const length = Math.hypot(...q);
    return { position: at(index, 0), rotation: matrixOf(q.map((entry) => entry / length)) };
  });
  const before = now.map(({ position, rotation }, body) => {
    const spin = at(body, 10);
    const length = Math.hypot(...spin);
    const turn = turnAbout(scaled(spin, length === 0 ? 0 : (2 * Math.asin((h / 2) * length)) / length));
    return {
      position: plus(position, at(body, 7), -h),
      rotation: product(rotation, turnedBack(turn)),
    };
  });
  return [now, before];
}

/** The largest distance and angle by which any joint is off, now or one step earlier. */
export function plainGaps(mechanism: Mechanism, state: Float64Array, h: number): { length: number; angle: number } {
  let [length, angle] = [0, 0];
  for (const poses of posesOf(mechanism, state, h)) {
    for (const { index, parent, child } of mechanism.joints) {
      const joint = described(mechanism, index);
      const { parentAnchor, childAnchor, rest } = anchors(joint);
      const [above, below] = [parent < 0 ? origin : poses[parent], child < 0 ? origin : poses[child]];
      const back = turnedBack(above.rotation);
      const turn = product(product(back, below.rotation), turnedBack(rest));
      const point = plus(below.position, times(below.rotation, childAnchor));
      const shift = plus(times(back, plus(point, above.position, -1)), parentAnchor, -1);
      const gaps = gapsAcross(joint, { turn, shift });
      [length, angle] = [Math.max(length, gaps.length), Math.max(angle, gaps.angle)];
    }
  }
  return { length, angle };
}

function gapsAcross(joint: JointDescription, { turn, shift }: Across): { length: number; angle: number } {
  const { freeAxes, constrainedRotations } = jointFreedom(joint);
  const directions = (motion: string): Vector3[] =>
    freeAxes.flatMap((axis) => (axis.motion === motion ? [axis.direction] : []));
  const isHinges = joint.kind === "universal" || joint.kind === "serial";
  const [first, second] = directions("rotation");
  let off = directions("translation").reduce((sum, axis) => plus(sum, axis, -inner(shift, axis)), shift);
  if (isHinges && second && joint.axisOffset) {
    const normal = crossed(first, times(turn, second));
    off = plus(off, normal, -joint.axisOffset / Math.hypot(...normal));
  }
  const length = Math.hypot(...off);
  if (constrainedRotations === 0) return { length, angle: 0 };
  const { sine, halfCosine } = turnOf(turn);
  if (constrainedRotations === 3) return { length, angle: Math.hypot(...sine) / halfCosine };
  if (constrainedRotations === 2) return { length, angle: Math.hypot(...plus(times(turn, first), first, -1)) };
  if (isHinges) return { length, angle: Math.abs(inner(first, times(turn, second)) - inner(first, second)) };
  return { length, angle: Math.abs(inner(sine, crossed(first, second))) / halfCosine };
}
