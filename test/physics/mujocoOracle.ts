/**
 * A tree mechanism in MuJoCo: its description as MJCF, and its motion by the Runge-Kutta method at a fine step. Body frames are
 * the engine's own (origin at the centre of mass), so poses compare directly; joint kinds become slides, hinges, balls.
 */
import loadMujoco from "@mujoco/mujoco";
import {
  type JointDescription,
  jointFreedom,
  type Mechanism,
  type MechanismJoint,
  perAxis,
  type Quaternion,
  type Vector3,
  worldIndex,
} from "../../src/index.ts";
import { quaternion, vector } from "../../src/math/index.ts";

export type Mujoco = Awaited<ReturnType<typeof loadMujoco>>;

export async function loadOracle(): Promise<Mujoco> {
  return loadMujoco();
}

/** Free rotation of a joint, as MuJoCo has it. */
const isBall = ({ shape }: MechanismJoint): boolean => shape.rotation === 0 && !shape.serial;
const isFree = (joint: MechanismJoint): boolean =>
  isBall(joint) &&
  joint.shape.translation === 0 &&
  joint.parent === worldIndex &&
  vector.norm(joint.frames.childAnchor) === 0;

const list = (values: readonly number[]): string => values.join(" ");

function mjcf(mechanism: Mechanism, timestep: number): string {
  return `<mujoco>
  <compiler angle="radian" autolimits="false"/>
  <option timestep="${timestep}" gravity="${list(mechanism.gravity)}" integrator="RK4"><flag contact="disable"/></option>
  <worldbody>${bodiesUnder(mechanism, worldIndex)}</worldbody>
</mujoco>`;
}

function bodiesUnder(mechanism: Mechanism, parent: number): string {
  return mechanism.joints
    .filter((joint) => joint.parent === parent)
    .map((joint) => {
      const { mass, inertia, name } = mechanism.bodies[joint.child];
      const description = mechanism.description.joints![joint.name];
      const orientation = description.orientation ?? quaternion.identity;
      const childAnchor = description.childAnchor ?? vector.zero;
      const anchor = vector.add(description.parentAnchor ?? vector.zero, axisPassing(description));
      const position = vector.sub(anchor, quaternion.rotate(orientation, childAnchor));
      const moments = [inertia[0][0], inertia[1][1], inertia[2][2], inertia[0][1], inertia[0][2], inertia[1][2]];
      return `
  <body name="${name}" pos="${list(position)}" quat="${list(orientation)}">
    <inertial pos="0 0 0" mass="${mass}" fullinertia="${list(moments)}"/>${jointElements(mechanism, joint)}${bodiesUnder(mechanism, joint.child)}
  </body>`;
    })
    .join("");
}

function jointElements(mechanism: Mechanism, joint: MechanismJoint): string {
  const description = mechanism.description.joints![joint.name];
  if (isFree(joint)) return "<freejoint/>";
  const { freeAxes } = jointFreedom(description);
  const toChild = quaternion.conjugate(description.orientation ?? quaternion.identity);
  const spread = (value: typeof description.stiffness): number[] => perAxis<number>(value, freeAxes.length, 0);
  const [stiffness, rest, damping, armature] = [
    description.stiffness,
    description.rest,
    description.damping,
    description.armature,
  ].map(spread);
  const forces = (i: number): string =>
    `stiffness="${stiffness[i]}" springref="${rest[i]}" damping="${damping[i]}" armature="${armature[i]}"`;
  const childAnchor = description.childAnchor ?? vector.zero;
  const pos = list(childAnchor);
  // the first of two hinges that do not meet
  const firstPos = list(vector.sub(childAnchor, quaternion.rotate(toChild, axisPassing(description))));
  const single = freeAxes.filter(({ motion }) => motion === "translation" || !isBall(joint));
  const elements = single.map(({ motion, direction }, i) => {
    const axis = list(quaternion.rotate(toChild, vector.normalize(direction)));
    return `<joint type="${motion === "translation" ? "slide" : "hinge"}" pos="${i === 0 ? firstPos : pos}" axis="${axis}" ${forces(i)}/>`;
  });
  if (isBall(joint)) elements.push(`<joint type="ball" pos="${pos}" ${forces(single.length)}/>`);
  return elements.join("");
}

