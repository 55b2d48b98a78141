/** MuJoCo beside an imported or exported mechanism: masses, poses and accelerations from both. */
import type loadMujoco from "@mujoco/mujoco";
import { inputsOf, type MjcfImport, type MujocoMap, minimalFromMujoco } from "../../src/formats/index.ts";
import type { Matrix3, Quaternion, Vector3 } from "../../src/index.ts";
import {
  compile,
  type JointDescription,
  jointRates,
  type Mechanism,
  type MechanismDescription,
  maximalFromMinimal,
  Random,
  Simulation,
} from "../../src/index.ts";
import { matrix3, quaternion, vector } from "../../src/math/index.ts";

export type Mujoco = Awaited<ReturnType<typeof loadMujoco>>;
export type MujocoModel = NonNullable<ReturnType<Mujoco["MjModel"]["from_xml_string"]>>;

/** What MuJoCo can load without the mesh and texture files. */
export function withoutFiles(text: string): string {
  return text
    .replace(/<mesh\b[^>]*\/>/g, "")
    .replace(/<texture\b[^>]*\bfile=[^>]*\/>/g, "")
    .replace(/<geom\b[^>]*\bmesh=[^>]*\/>/g, "")
    .replace(/(<material\b[^>]*?)\stexture="[^"]*"/g, (all, head) => (all.includes("grid") ? all : head));
}

/**
 * What accelerations are compared of: without actuators on tendons, which need the equality that ties their joints; without bounds of
 * forces, which a step of a microsecond hardly resolves; without keyframes, which count actuators.
 */
export const forAccelerations = (text: string): string =>
  text
    .replace(/<general\b[^>]*\btendon=[^>]*\/>/g, "")
    .replace(/\sforcerange="[^"]*"/g, "")
    .replace(/<keyframe>[\s\S]*<\/keyframe>/g, "");

const DISABLE_CONSTRAINTS = 1;

/** Files that a model names, by their paths from it. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

export function loadModel(mujoco: Mujoco, xml: string, files: Files = {}): MujocoModel {
  const folder = new mujoco.MjVFS();
  for (const [name, content] of Object.entries(files)) {
    folder.addBuffer(name, typeof content === "string" ? new TextEncoder().encode(content) : content);
  }
  try {
    const model = mujoco.MjModel.from_xml_string(xml, folder);
    if (!model) throw new Error("MuJoCo refuses the model");
    return model;
  } finally {
    folder.delete();
  }
}

/** A mechanism that nothing but its joints holds: what accelerations are compared with. */
function withoutConstraints(description: MechanismDescription, timestep: number): MechanismDescription {
  const compiled = compile(description);
  const loops = new Set(compiled.loopJoints.map((index) => compiled.joints[index].name));
  const joints: [string, JointDescription][] = [];
  for (const [name, joint] of Object.entries(description.joints ?? {})) {
    if (loops.has(name)) continue;
    const { limits, friction, tiltLimit, ...kept } = joint;
    joints.push([name, kept]);
  }
  const { contacts, gears = {}, states, stateInputs, ...rest } = description;
  const springs = Object.entries(gears).filter(([, { stiffness, damping }]) => (stiffness ?? damping) !== undefined);
  return { ...rest, timestep, joints: Object.fromEntries(joints), gears: Object.fromEntries(springs) };
}

/** qpos and qvel at random: hinges and slides within their ranges. */
export function randomMujocoState(model: MujocoModel, random: Random, speed = 1) {
  const qpos = new Float64Array(model.nq);
  const qvel = Float64Array.from({ length: model.nv }, () => random.uniform(-speed, speed));
  for (let j = 0; j < model.njnt; j++) {
    const at = model.jnt_qposadr[j];
    const type = model.jnt_type[j];
    if (type === 0) {
      for (let k = 0; k < 3; k++) qpos[at + k] = random.uniform(-1, 1);
      qpos.set(random.quaternion(), at + 3);
    } else if (type === 1) qpos.set(random.quaternion(), at);
    else {
      const [low, high] = [model.jnt_range[2 * j], model.jnt_range[2 * j + 1]];
      const bounded = low < high && high - low < 1e3;
      qpos[at] = bounded ? random.uniform(Math.max(low, -1.4), Math.min(high, 1.4)) : random.uniform(-1.4, 1.4);
    }
  }
  return { qpos, qvel };
}

export interface Mass {
  readonly mass: number;
  readonly center: Vector3;
  readonly inertia: Matrix3;
}

const zeroMatrix = matrix3.diagonal(0, 0, 0);

