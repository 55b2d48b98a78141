/**
 * Minimal states ⇄ MuJoCo's qpos and qvel. Hinges and slides are one number each, up to sign and offset. Rotations that are free
 * are a rotation vector here, with its rate in the child's joint frame, and a unit quaternion there, with the angular velocity in
 * the frame of the child body:
 *   quaternion = L r R,    ω = W · rate                          r the rotation of the rotation vector
 *   quaternion = L r⁻¹ R,  ω = −L r · rate                       where MuJoCo's child is the joint's parent
 * A free body's velocity is that of its frame's origin, in world directions, in both.
 */
import { quaternion } from "../../math/index.ts";
import type { Quaternion, Vector3 } from "../../mechanism/index.ts";

export interface ScalarEntry {
  readonly kind: "scalar";
  /** Offset among all joint coordinates. */
  readonly coordinate: number;
  readonly qpos: number;
  readonly dof: number;
  /** qpos = sign·coordinate + offset. */
  readonly sign: 1 | -1;
  readonly offset: number;
}

export interface RotationEntry {
  readonly kind: "rotation";
  /** The first of three. */
  readonly coordinate: number;
  readonly qpos: number;
  readonly dof: number;
  readonly left: Quaternion;
  readonly right: Quaternion;
  /** Turns rates to the frame of MuJoCo's body. */
  readonly rates: Quaternion;
  readonly inverted: boolean;
}

/** u = scale·ctrl + offset, and scale·ctrl of the others where several actuators act on one coordinate. */
export interface InputEntry {
  readonly ctrl: number;
  readonly scale: number;
  readonly offset: number;
  readonly others?: readonly { readonly ctrl: number; readonly scale: number }[];
}

export interface MujocoMap {
  readonly coordinateCount: number;
  readonly qposCount: number;
  readonly dofCount: number;
  readonly ctrlCount: number;
  readonly entries: readonly (ScalarEntry | RotationEntry)[];
  /** One a coordinate; −1 for those that are part of a quaternion, or that MuJoCo does not have. */
  readonly qposOfCoordinate: readonly number[];
  /** One a coordinate; −1 for those that MuJoCo does not have. Rates of free rotations differ by a turn. */
  readonly dofOfCoordinate: readonly number[];
  /** One an input; −1 for those that MuJoCo does not have. */
  readonly ctrlOfInput: readonly number[];
  readonly inputs: readonly InputEntry[];
}

export interface MujocoState {
  readonly qpos: Float64Array;
  readonly qvel: Float64Array;
}

export function makeMap(
  entries: readonly (ScalarEntry | RotationEntry)[],
  counts: Pick<MujocoMap, "coordinateCount" | "qposCount" | "dofCount" | "ctrlCount">,
  inputs: readonly InputEntry[],
): MujocoMap {
  const qposOfCoordinate = new Array<number>(counts.coordinateCount).fill(-1);
  const dofOfCoordinate = new Array<number>(counts.coordinateCount).fill(-1);
  for (const entry of entries) {
    const size = entry.kind === "scalar" ? 1 : 3;
    for (let i = 0; i < size; i++) dofOfCoordinate[entry.coordinate + i] = entry.dof + i;
    if (entry.kind === "scalar") qposOfCoordinate[entry.coordinate] = entry.qpos;
  }
  return { ...counts, entries, qposOfCoordinate, dofOfCoordinate, ctrlOfInput: inputs.map(({ ctrl }) => ctrl), inputs };
}

/** Positions, then velocities, of all joint coordinates → qpos, qvel. */
export function mujocoState(map: MujocoMap, minimal: ArrayLike<number>): MujocoState {
  const qpos = new Float64Array(map.qposCount);
  const qvel = new Float64Array(map.dofCount);
  const n = map.coordinateCount;
  for (const entry of map.entries) {
    const at = entry.coordinate;
    if (entry.kind === "scalar") {
      qpos[entry.qpos] = entry.sign * minimal[at] + entry.offset;
      qvel[entry.dof] = entry.sign * minimal[n + at];
      continue;
    }
    const turn = quaternion.fromRotationVector(three(minimal, at));
    const inner = entry.inverted ? quaternion.conjugate(turn) : turn;
    qpos.set(
      quaternion.normalize(quaternion.multiply(quaternion.multiply(entry.left, inner), entry.right)),
      entry.qpos,
    );
    const rate = three(minimal, n + at);
    const turned = entry.inverted
      ? quaternion.rotate(quaternion.multiply(entry.left, turn), rate).map((value) => -value)
      : quaternion.rotate(entry.rates, rate);
    qvel.set(turned, entry.dof);
  }
  return { qpos, qvel };
}

/** The other way. Coordinates that MuJoCo does not have are zero. */
export function minimalFromMujoco(
  map: MujocoMap,
  { qpos, qvel }: { readonly qpos: ArrayLike<number>; readonly qvel: ArrayLike<number> },
): Float64Array {
  const n = map.coordinateCount;
  const minimal = new Float64Array(2 * n);
  for (const entry of map.entries) {
    const at = entry.coordinate;
    if (entry.kind === "scalar") {
      minimal[at] = entry.sign * (qpos[entry.qpos] - entry.offset);
      minimal[n + at] = entry.sign * qvel[entry.dof];
      continue;
    }
    const given = [0, 1, 2, 3].map((i) => qpos[entry.qpos + i]) as unknown as Quaternion;
    const inner = quaternion.multiply(
      quaternion.multiply(quaternion.conjugate(entry.left), quaternion.normalize(given)),
      quaternion.conjugate(entry.right),
    );
    const turn = entry.inverted ? quaternion.conjugate(inner) : inner;
    minimal.set(quaternion.toRotationVector(turn), at);
    const spin = three(qvel, entry.dof);
    const rate = entry.inverted
      ? quaternion.rotateInverse(quaternion.multiply(entry.left, turn), spin).map((value) => -value)
      : quaternion.rotateInverse(entry.rates, spin);
    minimal.set(rate, n + at);
  }
  return minimal;
}

function three(values: ArrayLike<number>, at: number): Vector3 {
  return [values[at], values[at + 1], values[at + 2]];
}

/** The controls that give these inputs; where an input has several, the first gives all of it and the others are 0. */
export function controlsOf(map: MujocoMap, input: ArrayLike<number>): Float64Array {
  const ctrl = new Float64Array(map.ctrlCount);
  map.inputs.forEach((entry, i) => {
    if (entry.ctrl >= 0) ctrl[entry.ctrl] = (input[i] - entry.offset) / entry.scale;
  });
  return ctrl;
}

/** The inputs that these controls stand for. */
export function inputsOf(map: MujocoMap, ctrl: ArrayLike<number>): Float64Array {
  return Float64Array.from(map.inputs, (entry) => (entry.ctrl < 0 ? 0 : inputOf(entry, ctrl)));
}

export function inputOf({ ctrl: first, scale, offset, others = [] }: InputEntry, ctrl: ArrayLike<number>): number {
  return others.reduce((sum, other) => sum + other.scale * ctrl[other.ctrl], scale * ctrl[first] + offset);
}