/** From the first of two hinges to the second, in the parent's frame at zero angles. */
function axisPassing({ axes = [], axisOffset = 0 }: JointDescription): Vector3 {
  return axisOffset === 0 ? vector.zero : vector.scale(vector.normalize(vector.cross(axes[0], axes[1])), axisOffset);
}

export interface BodyPose {
  readonly position: Vector3;
  readonly orientation: Quaternion;
}

export interface OracleRun {
  readonly mechanism: Mechanism;
  /** Coordinates and rates at time zero; a ball's are left at rest at zero. */
  readonly positions: readonly number[];
  readonly rates: readonly number[];
  readonly timestep: number;
  /** Steps between samples, and the number of samples after the first. */
  readonly stepsPerSample: number;
  readonly samples: number;
  /** Forces on all coordinates during a sample. */
  readonly forces: (sample: number) => readonly number[];
}

/** Poses of all bodies at every sample. */
export function oraclePoses(mujoco: Mujoco, oracle: OracleRun): BodyPose[][] {
  const { mechanism, timestep, stepsPerSample, samples } = oracle;
  const model = mujoco.MjModel.from_xml_string(mjcf(mechanism, timestep));
  const data = new mujoco.MjData(model);
  if (!model || model.nv !== mechanism.coordinateCount)
    throw new Error(`MuJoCo has ${model?.nv} degrees of freedom, the mechanism ${mechanism.coordinateCount}`);
  try {
    setStart(mechanism, data.qpos, data.qvel, oracle);
    const poses: BodyPose[][] = [];
    for (let sample = 0; sample <= samples; sample++) {
      mujoco.mj_forward(model, data);
      poses.push(mechanism.bodies.map(({ index }) => poseOf(data.xpos, data.xquat, index + 1)));
      const forces = generalizedForces(mechanism, oracle.forces(sample));
      data.qfrc_applied.set(forces);
      for (let k = 0; k < stepsPerSample; k++) mujoco.mj_step(model, data);
    }
    return poses;
  } finally {
    data.delete();
    model.delete();
  }
}

/** Coordinates to qpos, which has four numbers for a ball. */
function setStart(mechanism: Mechanism, qpos: Float64Array, qvel: Float64Array, { positions, rates }: OracleRun): void {
  let at = 0;
  for (const joint of mechanism.joints) {
    const singles = joint.coordinates.length - (isBall(joint) ? 3 : 0);
    for (let i = 0; i < singles; i++) {
      qpos[at++] = positions[joint.coordinateOffset + i];
      qvel[joint.coordinateOffset + i] = rates[joint.coordinateOffset + i];
    }
    if (!isBall(joint)) continue;
    const first = joint.coordinateOffset + singles;
    qpos.set([1, 0, 0, 0], at);
    at += 4;
    qvel.set(inChild(joint, rates, first), first);
  }
}

/** Rates and forces of a ball are in the child's joint frame here, in the child's body frame there. */
function inChild(joint: MechanismJoint, values: readonly number[], at: number): Vector3 {
  return quaternion.rotate(joint.frames.childFrame, [values[at], values[at + 1], values[at + 2]]);
}

function generalizedForces(mechanism: Mechanism, forces: readonly number[]): Float64Array {
  const out = Float64Array.from(forces);
  for (const joint of mechanism.joints) {
    if (!isBall(joint)) continue;
    const at = joint.coordinateOffset + joint.coordinates.length - 3;
    out.set(inChild(joint, forces, at), at);
  }
  return out;
}

function poseOf(xpos: Float64Array, xquat: Float64Array, body: number): BodyPose {
  const p = 3 * body;
  const q = 4 * body;
  return {
    position: [xpos[p], xpos[p + 1], xpos[p + 2]],
    orientation: [xquat[q], xquat[q + 1], xquat[q + 2], xquat[q + 3]],
  };
}