function totalMass(parts: readonly (Mass & { readonly turn: Quaternion })[]): Mass {
  const mass = parts.reduce((sum, part) => sum + part.mass, 0);
  let center: Vector3 = vector.zero;
  for (const part of parts) center = vector.add(center, vector.scale(part.center, part.mass / mass));
  let inertia = zeroMatrix;
  for (const part of parts) {
    const turned = matrix3.rotateInertia(part.inertia, part.turn);
    inertia = matrix3.add(inertia, matrix3.parallelAxis(turned, part.mass, vector.sub(part.center, center)));
  }
  return { mass, center, inertia };
}

const three = (values: ArrayLike<number>, at: number): Vector3 => [values[at], values[at + 1], values[at + 2]];
const four = (values: ArrayLike<number>, at: number): Quaternion =>
  [...three(values, at), values[at + 3]] as Quaternion;

/** Of all bodies that move. */
function mujocoMass(model: MujocoModel, data: InstanceType<Mujoco["MjData"]>): Mass {
  const parts = [];
  for (let b = 1; b < model.nbody; b++) {
    if (model.body_weldid[b] === 0 || !(model.body_mass[b] > 0)) continue;
    const m = Array.from(data.ximat.subarray(9 * b, 9 * b + 9));
    const rows = [m.slice(0, 3), m.slice(3, 6), m.slice(6)] as unknown as Matrix3;
    parts.push({
      mass: model.body_mass[b],
      center: three(data.xipos, 3 * b),
      inertia: matrix3.diagonal(...three(model.body_inertia, 3 * b)),
      turn: quaternion.fromMatrix(rows),
    });
  }
  return totalMass(parts);
}

function ourMass(mechanism: Mechanism, state: Float64Array): Mass {
  return totalMass(
    mechanism.bodies.map(({ mass, inertia, index }) => ({
      mass,
      inertia,
      center: three(state, 13 * index),
      turn: four(state, 13 * index + 3),
    })),
  );
}

function bodyPose(state: Float64Array, index: number) {
  return index < 0
    ? { position: vector.zero, orientation: quaternion.identity }
    : { position: three(state, 13 * index), orientation: four(state, 13 * index + 3) };
}

/** Angle between two orientations, by the chord of their quaternions. */
function turnBetween(a: Quaternion, b: Quaternion): number {
  const difference = quaternion.multiply(quaternion.conjugate(a), b);
  return 2 * vector.norm(difference.slice(1));
}

const POSES = 100;

export interface Compared {
  readonly description: MechanismDescription;
  readonly map: MujocoMap;
  /** The frame of MuJoCo's body in ours. */
  frame(
    name: string,
    index: number,
  ): {
    readonly body: string;
    readonly position: readonly number[];
    readonly orientation: readonly number[];
  };
}

/** Largest differences of mass, centre, inertia and poses of all bodies. */
export function geometryError(mujoco: Mujoco, xml: string, { description, map, frame }: Compared, files: Files = {}) {
  const model = loadModel(mujoco, xml, files);
  const data = new mujoco.MjData(model);
  const mechanism = compile(description);
  const random = new Random(7);
  const worst = { mass: 0, center: 0, inertia: 0, position: 0, turn: 0 };
  const more = (key: keyof typeof worst, value: number): void => {
    worst[key] = Math.max(worst[key], Number.isFinite(value) ? value : Number.POSITIVE_INFINITY);
  };
  for (let k = 0; k < POSES; k++) {
    const start = randomMujocoState(model, random);
    data.qpos.set(start.qpos);
    data.qvel.set(start.qvel);
    mujoco.mj_forward(model, data);
    const state = maximalFromMinimal(mechanism, minimalFromMujoco(map, start), 1e-3);
    for (let b = 1; b < model.nbody; b++) {
      const name = model.body(b).name;
      const { body, position, orientation } = frame(name, b);
      const index = body === "world" ? -1 : mechanism.bodies.findIndex((one) => one.name === body);
      const pose = bodyPose(state, index);
      const at = vector.add(pose.position, quaternion.rotate(pose.orientation, position as never));
      more("position", vector.norm(vector.sub(at, Array.from(data.xpos.subarray(3 * b, 3 * b + 3)) as never)));
      const turn = quaternion.multiply(pose.orientation, orientation as never);
      more("turn", turnBetween(turn, Array.from(data.xquat.subarray(4 * b, 4 * b + 4)) as never));
    }
    const [theirs, ours] = [mujocoMass(model, data), ourMass(mechanism, state)];
    more("mass", Math.abs(ours.mass / theirs.mass - 1));
    more("center", vector.norm(vector.sub(ours.center, theirs.center)));
    const size = Math.max(...theirs.inertia.flat().map(Math.abs));
    ours.inertia.flat().forEach((entry, i) => {
      more("inertia", Math.abs(entry - theirs.inertia.flat()[i]) / size);
    });
  }
  data.delete();
  model.delete();
  return worst;
}

export interface AccelerationCase {
  readonly files?: Files;
  readonly mujoco: Mujoco;
  readonly xml: string;
  readonly description: MechanismDescription;
  readonly map: MujocoMap;
  readonly seed: number;
  readonly count: number;
}

/** Dampers act at the end of the step, an error of h times damping over inertia: it cancels between this and twice this. */
const SMALL_STEP = 2e-6;

/** Largest difference of joint accelerations from MuJoCo's over their largest size, at random states and controls. */
export function accelerationError({ mujoco, xml, files, description, map, seed, count }: AccelerationCase): number {
  const model = loadModel(mujoco, xml, files);
  model.opt.disableflags |= DISABLE_CONSTRAINTS;
  const data = new mujoco.MjData(model);
  const simulations = [1, 2].map((k) => new Simulation(compile(withoutConstraints(description, k * SMALL_STEP))));
  const random = new Random(seed);
  // those that are left without the joints that close loops
  const all = compile(description).coordinateNames;
  const kept = simulations[0].mechanism.coordinateNames.map((name) => all.indexOf(name));
  let worst = 0;
  try {
    for (let k = 0; k < count; k++) {
      const start = randomMujocoState(model, random);
      const ctrl = Float64Array.from({ length: model.nu }, (_, i) => {
        const [low, high] = [model.actuator_ctrlrange[2 * i], model.actuator_ctrlrange[2 * i + 1]];
        return low < high && high - low < 1e3 ? random.uniform(low, high) : random.uniform(-1, 1);
      });
      data.qpos.set(start.qpos);
      data.qvel.set(start.qvel);
      data.ctrl.set(ctrl);
      mujoco.mj_forward(model, data);
      const whole = minimalFromMujoco(map, start);
      const minimal = Float64Array.from([...kept, ...kept.map((i) => map.coordinateCount + i)], (i) => whole[i]);
      const [once, twice] = simulations.map((simulation) => accelerations(simulation, minimal, inputsOf(map, ctrl)));
      // rates of free rotations turn with a frame that is fixed in the body, and so do their changes
      const theirs = minimalFromMujoco(map, { qpos: start.qpos, qvel: data.qacc }).subarray(map.coordinateCount);
      // rounding of positions is 1e-5 of an acceleration
      const size = Math.max(1, ...theirs.map(Math.abs));
      once.forEach((value, i) => {
        worst = Math.max(worst, Math.abs(2 * value - twice[i] - theirs[kept[i]]) / size);
      });
    }
  } finally {
    data.delete();
    model.delete();
  }
  return worst;
}

function accelerations(simulation: Simulation, minimal: Float64Array, input: Float64Array): Float64Array {
  const { mechanism, timestep: h } = simulation;
  const state = maximalFromMinimal(mechanism, minimal, h);
  const { status, next } = simulation.step(state, input);
  if (status !== "solved") throw new Error(status);
  const rates = jointRates(mechanism, state, h);
  return jointRates(mechanism, next, h).map((rate, i) => (rate - rates[i]) / h);
}

/** Largest differences of the axes and anchors of all hinges and slides that are joints of their own, at random poses. */
export function axisError(
  mujoco: Mujoco,
  xml: string,
  { description, map, names }: Pick<MjcfImport, "description" | "map" | "names">,
): { readonly axis: number; readonly anchor: number; readonly count: number } {
  const model = loadModel(mujoco, xml);
  const data = new mujoco.MjData(model);
  const mechanism = compile(description);
  const random = new Random(11);
  const worst = { axis: 0, anchor: 0, count: 0 };
  for (let k = 0; k < 10; k++) {
    const start = randomMujocoState(model, random);
    data.qpos.set(start.qpos);
    mujoco.mj_forward(model, data);
    const state = maximalFromMinimal(mechanism, minimalFromMujoco(map, start), 1e-3);
    for (let j = 0; j < model.njnt; j++) {
      const own = mechanism.joints.find(({ name }) => name === names.joints[model.jnt(j).name]?.joint);
      if (own?.coordinates.length !== 1) continue;
      const pose = bodyPose(state, own.parent);
      const axis = quaternion.rotate(quaternion.multiply(pose.orientation, own.frames.parentFrame), vector.unitZ);
      const anchor = vector.add(pose.position, quaternion.rotate(pose.orientation, own.frames.parentAnchor));
      worst.axis = Math.max(worst.axis, vector.norm(vector.sub(axis, three(data.xaxis, 3 * j))));
      if (model.jnt_type[j] === 3) {
        worst.anchor = Math.max(worst.anchor, vector.norm(vector.sub(anchor, three(data.xanchor, 3 * j))));
      }
      if (k === 0) worst.count++;
    }
  }
  data.delete();
  model.delete();
  return worst;
}
